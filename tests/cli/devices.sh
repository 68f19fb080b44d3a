#!/bin/sh
# Devices that are there, and a device that is not.
. "$(dirname "$0")/lib.sh"
expect_exit 0 devices
expect_out "cpu"
expect_out "sim"
expect_exit 0 devices --json
[ "$("$JSON_LINES" id cpu < "$FOLDER/out")" = 1 ] || fail "no cpu in the JSON"
expect_exit 3 check vector_add --device cuda:97
expect_err "cuda"
expect_err "kz devices"
expect_exit 3 check vector_add --device sim:no-such-gpu
expect_exit 3 check vector_add --device abacus
# A variable with nonsense in it is told of, wherever the simulator is.
export KZ_SEED=-3
expect_exit 2 check vector_add/01_naive --device sim:t4
expect_err 'KZ_SEED is "-3"'
unset KZ_SEED
export KZ_SIM_ISA=avx9000
expect_exit 2 check vector_add/01_naive --device sim:t4
expect_err 'KZ_SIM_ISA is "avx9000"'
unset KZ_SIM_ISA
# The runtime library for whole programs is one of the things to look after.
expect_exit 0 doctor
expect_out "runtime"
finish
