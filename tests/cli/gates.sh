#!/bin/sh
# The end of a path, and gates: what is missing, how to get there, what waits for parts that are not built.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/course.sh"
printf '[[part]]\nid = "later"\ntitle = "A machine for later"\nready = false\n' >> "$KZ_COURSE/parts.toml"
cat > "$KZ_COURSE/paths/second.toml" << END
title = "Second steps"
group = "paths"
order = 1
goal = "Go on"
[[step]]
title = "Once more"
text = "What a step says when it begins."
tasks = ["vector-add"]
[[gate]]
title = "Now"
text = "What can be passed today."
tasks = ["vector-add", "hello-thread"]
questions = ["Could you do it again?"]
deliverables = ["A sum: task vector-add"]
[[gate]]
title = "Later"
text = "What cannot."
tasks = ["vector-add"]
waiting = ["later"]
END

# passed TASK...: as if these had been passed.
passed() {
    echo "kernel-zoo progress 1" > "$FOLDER/import"
    for task in "$@"; do
        printf 'attempt\t1700000000\t2023-11-14\t%s\t1\t\t\tsim:h200\t\t-\t0\t1\t0000000000000000\t0\t/x\n' "$task" >> "$FOLDER/import"
    done
    expect_exit 0 progress --import "$FOLDER/import"
}

# A gate before anything is done: what it asks for, how to get there, what is beside it.
expect_exit 0 learn gates second
expect_out "Gate: Now: 0 of 2 tasks passed"
expect_out "  1 · vector-add"
expect_out "     · hello-thread" # of the gate, and not of this path: it has no number
expect_out "kz learn vector-add opens the first that is missing"
expect_out "A sum: task vector-add"
expect_out "Could you do it again?"
expect_out "It cannot be passed yet: it waits for parts of Kernel Zoo that are not built"
expect_out "(A machine for"
expect_out "go on with other tasks"
expect_exit 0 learn list second
expect_out "kz learn gates"
expect_exit 0 learn start second
expect_out "Once more: What a step says when it begins."
expect_exit 0 learn gates
expect_out "Gate: Later"
expect_exit 2 learn gates secnod
expect_err "did you mean second?"

# All tasks passed: the gate that waits is not, and the learner is sent on.
passed vector-add hello-thread
expect_exit 0 learn gates
expect_out "Gate: Now: passed"
expect_out "Gate: Later: every task is passed"
expect_out "It cannot be passed yet"
! grep -q "Later: passed" "$FOLDER/out" || fail "a gate that waits is passed"
expect_exit 0 learn next
expect_out "Every task of Second steps is passed."
expect_out "Its gate \"Later\" waits"
expect_out "kz learn start first-steps"
expect_out "First steps, 2 of 3 passed."
expect_exit 0 progress
expect_out "kz learn start first-steps"
expect_out "gate: waiting"
solve vector-add cu "$ADD"
expect_exit 0 learn run
! grep -q "kz learn next goes on" "$FOLDER/out" || fail "kz learn next is offered where nothing is next"
expect_out "kz learn start first-steps"

export PAGER=cat # waits for no keys

# On the screen: g shows the gates, n leads to another path.
on_terminal 80 learn << END
expect n shows where to go from here
send g
expect Gate: Later
expect q quit
send n
expect kz learn start first-steps
expect Go to
modes cooked
send kz learn start first-steps\n
expect First steps: Write a first kernel
expect First steps · 3 of 3
expect Waiting for you to save
modes keys
send q
exit 0
END
expect_exit 0 learn list
expect_out "First steps: 2 of 3 passed"

# Everything is done.
passed launch-geometry
expect_exit 0 learn next
expect_out "Every task of First steps is passed."
expect_out "Every path is done"
expect_out "kz portfolio"
expect_exit 0 progress
expect_out "kz portfolio"
finish
