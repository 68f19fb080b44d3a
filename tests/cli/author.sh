#!/bin/sh
# What people who write tasks use: every template is a task that proves itself, and mistakes are told.
. "$(dirname "$0")/lib.sh"
export KZ_LEARN="$FOLDER/learner"
mkdir -p "$FOLDER/course/tasks"
shared=$(dirname "$(dirname "$KZ")")/share/kz/course
cp -r "$shared/template" "$shared/skills.toml" "$shared/parts.toml" "$FOLDER/course"
echo 'topics = ["one"]' > "$FOLDER/course/order.toml"
export KZ_COURSE="$FOLDER/course"

for kind in cuda program c command answer; do
    expect_exit 0 learn new-task "one/my-$kind" --kind "$kind"
    expect_out "kz learn check-task"
    expect_exit 0 learn check-task "$FOLDER/course/tasks/one/my-$kind"
    expect_out "solution"
done
# The kernels of several tasks can be compiled before they are proven.
cache=${XDG_CACHE_HOME-}
export XDG_CACHE_HOME="$FOLDER/compiled"
expect_exit 0 learn check-task --compile-only my-cuda "$FOLDER/course/tasks/one/my-answer"
[ "$(find "$FOLDER/compiled" -name '*.ptx' | wc -l)" -ge 4 ] || fail "my-cuda's kernels are not in the cache"
expect_exit 2 learn check-task --compile-only my-cuda my-cud
expect_err "did you mean my-cuda?"
if [ -n "$cache" ]; then XDG_CACHE_HOME=$cache; else unset XDG_CACHE_HOME; fi
grep -q '"my-cuda", "my-program", "my-c", "my-command", "my-answer"' "$FOLDER/course/tasks/one/topic.toml" ||
    fail "topic.toml does not list them"
expect_exit 0 learn new-task katas/kata-x --kind answer
expect_exit 0 learn check-task kata-x
expect_exit 0 learn new-task two/else --kind answer
expect_out "is not in"
rm -r "$FOLDER/course/tasks/two"
expect_exit 2 learn new-task one/my-c
expect_err "is there already"
expect_exit 2 learn new-task one/Wrong_Name
expect_err "lower case"
expect_exit 2 learn new-task alone
expect_err "TOPIC/ID"
expect_exit 2 learn new-task one/x --kind fortran
expect_err "cuda, program, c, command or answer"
expect_exit 2 learn check-task my-cud
expect_err "did you mean my-cuda?"
expect_exit 0 learn metrics
expect_out "load_sectors"

# A wrong file that claims an unknown reason is told the known ones.
one_short=$FOLDER/course/tasks/one/my-c/wrong/one_short.c
cp "$one_short" "$FOLDER/kept.c" && sed -i "s/fails: result/fails: rezult/" "$one_short"
expect_exit 1 learn check-task my-c
expect_out 'says "fails: rezult", and that is no reason (compile, '
cp "$FOLDER/kept.c" "$one_short"
# A task that does not hold is told: a wrong kernel that is right, hints that are missing, an unknown key.
task=$FOLDER/course/tasks/one/my-c
cp "$task/solution.c" "$task/wrong/right.c"
sed -i '1s|.*|// fails: result|' "$task/wrong/right.c"
expect_exit 1 learn check-task my-c
expect_out "wrong/right.c"
rm "$task/wrong/right.c"
cp "$task/statement.md" "$FOLDER/statement.md"
sed -i 1d "$task/statement.md"
expect_exit 9 learn check-task my-c
expect_err "statement.md:1: the first line is not the task's title"
cp "$FOLDER/statement.md" "$task/statement.md"
echo "## one" > "$task/hints.md"
expect_exit 9 learn check-task my-c
expect_err "three or more"
program=$FOLDER/course/tasks/one/my-program/task.toml
cp "$program" "$FOLDER/program.toml"
printf '\n[speed]\nn = 1000\nbytes = "8*n"\npeak = 0.5\n' >> "$program"
expect_exit 9 learn check-task my-program
expect_err "[speed] is for kernels"
cp "$FOLDER/program.toml" "$program"
statement=$FOLDER/course/tasks/one/my-answer/statement.md
cp "$statement" "$FOLDER/asks.md"
{ sed -n 1p "$FOLDER/asks.md"; printf '\nA table of figures.\n'; } > "$statement"
expect_exit 9 learn check-task my-answer
expect_err "does not say what is to be answered"
cp "$FOLDER/asks.md" "$statement"
kernel=$FOLDER/course/tasks/one/my-cuda/task.toml
cp "$kernel" "$FOLDER/kernel.toml"
printf '\n[speed]\nn = 1000\nbytes = "8*n"\npeak = 0.5\n' >> "$kernel"
expect_exit 0 learn check-task my-cuda
sed -i '/^\[\[gate/,/^why/d' "$kernel"
expect_exit 9 learn check-task my-cuda
expect_err "[speed] without a [[gate]]"
cp "$FOLDER/kernel.toml" "$kernel"
# Gates that are met by doing nothing much: of one thread, or diluted.
sed -i 's/^metric = "load_sectors"/metric = "barriers"/' "$kernel"
expect_exit 9 learn check-task my-cuda
expect_err "no gate limits what the kernel reads, writes or executes"
sed -i 's/^metric = "barriers"/metric = "lanes_per_instruction"/; s/^max = /min = /' "$kernel"
expect_exit 9 learn check-task my-cuda
expect_err "add one on instructions with a max"
cp "$FOLDER/kernel.toml" "$kernel"
echo 'titel = "x"' >> "$FOLDER/course/tasks/one/my-answer/task.toml"
expect_exit 9 learn check-task my-answer
expect_err 'unknown key "titel"'
finish
