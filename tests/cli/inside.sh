#!/bin/bash
# A learner's file under kz prof, sanitize, debug and run: on its task's data, and what is said where that cannot be.
. "$(dirname "$0")/lib.sh"
export KZ_LEARN="$FOLDER/learner"
cd "$FOLDER" || exit 1

# A strided copy of saxpy: right, and four times the sectors that are needed.
cat > slow.cu << 'END'
// kz: task saxpy
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t % 32 * (n / 32) + t / 32;
    if (n % 32) i = t;
    if (i < n && t < n) y[i] = a * x[i] + y[i];
}
END
sed 's/^    int i = .*/    int i = t;/' slow.cu > fast.cu

# ---- prof: the first gate's case, another, the renderings, two compared ----
expect_exit 0 prof slow.cu
expect_out 'slow.cu, n=8192 on a simulated NVIDIA H200'
expect_out 'uncoalesced'
expect_out 'slow.cu:6'
expect_exit 0 prof slow.cu --case n=1024 --annotate
expect_out '6      if (i < n && t < n) y[i] = a * x[i] + y[i];'
expect_exit 0 prof slow.cu --case n=1024 --metrics l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio --csv
expect_out '"32"'
expect_exit 0 prof slow.cu fast.cu --json
grep -q '"before"' "$FOLDER/out" || fail "two files are not compared"
[ "$("$JSON_LINES" kind prof-comparison < "$FOLDER/out")" = 1 ] || fail "the comparison is no JSON line"
expect_exit 0 prof fast.cu --html=page.html --keep kept
[ -s page.html ] && [ -s kept/record.jsonl ] || fail "no page or no record"
expect_exit 0 prof kept/record.jsonl
expect_out 'saxpy'

# A gate that is missed names the command.
expect_exit 1 grade slow.cu
expect_out "next: kz prof $FOLDER/slow.cu --annotate"

# The file need not say its task, nor end well.
grep -v 'kz: task' fast.cu > bare.cu
expect_exit 0 prof bare.cu --task saxpy --case n=256
expect_out 'bare.cu, n=256'
sed 's/ + y\[i\]/ - y[i]/' fast.cu > wrong.cu
expect_exit 0 prof wrong.cu
expect_err 'the answer is wrong for n=8192: y: 8192 of 8192 wrong'
sed 's/if (i < n && t < n) //' fast.cu > past.cu
expect_exit 4 prof past.cu --case n=33
expect_err 'kz sanitize past.cu says more'

# ---- sanitize: all cases, one, schedules ----
expect_exit 0 sanitize fast.cu
expect_out 'no errors, no warnings in 15 launches of 15 runs'
expect_exit 11 sanitize past.cu --json=found.jsonl
expect_out 'error: access out of bounds'
expect_out 'first with --case "n=1000"'
grep -q '"case"' found.jsonl || fail "the finding has no case"
expect_exit 0 sanitize past.cu --case n=256
expect_exit 0 sanitize bare.cu --task saxpy --case n=33 --seeds 3
expect_out 'in 3 launches of 3 runs'
cat > sum.cu << 'END'
// kz: task reduce-1-atomic
extern "C" __global__ void sum(const float *x, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, x[i]);
}
END
expect_exit 11 sanitize sum.cu --determinism 4 --case n=4099
expect_out 'the result depends on the schedule'
expect_out 'sum.cu:4'

# ---- debug: one case, with variables; the answer is looked at ----
expect_exit 0 debug fast.cu --case n=33 --execute 'break 6 if thread(32,0,0)' --execute run --execute 'print i' --execute 'print n'
expect_out 'Task saxpy, case n=33.'
expect_out 'i = 32'
expect_out 'n = 33'
expect_out '=> 6        if (i < n && t < n) y[i] = a * x[i] + y[i];'
expect_out 'The answer is right.'
expect_exit 1 debug wrong.cu --execute run
expect_err 'y[0] is'

# ---- a task of form program: the grader's main, one case ----
cat > steps.cu << 'END'
// kz: task leak-hunt
__global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
extern "C" void steps(const float *x, float *y, int n, int count) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof *from);
    cudaMalloc(&to, n * sizeof *to);
    cudaMemcpy(from, x, n * sizeof *from, cudaMemcpyHostToDevice);
    cudaMemcpy(to, x, n * sizeof *to, cudaMemcpyHostToDevice);
    for (int step = 0; step < count; step++) add<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof *to, cudaMemcpyDeviceToHost);
    cudaFree(from);
}
END
expect_exit 0 run steps.cu --case n=100
expect_err 'the answer is right for n=100, count=20'
expect_exit 0 prof steps.cu --case n=100,count=3
expect_out 'steps.cu, n=100, count=3 on a simulated'
expect_out 'steps.cu:4'
expect_exit 11 sanitize steps.cu --leak-check --case n=100,count=1
expect_out 'memory that was never freed'
expect_out 'first with --case "n=100, count=1"'
expect_exit 0 debug steps.cu --case n=40,count=1 --execute 'break 4 if thread(33,0,0)' --execute run --execute 'print i'
expect_out 'i = 33'
sed 's/int count)/int counts, int more)/' steps.cu > other.cu
expect_exit 6 run other.cu
expect_err 'the task calls: extern "C" void steps(const float *x, float *y, int n, int count)'

# ---- what cannot be looked into ----
expect_exit 2 run fast.cu
expect_err 'is a kernel for saxpy, without a main'
for verb in prof sanitize debug run; do
    expect_exit 2 $verb bare.cu
    expect_err "kz $verb bare.cu --task ID"
    expect_exit 2 $verb bare.cu --task saxpi
    expect_err 'did you mean saxpy?'
done
expect_exit 2 prof bare.cu --task coalescing-predict
expect_err 'which asks for answers'
expect_exit 2 prof fast.cu --case m=4
expect_err '--case n=1000'
expect_exit 2 prof bare.cu --task vector-add
expect_err 'there is no kernel called vector_add in the file'
sed 's/task saxpy/task saxpi/' fast.cu > typo.cu
expect_exit 2 sanitize typo.cu
expect_err 'there is no task "saxpi"'
printf '// kz: task distances-naive\nvoid f(void) {}\n' > distances.c
expect_exit 2 prof distances.c
expect_err 'valgrind --tool=cachegrind'
expect_err 'perf stat'
expect_exit 2 prof nothere.cu
expect_err 'there is no file nothere.cu'
mkdir -p learner/tasks/saxpy && cp bare.cu learner/tasks/saxpy/saxpy.cu
expect_exit 2 prof saxpy.cu
expect_err "kz prof $KZ_LEARN/tasks/saxpy/saxpy.cu"
expect_exit 0 prof "$KZ_LEARN/tasks/saxpy/saxpy.cu" --metrics ptx__inst_executed.sum # the folder says its task

finish
