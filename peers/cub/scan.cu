// CUB's DeviceScan as a peer of the family scan: sums, minima, maxima, affine maps and segments by heads.
//
// f16 and bf16 are widened as they are read, combined in f32 and rounded as they are written, as the family
// does: CUB's plain sum of halves would accumulate in the narrow type. A segment's head travels with its sum,
// the way CUB's documentation advises; an exclusive scan by heads CUB has none of. min and max are CUB's own,
// which promise nothing for NaN. Indices are 32 bits wide, CUB's faster choice.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <string.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "operations.h"

// What all of a call's scans share.
typedef struct scan_call {
    const cub_call *call;
    int n;
    bool exclusive;
} scan_call;

template <typename In, typename Out, typename Op, typename A>
static cudaError_t device_scan(const scan_call *s, In in, Out out, Op op, A start) {
    const cub_call *call = s->call;
    if (s->exclusive)
        return cub::DeviceScan::ExclusiveScan(call->workspace, *call->bytes, in, out, op, start, s->n,
                                              call->stream);
    return cub::DeviceScan::InclusiveScan(call->workspace, *call->bytes, in, out, op, s->n, call->stream);
}

template <typename A> static A least(void) {
    using limits = ::cuda::std::numeric_limits<A>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
}
template <typename A> static A greatest(void) {
    using limits = ::cuda::std::numeric_limits<A>;
    return limits::has_infinity ? limits::infinity() : limits::max();
}

// A is what is combined: what `in` gives.
template <typename A, typename In, typename Out>
static cudaError_t plain(const scan_call *s, const char *function, In in, Out out) {
    if (strcmp(function, "sum") == 0) return device_scan(s, in, out, ::cuda::std::plus<>(), A(0));
    if (strcmp(function, "min") == 0) return device_scan(s, in, out, ::cuda::minimum<>(), greatest<A>());
    if (strcmp(function, "max") == 0) return device_scan(s, in, out, ::cuda::maximum<>(), least<A>());
    return cudaErrorNotSupported;
}

template <typename T> struct widen {
    __host__ __device__ float operator()(T value) const { return (float)value; }
};

template <typename T> static cudaError_t halves(const scan_call *s, const char *function) {
    const T *in = (const T *)s->call->buffers[0];
    return plain<float>(s, function, thrust::make_transform_iterator(in, widen<T>()),
                        (T *)s->call->buffers[1]);
}

// ---- affine maps -------------------------------------------------------------------------------------------

template <typename N> struct alignas(2 * sizeof(N)) affine_map { N a, b; };
struct compose {
    template <typename N>
    __host__ __device__ affine_map<N> operator()(affine_map<N> f, affine_map<N> g) const {
        return {g.a * f.a, g.a * f.b + g.b};
    }
};

template <typename N> static cudaError_t affine(const scan_call *s) {
    typedef affine_map<N> map;
    return device_scan(s, (const map *)s->call->buffers[0], (map *)s->call->buffers[1], compose(), map{1, 0});
}

// ---- segments ----------------------------------------------------------------------------------------------

template <typename T> struct piece {
    T sum;
    unsigned head;
};
template <typename T> struct read_piece {
    const T *in;
    const unsigned char *heads;
    __host__ __device__ piece<T> operator()(int i) const { return {in[i], heads[i]}; }
};
template <typename T> struct sum_of {
    __host__ __device__ T operator()(piece<T> p) const { return p.sum; }
};
struct append {
    template <typename T> __host__ __device__ piece<T> operator()(piece<T> before, piece<T> after) const {
        return {after.head ? after.sum : before.sum + after.sum, before.head | after.head};
    }
};

template <typename T> static cudaError_t segments(const scan_call *s) {
    if (s->exclusive) return cudaErrorNotSupported;
    const kz_ptr *buffers = s->call->buffers;
    read_piece<T> read = {(const T *)buffers[0], (const unsigned char *)buffers[2]};
    return device_scan(s, thrust::make_transform_iterator(thrust::counting_iterator<int>(0), read),
                       thrust::make_transform_output_iterator((T *)buffers[1], sum_of<T>()), append(),
                       piece<T>{0, 0});
}

// ---- all -----------------------------------------------------------------------------------------------------

// Integers are unsigned here: sums and products modulo 2^32 are the same, and a signed one must not overflow.
template <typename T, typename Wrapping>
static cudaError_t wide_type(const scan_call *s, const char *function) {
    const kz_ptr *buffers = s->call->buffers;
    if (strcmp(function, "affine") == 0) return affine<Wrapping>(s);
    if (strcmp(function, "segmented_sum") == 0) return segments<Wrapping>(s);
    return plain<T>(s, function, (const T *)buffers[0], (T *)buffers[1]);
}

cudaError_t cub_scan(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff) return cudaErrorNotSupported;
    const scan_call s = {call, (int)problem->axes[0], strncmp(problem->operation, "exclusive_", 10) == 0};
    const char *function = problem->operation + 10; // "inclusive_" is as long
    switch (problem->type) {
    case KZ_F32: return wide_type<float, float>(&s, function);
    case KZ_F64:
        return plain<double>(&s, function, (const double *)call->buffers[0], (double *)call->buffers[1]);
    case KZ_I32: return wide_type<int, unsigned>(&s, function);
    case KZ_F16: return halves<__half>(&s, function);
    case KZ_BF16: return halves<__nv_bfloat16>(&s, function);
    default: return cudaErrorNotSupported;
    }
}
