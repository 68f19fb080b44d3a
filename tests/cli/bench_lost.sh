#!/bin/sh
# kz bench goes on where a rival crashes, hangs or lies, where a kernel breaks its device, where it is stopped or killed.
. "$(dirname "$0")/lib.sh"
PTY=$5
export KZ_PEERS=$7
LIB=$(dirname "$KZ")/../lib
cat > "$FOLDER/two.toml" << 'END'
title = "Two sizes"
[[families]]
names = ["vector_add"]
axes.n = [4096, 5000]
END
cat > "$FOLDER/long.toml" << 'END'
title = "Many sizes"
[[families]]
names = ["vector_add"]
axes.n = "1000..4000+1"
END
# bench STATUS OPTION...: two cases on the CPU; the records are in $FOLDER/r.jsonl.
bench() {
    rm -f "$FOLDER/r.jsonl"
    wanted=$1
    shift
    "$KZ" bench --suite "$FOLDER/two.toml" --device cpu --quick --mode latency --time 0.02 --json "$FOLDER/r.jsonl" "$@" > "$FOLDER/out" 2> "$FOLDER/err"
    got=$?
    [ "$got" = "$wanted" ] || fail "kz bench $*: exit status $got, expected $wanted"
}
records() { "$JSON_LINES" "$@" < "$FOLDER/r.jsonl"; }
ours() { # every case has figures of ours, and the two cases are done
    [ "$(grep -c '"by":"kz"' "$FOLDER/r.jsonl")" -ge 2 ] || fail "no figures of the others"
    expect_out "2 cases in"
}

bench 0
[ "$(records candidate.by rival)" -ge 2 ] || fail "the rival was not timed"
[ "$(records quick)" = "$(records schema)" ] || fail "records of --quick do not say so"
expect_out "quick: few samples"
[ "$(records suite.name two)" = "$(records schema)" ] || fail "records do not name their suite"

# When it is prepared, when it is verified, when it is timed.
for from in 0 1 5; do
    FAKE_RIVAL="crash $from" bench 0
    [ "$(records status crashed)" = 2 ] || fail "crash $from: not a row in each case"
    expect_err "crashed: signal 11 (Segmentation fault)"
    expect_err "the case goes on without it"
    ours
done
FAKE_RIVAL="abort 5" bench 0
[ "$(records status crashed)" = 2 ] || fail "abort: not a row in each case"
expect_out "Add: crashed: signal 6 (Aborted)"
FAKE_RIVAL="exit 5" bench 0
[ "$(records status crashed)" = 2 ] || fail "exit: not a row in each case"
expect_err "Add ended its process with exit status 0"
FAKE_RIVAL="hang 5" bench 0 --timeout 2
[ "$(records status hung)" = 2 ] || fail "hang: not a row in each case"
expect_err "Add hung: nothing came of it for 2 s"
ours
FAKE_RIVAL="hang 1" bench 0 --timeout 2 --case '*n4096-*' # in its first run
[ "$(records status hung)" = 1 ] || fail "hang in the first run: not a row"
# Twice is enough: in the third case it is a row, and not tried.
FAKE_RIVAL="crash 1" "$KZ" bench --suite "$FOLDER/long.toml" --device cpu --time 0.02 --case '*n100[012]-*' \
    --json "$FOLDER/three.jsonl" > "$FOLDER/out" 2> "$FOLDER/err"
[ "$("$JSON_LINES" status crashed < "$FOLDER/three.jsonl")" = 3 ] || fail "not a row in each of three cases"
[ "$(grep -c "the case goes on without it" "$FOLDER/err")" = 2 ] || fail "it was tried a third time"
expect_out "crashed in 2 cases before this one: it is not tried again in this run"
# One in Python too, whatever it does when it is lost.
FAKE=$(cd "$(dirname "$0")/../python" && pwd)/fake.py
for how in crashes hangs late; do
    KZ_PEERS="$LIB" KZ_PYTHON=python3 KZ_FAKE_OFFERS=right,$how KZ_RUNNER_TIMEOUT=8 "$KZ" bench --suite "$FOLDER/long.toml" \
        --device cpu --mode latency --time 0.02 --case '*n100[0123]-*' --rivals "$FAKE" --no-save > "$FOLDER/out" 2> "$FOLDER/err"
    [ "$(grep -cE "fake $how: (crashed|hung) while" "$FOLDER/out")" = 2 ] || fail "$how: not lost in two cases"
    [ "$(grep -cE "fake $how: (crashed|hung) in 2 cases before this one: it is not tried again" "$FOLDER/out")" = 2 ] || fail "$how: it was tried again"
    [ "$(grep -c "^fake right  *[0-9]" "$FOLDER/out")" = 4 ] || fail "$how: another one of the same process was given up"
