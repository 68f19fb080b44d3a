#!/bin/bash
# kz sanitize: whole programs, kernels of the zoo, guests; exit codes; JSON, JUnit and SARIF.
. "$(dirname "$0")/lib.sh"
cd "$FOLDER" || exit 1

cat > bad.cu << 'END'
#include <cstdio>
__global__ void reverse(const int *in, int *out, int n) {
    __shared__ int tile[128];
    int i = threadIdx.x;
    if (i < n) tile[i] = in[i];
    if (i < n) out[i] = tile[n - 1 - i];
}
int main(int argc, char **) {
    int *in, *out, host[128] = {0};
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 128>>>(in, out, 128);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("ran with %d\n", argc);
    cudaFree(in);
    return 0;
}
END
expect_exit 11 sanitize --only race bad.cu one two
expect_out 'ran with 3'
expect_out 'error: data race'
expect_out 'bad.cu:5'
expect_out 'bad.cu:6'
expect_out 'if (i < n) out[i] = tile[n - 1 - i];'
expect_out 'shared variable tile (512 bytes)'
expect_out '1 error, no warnings in 1 launch'

# Options after the program are the program's, which is said; not where "--" says that it is meant.
expect_exit 11 sanitize --only race bad.cu --seeds 2
expect_out 'ran with 3'
expect_err 'note: --seeds stands after the program'
expect_exit 11 sanitize --only race bad.cu -- --seeds 2
grep -q 'note: --seeds' "$FOLDER/err" && fail "a note on words that were separated"

# Leaks are asked for; files for CI are written with the same findings.
expect_exit 11 sanitize --leak-check --only leak --json=out.json --junit out.xml --sarif out.sarif bad.cu
expect_out 'allocation 2, 512 bytes, was never freed'
[ "$("$JSON_LINES" type summary < out.json)" = 1 ] || fail "no summary in the JSON"
[ "$("$JSON_LINES" type < out.json)" = 2 ] || fail "the JSON has not two lines"
grep -q 'failures="1"' out.xml || fail "JUnit does not count the leak"
grep -q '"version": "2.1.0"' out.sarif || fail "no SARIF"

# One place that allocates is one finding, with its function and the sum; other places are others.
cat > leak.cu << 'EOF'
__attribute__((noinline)) static int *make(int n) {
    int *p;
    cudaMalloc(&p, n);
    return p;
}
int main() {
    int *other;
    for (int i = 1; i <= 30; i++) make(i * 4);
    cudaMalloc(&other, 64);
    return 0;
}
EOF
expect_exit 11 sanitize --leak-check leak.cu
expect_out 'allocation 1, 4 bytes, was never freed; with 29 more from the same place, 1860 bytes in all'
expect_out 'allocated in make'
expect_out 'seen 30 times'
expect_out 'allocated in main'
expect_out 'no errors, 2 warnings in 0 launches'

# One kernel in two streams: the line is said of both. The streams' numbers are those of the timeline.
cat > streams.cu << 'EOF'
__global__ void k(int *o, int v) { o[threadIdx.x] = v; }
int main() {
    int *d;
    cudaStream_t a, b;
    cudaMalloc(&d, 256);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    k<<<1, 32, 0, a>>>(d, 1);
    k<<<1, 32, 0, b>>>(d, 2);
    cudaDeviceSynchronize();
    cudaMemset(d, 0, 256);
    cudaDeviceSynchronize();
    return 0;
}
EOF
expect_exit 11 sanitize streams.cu
expect_out 'kernel k in stream 3 writes memory that kernel k in stream 4 writes'
expect_out 'streams.cu:1  write by thread (0,0,0)'
expect_out 'streams.cu:1  and write by thread (0,0,0)'
expect_exit 0 timeline streams.cu
grep -q '^stream 3 .*#' "$FOLDER/out" || fail "the timeline has no stream 3"
grep -q '^stream 4 .*#' "$FOLDER/out" || fail "the timeline has no stream 4"
grep -q '^default 1 .*#' "$FOLDER/out" || fail "the timeline does not name the default stream"

# What is known is suppressed; what is ignored is not said.
printf '# known\nrace *.cu:5\nundefined-output *\n' > known
expect_exit 0 sanitize --suppress known bad.cu
expect_out 'suppressed'
expect_exit 0 sanitize --ignore race,undefined bad.cu

# The same program with its barrier is clean, under several schedules too; its own exit status is kept.
sed 's/if (i < n) out/__syncthreads();\n    if (i < n) out/; s/return 0;/return 7;/' bad.cu > good.cu
expect_exit 7 sanitize --seeds 3 good.cu
expect_out 'no errors, no warnings in 3 launches of 3 runs'

# JSON on stdout alone: the program's own words go elsewhere.
expect_exit 11 sanitize --json bad.cu
[ "$("$JSON_LINES" type finding < "$FOLDER/out")" -ge 1 ] || fail "stdout is no JSON lines"
expect_err 'ran with 1'

# Sums of floats by atomics depend on the order.
cat > atomic.cu << 'END'
__global__ void sum(const float *in, float *out) { atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }
int main() {
    float *in, *out, host[512], zero = 0;
    for (int i = 0; i < 512; i++) host[i] = 1.0f / (i + 1);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 4);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(out, &zero, 4, cudaMemcpyHostToDevice);
    sum<<<8, 64>>>(in, out);
    cudaMemcpy(&zero, out, 4, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
}
END
expect_exit 11 sanitize --determinism 4 atomic.cu
expect_out 'the result depends on the schedule'
expect_out 'written by _Z3sumPKfPf'
expect_out 'a floating-point atomic adds in the order in which threads come'
expect_out 'atomic.cu:1'

