#!/bin/sh
# kz learn on a terminal: keys, saving, hints, the list, signals, the terminal's modes afterwards.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$FOLDER/temporary"
mkdir "$TMPDIR"
. "$(dirname "$0")/course.sh"
wrong() { sed 's/threadIdx.x/0/' "$KZ_COURSE/tasks/execution/hello-thread/solution.cu" > "$FOLDER/wrong.cu"; }
wrong
solve hello-thread cu "$FOLDER/right.cu"
solve vector-add cu "$FOLDER/add.cu"

printf 'extern "C" __global__ void hello_thread(int *who, int n) {\n    who[0] = no_such_name;\n}\n' > "$FOLDER/broken.cu"
{ cat "$FOLDER/broken.cu" && for i in 1 2 3 4 5 6 7 8 9; do echo "int f$i = no_name_$i;"; done; } > "$FOLDER/long.cu"
export EDITOR="cp $FOLDER/broken.cu"
unset VISUAL
# A pager that does not wait for keys.
mkdir "$FOLDER/bin"
printf '#!/bin/sh\necho paged "$@"\nshift $(($# - 1))\ncat "$1"\n' > "$FOLDER/bin/less"
chmod +x "$FOLDER/bin/less"
PATH="$FOLDER/bin:$PATH"

# From the first minute to the second task.
on_terminal 80 learn << END
expect Welcome to Kernel Zoo
expect paged
expect First steps · 1 of 3
expect edit    $HELLO
expect $HELLO
expect does not pass yet
expect Waiting for you to save hello-thread.cu
expect q quit
modes keys
idle
# A wrong file, written in place.
shell cat $FOLDER/wrong.cu > $HELLO
expect $HELLO
expect wrong
expect Waiting for you to save
send h
expect Hint 1 of
send h
expect Hint 2 of
send n
expect not passed yet
send s
expect y shows it
send x
expect Waiting for you to save
# Arrows and unknown keys do nothing.
send \e[A\eOB
send z
expect There is no such key
# Pasted text is no keys: not even its k, s, y and q do anything.
send if (k < n) sky[k] = quick;
expect That was pasted
never Skipped
idle
# An editor on this terminal; its file does not compile, which is said with the line.
send e
expect hello-thread.cu(2): error
expect Waiting for you to save
modes keys
# A verdict that the window does not hold says so, and is shown again from its beginning.
shell cp $FOLDER/long.cu $HELLO
expect The verdict began further up: v shows it
expect v verdict
send v
expect paged
expect $HELLO
expect ✗ compiles
expect Waiting for you to save
# The right file, written beside and renamed. Nothing goes on by itself.
shell cp $FOLDER/right.cu $HELLO.new && mv $HELLO.new $HELLO
expect Passed
expect Gate: The first gate: passed
expect Next:
expect n goes on when you want to
never First steps · 2 of 3
children 0
send s
expect One solution of hello-thread
expect q quit
send n
expect First steps · 2 of 3
expect $ADD
expect Waiting for you to save vector-add.cu
# The list: by number, by name, a wrong name, and Enter.
send l
expect ✓ hello-thread
expect Go to
modes cooked
send 9\n
expect from 1 to 3
modes keys
send l
expect Go to
send \n
expect Waiting for you to save vector-add.cu
send l
expect Go to
send q\n
expect Waiting for you to save vector-add.cu
send l
expect Go to
send launch-geometry\n
expect First steps · 3 of 3
expect Waiting
send k
expect Skipped launch-geometry
expect First steps · 2 of 3
expect Waiting
send ?
expect the next task
expect q quit
# A narrow window from here on.
resize 60
send w
expect paged
expect edit
expect .cu
expect It passes when
expect ?
width 59
send q
expect kz learn opens vector-add again
exit 0
modes cooked
END
grep -qF 'no task "q"' "$FOLDER/out" && fail "q is taken for the name of a task"

# Without VISUAL and EDITOR: an editor that says how to leave it.
printf '#!/bin/sh\necho nano was asked\n' > "$FOLDER/bin/nano"
chmod +x "$FOLDER/bin/nano"
EDITOR= on_terminal 80 learn << END
expect Waiting for you to save
send e
expect nano was asked
expect q quit
send q
exit 0
END

# Where the learner left off; a run is given up for a new save, for a key, for the end; deleted files come back.
cat > "$FOLDER/endless.cu" << END
// kz: task vector-add
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    for (int i = 1; i; i += 2) z[0] = x[0] + y[0] + (float)i;
}
END
on_terminal 80 learn << END
expect First steps · 2 of 3
expect Waiting for you to save
shell cp $FOLDER/endless.cu $ADD
expect running on the simulator
expect s; a run is stopped after 20 s
shell cp $FOLDER/add.cu $ADD
expect Passed
expect n goes on
children 0
shell rm $ADD
expect was gone: it was made anew from the starter
expect Waiting for you to save
shell rm -r $KZ_LEARN/tasks/vector-add
expect was gone: it was made anew from the starter
expect Waiting for you to save
shell cp $FOLDER/add.cu $ADD
expect n goes on
# A link to a file that is kept elsewhere.
shell mkdir $FOLDER/repository && mv $ADD $FOLDER/repository/mine.cu && ln -s $FOLDER/repository/mine.cu $ADD
shell cp $FOLDER/broken.cu $FOLDER/repository/mine.cu
expect no_such_name
expect Waiting for you to save
# It was passed before: going on is still offered.
expect n next
expect q quit
shell rm $ADD && cp $FOLDER/add.cu $ADD
expect n goes on
send \x1a
stop
modes cooked
resume
modes keys
expect n goes on
shell cp $FOLDER/endless.cu $ADD
expect running on the simulator
send \x03
exit 130
modes cooked
END
[ -z "$(ls "$TMPDIR")" ] || fail "temporary folders are left: $(ls "$TMPDIR")"

