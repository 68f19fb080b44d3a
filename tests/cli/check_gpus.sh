#!/bin/sh
# Kernels on GPUs other than the one they are checked on everywhere else: less shared memory, fewer multiprocessors.
. "$(dirname "$0")/lib.sh"
expect_exit 0 check sgemm --device sim:rtx4090 --no-save
expect_out "checks passed"
# So many elements for each of a T4's blocks that 16 bits of a counter overflow, and are carried.
expect_exit 0 check histogram/07_packed_counters --device sim:t4 --no-save \
    --case even-u16-n2900000-bins256-lower0-upper65536-equal
expect_out "1 of 1 checks passed"
