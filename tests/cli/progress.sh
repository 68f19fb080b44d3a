#!/bin/sh
# kz progress: what it draws, its pages, plain text out and in, and a progress file that is broken or newer.
. "$(dirname "$0")/lib.sh"
export KZ_COURSE="$(cd "$(dirname "$0")" && pwd)/mini_course" KZ_LEARN="$FOLDER/learn" LC_ALL=C.UTF-8
# It is noon here, whenever this runs: no test sees the day end.
hour=$(date -u +%H) && hour=${hour#0}
export TZ=ZOO$((hour - 12))
NOW=$(date +%s) TODAY=$(date +%F)
SAVED="$FOLDER/saved.txt"

expect_exit 0 progress
expect_out "0 of 3 tasks passed, 0 of 3 katas"
expect_out "kz learn paths"
[ -f "$KZ_LEARN/progress.db" ] || fail "no progress.db was made"

# One passed, one tried; a path is begun.
tab=$(printf '\t')
{
    echo "kernel-zoo progress 1"
    echo "attempt	$((NOW - 200))	$TODAY	one	0	answer	number	cpu		-	0	0.5	00000000000000a1	0	/x/one.txt"
    echo "attempt	$((NOW - 100))	$TODAY	one	1			sim:h200	sectors_per_load	4.5	0	0.5	00000000000000a2	0	/x/one.txt"
    echo "attempt	$NOW	$TODAY	two	0	answer	number	cpu		-	0	0.5	00000000000000a3	0	/x/two.txt"
    echo "setting	path	short"
    echo "task	two	2	0	0"
} > "$SAVED"
expect_exit 0 progress --import "$SAVED"
expect_out "5 new lines imported"
expect_exit 0 progress --import "$SAVED"
expect_out "0 new lines imported"
expect_exit 0 progress
expect_out "1 of 3 tasks passed"
expect_out "First numbers"
expect_out "The short way"
grep -q "Gate of one *gate: passed" "$FOLDER/out" || fail "the first gate is passed: its part is ready"
grep -q "Gate of two *gate: open *still to pass: two" "$FOLDER/out" || fail "the second gate is open"
grep -q "Gate of the loom *gate: waiting *waits for The loom" "$FOLDER/out" || fail "the third gate waits"
grep -q "Counting .*1/1" "$FOLDER/out" || fail "the skill is whole"
grep -q "one *4.5 *sectors_per_load *counted, sim:h200" "$FOLDER/out" || fail "the best figure, and how it was got"
expect_out "1 in a row, 1 in all, 3 attempts"
grep -q "kz learn *The number two" "$FOLDER/out" || fail "the next task of the path"

# Without UTF-8 there is nothing but ASCII.
LC_ALL=C expect_exit 0 progress
LC_ALL=C grep -q '[^ -~]' "$FOLDER/out" && fail "characters that are not ASCII"
grep -q "####" "$FOLDER/out" || fail "bars in ASCII"

expect_exit 0 progress --json
expect_out '"passed": 1'
expect_out '"gate": "waiting"'
expect_exit 0 progress --html
expect_out "$KZ_LEARN/progress.html"
grep -q "Gate of the loom" "$KZ_LEARN/progress.html" || fail "the page lacks a gate"
grep -q 'class="scroll days"' "$KZ_LEARN/progress.html" || fail "on a narrow screen the days begin a year ago"
grep -q "<script\|http" "$KZ_LEARN/progress.html" && fail "the page needs something else"
expect_exit 0 progress --html="$FOLDER/page.html"
[ -s "$FOLDER/page.html" ] || fail "no page where it was asked for"
expect_exit 5 progress --html=/dev/full
expect_err "/dev/full"

# Out and in again gives the same text.
expect_exit 0 progress --export="$FOLDER/out.txt"
KZ_LEARN="$FOLDER/second" expect_exit 0 progress --import "$FOLDER/out.txt"
KZ_LEARN="$FOLDER/second" expect_exit 0 progress --export
cmp -s "$FOLDER/out" "$FOLDER/out.txt" || fail "the export changed on its way"

# Wrong words and files.
expect_exit 2 progress today
expect_err "takes no arguments"
expect_exit 2 progress --import
expect_exit 2 progress --import "$FOLDER/no/such/file"
expect_err "--export"
expect_exit 2 progress --json --export
printf 'kernel-zoo progress 1\nkata\tk\tyesterday\t3\n' > "$FOLDER/wrong.txt"
expect_exit 9 progress --import "$FOLDER/wrong.txt"
expect_err "wrong.txt:2: a day was expected"
printf 'kernel-zoo progress 1\n\0' > "$FOLDER/zero.txt"
expect_exit 9 progress --import "$FOLDER/zero.txt"
KZ_COURSE="$FOLDER/nowhere" expect_exit 2 progress
expect_err "nowhere"
KZ_LEARN=/dev/null/learn expect_exit 5 progress
expect_err "KZ_LEARN"

# A broken file is set aside and named; nothing else is touched; the export brings all back.
echo mine > "$KZ_LEARN/notes.txt"
echo "no database at all, and long enough to be looked at as one" > "$KZ_LEARN/progress.db"
rm -f "$KZ_LEARN"/progress.db-*
expect_exit 0 progress
expect_err "progress.db.broken-"
expect_out "0 of 3 tasks passed"
ls "$KZ_LEARN"/progress.db.broken-* > /dev/null 2>&1 || fail "the broken file is gone"
[ "$(cat "$KZ_LEARN/notes.txt")" = mine ] || fail "something else was touched"
expect_exit 0 progress --import "$FOLDER/out.txt"
expect_exit 0 progress
[ -s "$FOLDER/err" ] && fail "it is sound from here on"
expect_out "1 of 3 tasks passed"

# Deleted: begun anew.
rm -f "$KZ_LEARN"/progress.db*
expect_exit 0 progress
expect_out "0 of 3 tasks passed"

# Two terminals at once lose nothing.
for i in 1 2 3 4; do
    { echo "kernel-zoo progress 1"; echo "kata${tab}kata-three${tab}2026-01-0$i${tab}4"; } > "$FOLDER/at_once$i.txt"
    "$KZ" progress --import "$FOLDER/at_once$i.txt" > /dev/null 2> "$FOLDER/at_once$i.err" &
done
wait
expect_exit 0 progress --export
[ "$(grep -c '^kata' "$FOLDER/out")" = 4 ] || fail "a line was lost: $(cat "$FOLDER"/at_once*.err)"

# Readings are no tasks: each kind is counted by itself.
unset KZ_COURSE
count() { find "$(dirname "$KZ")/../share/kz/course/$1" -name task.toml | wc -l; }
readings=$(count tasks/reading)
rm -f "$KZ_LEARN"/progress.db*
expect_exit 0 progress
expect_out "0 of $(($(count tasks) - readings)) tasks passed, 0 of $readings readings, 0 of $(count katas) katas"
finish
