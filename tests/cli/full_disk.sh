#!/bin/sh
# A full disk is an error with status 5, and what was checked is printed all the same.
. "$(dirname "$0")/lib.sh"
expect_exit 5 check vector_add --device cpu --no-time --json /dev/full
expect_out "checks passed"
expect_err "/dev/full"
expect_exit 5 check vector_add --device cpu --no-time --junit /dev/full
expect_out "checks passed"
[ -c /dev/full ] || fail "/dev/full was replaced by a file"
"$KZ" list > /dev/full 2> "$FOLDER/err"
[ $? -eq 5 ] || fail "lost output on stdout is no success"
"$KZ" prof vector_add > /dev/full 2> "$FOLDER/err"
[ $? -eq 5 ] || fail "a lost page is no success"
grep -Eq "No space left|disk is full" "$FOLDER/err" || fail "another reason for lost output than the full disk"
KZ_RESULTS=/dev/null/nowhere expect_exit 5 check vector_add --device cpu --no-time
expect_out "checks passed"
expect_err "KZ_RESULTS"
KZ_RESULTS=/dev/null/nowhere expect_exit 0 check vector_add --device cpu --no-time --no-save
expect_exit 5 check vector_add --device cpu --no-time --no-save --json "$FOLDER/no/such/folder/x.json"
finish
