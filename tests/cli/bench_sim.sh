#!/bin/sh
# kz bench sim: with instruments the kernels are as right as without; words that are none are named.
. "$(dirname "$0")/lib.sh"
expect_exit 0 bench sim --time 0.01 --json --observe counters
[ "$("$JSON_LINES" observed_per_s < "$FOLDER/out")" = 17 ] || fail "not a figure for each kernel"
[ "$(grep -c '"correct": true' "$FOLDER/out")" = 17 ] || fail "wrong results"
expect_exit 2 bench sim --observe sectors
expect_err 'there is no instrument "sectors"'
expect_err "counters, caches"
expect_exit 2 bench sim --fast
expect_err "--observe INSTRUMENTS"
finish
