// CUB's WarpReduce and WarpScan as peers of the family warp: sum, max and the scans, in the kernel one would write
// around them, a warp for each row. max promises nothing for NaN.
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/std/limits>
#include <string.h>

#include "operations.h"

enum { THREADS = 256, WARPS = THREADS / 32 };

struct greater {
    template <typename T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T, bool adds> __global__ void reduce_rows(const T *in, T *out, size_t n) {
    typedef cub::WarpReduce<T> Reduce;
    __shared__ typename Reduce::TempStorage storage[WARPS];
    using limits = ::cuda::std::numeric_limits<T>;
    const T none = adds ? T(0) : limits::has_infinity ? -limits::infinity() : limits::lowest();
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    T value = i < n ? in[i] : none;
    Reduce reduce(storage[threadIdx.x / 32]);
    value = adds ? reduce.Sum(value) : reduce.Reduce(value, greater());
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = value;
}

template <typename T, bool inclusive> __global__ void scan_rows(const T *in, T *out, size_t n) {
    typedef cub::WarpScan<T> Scan;
    __shared__ typename Scan::TempStorage storage[WARPS];
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    T value = i < n ? in[i] : T(0), sum;
    Scan scan(storage[threadIdx.x / 32]);
    if (inclusive)
        scan.InclusiveSum(value, sum);
    else
        scan.ExclusiveSum(value, sum);
    if (i < n) out[i] = sum;
}

template <typename T> static cudaError_t run(const char *operation, const cub_call *call, size_t n) {
    const T *in = (const T *)call->buffers[0];
    T *out = (T *)call->buffers[1];
    void (*kernel)(const T *, T *, size_t) = NULL;
    if (strcmp(operation, "sum") == 0) kernel = reduce_rows<T, true>;
    if (strcmp(operation, "max") == 0) kernel = reduce_rows<T, false>;
    if (strcmp(operation, "inclusive") == 0) kernel = scan_rows<T, true>;
    if (strcmp(operation, "exclusive") == 0) kernel = scan_rows<T, false>;
    if (!kernel) return cudaErrorNotSupported;
    if (!in) return cudaSuccess; // only the workspace was asked for: none
    kernel<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, call->stream>>>(in, out, n);
    return cudaGetLastError();
}

// Axes: n. Buffers: in, out.
cudaError_t cub_warp(const kz_peer_problem *problem, const cub_call *call) {
    size_t n = (size_t)problem->axes[0];
    return problem->type == KZ_F32 ? run<float>(problem->operation, call, n)
                                   : run<int>(problem->operation, call, n);
}