done
# A rival that is asked for by name and has no figure is exit status 12, whatever the reason.
FAKE_RIVAL="crash 0" bench 12 --rivals rival
expect_err "crashed: signal 11 (Segmentation fault), opening"
FAKE_RIVAL="nan 1" bench 12 --rivals rival
bench 0 --rivals rival
FAKE_RIVAL="nan 1" bench 0
[ "$(records status wrong)" = 2 ] || fail "NaN: not a row in each case"
ours

# What compiles has its own limit, whatever --timeout says, and is told of; also when it is timed, in a new process after
# another one has crashed.
KZ_PEERS="$LIB" KZ_PYTHON=python3 KZ_FAKE_OFFERS=compiles,crashes KZ_FAKE_SECONDS=3 bench 0 --rivals "$FAKE" --timeout 2 --case '*n4096-*'
[ "$(records candidate.by fake)" = 2 ] || fail "no row of one that is slow to prepare"
grep -q "^fake compiles  *[0-9]" "$FOLDER/out" || fail "one that is slow to prepare was not timed"
KZ_PEERS="$LIB" KZ_PYTHON=python3 KZ_FAKE_OFFERS=compiles KZ_FAKE_SECONDS=1 "$PTY" 100 -- "$KZ" bench --suite "$FOLDER/two.toml" --case '*n4096-*' --device cpu --quick --mode latency --time 0.02 --rivals "$FAKE" --no-save > "$FOLDER/out" << 'END' || fail "nobody is told that it compiles"
expect fake compiles: compiling, vector_add add-f32-n4096-uniform
exit 0
END

# A library that is none, or of another version of kz.
mkdir "$FOLDER/broken"
echo none > "$FOLDER/broken/libkz_peer_openblas.so"
KZ_PEERS="$FOLDER/broken" "$KZ" bench sgemm/15_cpu_naive --device cpu --mode latency --case gemm-f32-m16-n16-k16-uniform \
    --time 0.02 --json "$FOLDER/broken.jsonl" > "$FOLDER/out" 2> "$FOLDER/err"
[ "$("$JSON_LINES" candidate.by openblas < "$FOLDER/broken.jsonl")" = 1 ] || fail "a broken library is no row"
[ "$("$JSON_LINES" candidate.by kz < "$FOLDER/broken.jsonl")" = 1 ] || fail "a broken library ends the others too"
expect_err "libkz_peer_openblas.so could not be opened"
expect_out "  openblas: the peer $FOLDER/broken/libkz_peer_openblas.so could not be opened"

# A kernel that breaks its device, on a GPU behind a driver of the tests' own.
cat > "$FOLDER/fault_add_f32.ptx" << END
.version 8.0
.target sm_75
.address_size 64
.visible .entry fault_add_f32(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n)
{
    ret;
}
END
KZ_PEERS=$4 KZ_LIBCUDA=$3 "$KZ" bench --family vector_add "$FOLDER/fault_add_f32.ptx" --suite "$FOLDER/two.toml" \
    --device cuda --quick --time 0.02 --json "$FOLDER/fault.jsonl" > "$FOLDER/out" 2> "$FOLDER/err"
got=$?
[ $got = 4 ] || fail "a kernel that faults: exit status $got"
[ "$("$JSON_LINES" status faulted < "$FOLDER/fault.jsonl")" = 2 ] || fail "a fault is no row in each case"
[ "$("$JSON_LINES" candidate.by fake < "$FOLDER/fault.jsonl")" -ge 2 ] || fail "a fault ends the others too"

# Where a kernel cannot run, nothing is timed.
KZ_PEERS=$4 "$KZ" bench --family vector_add "$FOLDER/fault_add_f32.ptx" --device cpu --no-save > "$FOLDER/out" 2> "$FOLDER/err"
got=$?
[ $got = 8 ] || fail "a CUDA kernel on cpu: exit status $got"
expect_err "is a CUDA kernel, and cpu runs native C alone"
[ -s "$FOLDER/out" ] && fail "a CUDA kernel on cpu: something was timed"

