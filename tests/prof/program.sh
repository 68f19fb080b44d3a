#!/bin/sh
# A whole program: each of its kernels has one mistake, and the profile names it.
HERE=$(dirname "$0")
. "$HERE/../cli/lib.sh"

# section KERNEL WORDS: the words stand in that kernel's section of the page.
section() {
    sed -n "/^[0-9][0-9]*  $1 .*a launch/,/^[0-9][0-9]*  .* a launch/p" "$FOLDER/out" | tr -s ' \n' ' ' | grep -q -- "$2" || fail "$1: not said: $2"
}
expect_exit 0 prof "$HERE/lessons.cu" --top 0 one
expect_out "1 arguments: no error"
section structures "Bound by uncoalesced memory access"
section structures "32 sectors per request, 4 would do: neighbouring threads read 32 bytes apart"
section structures "lessons.cu:10"
section divergent "Bound by divergence"
section divergent "lanes active: the others wait"
section divergent "lessons.cu:18"
section one_block "Bound by too few blocks"
section one_block "131 of them have nothing to do"
section tiny "Bound by launch overhead"
section tiny "registers per thread (ptxas)"
section histogram "Bound by contention of atomics"
section histogram "the data choose the address, so for data like these: give each block private copies"
section local_array "Bound by local memory"
section local_array "the threads of a warp index their arrays differently"
# Spills are the verdict whichever memory they keep busy, and cost where they are executed most.
section spilling "Bound by spilled registers"
if [ -x .kz/bin/nvdisasm ] || command -v nvdisasm > /dev/null; then # it names the lines
    section spilling "The lines that cost most [0-9]*% lessons.cu:51"
fi
expect_out "as if each launch began with empty caches"

grep -q ' $' "$FOLDER/out" && fail "a line ends in blanks"

# The program's own words stay out of JSON; its exit status is kz's.
expect_exit 1 prof "$HERE/lessons.cu" --json -- one two
[ "$("$JSON_LINES" kind prof < "$FOLDER/out")" = 1 ] || fail "the JSON is none"
expect_err "2 arguments"
# Without ptxas nobody knows the registers, and none are made up.
expect_exit 0 prof "$HERE/lessons.cu" --kernel structures --keep "$FOLDER/kept"
rm "$FOLDER"/kept/module-*.ptx
expect_exit 0 prof "$FOLDER/kept/record.jsonl" --kernel structures
expect_out "registers unknown"

# A launch that fails is told of, and what ran before is shown.
sed 's/out\[threadIdx.x\] = sum/out[threadIdx.x + (1 << 28)] = sum/; s/return argc > 2/return 3/' "$HERE/lessons.cu" > "$FOLDER/fails.cu"
expect_exit 3 prof "$FOLDER/fails.cu"
expect_out "A launch failed: store of 4 bytes"
section structures "Bound by uncoalesced memory access"
section one_block "Every launch of it failed"

# Two programs are compared.
sed 's/p\[i\]\.mass/((const float *)p)[i]/' "$HERE/lessons.cu" > "$FOLDER/better.cu"
expect_exit 0 prof "$HERE/lessons.cu" "$FOLDER/better.cu" --kernel structures
expect_out "better.cu is better"

# One model of time: what events say in a plain run is what they say under kz prof and kz timeline, and what kz timeline
# says of the launch. L2 has what came before the first event.
cat > "$FOLDER/timed.cu" << 'TEXT'
#include <cstdio>
__global__ void scale(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
}
int main() {
    float *x, ms;
    cudaEvent_t a, b;
    cudaMalloc(&x, 1 << 26);
    cudaMemset(x, 0, 1 << 26); // meanwhile the host issues what follows
    cudaEventCreate(&a), cudaEventCreate(&b);
    cudaEventRecord(a);
    scale<<<264, 256>>>(x, 1 << 20);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    printf("event %.2f us\n", 1e3 * ms);
}
TEXT
expect_exit 0 run "$FOLDER/timed.cu"
event=$(sed -n 's/event \(.*\) us/\1/p' "$FOLDER/out")
expect_exit 0 prof --json "$FOLDER/timed.cu"
expect_err "event $event us"
prof=$(sed -n 's/.*"launch_seconds": *\([0-9.e+-]*\).*/\1/p' "$FOLDER/out" | awk '{ printf "%.2f", 1e6 * $1 }')
expect_exit 0 timeline --json "$FOLDER/timed.cu"
grep -q "event $event us" "$FOLDER/out" "$FOLDER/err" || fail "under kz timeline the event is another: not $event us"
line=$(tr '{' '\n' < "$FOLDER/out" | sed -n '/scale/s/.*"start":\([0-9.e+-]*\),"end":\([0-9.e+-]*\).*/\1 \2/p' |
    awk '{ printf "%.2f", 1e6 * ($2 - $1) }')
# kz prof empties the caches before each launch; here they hold other data anyway, some of which must be written back.
[ -n "$event" ] && [ "$event" = "$line" ] && awk "BEGIN { exit !($event < 1.5 * $prof && $prof < 1.5 * $event) }" ||
    fail "three times for one launch: events $event, prof $prof, timeline $line us"

# What is no program is told.
echo "__global__ void lonely() {}" > "$FOLDER/lonely.cu"
expect_exit 2 prof "$FOLDER/lonely.cu"
expect_err "has no main"
expect_exit 2 prof "$FOLDER/missing.cu"
echo "int main() { return 0; }" > "$FOLDER/quiet.cu"
expect_exit 2 prof "$FOLDER/quiet.cu"
finish
