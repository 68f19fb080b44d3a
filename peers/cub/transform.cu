// CUB's DeviceTransform as a peer of vector_add, saxpy and elementwise. On Hopper it streams its inputs with
// bulk copies, sized by CUB's own tuning. Half types are computed in f32, as the families do.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <string.h>

#include "operations.h"

struct add {
    __host__ __device__ float operator()(float x, float y) const { return x + y; }
};

struct multiply_add {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

struct scale {
    float factor;
    __host__ __device__ float operator()(float x) const { return factor * x; }
};
struct relu {
    __host__ __device__ float operator()(float x) const { return x < 0.0f ? 0.0f : x; }
};
struct gelu_erf {
    __host__ __device__ float operator()(float x) const {
        return 0.5f * x * (1.0f + erff(0.70710678118654752f * x));
    }
};
struct gelu_tanh { // x times the logistic function of twice tanh's argument: the same value, no cancellation
    __host__ __device__ float operator()(float x) const {
        float inner = 0.79788456080286536f * (x + 0.044715f * x * x * x);
        return x / (1.0f + expf(-2.0f * inner));
    }
};
struct silu {
    __host__ __device__ float operator()(float x) const { return x / (1.0f + expf(-x)); }
};

template <typename T, typename Op> struct on_type {
    Op op;
    __host__ __device__ T operator()(T x) const { return (T)op((float)x); }
};

// The i-th argument that is neither a buffer nor an axis, as a float: a factor.
static float scalar_of(const kz_peer_problem *problem) {
    float value = 0;
    for (size_t i = 0; i < problem->arg_count; i++) {
        const kz_arg *arg = &problem->args[i];
        if (arg->kind != KZ_ARG_SCALAR || arg->scalar == (uint64_t)problem->axes[0]) continue;
        uint32_t bits = (uint32_t)arg->scalar;
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

template <typename T, typename Op> static cudaError_t unary(const cub_call *call, int n, Op op) {
    return cub::DeviceTransform::Transform((const T *)call->buffers[0], (T *)call->buffers[1], n,
                                           on_type<T, Op>{op}, call->stream);
}

template <typename T>
static cudaError_t elementwise(const kz_peer_problem *problem, const cub_call *call, int n) {
    const char *operation = problem->operation;
    if (strcmp(operation, "scale") == 0) return unary<T>(call, n, scale{scalar_of(problem)});
    if (strcmp(operation, "relu") == 0) return unary<T>(call, n, relu());
    if (strcmp(operation, "gelu_erf") == 0) return unary<T>(call, n, gelu_erf());
    if (strcmp(operation, "gelu_tanh") == 0) return unary<T>(call, n, gelu_tanh());
    if (strcmp(operation, "silu") == 0) return unary<T>(call, n, silu());
    return cudaErrorNotSupported;
}

template <typename Op> static cudaError_t binary(const cub_call *call, int n, size_t output, Op op) {
    const float *x = (const float *)call->buffers[0], *y = (const float *)call->buffers[1];
    return cub::DeviceTransform::Transform(::cuda::std::make_tuple(x, y), (float *)call->buffers[output], n,
                                           op, call->stream);
}

cudaError_t cub_transform(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff) return cudaErrorNotSupported;
    if (!call->workspace) { // it needs none, but a NULL one means "only ask"
        *call->bytes = 0;
        if (call->buffers[0] == 0) return cudaSuccess;
    }
    int n = (int)problem->axes[0];
    if (strcmp(problem->family, "elementwise") == 0) {
        if (problem->type == KZ_F32) return elementwise<float>(problem, call, n);
        if (problem->type == KZ_F16) return elementwise<__half>(problem, call, n);
        if (problem->type == KZ_BF16) return elementwise<__nv_bfloat16>(problem, call, n);
    } else if (problem->type == KZ_F32) {
        if (strcmp(problem->family, "vector_add") == 0) return binary(call, n, 2, add());
        if (strcmp(problem->family, "saxpy") == 0)
            return binary(call, n, 1, multiply_add{scalar_of(problem)}); // in place, as CUB allows
    }
    return cudaErrorNotSupported;
}