# Stopped: once, and at once; with a rival that does not end too. Nobody is left.
gone() { # gone PID: no process of its group is left
    for i in $(seq 50); do pgrep -g "$1" > /dev/null || return 0; sleep 0.1; done
    fail "a process of group $1 is left"
}
long() { # long NAME OPTION...: a run in the background, up to its first case
    rm -f "$FOLDER/$1"
    "$KZ" bench --suite "$FOLDER/long.toml" --device cpu --mode latency --time 0.02 --rivals none --resume "$FOLDER/$1" > "$FOLDER/out" 2> "$FOLDER/err" &
    pid=$!
    for i in $(seq 100); do [ -s "$FOLDER/$1" ] && break; sleep 0.05; done
    child=$(pgrep -P $pid)
}
long a.jsonl
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "stopped: exit status $?"
gone "$child"
"$JSON_LINES" schema < "$FOLDER/a.jsonl" > /dev/null || fail "a line is torn"

# Ctrl-Z: nothing is measured until it is continued.
long stop.jsonl
kill -TSTP $pid
for i in $(seq 100); do
    before=$(wc -l < "$FOLDER/stop.jsonl")
    sleep 0.5
    [ "$before" = "$(wc -l < "$FOLDER/stop.jsonl")" ] && break
done
[ "$before" = "$(wc -l < "$FOLDER/stop.jsonl")" ] || fail "it goes on although it was stopped"
grep -q '^State:.T' /proc/$pid/status || fail "it was not stopped"
kill -CONT $pid
for i in $(seq 200); do [ "$before" != "$(wc -l < "$FOLDER/stop.jsonl")" ] && break; sleep 0.1; done
[ "$before" != "$(wc -l < "$FOLDER/stop.jsonl")" ] || fail "it does not go on"
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "stopped, continued, interrupted: exit status $?"

# At a terminal: the line that rewrites itself, and Ctrl-C once.
"$PTY" 100 -- "$KZ" bench --suite "$FOLDER/long.toml" --device cpu --mode latency --time 0.02 --rivals none --no-save > "$FOLDER/out" << 'END' || fail "at a terminal"
expect 1 of 3001
send \x03
expect stopping after the case in hand
expect case
exit 130
END

# The process that measures is killed: a row, and the run goes on. Then the one that watches it.
long b.jsonl
kill -KILL "$child"
for i in $(seq 100); do grep -q crashed "$FOLDER/b.jsonl" && break; sleep 0.1; done
grep -q '"status":"crashed"' "$FOLDER/b.jsonl" || grep -q "the case is left out" "$FOLDER/err" || fail "no word of a killed process"
child=$(pgrep -P $pid)
kill -KILL $pid
wait $pid 2> /dev/null
gone "$child"
lines=$(wc -l < "$FOLDER/b.jsonl")
[ "$lines" -ge 2 ] || fail "a killed run kept nothing"

# It goes on from there: a torn line is passed over, what is done is not measured again.
printf '{"schema":1,"run":{"id' >> "$FOLDER/b.jsonl"
"$KZ" bench --suite "$FOLDER/long.toml" --device cpu --mode latency --time 0.02 --rivals none --resume "$FOLDER/b.jsonl" --budget 0.3 \
    > "$FOLDER/out" 2> "$FOLDER/err"
expect_err "1 line in $FOLDER/b.jsonl, cut off when a run was killed, is passed over"
grep -Eq "note: [1-9][0-9]* of 3001 cases are in the records already" "$FOLDER/err" || fail "nothing was resumed"
expect_err "cases are left; the same command goes on with them"

