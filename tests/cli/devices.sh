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
# A variable with nonsense in it is an error, whatever the command is; kz doctor and kz help work all the same.
nonsense() { # NAME VALUE WORDS
    export "$1=$2"
    expect_exit 2 check vector_add/01_naive --device sim:t4
    expect_err "$3"
    expect_exit 2 run "$FOLDER/no_such_program"
    expect_err "$3"
    expect_exit 2 grade "$FOLDER/no_such.cu" --task vector-add
    expect_err "$3"
    expect_exit 2 devices
    expect_err "$3"
    expect_exit 0 help devices
    unset "$1"
}
nonsense KZ_SEED -3 'KZ_SEED is "-3"'
nonsense KZ_SEED 1.5 'KZ_SEED is "1.5"'
nonsense KZ_SEED 18446744073709551616 'no number from 0 to 2^63 - 1'
nonsense KZ_SIM_ISA avx9000 'KZ_SIM_ISA is "avx9000"'
nonsense KZ_SHADOW_LIMIT 8X 'KZ_SHADOW_LIMIT is "8X"'
nonsense KZ_SHADOW_LIMIT 0 'no number of bytes'
nonsense KZ_SHADOW_LIMIT 99999999999G 'no number of bytes'
nonsense KZ_GPU abacus "named by the variable KZ_GPU"
nonsense KZ_GPU ./nowhere.gpu "named by the variable KZ_GPU"
nonsense KZ_LIBCUDA /nowhere.so "KZ_LIBCUDA names /nowhere.so: there is no such file"
nonsense KZ_LIBNVML "$FOLDER" "KZ_LIBNVML names"
nonsense KZ_PEERS /nowhere "KZ_PEERS names /nowhere: there is no such folder"
KZ_SEED=-3 KZ_GPU=abacus expect_exit 0 doctor
# The runtime library for whole programs is one of the things to look after.
expect_exit 0 doctor
expect_out "runtime"
finish
