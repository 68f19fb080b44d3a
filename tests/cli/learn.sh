#!/bin/sh
# kz learn without a terminal: where one stands, grading once, the verbs; what is deleted, broken or full.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/course.sh"

# The first time: explained, placed, graded, and how to go on.
expect_exit 1 learn
expect_out "Welcome to Kernel Zoo"
expect_out "First steps · 1 of 3"
expect_out "$HELLO"
expect_out "What it asks for: kz learn show hello-thread"
expect_out "does not pass yet"
expect_out "kz learn hint helps"
[ -f "$HELLO" ] || fail "the first task's file was not placed"
head -n 1 "$HELLO" | grep -q "kz: task hello-thread" || fail "the file does not say its task"
expect_exit 1 learn run
expect_out "Not yet"
expect_out "runs are wrong"
expect_exit 1 learn next
expect_err "hello-thread is not passed yet"
expect_err "kz learn skip"

# A shell that does not find kz is told how to; one that does is not.
mkdir "$FOLDER/bin"
PATH="$FOLDER/bin" KZ_LEARN="$FOLDER/new" "$KZ" learn > "$FOLDER/out" 2> "$FOLDER/err"
expect_out "export PATH=\"$(readlink -f "$(dirname "$KZ")"):"
ln -s "$KZ" "$FOLDER/bin/kz"
PATH="$FOLDER/bin" KZ_LEARN="$FOLDER/newer" "$KZ" learn > "$FOLDER/out" 2> "$FOLDER/err"
expect_out "Welcome to Kernel Zoo"
! grep -q "export PATH" "$FOLDER/out" || fail "kz is on the PATH, and still a shell is told how to find it"

# Hints come in steps.
expect_exit 0 learn hint
expect_out "Hint 1 of"
expect_exit 0 learn hint
expect_out "Hint 2 of"
expect_exit 0 learn hint 1
expect_out "Hint 1 of"

# The solution is shown for a yes alone, before passing.
expect_exit 2 learn solution
expect_err "--yes"
expect_exit 0 learn solution --yes
expect_out "One solution of hello-thread"
expect_exit 0 learn list
expect_out "(solution seen)"

# Passing: what to read then, where the zoo goes on, the gate, what is next.
sed -i '/^skills/a leads_to = ["vector_add"]' "$KZ_COURSE/tasks/execution/hello-thread/task.toml"
solve hello-thread cu "$HELLO"
expect_exit 0 learn run
expect_out "Passed"
expect_out "The zoo goes on from here:"
expect_out "kz info vector_add  (kernels/primitives/vector_add)"
expect_out "Gate: The first gate: passed"
expect_out "Next:"
expect_exit 0 learn list
expect_out "1 of 3 passed"
expect_out "✓ hello-thread"
LC_ALL=C expect_exit 0 learn list
expect_out "x hello-thread"
expect_exit 0 learn paths
expect_out "> first-steps"
expect_out "1 of 3"
expect_exit 0 learn next
expect_out "$ADD"
expect_exit 0 learn show launch-geometry
expect_out "(launch-geometry)"
expect_exit 0 learn show
expect_out "(vector-add)"

# Skipped tasks come back at the end.
expect_exit 0 learn skip
expect_out "Skipped vector-add"
expect_out "(launch-geometry)"
expect_exit 0 learn skip
expect_out "(vector-add)"

# Names that are nearly right, and words that mean nothing.
expect_exit 2 learn show vector-ad
expect_err "did you mean vector-add?"
expect_exit 2 learn vector-ad
expect_err "did you mean vector-add?"
expect_exit 2 learn start first-step
expect_err "did you mean first-steps?"
expect_exit 2 learn start STEPS
expect_err "it is in the title of: first-steps (First steps)"
expect_exit 2 learn start primitives
! grep -q "title" "$FOLDER/err" || fail "a title that no path has was found"
expect_exit 2 learn start
expect_err "which path?"
expect_exit 2 learn show first-steps
expect_err "kz learn start first-steps"
expect_exit 2 learn show 7
expect_err "from 1 to 3"
expect_exit 0 learn start all
expect_exit 0 learn show
expect_out "The whole course"
expect_out "The whole course"
expect_exit 0 learn start first-steps

