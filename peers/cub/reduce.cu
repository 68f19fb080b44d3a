// CUB's reductions as a peer of the family reduce: sum, min, max, argmin and argmax; CUB has no mean.
//
// f16 and bf16 are widened and summed in f32, as the family does: CUB's plain Sum would accumulate in the
// narrow type, and be a rival that gives wrong answers. min and max are CUB's own, which promise nothing for
// NaN. Indices are 32 bits wide, CUB's faster choice.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <string.h>

#include "operations.h"

template <typename T> struct widen {
    __host__ __device__ float operator()(T value) const { return (float)value; }
};

template <typename T> T lowest() {
    using limits = ::cuda::std::numeric_limits<T>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
}
template <typename T> T highest() {
    using limits = ::cuda::std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
}

template <typename T, typename Op> static cudaError_t plain(const cub_call *call, int n, Op op, T start) {
    return cub::DeviceReduce::Reduce(call->workspace, *call->bytes, (const T *)call->buffers[0],
                                     (T *)call->buffers[1], n, op, start, call->stream);
}

template <typename T, typename Op>
static cudaError_t narrow(const cub_call *call, int n, Op op, float start) {
    return cub::DeviceReduce::TransformReduce(call->workspace, *call->bytes, (const T *)call->buffers[0],
                                              (T *)call->buffers[1], n, op, widen<T>(), start, call->stream);
}

// The value and its index; the first of equals, but nothing is promised for NaN.
template <typename T> static cudaError_t find(const char *operation, const cub_call *call, int n) {
    const T *in = (const T *)call->buffers[0];
    T *out = (T *)call->buffers[1];
    long long *index = (long long *)call->buffers[2];
    if (strcmp(operation, "argmin") == 0)
        return cub::DeviceReduce::ArgMin(call->workspace, *call->bytes, in, out, index, n, call->stream);
    if (strcmp(operation, "argmax") == 0)
        return cub::DeviceReduce::ArgMax(call->workspace, *call->bytes, in, out, index, n, call->stream);
    return cudaErrorNotSupported;
}

template <typename T> static cudaError_t wide_type(const char *operation, const cub_call *call, int n) {
    if (strcmp(operation, "sum") == 0) return plain<T>(call, n, ::cuda::std::plus<>(), T(0));
    if (strcmp(operation, "min") == 0) return plain<T>(call, n, ::cuda::minimum<>(), highest<T>());
    if (strcmp(operation, "max") == 0) return plain<T>(call, n, ::cuda::maximum<>(), lowest<T>());
    return find<T>(operation, call, n);
}

template <typename T> static cudaError_t narrow_type(const char *operation, const cub_call *call, int n) {
    if (strcmp(operation, "sum") == 0) return narrow<T>(call, n, ::cuda::std::plus<>(), 0.0f);
    if (strcmp(operation, "min") == 0) return narrow<T>(call, n, ::cuda::minimum<>(), highest<float>());
    if (strcmp(operation, "max") == 0) return narrow<T>(call, n, ::cuda::maximum<>(), lowest<float>());
    return find<T>(operation, call, n);
}

cudaError_t cub_reduce(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff) return cudaErrorNotSupported;
    int n = (int)problem->axes[0];
    switch (problem->type) {
    case KZ_F32: return wide_type<float>(problem->operation, call, n);
    case KZ_F64: return wide_type<double>(problem->operation, call, n);
    case KZ_I32: return wide_type<int>(problem->operation, call, n);
    case KZ_F16: return narrow_type<__half>(problem->operation, call, n);
    case KZ_BF16: return narrow_type<__nv_bfloat16>(problem->operation, call, n);
    default: return cudaErrorNotSupported;
    }
}
