#!/bin/sh
# kz timeline: the drawing of the documentation, overlap with pinned memory and none with pageable, whole programs whose
# times are the same in every run, files, and what it refuses.
. "$(dirname "$0")/lib.sh"
SOURCES=$(cd "$(dirname "$0")/../.." && pwd)

# The page shows what the model says today.
expect_exit 0 timeline streams/04_depth_first
sed -n '/^\$ kz timeline streams/,/^```/p' "$SOURCES/docs/timeline.md" | sed '1d;$d' > "$FOLDER/page"
cmp -s "$FOLDER/page" "$FOLDER/out" || fail "docs/timeline.md shows another drawing: put this one there"
awk 'length > 80 { exit 1 }' "$FOLDER/out" || fail "a line is longer than 80 columns"

expect_exit 0 timeline streams/04_depth_first --case pageable-f32-n65536-rounds64-uniform
expect_out "hidden      0% of the copying runs behind a kernel"
expect_exit 0 timeline streams/04_depth_first --case pinned-f32-n65536-rounds4-uniform
expect_out "issuing one 3.90 us: larger pieces overlap more"
for variant in 01_synchronous 02_one_stream 03_two_buffers 05_breadth_first 06_events 07_graph; do
    expect_exit 0 timeline streams/$variant --case pinned-f32-n1048576-rounds512-uniform --width 60
    expect_out "streams/$variant pinned-f32-n1048576-rounds512-uniform"
    expect_out "on sim:h200, by the model of time"
    case $variant in
    01* | 02*)
        expect_out "hidden      0%"
        expect_out "nothing runs side by side"
        ;;
    *) grep -q "hidden *[1-9]" "$FOLDER/out" || fail "$variant hides nothing" ;;
    esac
done
# Host and graph: one call is sooner done than 24.
seconds() { sed 's/.*"seconds": *\([0-9.e-]*\).*/\1/' "$FOLDER/out"; }
expect_exit 0 timeline streams/02_one_stream --case pinned-f32-n1048576-rounds1-uniform --json
one=$(seconds)
expect_exit 0 timeline streams/04_depth_first --case pinned-f32-n1048576-rounds1-uniform --json
awk "BEGIN { exit !($(seconds) < $one) }" || fail "four streams are no faster than one: $(seconds) and $one"

# A device without copies of its own: any family can be drawn.
expect_exit 0 timeline reduce --gpu t4 --svg "$FOLDER/a.svg" --html "$FOLDER/a.html" --json "$FOLDER/a.json"
expect_out "on sim:t4"
expect_out "SVG: $FOLDER/a.svg"
grep -q '</svg>' "$FOLDER/a.svg" || fail "no picture"
grep -q '<table>' "$FOLDER/a.html" || fail "no table of operations"
grep -q '"type": *"timeline"' "$FOLDER/a.json" || fail "no JSON"

# A file's suffix says that it is the picture, wherever it stands; the help page's way works.
(cd "$FOLDER" && "$KZ" timeline reduce --svg b.svg > out 2> err && "$KZ" timeline --svg c.svg reduce > out 2> err &&
    "$KZ" timeline reduce --svg=d.svg > out 2> err) || fail "--svg with a file"
for picture in b c d; do grep -q '</svg>' "$FOLDER/$picture.svg" || fail "no picture $picture.svg"; done

# A guest and a task's kernel, by the same model.
cat > "$FOLDER/my.cu" << 'END'
// kz: block 256
// kz: grid ceil(n/256)
// kz: fill out 0
extern "C" __global__ void my_sum_f32(const float *in, float *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
END
expect_exit 0 timeline --family reduce "$FOLDER/my.cu" --case sum-f32-n4096-uniform --json
expect_out '"name":"my_sum_f32"'
expect_out '"name":"fill"'
cat > "$FOLDER/saxpy.cu" << 'END'
// kz: task saxpy
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
END
expect_exit 0 timeline "$FOLDER/saxpy.cu" --case n=4096 --json
expect_out '"name":"saxpy"'
expect_err "the answer is right for n=4096"
sed -i 's/if (i < n) //' "$FOLDER/saxpy.cu"
expect_exit 4 timeline "$FOLDER/saxpy.cu" --case n=1000
expect_err "kz sanitize $FOLDER/saxpy.cu says more"

# Whole programs: copies beside kernels, and times that do not change from run to run.
PROGRAM=$SOURCES/tests/cudart/order/order.cu
expect_exit 0 timeline --json "$PROGRAM" two_streams
cp "$FOLDER/out" "$FOLDER/first"
expect_exit 0 timeline --json "$PROGRAM" two_streams
cmp -s "$FOLDER/first" "$FOLDER/out" || fail "the same program took another time"
expect_out '"engine":"to device"'
expect_out '"name":"twice"'
expect_exit 0 timeline "$PROGRAM" with_default
expect_out "hidden      0%"
expect_exit 0 timeline "$PROGRAM" graph
expect_out "hidden      100%"

# On a GPU: a driver of our own that does one thing after the other, each in a millisecond.
export KZ_LIBCUDA="$3" FAKE_CUDA_STEP=0.001
for variant in 01_synchronous 06_events 07_graph; do
    expect_exit 0 timeline streams/$variant --device cuda --case pinned-f32-n9000-rounds4-uniform
    expect_out "on cuda:0, measured"
    expect_out "nothing runs side by side"
    case $variant in 01*) expect_out "3.00 ms of it" ;; *) expect_out "15.0 ms of it" ;; esac
done
expect_exit 0 check streams --device cuda --no-save --no-time
expect_out "103 of 103 checks passed"
expect_exit 0 timeline streams/03_two_buffers --device cuda --case pageable-f32-n9000-rounds4-uniform
unset KZ_LIBCUDA FAKE_CUDA_STEP

expect_exit 2 timeline
expect_err "of what?"
expect_exit 2 timeline no_such_family
expect_exit 2 timeline streams/04_depth_first --width 12
expect_err "40 to 400"
expect_exit 2 timeline --device cuda "$PROGRAM"
expect_err "on the simulator alone"
expect_exit 8 timeline streams/00_native --device cpu
finish
