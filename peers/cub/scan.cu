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

static bool is(const char *function, const char *name) { return strcmp(function, name) == 0; }

// A is what is combined: what `in` gives.
template <typename A, typename In, typename Out> static cudaError_t sums(const scan_call *s, In in, Out out) {
    return device_scan(s, in, out, ::cuda::std::plus<>(), A(0));
}
template <typename A, typename In, typename Out>
static cudaError_t extremes(const scan_call *s, const char *function, In in, Out out) {
    if (is(function, "min")) return device_scan(s, in, out, ::cuda::minimum<>(), greatest<A>());
    if (is(function, "max")) return device_scan(s, in, out, ::cuda::maximum<>(), least<A>());
    return cudaErrorNotSupported;
}

template <typename T> struct widen {
    __host__ __device__ float operator()(T value) const { return (float)value; }
};

template <typename T> static cudaError_t halves(const scan_call *s, const char *function) {
    auto in = thrust::make_transform_iterator((const T *)s->call->buffers[0], widen<T>());
    T *out = (T *)s->call->buffers[1];
    return is(function, "sum") ? sums<float>(s, in, out) : extremes<float>(s, function, in, out);
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
    T value; // since the last head
    unsigned head;
};
template <typename T> struct read_piece {
    const T *in;
    const unsigned char *heads;
    __host__ __device__ piece<T> operator()(int i) const { return {in[i], heads[i]}; }
};
template <typename T> struct value_of {
    __host__ __device__ T operator()(piece<T> p) const { return p.value; }
};
template <typename Op> struct append {
    template <typename T> __host__ __device__ piece<T> operator()(piece<T> before, piece<T> after) const {
        return {after.head ? after.value : Op()(before.value, after.value), before.head | after.head};
    }
};

template <typename T, typename Op> static cudaError_t by_heads(const scan_call *s) {
    if (s->exclusive) return cudaErrorNotSupported;
    const kz_ptr *buffers = s->call->buffers;
    read_piece<T> read = {(const T *)buffers[0], (const unsigned char *)buffers[2]};
    return device_scan(s, thrust::make_transform_iterator(thrust::counting_iterator<int>(0), read),
                       thrust::make_transform_output_iterator((T *)buffers[1], value_of<T>()), append<Op>(),
                       piece<T>{0, 0});
}

// ---- all -----------------------------------------------------------------------------------------------------

// Integers are added as unsigned ones (Sum): the bits are the same, and a signed sum must not overflow.
template <typename T, typename Sum> static cudaError_t wide(const scan_call *s, const char *function) {
    const kz_ptr *buffers = s->call->buffers;
    if (is(function, "sum")) return sums<Sum>(s, (const Sum *)buffers[0], (Sum *)buffers[1]);
    if (is(function, "segmented_sum")) return by_heads<Sum, ::cuda::std::plus<>>(s);
    return extremes<T>(s, function, (const T *)buffers[0], (T *)buffers[1]);
}
// The 4-byte types have maps and extremes by heads too.
template <typename T, typename Sum> static cudaError_t four_bytes(const scan_call *s, const char *function) {
    if (is(function, "affine")) return affine<Sum>(s);
    if (is(function, "segmented_min")) return by_heads<T, ::cuda::minimum<>>(s);
    if (is(function, "segmented_max")) return by_heads<T, ::cuda::maximum<>>(s);
    return wide<T, Sum>(s, function);
}

cudaError_t cub_scan(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff) return cudaErrorNotSupported;
    const scan_call s = {call, (int)problem->axes[0], strncmp(problem->operation, "exclusive_", 10) == 0};
    const char *function = problem->operation + 10; // "inclusive_" is as long
    switch (problem->type) {
    case KZ_F32: return four_bytes<float, float>(&s, function);
    case KZ_I32: return four_bytes<int, unsigned>(&s, function);
    case KZ_U32: return four_bytes<unsigned, unsigned>(&s, function);
    case KZ_F64: return wide<double, double>(&s, function);
    case KZ_I64: return wide<long long, unsigned long long>(&s, function);
    case KZ_F16: return halves<__half>(&s, function);
    case KZ_BF16: return halves<__nv_bfloat16>(&s, function);
    default: return cudaErrorNotSupported;
    }
}
