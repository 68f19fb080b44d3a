#!/bin/sh
# What the library picks for a case of any size, why, and what it launches.
. "$(dirname "$0")/lib.sh"
expect_exit 0 info reduce --case 'sum-f32-n2^20-uniform'
expect_out "reduce sum-f32-n1048576-uniform"
expect_out "measured: choice.csv has it for h200"
expect_out "the size is 1048576"
expect_out "the default of choice.csv: no row for a100 does the case"
expect_out "the same bits in every run"
expect_out "blocks of 512 x 1 x 1 threads"
expect_exit 0 info reduce --case sum-f32-n65536-uniform
expect_out "128 x 1 x 1 blocks of 128 x 1 x 1 threads"
expect_exit 2 info reduce --case no-such-case
expect_err "no-such-case"
finish
