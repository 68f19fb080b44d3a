#!/bin/sh
# What goes wrong in whole programs is explained, and CUDA's own errors are given all the same.
NVCC=$2
. "$(dirname "$0")/../cli/lib.sh"
HERE=$(cd "$(dirname "$0")" && pwd)/wrong

# One program with a case per argument: building costs more than running.
case $(uname -m) in # whether it read or wrote is told only where the processor says so
x86_64) read_it="read" wrote_it="wrote to" ;;
*) read_it="accessed" wrote_it="accessed" ;;
esac
expect_exit 139 run "$HERE/mistakes.cu" read_device
expect_err "kz: the host $read_it device memory: 0x"
expect_err "lies in buffer #1 of 4096 bytes allocated by cudaMalloc"
expect_err "copy it with cudaMemcpy"
expect_exit 139 run "$HERE/mistakes.cu" write_device
expect_err "the host $wrote_it device memory"
expect_exit 0 run "$HERE/mistakes.cu" unchecked
expect_err "2048 threads per block; a block has at most 1024"
expect_err "kz: the program ended without looking at an error: the launch of fill(int*, int)"
expect_err "cudaErrorInvalidValue (invalid argument)"
expect_exit 0 run "$HERE/mistakes.cu" unchecked_fault
expect_err "later calls failed for that reason"
expect_exit 0 run "$HERE/mistakes.cu" checked
grep -q "without looking" "$FOLDER/err" && fail "an error that was looked at is held against the program"
expect_exit 0 run "$HERE/mistakes.cu" host_pointer
expect_err "that is a host pointer"
expect_out "cudaErrorIllegalAddress"
expect_exit 0 run "$HERE/mistakes.cu" direction
expect_err "the pointers are the wrong way round"
expect_out "cudaErrorInvalidValue"
expect_exit 0 run "$HERE/mistakes.cu" past_end
expect_err "the copy ends 4096 bytes past the end"
expect_out "cudaErrorInvalidValue"
expect_exit 0 run "$HERE/mistakes.cu" double_free
expect_err "no live allocation begins at this address"
expect_exit 0 run "$HERE/mistakes.cu" again
expect_err "kz: 4 times more: the launch of fill(int*, int) <<<(1,1,1), (2048,1,1), 0>>> failed"
expect_err "kz: 4 times more: cudaMemcpy: the source has not so many bytes: the copy ends 4 bytes past the end"
expect_err "4096 threads per block; a block has at most 1024"
[ "$(grep -c "past the end" "$FOLDER/err")" = 2 ] || fail "a mistake in a loop is explained more than once"
expect_exit 0 run "$HERE/mistakes.cu" shared
expect_err "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)"
expect_exit 0 run "$HERE/mistakes.cu" no_sync
expect_err "the program ended before its kernels' printf was shown (1 line)"
expect_exit 0 run "$HERE/mistakes.cu" missing_call
expect_err "kz: cudaIpcGetMemHandle is not there"
[ "$(grep -c cudaIpcGetMemHandle "$FOLDER/err")" = 1 ] || fail "the missing call is named more than once"
expect_out "cudaErrorNotSupported"
expect_exit 0 run "$HERE/mistakes.cu" colours
expect_err "a texture of sRGB colours is not simulated"
expect_out "cudaErrorNotSupported"
expect_exit 0 run "$HERE/mistakes.cu" assertion
expect_out "cudaErrorAssert"
expect_exit 7 run "$HERE/mistakes.cu" exit_code
expect_exit 134 run "$HERE/mistakes.cu" aborts
expect_err "the program was ended by signal 6"
expect_exit 124 run --timeout 1 "$HERE/mistakes.cu" hangs
expect_err "stopped after 1 s"
expect_err "mistakes.cu"
expect_exit 124 run --timeout 0.5 "$HERE/mistakes.cu" short_blocks
expect_err "stopped in kernel"
grep -q "could not be stopped" "$FOLDER/err" && fail "a grid of short blocks is not stopped"
expect_exit 124 run --timeout 0.5 "$HERE/mistakes.cu" short_launches
expect_err "stopped after 0.5 s"
grep -q "could not be stopped" "$FOLDER/err" && fail "a program of short launches is not stopped"
expect_exit 124 run --timeout 0.5 "$HERE/mistakes.cu" host_hangs
expect_err "no kernel was running"

