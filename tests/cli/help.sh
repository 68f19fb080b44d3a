#!/bin/sh
. "$(dirname "$0")/lib.sh"
expect_exit 0
expect_out "kz check"
expect_exit 0 --version
expect_out "kz 0."
expect_exit 0 help
expect_out "exit-codes"
expect_exit 0 help exit-codes
expect_out "a kernel gave a wrong result"
for verb in list info check devices layout ptx doctor bench tune microbench run prof timeline sanitize debug progress kata notebook portfolio learn grade new; do
    expect_exit 0 help "$verb"
    expect_out "kz $verb"
    expect_exit 0 "$verb" --help
    expect_out "kz $verb"
done
expect_exit 2 help chekc
expect_err "did you mean kz check?"
# A terminal of 80 columns: no line of a text is broken within a word.
"$5" 80 -- "$KZ" help bench > "$FOLDER/out" << 'END' || fail "at 80 columns: $(cat "$FOLDER/out")"
exit 0
width 80
END
finish
