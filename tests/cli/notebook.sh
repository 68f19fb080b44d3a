#!/bin/sh
# kz notebook: what was run today is in the page; the learner's own words stay.
. "$(dirname "$0")/lib.sh"
export KZ_COURSE="$(cd "$(dirname "$0")" && pwd)/mini_course" KZ_LEARN="$FOLDER/learn"
# It is noon here, whenever this runs: no test sees the day end.
hour=$(date -u +%H) && hour=${hour#0}
export TZ=ZOO$((hour - 12))
NOW=$(date +%s) TODAY=$(date +%F)
PAGE="$KZ_LEARN/notebook/daily/$TODAY.md"

expect_exit 0 notebook
expect_out "$PAGE"
grep -q "Nothing yet" "$PAGE" || fail "an empty day says so"
grep -q "## What failed, and why?" "$PAGE" || fail "the questions are missing"
[ -d "$KZ_LEARN/notebook/microbench" ] && [ -d "$KZ_LEARN/notebook/insights" ] || fail "folders are missing"

echo "I learnt that guards matter." >> "$PAGE"
{
    echo "kernel-zoo progress 1"
    printf 'attempt\t%d\t%s\tone\t0\tanswer\tnumber\tcpu\t\t-\t0\t1\t00000000000000a1\t0\t/x\n' "$((NOW - 1))" "$TODAY"
    printf 'attempt\t%d\t%s\tone\t1\t\t\tsim:h200\tsectors_per_load\t4\t0\t1\t00000000000000a2\t0\t/x\n' "$NOW" "$TODAY"
    printf 'attempt\t%d\t%s\ttwo\t0\tanswer\tnumber\tcpu\t\t-\t0\t1\t00000000000000a3\t0\t/x\n' "$NOW" "$TODAY"
    printf 'attempt\t1600000000\t2020-09-13\tbig\t1\t\t\tcpu\t\t-\t0\t1\t00000000000000a4\t0\t/x\n'
} > "$FOLDER/in.txt"
expect_exit 0 progress --import "$FOLDER/in.txt"
expect_exit 0 kata
expect_exit 0 check vector_add --device cpu
echo "no JSON" >> "$KZ_RESULTS/$(ls "$KZ_RESULTS" | head -n 1)"
echo "{}" > "$KZ_RESULTS/check-20200101T000000Z-1.jsonl"
expect_exit 0 notebook --no-edit
grep -q '`one`: passed, 2 attempts on sim:h200; sectors_per_load = 4, counted by the simulator' "$PAGE" || fail "what passed: $(cat "$PAGE")"
grep -q '`two`: not passed yet, 1 attempt on cpu; last failed by answer number' "$PAGE" || fail "what failed: $(cat "$PAGE")"
grep -q 'big' "$PAGE" && fail "another day's attempt is in the page"
grep -q '`kata-[a-z]*`: given' "$PAGE" || fail "the kata is missing"
grep -q '`kz check vector_add`: 22 checks, 22 of them passed' "$PAGE" || fail "what was checked: $(cat "$PAGE")"
[ "$(grep -c 'kz check' "$PAGE")" = 1 ] || fail "another day's results are in the page"
grep -q "I learnt that guards matter." "$PAGE" || fail "the learner's words are gone"
[ "$(grep -c "## Run today" "$PAGE")" = 1 ] || fail "the section is there twice"
cp "$PAGE" "$FOLDER/before.md"
expect_exit 0 notebook
cmp -s "$PAGE" "$FOLDER/before.md" || fail "a second call changed something"

# What the grader runs for a task is not what the learner ran.
cp -r "$KZ_COURSE" "$FOLDER/course"
task=$FOLDER/course/tasks/first/two
sed -i 's/"answer"/"command"/; /\[\[answer\]\]/,$d' "$task/task.toml"
printf '[[command]]\nname = "check"\nmust = ["kz", "check"]\n' >> "$task/task.toml"
echo "check = kz check saxpy --device cpu" > "$FOLDER/two.txt"
{ echo "# kz: begin"; cat "$FOLDER/two.txt"; printf '# kz: starter\n#| check =\n# kz: end\n'; } > "$task/solution.txt"
KZ_COURSE="$FOLDER/course" expect_exit 0 grade "$FOLDER/two.txt" --task two
expect_exit 0 notebook
grep -q '`two`: passed' "$PAGE" || fail "the task with a command is missing: $(cat "$PAGE")"
grep -q 'kz check saxpy' "$PAGE" && fail "a command of the grader is in the page: $(cat "$PAGE")"

# The editor runs on a terminal alone.
printf '#!/bin/sh\necho "edited $1" > "%s/edited"\n' "$FOLDER" > "$FOLDER/editor" && chmod +x "$FOLDER/editor"
EDITOR="$FOLDER/editor" expect_exit 0 notebook
[ -e "$FOLDER/edited" ] && fail "an editor without a terminal"
if command -v script > /dev/null; then
    VISUAL="$FOLDER/editor" EDITOR=false script -qec "'$KZ' notebook --no-edit" /dev/null > /dev/null
    [ -e "$FOLDER/edited" ] && fail "an editor in spite of --no-edit"
    VISUAL="$FOLDER/editor" EDITOR=false script -qec "'$KZ' notebook" /dev/null > /dev/null
    grep -q "edited $PAGE" "$FOLDER/edited" || fail "the editor was not run on a terminal"
    VISUAL=/no/such/editor script -qec "'$KZ' notebook; echo status \$?" /dev/null > "$FOLDER/out"
    expect_out "there is no editor"
    expect_out "status 6"
fi

expect_exit 0 notebook insight "Padding beats: swizzling?"
page="$KZ_LEARN/notebook/insights/$TODAY-padding-beats-swizzling.md"
expect_out "$page"
grep -q "# Padding beats: swizzling?" "$page" || fail "the title is missing"
echo mine >> "$page"
expect_exit 0 notebook insight "Padding beats: swizzling?"
grep -q mine "$page" || fail "an insight was overwritten"
expect_exit 0 notebook microbench "shared latency"
grep -q "## Question" "$KZ_LEARN/notebook/microbench/shared-latency.md" || fail "no template"

expect_exit 2 notebook insigt x
expect_err "did you mean kz notebook insight?"
expect_exit 2 notebook insight
expect_err "takes one title"
expect_exit 2 notebook insight "???"
expect_err "neither letters nor digits"
KZ_LEARN=/dev/null/learn expect_exit 5 notebook
expect_err "KZ_LEARN"
printf 'a\0b' > "$PAGE"
expect_exit 9 notebook
expect_err "left as it is"
finish