# Binaries: too new for the GPU, without PTX, with the runtime inside, plain and LZ4 fat binaries.
cat > "$FOLDER/add.cu" <<'CUDA'
#include <cstdio>
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main(int count, char **words) {
    int *p, back[32];
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    add<<<1, 32>>>(p);
    cudaError_t error = cudaGetLastError();
    cudaMemcpy(back, p, 128, cudaMemcpyDeviceToHost);
    printf("%s %d %s\n", cudaGetErrorName(error), back[31], count > 1 ? words[1] : "-");
}
CUDA
build() { "$NVCC" "$@" -o "$FOLDER/add" "$FOLDER/add.cu" > "$FOLDER/out" 2> "$FOLDER/err" || fail "nvcc $*"; }
build -cudart shared -gencode arch=compute_90,code=compute_90 -compress-mode=speed
expect_exit 0 run "$FOLDER/add" --gpu
expect_out "cudaSuccess 1 --gpu"
expect_exit 0 run --gpu t4 "$FOLDER/add"
expect_err "its PTX is for sm_90 and later, the simulated NVIDIA T4 is sm_75"
expect_out "cudaErrorNoKernelImageForDevice"
build -cudart shared -gencode arch=compute_90,code=sm_90
expect_exit 0 run "$FOLDER/add"
expect_err "no PTX inside, only machine code"
build -cudart static -arch=sm_90
expect_exit 8 run "$FOLDER/add"
expect_err "nvcc -cudart shared"

# A record that cannot be written is said to be lost: the program is not blamed.
build -cudart shared -arch=sm_90
(ulimit -S -f 1 && "$KZ" prof "$FOLDER/add" > /dev/null 2> "$FOLDER/limited")
got=$?
cp "$FOLDER/limited" "$FOLDER/err"
[ $got -eq 5 ] || fail "a lost record: exit status $got, expected 5"
expect_err "the record of what"
(ulimit -f 1 && "$KZ" run "$FOLDER/add" > /dev/null 2> "$FOLDER/limited")
cp "$FOLDER/limited" "$FOLDER/err"
expect_err "ulimit -Hf"
echo 'int main() { return 0; }' > "$FOLDER/nothing.cu"
expect_exit 2 prof "$FOLDER/nothing.cu"
expect_err "it never called the CUDA runtime"

# A program that links CUDA's device runtime: its ordinary kernels run, one that launches others says why not.
cat > "$FOLDER/nested.cu" <<'CUDA'
#include <cstdio>
__global__ void child(int *p) { p[threadIdx.x] = 1; }
__global__ void parent(int *p) { child<<<1, 32>>>(p); }
__global__ void plain(int *p) { p[threadIdx.x] = 2; }
int main() {
    int *p, back[32];
    cudaMalloc(&p, 128);
    plain<<<1, 32>>>(p);
    cudaMemcpy(back, p, 128, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), back[31]);
    parent<<<1, 1>>>(p);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
CUDA
expect_exit 0 run --nvcc-flag -rdc=true --nvcc-flag -lcudadevrt "$FOLDER/nested.cu"
expect_out "cudaSuccess 2"
expect_out "cudaErrorNotSupported"
expect_err "kernels that launch kernels (dynamic parallelism) are not simulated"

expect_exit 2 run "$FOLDER/no_such.cu"
expect_exit 2 run
expect_exit 2 run --gpu no_such_gpu "$FOLDER/add.cu"
echo 'int main() { return x; }' > "$FOLDER/broken.cu"
expect_exit 6 run "$FOLDER/broken.cu"
expect_err "identifier \"x\" is undefined"

# A library that the simulator lacks is named, with what to do: when linking, when the loader misses it, when it is there.
echo 'extern "C" int cufftGetVersion(int *); int main() { int v; return cufftGetVersion(&v); }' > "$FOLDER/fft.cu"
expect_exit 6 run "$FOLDER/fft.cu"
expect_err "the simulator does not have cuFFT"
echo 'int cufftGetVersion(int *v) { return 5; }' > "$FOLDER/fft.c"
mkdir "$FOLDER/lib"
cc -shared -fPIC -Wl,-soname,libcufft.so.99 -o "$FOLDER/lib/libcufft.so.99" "$FOLDER/fft.c" || fail "no library to test with"
ln -s libcufft.so.99 "$FOLDER/lib/libcufft.so"
expect_exit 8 run --nvcc-flag "-L$FOLDER/lib" --nvcc-flag -lcufft "$FOLDER/fft.cu"
expect_err "needs cuFFT (libcufft.so.99)"
expect_err "what to do: "
LD_LIBRARY_PATH="$FOLDER/lib" expect_exit 5 run --nvcc-flag "-L$FOLDER/lib" --nvcc-flag -lcufft "$FOLDER/fft.cu"
expect_err "needs cuFFT (libcufft.so.99), whose calls fail without a GPU"
echo 'extern "C" int cuInit(unsigned); int main() { return cuInit(0); }' > "$FOLDER/driver.cu"
expect_exit 6 run "$FOLDER/driver.cu"
expect_err "the simulator does not have most of the CUDA driver API"

# Relocatable device code: two files whose kernels use each other's functions and variables.
expect_exit 0 run --nvcc-flag -rdc=true "$HERE/../linked/main.cu" "$HERE/../linked/other.cu"
expect_out "8 10 12"
finish
