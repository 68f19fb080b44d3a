#!/bin/sh
# kz sanitize tells programs whose streams and host are in order from those where something lacks it.
. "$(dirname "$0")/../cli/lib.sh"
PROGRAM=$(cd "$(dirname "$0")" && pwd)/order/unordered.cu

"$KZ" run "$PROGRAM" > "$FOLDER/cases" || fail "$PROGRAM does not run"
while read -r name; do
    case $name in
    right_*) wanted=0 ;;
    *) wanted=11 ;;
    esac
    expect_exit $wanted sanitize "$PROGRAM" "$name"
    case $name in
    right_*) ;;
    pool) expect_out "cudaMallocAsync in stream 3 allocates memory that cudaMemsetAsync in stream 4 writes" ;;
    half) expect_out "the host, in " ;;
    *) expect_out "[race]" ;;
    esac
done < "$FOLDER/cases"

# Stream 0 is the thread's own where the program was built so, and does not wait for other streams.
cat > "$FOLDER/default.cu" << 'END'
__global__ void add(int *a) { a[threadIdx.x]++; }
int main() {
    int *a;
    cudaStream_t s;
    cudaMalloc(&a, 128);
    cudaMemset(a, 0, 128);
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    add<<<1, 32>>>(a);
    add<<<1, 32, 0, s>>>(a);
    return cudaDeviceSynchronize();
}
END
expect_exit 0 sanitize "$FOLDER/default.cu"
expect_exit 11 sanitize --nvcc-flag --default-stream=per-thread "$FOLDER/default.cu"
expect_out "kernel add in a thread's default stream"

# A race with a library's call names the routine, not the copies it is made of; races with two calls are two.
cat > "$FOLDER/library.cu" << 'END'
struct handle; // not every package of CUDA has cuBLAS's header
extern "C" int cublasCreate_v2(handle **);
extern "C" int cublasSgemm_v2(handle *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                              const float *, float *, int);
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
int main() {
    float *a, one = 1, host[64];
    cudaStream_t s;
    handle *blas;
    cudaMalloc(&a, 256);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cublasCreate_v2(&blas);
    cudaMemset(a, 0, 256);
    fill<<<1, 64, 0, s>>>(a);
    cublasSgemm_v2(blas, 0, 0, 8, 8, 8, &one, a, 8, a, 8, &one, a, 8);
    cudaMemcpy(host, a, 256, cudaMemcpyDeviceToHost);
}
END
expect_exit 11 sanitize --nvcc-flag -lcublas "$FOLDER/library.cu"
for call in cudaMemset cublasSgemm "cudaMemcpy "; do expect_out "$call"; done
expect_out "3 errors"
expect_exit 6 sanitize "$FOLDER/library.cu"
expect_err "what to do: link it with the library: --nvcc-flag -lcublas"
finish