# Kernels of the zoo, and a kernel of one's own in a family's place.
expect_exit 0 sanitize compact/05_epoch_flags --case 'select-f32-n33-*' # what it leaves behind the last one is anything
expect_exit 0 sanitize reduce/04_warp_shuffle --case 'sum-f32-n100*'
expect_out 'no errors, no warnings'
cat > mine.cu << 'END'
// kz: block 256
// kz: grid 1
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, size_t n) {
    for (size_t i = threadIdx.x; i + 1 < n; i += blockDim.x) z[i] = x[i] + y[i];
}
END
expect_exit 11 sanitize --family vector_add mine.cu --case 'add-f32-n1000*'
expect_out 'the host reads an undefined value'
expect_out 'of buffer z'

# Mistakes in the words.
expect_exit 2 sanitize --only rices reduce
expect_err 'there is no kind of finding "rices"'
expect_exit 2 sanitize --determinism 1 reduce
expect_exit 2 sanitize no_such_family
# A caret stands only under a statement that the column can mean: not in a kernel of one line, nor where a line has
# several statements.
cat > "$FOLDER/columns.cu" << 'END'
__global__ void line(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = 1; p[i + n] = 2; }
__global__ void several(int *p, int n) {
    if (threadIdx.x < 3) { p[0] = 0; } else { p[1] = 1; p[threadIdx.x + n] = 2; }
}
__global__ void one(int *p, int n) {
    if (threadIdx.x < 3) {
        p[0] = 0;
    } else p[threadIdx.x + n] = 2;
}
int main(int argc, char **argv) {
    int *p;
    cudaMalloc(&p, 64);
    (argc == 1 ? line : argc == 2 ? several : one)<<<1, 8>>>(p, 1000);
    cudaDeviceSynchronize();
}
END
for words in "" "1" "1 2"; do
    # shellcheck disable=SC2086 # words
    expect_exit 11 sanitize "$FOLDER/columns.cu" $words
    expect_out "out-of-bounds"
    grep -q '^ *| *^$' "$FOLDER/out" && caret=yes || caret=no
    case $words$caret in no | 1no | "1 2yes") ;; *) fail "with $words a caret: $caret" ;; esac
done
grep -A1 '} else p\[' "$FOLDER/out" | grep -q '^ *|        ^$' || fail "the caret is not under p"

# A run that is cut short says so, with one status; what was found until then is kept.
cat > "$FOLDER/cut.cu" << 'END'
#include <csignal>
#include <cstdlib>
#include <unistd.h>
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void race(int *a) { a[0] = threadIdx.x; }
__global__ void spin(volatile int *flag) {
    while (*flag == 0) {}
}
int main(int argc, char **argv) {
    int *a;
    cudaMalloc(&a, 128);
    fill<<<1, 32>>>(a);
    if (argc > 2) race<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    if (*argv[1] == 'h') pause();
    if (*argv[1] == 's') raise(SIGSEGV);
    if (*argv[1] == 'k') raise(SIGKILL);
    if (*argv[1] == 'l') execl("/bin/true", "true", (char *)0);
    if (*argv[1] == 'q') _exit(3);
    if (*argv[1] == 'w') {
        cudaMallocHost(&a, 4);
        *a = 0;
        spin<<<1, 1>>>(a);
        *(volatile int *)a = 1;
    }
    if (*argv[1] == 'f') fill<<<1, 64>>>(a);
    exit(3);
}
END
cut_short() { # cut_short HOW REASON
    expect_exit 12 sanitize --timeout 0.5 --json=cut.json --junit cut.xml "$FOLDER/cut.cu" "$1"
    expect_out "not all was checked: $2"
    grep -qF "\"text\":\"$2" cut.json || fail "$1: the JSON summary does not say why"
    grep -q 'failures="1"' cut.xml || fail "$1: JUnit has a clean run"
}
cut_short hangs "it was stopped after 0.5 s (--timeout)"
cut_short segmentation "it was ended by signal 11"
cut_short killed "it was ended by signal 9"
cut_short leaves "it left by exec()"
cut_short waits "the kernel spin(int volatile*) waits for memory that the host may write later"
[ "$(grep -c "not all was checked" "$FOLDER/out")" = 1 ] || fail "one reason is told twice"
expect_exit 11 sanitize "$FOLDER/cut.cu" killed race
expect_out "error: data race"
expect_out "not all was checked: it was ended by signal 9"
expect_exit 11 sanitize "$FOLDER/cut.cu" fault
expect_out "not all was checked: the device was lost"
expect_exit 3 sanitize "$FOLDER/cut.cu" quits # by _exit(), which ends a run like exit()
expect_out "in 1 launch"
expect_exit 3 sanitize "$FOLDER/cut.cu" exits
grep -q "not all" "$FOLDER/out" && fail "a run that came to its end was called cut short"

# A shadow of memory that may not grow: what was not checked is said, whatever was asked for.
KZ_SHADOW_LIMIT=20K expect_exit 12 sanitize vector_add/01_naive --only undefined
expect_out 'not all was checked: races in the rest of a launch of vector_add_naive_add_f32'
expect_out 'more than its limit of 20.0 KiB'
expect_out 'KZ_SHADOW_LIMIT=1G'
KZ_SHADOW_LIMIT=512M expect_exit 0 sanitize vector_add/01_naive
finish