# A folder is resumed too, until nothing is left; another suite is another measurement.
two() { "$KZ" bench --suite "$FOLDER/two.toml" --device cpu --quick --mode latency --time 0.02 --rivals none --resume "$FOLDER/pieces/" "$@" > "$FOLDER/out" 2> "$FOLDER/err"; }
two --case '*n4096*' # the first piece: a filter
expect_err "0 of 1 cases are in the records already"
two
expect_err "1 of 2 cases are in the records already: 1 is left"
two
expect_err "2 of 2 cases are in the records already: 0 are left"
expect_out "0 cases in"
echo "# changed" >> "$FOLDER/two.toml"
cat "$FOLDER"/pieces/* > "$FOLDER/before"
two --no-save && fail "--resume without new records was not refused"
expect_err "--resume $FOLDER/pieces/ adds the new records there, and --no-save keeps none"
two --json "$FOLDER/x.jsonl" && fail "--resume with records elsewhere was not refused"
expect_err "and --json names $FOLDER/x.jsonl"
cat "$FOLDER"/pieces/* | cmp -s - "$FOLDER/before" || fail "what was refused wrote records"
two
expect_err "0 of 2 cases are in the records already"

# What counts as measured: with the same rule, and with every rival that is here now, of its version. One that is gone was
# measured; one that failed is measured again if that is asked for.
again() { # again DONE [OPTION...]: one case, DONE of which is in the records already
    done=$1
    shift
    "$KZ" bench vector_add --case add-f32-n4096-uniform --device cpu --mode latency --time 0.02 --resume "$FOLDER/again/" "$@" > "$FOLDER/out" 2> "$FOLDER/err"
    expect_err "$done of 1 cases are in the records already"
}
FAKE_RIVAL_VERSION="" again 0
FAKE_RIVAL_VERSION="" again 1
again 0
expect_err "1 of those left was measured before, without a rival that is here now or with another version of it"
again 1
FAKE_RIVAL_VERSION=2.0 again 0
FAKE_RIVAL_VERSION="" again 1
again 0 --time 0.03
FAKE_RIVAL="crash 1" again 0 --seed 7
FAKE_RIVAL="crash 1" again 1 --seed 7
expect_err "in 1 of those in the records a candidate crashed, hung, failed or was wrong: --retry measures them again"
again 0 --seed 7 --retry
again 1 --seed 7 --retry
# In pieces: what fails again does not keep the others waiting.
retry() { FAKE_RIVAL="crash 1" "$KZ" bench --suite "$FOLDER/two.toml" --device cpu --quick --mode latency --time 0.02 --resume "$FOLDER/retry/" "$@" > "$FOLDER/out" 2> "$FOLDER/err"; }
retry
retry --retry --case '*n4096-*'
retry --retry
[ "$(grep -o 'add-f32-n[0-9]*' "$FOLDER/out" | head -1)" = add-f32-n5000 ] || fail "what failed twice comes first: $(cat "$FOLDER/out")"
expect_exit 2 bench vector_add --device cpu --retry
expect_err "--retry is for --resume PATH"
# A provider in Python is asked for its version, and is another one after its file changed.
unset KZ_PEERS
export KZ_PYTHON=python3
cp "$(dirname "$0")/../python/fake.py" "$FOLDER/mine.py"
KZ_FAKE_VERSION=missing again 0 --rivals "$FOLDER/mine.py"
KZ_FAKE_VERSION=missing again 1 --rivals "$FOLDER/mine.py"
expect_out "no rival: mine.py: no module named fake"
again 0 --rivals "$FOLDER/mine.py"
again 1 --rivals "$FOLDER/mine.py"
KZ_FAKE_VERSION=1.1 again 0 --rivals "$FOLDER/mine.py"
echo "# changed" >> "$FOLDER/mine.py"
again 0 --rivals "$FOLDER/mine.py"
# One that is named goes before a suite's providers; one that does none of the cases is told of, resumed or not.
cat > "$FOLDER/named.toml" << 'END'
[[families]]
names = ["vector_add", "saxpy"]
axes.n = 1000
providers = ["chosen"]
END
named() {
    "$KZ" bench --suite "$FOLDER/named.toml" --device cpu --quick --mode latency --time 0.02 --rivals "$FOLDER/mine.py" "$@" > "$FOLDER/out" 2> "$FOLDER/err"
}
named vector_add --no-save || fail "a rival that was named: exit status $?"
grep -q "^fake right  *[0-9]" "$FOLDER/out" || fail "a suite's providers left out a rival that was named"
for i in 1 2; do
    named saxpy --resume "$FOLDER/named/"
    [ $? = 12 ] || fail "resumed, a rival that does no case: not 12"
    expect_out "no rival: fake: does none of these cases"
done
named --resume "$FOLDER/named/" || fail "one case of it, the other in the records: exit status $?"
named --resume "$FOLDER/named/" || fail "all of it in the records: exit status $?"
export KZ_PEERS=$7 KZ_PYTHON=/nowhere/python

# A full disk: what is measured is shown all the same, also after a new process was started.
FAKE_RIVAL="crash 5" "$KZ" bench --suite "$FOLDER/two.toml" --device cpu --quick --mode latency --time 0.02 --json=/dev/full > "$FOLDER/out" 2> "$FOLDER/err"
[ $? = 5 ] || fail "a full disk: exit status $?"
expect_out "2 cases in"
[ "$(grep -c "the results that follow are shown, and not kept" "$FOLDER/err")" = 1 ] || fail "a full disk is not told once"
finish
