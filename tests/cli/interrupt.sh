#!/bin/sh
# Ctrl-C stops between two cases; what was done is printed and kept, every line of it whole.
. "$(dirname "$0")/lib.sh"
"$KZ" check --device cpu --device sim > "$FOLDER/out" 2> "$FOLDER/err" &
pid=$!
while kill -0 $pid 2> /dev/null && ! cat "$KZ_RESULTS"/check-*.jsonl 2> /dev/null | grep -q passed; do sleep 0.05; done
kill -INT $pid
wait $pid
status=$?
[ $status -eq 130 ] || fail "the exit status is $status, expected 130"
expect_out "stopped by Ctrl-C"
kept=$(cat "$KZ_RESULTS"/check-*.jsonl | "$JSON_LINES" outcome passed) || fail "a kept line is no JSON"
[ "$kept" -ge 1 ] || fail "nothing was kept"
[ "$(cat "$KZ_RESULTS"/check-*.jsonl | "$JSON_LINES" kind check-summary)" = 1 ] || fail "no summary was kept"

# Inside a kernel that does not end: the first signal is enough, after a grace.
cat > "$FOLDER/endless_add_f32.ptx" << END
.version 8.0
.target sm_75
.address_size 64
.visible .entry endless_add_f32(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 0;
round: // with a way out, 2^64 rounds later: without one it is an endless loop at once
    add.s64 %rd1, %rd1, 1;
    setp.ne.s64 %p1, %rd1, 0;
    @%p1 bra round;
    ret;
}
END
"$KZ" check --family vector_add "$FOLDER/endless_add_f32.ptx" --device sim --case add-f32-n33-uniform \
    > "$FOLDER/out" 2> "$FOLDER/err" &
running=$!
sleep 1
kill -INT $running
code=0
wait $running || code=$?
[ "$code" = 130 ] || fail "an endless kernel: exit code $code, not 130"
expect_err "a kernel that did not end in time"
expect_err "once more stops at once"

# kz sanitize and kz prof of a program: kz passes the signal on, and tells what was found and counted until then.
cd "$FOLDER" || exit 1
cat > long.cu << 'END'
#include <cstdio>
__global__ void race(int *o) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    o[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void endless(volatile int *o) {
    while (!o[64]) o[65]++;
}
int main() {
    int *o;
    cudaMalloc(&o, 4096);
    cudaMemset(o, 0, 4096);
    race<<<1, 64>>>(o);
    cudaDeviceSynchronize();
    fprintf(stderr, "begins\n");
    endless<<<1, 1>>>(o);
    cudaDeviceSynchronize();
}
END
# stop SIGNAL STATUS WORD...: kz with these words gets the signal once its kernel runs.
stop() {
    signal=$1 wanted=$2
    shift 2
    : > err
    "$KZ" "$@" > out 2> err &
    running=$!
    for i in $(seq 600); do grep -q begins err && break; sleep 0.05; done
    sleep 0.3
    kill -"$signal" $running
    kill -"$signal" $running # as timeout(1) does: two at once are one
    code=0
    wait $running || code=$?
    [ "$code" = "$wanted" ] || fail "kz $*, ended by $signal: exit code $code, not $wanted"
}
for signal in TERM INT; do
    stop $signal 11 sanitize --json=found.json --junit found.xml --only race long.cu
    expect_out "error: data race"
    expect_out "not all was checked: it was stopped after"
    [ "$("$JSON_LINES" kind race < found.json)" -ge 1 ] || fail "the JSON has no finding"
    [ "$("$JSON_LINES" type summary < found.json)" = 1 ] || fail "the JSON has no summary"
    grep -q "not all was checked" found.xml || fail "JUnit does not say that a run was cut short"
    rm -f found.json found.xml
done
stop TERM 12 sanitize --only leak long.cu
expect_out "by signal 15 (Terminated)"
stop TERM 130 prof long.cu
expect_err "the profile is of the kernels that had ended"
expect_out "race"

# Kernels inside kz, of a task and in a family's place: the signal is told, not a time that nobody allowed.
cat > midpoint.cu << 'END'
extern "C" __global__ void midpoint(const float *x, const float *y, float *out, int n) {
    int i = threadIdx.x;
    for (unsigned long long round = 1; round && i < n; round++) // has a way out, as above
        ((volatile float *)out)[i] = 0.5f * (x[i] + y[i]);
}
END
# stop_inside WORD...: the same with a kernel that prints nothing.
stop_inside() {
    rm -f found.json
    "$KZ" sanitize --json=found.json "$@" > out 2> err &
    running=$!
    sleep 3
    kill -TERM $running
    code=0
    wait $running || code=$?
    [ "$code" = 11 ] || [ "$code" = 12 ] || fail "kz sanitize $*: exit code $code"
    expect_out "by signal 15 (Terminated)"
    grep -q -- --timeout out err && fail "kz sanitize $*: a time that nobody allowed"
    [ "$("$JSON_LINES" type summary < found.json)" = 1 ] || fail "kz sanitize $*: no JSON"
}
"$KZ" sanitize midpoint.cu --task grid-stride --case n=33 --timeout 0.2 > /dev/null 2>&1 # compiles it
stop_inside midpoint.cu --task grid-stride --case n=33
stop_inside --family vector_add endless_add_f32.ptx --case add-f32-n33-uniform
finish
