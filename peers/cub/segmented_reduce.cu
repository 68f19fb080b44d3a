// CUB's DeviceSegmentedReduce as a peer of the families reduce_axis (rows alone: CUB folds neighbours) and
// reduce_segments: sum and max; CUB has no mean.
//
// f16 and bf16 are folded in f32 and rounded as they are written, as the families do. max promises nothing for NaN. Rows of one size have offsets that are computed, not read.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <limits.h>
#include <string.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "operations.h"

// A sum by the standard's plus, which CUB knows: by a functor of our own its kernel had 40 registers instead of 32, and
// fewer blocks on a multiprocessor. Halves widen by themselves where `greater` takes them.
template <typename A> struct greater {
    __host__ __device__ A operator()(A a, A b) const { return a < b ? b : a; }
};
struct times {
    int length;
    __host__ __device__ int operator()(int row) const { return row * length; }
};

template <typename A, typename In, typename Out, typename Offsets>
static cudaError_t fold(const char *operation, const cub_call *call, In in, Out out, long long rows,
                        Offsets offsets) {
    using limits = ::cuda::std::numeric_limits<A>;
    const A least = limits::has_infinity ? -limits::infinity() : limits::lowest();
    if (strcmp(operation, "sum") == 0)
        return cub::DeviceSegmentedReduce::Reduce(call->workspace, *call->bytes, in, out, rows, offsets,
                                                  offsets + 1, ::cuda::std::plus<>(), A(0), call->stream);
    if (strcmp(operation, "max") == 0)
        return cub::DeviceSegmentedReduce::Reduce(call->workspace, *call->bytes, in, out, rows, offsets,
                                                  offsets + 1, greater<A>(), least, call->stream);
    return cudaErrorNotSupported;
}

template <typename Offsets>
static cudaError_t by_type(const kz_peer_problem *problem, const cub_call *call, const void *in, void *out,
                           long long rows, Offsets offsets) {
    const char *operation = problem->operation;
    switch (problem->type) {
    case KZ_F32: return fold<float>(operation, call, (const float *)in, (float *)out, rows, offsets);
    case KZ_F64: return fold<double>(operation, call, (const double *)in, (double *)out, rows, offsets);
    case KZ_I32: return fold<int>(operation, call, (const int *)in, (int *)out, rows, offsets);
    case KZ_F16: return fold<float>(operation, call, (const __half *)in, (__half *)out, rows, offsets);
    case KZ_BF16:
        return fold<float>(operation, call, (const __nv_bfloat16 *)in, (__nv_bfloat16 *)out, rows, offsets);
    default: return cudaErrorNotSupported;
    }
}

// Axes: outer, n, inner. Buffers: in, out.
cudaError_t cub_reduce_axis(const kz_peer_problem *problem, const cub_call *call) {
    // Indices of 32 bits, CUB's faster choice.
    if (problem->axes[2] != 1 || problem->axes[0] * problem->axes[1] > INT_MAX) return cudaErrorNotSupported;
    auto offsets =
        thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times{(int)problem->axes[1]});
    return by_type(problem, call, (const void *)call->buffers[0], (void *)call->buffers[1], problem->axes[0],
                   offsets);
}

// Axes: n, segments, skew. Buffers: in, offsets, out.
cudaError_t cub_reduce_segments(const kz_peer_problem *problem, const cub_call *call) {
    return by_type(problem, call, (const void *)call->buffers[0], (void *)call->buffers[2], problem->axes[1],
                   (const unsigned *)call->buffers[1]);
}
