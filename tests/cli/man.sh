#!/bin/bash
# Every verb of the help has a manual page, with its options, that troff takes without a word.
. "$(dirname "$0")/lib.sh"

expect_exit 0 help --man "$FOLDER/man"
expect_exit 0 help
verbs=$(sed -n 's/^  \([a-z-]*\) .*/\1/p' "$FOLDER/out")
[ -n "$verbs" ] || fail "kz help lists no verbs"
for verb in $verbs; do
    page=$FOLDER/man/kz-$verb.1
    [ -f "$page" ] || { fail "$verb has no manual page"; continue; }
    grep -q "^kz.-$verb .- " "$page" || fail "the page of $verb has no line for whatis"
    expect_exit 0 help "$verb"
    for option in $(sed -n 's/^  --\([a-z-]*\).*/\1/p' "$FOLDER/out"); do
        grep -qF "\\fB\\-\\-$option\\fR" "$page" || fail "the page of $verb lacks --$option"
    done
    grep -qF "kz\\-$verb" "$FOLDER/man/kz.1" || fail "kz(1) lacks $verb"
done
grep -q '^3$' "$FOLDER/man/kz.1" || fail "kz(1) lacks the exit status 3"
[ ! -e "$FOLDER/man/kz-judge.1" ] || fail "a hidden verb has a page"

if command -v groff > /dev/null; then
    for page in "$FOLDER"/man/*.1; do
        said=$(groff -man -Tutf8 -Kutf8 -ww -z -rLL=120n "$page" 2>&1)
        [ -z "$said" ] || fail "$(basename "$page"): $said"
    done
fi
if command -v mandoc > /dev/null; then mandoc -T lint -W warning "$FOLDER"/man/*.1 || fail "mandoc has warnings"; fi

expect_exit 2 help --man
expect_err "kz help --man FOLDER"
finish
