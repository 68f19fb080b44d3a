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
# The runtime library for whole programs is one of the things to look after.
expect_exit 0 doctor
expect_out "runtime"
finish
