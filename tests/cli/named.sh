#!/bin/bash
# What the user may name (a family, a guest, a task's file, a program, an executable), under each command that runs it:
# a row says the exit status and what is printed, and all commands mean the same by the same words.
. "$(dirname "$0")/lib.sh"
NVCC=$6
export KZ_LEARN="$FOLDER/learner"
cd "$FOLDER" || exit 1

cat > guest.cu << 'END'
// kz: block 256
// kz: grid ceil(n/256)
extern "C" __global__ void my_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
END
cat > task.cu << 'END'
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
END
cat > program.cu << 'END'
#include <cstdio>
__global__ void set(int *out) { *out = 7; }
int main() {
    int *out, value = 0;
    cudaMalloc(&out, 4);
    set<<<1, 1>>>(out);
    cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("value %d\n", value);
    return value != 7;
}
END
"$NVCC" -cudart shared -o executable program.cu > out 2> err || fail "nvcc does not build the program"

named() { # the words for a kind
    case $1 in
    family) echo vector_add/01_naive --case add-f32-n1024-uniform ;;
    guest) echo --family vector_add guest.cu --case add-f32-n1024-uniform ;;
    task) echo --task saxpy task.cu ;;
    program) echo ./program.cu ;;
    executable) echo ./executable ;;
    esac
}

# The columns: command, kind, exit status, what it prints.
while IFS='|' read -r command kind status text; do
    case $command in
    check) options="--no-save" ;;
    debug) options="--execute run" ;;
    *) options= ;;
    esac
    # shellcheck disable=SC2046,SC2086 # words
    expect_exit "$status" $command $options $(named $kind)
    cat out err > both
    grep -qF -- "$text" both || fail "kz $command of a $kind does not say: $text"
done << 'END'
check|family|0|vector_add
check|guest|0|guest.cu
check|task|2|kz grade task.cu --task saxpy
check|program|2|kz run ./program.cu runs it
check|executable|2|kz sanitize ./executable looks for errors
prof|family|0|vector_add/01_naive
prof|guest|0|guest.cu
prof|task|0|task.cu, n=
prof|program|0|program.cu
prof|executable|0|executable
sanitize|family|0|no errors, no warnings
sanitize|guest|0|no errors, no warnings
sanitize|task|0|no errors, no warnings
sanitize|program|0|no errors, no warnings
sanitize|executable|0|no errors, no warnings
debug|family|0|The answer is right.
debug|guest|0|The answer is right.
debug|task|0|The answer is right.
debug|program|0|value 7
debug|executable|0|value 7
timeline|family|0|vector_add/01_naive add-f32-n1024-uniform
timeline|guest|0|guest.cu add-f32-n1024-uniform
timeline|task|0|task.cu n=
timeline|program|0|program.cu
timeline|executable|0|executable
END

# A path is never a family, and nobody advises what a command does not take.
for command in check prof sanitize debug timeline bench; do
    expect_exit 2 $command ./task.cu
    expect_err "task.cu has no main"
    expect_err "kz $command --family FAMILY ./task.cu"
    case $command in check | bench) taker=grade ;; *) taker=$command ;; esac
    expect_err "kz $taker ./task.cu --task ID"
    expect_exit 2 $command ./not_there.cu
    expect_err "there is no file ./not_there.cu"
done
expect_exit 2 run task.cu
grep -q -- --family err && fail "kz run advises --family, which it does not take"
for words in "check ./not_there" "check /not/there" "check ." "bench ./executable" "check reduce ./executable" \
    "check record.jsonl"; do
    # shellcheck disable=SC2086 # words
    expect_exit 2 $words
    grep -q "no family" err && fail "kz $words takes a path for a family"
done
expect_exit 2 check executable
expect_err "./executable"
finish
