#!/bin/sh
# A GPU behind a driver of the tests' own: it works, its kernels fault, it is lost.
. "$(dirname "$0")/lib.sh"
mkdir "$FOLDER/none"
export KZ_LIBCUDA=$3 KZ_PEERS="$FOLDER/none"
export FAKE_CUDA_MEMORY=600000000 # so that what is timed is small
guest() {
    cat > "$FOLDER/$1.ptx" << END
.version 8.0
.target sm_75
.address_size 64
.visible .entry $1(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n)
{
    ret;
}
END
}
guest add_f32
guest fault_add_f32
guest small_add_f32
guest late_add_f32
expect_exit 0 devices
expect_out "cuda:0"
expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda --json "$FOLDER/good.jsonl"
cases=$("$JSON_LINES" outcome passed < "$FOLDER/good.jsonl")
[ "$cases" -gt 15 ] || fail "only $cases cases passed"

# With a clock there are figures: the fake's moves by a quarter of a second per operation, so a launch, a copy
# and the rival take as long as each other.
expect_out "250 ms"
expect_out "100% of copy"
expect_out "timed: add-f32-n1048576-uniform on cuda:0"
grep -q "fake" "$FOLDER/out" && fail "a rival that is not there"
[ "$("$JSON_LINES" kind check-timing < "$FOLDER/good.jsonl")" -ge 3 ] || fail "no records of the timing"
[ "$("$JSON_LINES" candidate.by guest < "$FOLDER/good.jsonl")" = 1 ] || fail "not one record of the guest's time"
KZ_PEERS=$4 expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --json "$FOLDER/race.jsonl"
expect_out "1.000x fake"
expect_out "fake Add: 250 ms"
[ "$("$JSON_LINES" candidate.by fake < "$FOLDER/race.jsonl")" = 1 ] || fail "no record of the rival"
awk 'length > 120' "$FOLDER/out" | grep -q . && fail "a line is longer than 120 columns"
for quiet in "--no-time" "--case add-f32-n1025-uniform"; do
    # shellcheck disable=SC2086 # words on purpose
    KZ_PEERS=$4 expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --json "$FOLDER/quiet.jsonl" $quiet
    grep -q "timed:" "$FOLDER/out" && fail "$quiet does not leave the clock alone"
    [ "$("$JSON_LINES" kind check-timing < "$FOLDER/quiet.jsonl")" = 0 ] || fail "records of a timing with $quiet"
done
FAKE_PEER_FAIL=1 KZ_PEERS=$4 expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx"
expect_out "no figure of fake: the peer fake failed on vector_add: it was told to"
# Under several conditions each has its column, and its own ratio to the rival.
KZ_PEERS=$4 expect_exit 0 bench --family vector_add "$FOLDER/add_f32.ptx" --case add-f32-n1025-uniform --mode latency --cache cold,hot --stream later,first --time 0.05 --json "$FOLDER/conditions.jsonl"
expect_out "one run                               cold       cold, first               hot        hot, first"
expect_out "guest add_f32.ptx           250 ms  1.000x    250 ms  1.000x    250 ms  1.000x    250 ms  1.000x"
[ "$("$JSON_LINES" stream first < "$FOLDER/conditions.jsonl")" = "$("$JSON_LINES" stream later < "$FOLDER/conditions.jsonl")" ] || fail "streams are not measured alike"
[ "$("$JSON_LINES" cache.state hot < "$FOLDER/conditions.jsonl")" -ge 4 ] || fail "no records of hot caches"
KZ_PEERS=$4 expect_exit 0 bench --family vector_add "$FOLDER/add_f32.ptx" --case add-f32-n1025-uniform --mode latency --stream later,switched --time 0.05 --json "$FOLDER/switched.jsonl"
expect_out "one run                               cold    cold, switched"
expect_out "switched: a later stream, right after another context worked on the GPU"
[ "$("$JSON_LINES" stream switched < "$FOLDER/switched.jsonl")" -ge 2 ] || fail "no records after another context"
# Waste and peak are told from the simulator's counters, which runs the same PTX.
expect_exit 0 check vector_add/vector vector_add/unrolled --device cuda --no-time
expect_out "memory bandwidth"
# A rival that cannot be opened costs the rival, and nothing else.
mkdir "$FOLDER/peers" && echo none > "$FOLDER/peers/libkz_peer_none.so"
KZ_PEERS="$FOLDER/peers" expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx"
expect_err "without that rival"
expect_out "100% of copy"
# Right on every edge case, and wrong where it is timed: wrong.
expect_exit 1 check --family vector_add "$FOLDER/small_add_f32.ptx"
expect_out "wrong  small_add_f32.ptx add-f32-n1048576-uniform on cuda:0"
expect_out "--case add-f32-n1048576-uniform --device cuda:0"
expect_out "$cases of $((cases + 1)) checks passed, 1 wrong"
expect_exit 4 check --family vector_add "$FOLDER/late_add_f32.ptx"
expect_out "faulted  late_add_f32.ptx add-f32-n1048576-uniform on cuda:0"
expect_out "1 stopped by a fault"

# A fault ends the context, not the run: the device is opened again for every case.
expect_exit 4 check --family vector_add "$FOLDER/fault_add_f32.ptx" --device cuda --json "$FOLDER/bad.jsonl"
expect_out "illegal memory access"
faulted=$("$JSON_LINES" outcome faulted < "$FOLDER/bad.jsonl")
[ "$faulted" = "$cases" ] || fail "$faulted cases faulted, expected $cases"

# Without --device the GPU is what is checked.
expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --no-time --json
[ "$("$JSON_LINES" device.id cuda:0 < "$FOLDER/out")" = "$cases" ] || fail "the GPU is not the default"

FAKE_CUDA_FAIL=lost expect_exit 3 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda
FAKE_CUDA_FAIL=no_device expect_exit 3 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda
FAKE_CUDA_MEMORY=1000000 expect_exit 10 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda
expect_out "cuda:0 has no room for"
finish