# Reset: asks, keeps what was there, forgets that it was passed.
expect_exit 2 learn reset hello-thread
expect_err "--yes"
expect_exit 0 learn reset hello-thread --yes
cmp -s "$HELLO.before-reset" "$HELLO" && fail "reset left the file as it was"
grep -q threadIdx "$HELLO.before-reset" || fail "reset did not keep the old file"
expect_out "What you had changed is in $HELLO.before-reset."
expect_exit 0 learn reset hello-thread --yes
! grep -q "What you had changed" "$FOLDER/out" || fail "a starter was kept as something changed"
echo "// second" >> "$HELLO"
expect_exit 0 learn reset hello-thread --yes
expect_out "What you had changed is in $HELLO.before-reset-2."
grep -q second "$HELLO.before-reset-2" && grep -q threadIdx "$HELLO.before-reset" || fail "a second reset lost a file"
expect_exit 0 learn list
expect_out "0 of 3 passed"

# A file that was deleted is made anew, and that is said.
expect_exit 1 learn hello-thread
rm -r "$KZ_LEARN/tasks"
expect_exit 1 learn
expect_out "made anew from the starter"

# A broken progress file is set aside; the learner's files stay.
solve hello-thread cu "$HELLO"
expect_exit 0 learn
echo "no database at all" > "$KZ_LEARN/progress.db"
rm -f "$KZ_LEARN/progress.db-wal" "$KZ_LEARN/progress.db-shm"
expect_exit 0 learn
expect_err "was moved to"
expect_out "Passed"
ls "$KZ_LEARN"/progress.db.broken-* > /dev/null 2>&1 || fail "the broken file is gone"
grep -q threadIdx "$HELLO" || fail "a task file was touched"
# So is one that was deleted: said so, once, and nobody is welcomed as a stranger.
rm "$KZ_LEARN"/progress.db*
expect_exit 0 learn
expect_err "your progress file is gone"
expect_err "kz progress --import"
! grep -q Welcome "$FOLDER/out" || fail "a learner whose progress was deleted is welcomed as a new one"
expect_exit 0 learn
! grep -q gone "$FOLDER/err" || fail "a deleted progress file is told twice"

# No place to write to.
KZ_LEARN=/proc/nowhere expect_exit 5 learn
expect_err "KZ_LEARN"
(
    unset KZ_LEARN HOME
    expect_exit 2 learn list
    expect_err "KZ_LEARN=/some/folder"
    exit "$FAILED"
) || FAILED=1
# Without KZ_LEARN the work lies beside a clone of the project, not in it.
(
    unset KZ_LEARN
    export HOME="$FOLDER/home"
    mkdir -p "$HOME/kernel-zoo"
    expect_exit 0 learn start first-steps
    [ -f "$HOME/kz-learn/progress.db" ] && [ -d "$HOME/kz-learn/tasks" ] || fail "the learner's folder is not ~/kz-learn"
    [ -z "$(ls "$HOME/kernel-zoo")" ] || fail "a learner's work lies in the clone: $(ls "$HOME/kernel-zoo")"
    exit "$FAILED"
) || FAILED=1
KZ_COURSE=/nowhere expect_exit 2 learn
# make learn ends well where the task is not passed yet, and badly where kz learn failed.
mkdir "$FOLDER/bin"
printf '#!/bin/sh\n' > "$FOLDER/bin/cmake"
printf '#!/bin/sh\nexit $LEARN_EXIT\n' > "$FOLDER/bin/fake_kz"
chmod +x "$FOLDER/bin/cmake" "$FOLDER/bin/fake_kz"
make_learn() {
    LEARN_EXIT=$1 PATH="$FOLDER/bin:$PATH" make -s -C "$(dirname "$0")/../.." -o build/release/.configured learn \
        KZ="$FOLDER/bin/fake_kz" > "$FOLDER/out" 2> "$FOLDER/err"
}
make_learn 0 && make_learn 1 || fail "make learn fails where a task is not passed yet"
[ -s "$FOLDER/err" ] && fail "make learn complains of a task that is not passed yet"
make_learn 5 && fail "make learn hides an error of kz learn"
finish