# Ended by a signal in the middle of a run.
on_terminal 80 learn << END
expect running on the simulator
signal 15
exit 143
modes cooked
END
# A crash gives the terminal back too.
solve vector-add cu "$ADD"
on_terminal 80 learn << END
expect q quit
modes keys
signal 11
modes cooked
exit 139
END
on_terminal 80 learn << END
expect q quit
signal 1
exit 129
modes cooked
END

# A terminal that can do nothing: lines instead of keys; looking instead of being told; no colour, no UTF-8.
TERM=dumb LC_ALL=C on_terminal 60 learn vector-add --poll << END
expect First steps - 2 of 3
expect grading
expect Passed
expect q quit
modes cooked
send l\n
expect x hello-thread
expect Go to
send 1\n
expect First steps - 1 of 3
expect Passed
expect q quit
shell cp $FOLDER/wrong.cu $HELLO
expect Not yet
expect q quit
send keep this line\n
expect There is no such key
send quit\n
exit 0
END
grep -q "$(printf '\033')" "$FOLDER/out" && fail "escape sequences on a terminal without them"

# Two terminals at once: what either passes is kept.
expect_exit 0 learn reset hello-thread --yes
expect_exit 0 learn reset vector-add --yes
mkfifo "$FOLDER/first" "$FOLDER/second"
"$PTY" 80 -- "$KZ" learn hello-thread < "$FOLDER/first" > "$FOLDER/out1" 2>&1 &
first=$!
"$PTY" 80 -- "$KZ" learn vector-add < "$FOLDER/second" > "$FOLDER/out2" 2>&1 &
second=$!
printf 'expect Waiting for you\nshell cp %s %s\nexpect n goes on\nsend q\nexit 0\n' "$FOLDER/right.cu" "$HELLO" > "$FOLDER/first" &
printf 'expect Waiting for you\nshell cp %s %s\nexpect n goes on\nsend q\nexit 0\n' "$FOLDER/add.cu" "$ADD" > "$FOLDER/second" &
wait $first || { cp "$FOLDER/out1" "$FOLDER/out"; fail "the first of two terminals"; }
wait $second || { cp "$FOLDER/out2" "$FOLDER/out"; fail "the second of two terminals"; }
expect_exit 0 learn list
expect_out "✓ hello-thread"
expect_out "✓ vector-add"

# The progress file deleted meanwhile: a new one, with this attempt, and nobody takes it for all there was.
on_terminal 80 learn hello-thread << END
expect q quit
shell rm $KZ_LEARN/progress.db
shell cp $FOLDER/wrong.cu $HELLO
expect your progress file is gone
expect Waiting for you to save
send q
exit 0
END
expect_exit 0 progress
expect_err "this begins on"
expect_out "1 attempt"
expect_exit 0 learn show
expect_out "(hello-thread)"

# A list that is longer than the window begins where the learner is.
KZ_COURSE="$SHIPPED" KZ_LEARN="$FOLDER/far" on_terminal 80 learn 100 --path all << END
expect The whole course · 100 of
expect Waiting for you to save
send l
expect paged -R -X +
expect Go to
send q\n
expect Waiting for you to save
send q
exit 0
END
[ "$(grep -o 'paged -R -X +[0-9]*' "$FOLDER/out" | tail -1)" != 'paged -R -X +1' ] ||
    fail "the list begins at its beginning, far above the task"
finish
