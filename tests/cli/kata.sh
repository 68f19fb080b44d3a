#!/bin/sh
# kz kata: one a day and the same all day, another on request; what failed comes back.
. "$(dirname "$0")/lib.sh"
export KZ_COURSE="$(cd "$(dirname "$0")" && pwd)/mini_course" KZ_LEARN="$FOLDER/learn" LC_ALL=C.UTF-8
# It is noon here, whenever this runs: no test sees the day end.
hour=$(date -u +%H) && hour=${hour#0}
export TZ=ZOO$((hour - 12))
NEXT=ZOO$((hour - 24)) # the day after it
TODAY=$(date +%F) TOMORROW=$(TZ=$NEXT date +%F)
tab=$(printf '\t')

expect_exit 0 kata
expect_out "kata of $TODAY"
first=$(sed -n 's/^Your file: //p' "$FOLDER/out")
[ -f "$first" ] || fail "no file was placed: $first"
case $first in "$KZ_LEARN/katas/$TODAY-kata-"*) ;; *) fail "placed elsewhere: $first" ;; esac
echo "number = 77" > "$first"
expect_exit 0 kata
[ "$(sed -n 's/^Your file: //p' "$FOLDER/out")" = "$first" ] || fail "another kata on the same day"
[ "$(cat "$first")" = "number = 77" ] || fail "the learner's file was overwritten"

expect_exit 0 kata --another
second=$(sed -n 's/^Your file: //p' "$FOLDER/out")
[ "$second" != "$first" ] || fail "--another gave the same"
expect_exit 0 kata
[ "$(sed -n 's/^Your file: //p' "$FOLDER/out")" = "$second" ] || fail "the one asked for last is today's"
expect_exit 0 kata --another
expect_exit 2 kata --another
expect_err "all 3 katas were given today"

expect_exit 0 kata --list
expect_out "today"
[ "$(grep -c "^kata-" "$FOLDER/out")" = 3 ] || fail "not all katas are listed"

for i in 1 2 3; do
    expect_exit 0 kata --hint
    expect_out "Hint $i of 3"
done
expect_exit 0 kata --hint
expect_out "all 3 hints"

# Tomorrow is a new day: one that failed today is first.
{ echo "kernel-zoo progress 1"; printf 'kata\tkata-five\t%s\t1\n' "$TODAY"; } > "$FOLDER/failed.txt"
expect_exit 0 progress --import "$FOLDER/failed.txt"
TZ=$NEXT expect_exit 0 kata --list
expect_out "due since $TOMORROW"
TZ=$NEXT expect_exit 0 kata
expect_out "kata of $TOMORROW: kata-five"

# The skills whose tasks took many attempts come first.
{
    echo "kernel-zoo progress 1"
    for i in 1 2 3 4 5 6 7; do
        printf 'attempt\t%d\t2026-01-01\ttwo\t0\tanswer\tnumber\tcpu\t\t-\t0\t1\t00000000000000a%d\t0\t/x\n' "$((1767225600 + 100 * i))" "$i"
    done
} > "$FOLDER/weak.txt"
export KZ_LEARN="$FOLDER/weak"
expect_exit 0 progress --import "$FOLDER/weak.txt"
expect_exit 0 kata
expect_out "kata-four"

# A starter that nobody touched is no attempt.
expect_exit 1 kata --grade
expect_out "does not count as an attempt"
expect_exit 0 progress --export
grep -q "^attempt.*kata-four" "$FOLDER/out" && fail "an untouched starter was recorded"
expect_exit 0 kata
expect_out "Grade it:"
expect_exit 0 progress
expect_out "kz kata"

# Graded: failed, it is back tomorrow; mended the same day, later; passed at once, later still.
file=$(ls "$KZ_LEARN"/katas/*/kata-four.txt)
echo "number = 99" > "$file"
expect_exit 1 kata --grade
expect_out "kata-four"
expect_out "Grade it again when you have mended it. This kata is back on $TOMORROW."
echo "number = 4" > "$file" # without the line that says its task
expect_exit 0 kata --grade
expect_out "This kata is back on $(date -d '+3 days' +%F)."
expect_exit 0 kata
expect_out "Passed today. It is back on $(date -d '+3 days' +%F)."
grep -q "Grade it" "$FOLDER/out" && fail "a kata that is passed is to be graded"
expect_exit 0 progress
grep -q "kz kata" "$FOLDER/out" && fail "the kata is passed, and next all the same"
expect_exit 0 progress --export
[ "$(grep -c "^kata${tab}kata-four${tab}$TODAY${tab}4\$" "$FOLDER/out")" = 1 ] || fail "one result a day, the last"
expect_exit 0 kata --another
expect_exit 0 kata --hint
"$KZ" kata > "$FOLDER/out"
file=$(sed -n 's/^Your file: //p' "$FOLDER/out")
case $file in *three*) right=3 ;; *) right=5 ;; esac
sed -i "s/^number = .*/number = $right/" "$file"
expect_exit 0 grade "$file"
expect_out "This kata is back on $(date -d '+2 days' +%F)."

expect_exit 2 kata today
expect_err "takes no arguments"
expect_exit 2 kata --list --another
expect_err "one at a time"
KZ_LEARN=/dev/null/learn expect_exit 5 kata
expect_err "KZ_LEARN"
cp -r "$KZ_COURSE" "$FOLDER/bare" && rm -r "$FOLDER/bare/katas"
KZ_COURSE="$FOLDER/bare" expect_exit 2 kata
expect_err "no katas"

# Watched, it is graded on every save, until it passes.
export KZ_COURSE="$(cd "$(dirname "$0")" && pwd)/mini_course" KZ_LEARN="$FOLDER/watched"
wait_for() { # wait_for WORDS: in what the watching kz prints
    for i in $(seq 300); do
        grep -qF -- "$1" "$FOLDER/watching" && return
        sleep 0.1
    done
    fail "kz kata --watch never said: $1"
}
"$KZ" kata --watch > "$FOLDER/watching" 2>&1 &
watcher=$!
wait_for "Waiting for you to save"
file=$(sed -n 's/^Your file: //p' "$FOLDER/watching")
case $file in *three*) number=3 ;; *four*) number=4 ;; *) number=5 ;; esac
echo "number = 77" > "$file"
wait_for "Waiting for you to save it again"
grep -q "Not yet" "$FOLDER/watching" || fail "it was not graded"
echo "number = $number" > "$file"
wait_for "Passed"
wait $watcher || fail "kz kata --watch ended with $?"
expect_exit 2 kata --watch --grade
finish
