# For the tests of the course: sourced after lib.sh. A course of three real tasks in one path, and a learner whose
# folder is new. PTY runs a command on a pseudo-terminal.
PTY=$5
SHIPPED=$(dirname "$KZ")/../share/kz/course
export KZ_COURSE="$FOLDER/course" KZ_LEARN="$FOLDER/learner" LC_ALL=C.UTF-8 TERM=xterm
mkdir -p "$KZ_COURSE/tasks/execution" "$KZ_COURSE/paths"
cp "$SHIPPED"/parts.toml "$SHIPPED"/skills.toml "$KZ_COURSE"
for task in hello-thread vector-add launch-geometry; do
    cp -r "$SHIPPED/tasks/execution/$task" "$KZ_COURSE/tasks/execution"
done
echo 'topics = ["execution"]' > "$KZ_COURSE/order.toml"
cat > "$KZ_COURSE/tasks/execution/topic.toml" << END
title = "The execution model"
about = "Threads."
tasks = ["hello-thread", "vector-add", "launch-geometry"]
END
cat > "$KZ_COURSE/paths/first-steps.toml" << END
title = "First steps"
group = "paths"
goal = "Write a first kernel"
time = "an hour"
prerequisites = "Some C"
[[step]]
title = "Who am I"
text = "Every thread has a number."
tasks = ["hello-thread", "vector-add"]
[[gate]]
title = "The first gate"
text = "You can write a kernel."
tasks = ["hello-thread"]
questions = ["Could you say who a thread is?"]
[[step]]
title = "Geometry"
text = "Blocks and warps."
tasks = ["launch-geometry"]
END
HELLO=$KZ_LEARN/tasks/hello-thread/hello-thread.cu
ADD=$KZ_LEARN/tasks/vector-add/vector-add.cu

# solve TASK EXTENSION FILE: the task's own solution, as an editor saves it: written beside, then renamed.
solve() {
    { echo "// kz: task $1" && cat "$KZ_COURSE/tasks/execution/$1/solution.$2"; } > "$3.part" && mv "$3.part" "$3"
}

# on_terminal COLUMNS WORD...: kz on a terminal, driven by stdin (tests/cli/pty.c).
on_terminal() {
    columns=$1
    shift
    "$PTY" "$columns" -- "$KZ" "$@" > "$FOLDER/out" 2> "$FOLDER/err" || fail "kz $* on a terminal of $columns columns"
}
