// gemm: sums of parts of k, added: c = alpha * (part 0 + part 1 + ...) + beta c.
#ifndef GEMM_PARTS_CUH
#define GEMM_PARTS_CUH

#include "kz/device/tensor_copy.cuh"
#include "kz/kernel.cuh"
#include "tune.h"

// A thread has four neighbours of a row; rows of parts are `pitch` floats apart, a multiple of four, and parts `stride`. Loads of
// GEMM_PARTS_AT_ONCE parts are in flight. Where beta is 0, c is not read.
template <typename Out>
static __device__ __forceinline__ void add_parts(const float *parts, Out *c, size_t m, size_t n, size_t pitch,
                                                 size_t stride, unsigned count, size_t ldc, float alpha,
                                                 float beta) {
    size_t units = pitch / 4, at = kz_thread();
    kz_wait_for_predecessor();
    kz_let_successor_begin();
    if (at >= m * units) return;
    size_t row = at / units, column = at % units * 4;
    const float4 *from = (const float4 *)(parts + row * pitch + column);
    float sums[4] = {0.0f};
    for (unsigned first = 0; first < count; first += GEMM_PARTS_AT_ONCE) {
        float4 some[GEMM_PARTS_AT_ONCE];
#pragma unroll
        for (unsigned i = 0; i < GEMM_PARTS_AT_ONCE; i++)
            some[i] = first + i < count ? __ldcg(from + (first + i) * (stride / 4)) : float4{};
#pragma unroll
        for (unsigned i = 0; i < GEMM_PARTS_AT_ONCE; i++)
            sums[0] += some[i].x, sums[1] += some[i].y, sums[2] += some[i].z, sums[3] += some[i].w;
    }
    for (int i = 0; i < 4 && column + i < n; i++) {
        Out *to = &c[row * ldc + column + i];
        kz_narrow(to, beta != 0.0f ? alpha * sums[i] + beta * (float)kz_widen(*to) : alpha * sums[i]);
    }
}

#define GEMM_ADD_PARTS_TO(type, Out)                                                                         \
    KZ_ENTRY_BOUNDS(gemm_add_parts_##type, GEMM_PARTS_THREADS, 4)                                            \
    (const float *parts, Out *c, size_t m, size_t n, size_t pitch, size_t stride, unsigned count,            \
     size_t ldc, float alpha, float beta) {                                                                  \
        add_parts(parts, c, m, n, pitch, stride, count, ldc, alpha, beta);                                   \
    }
#define GEMM_ADD_PARTS                                                                                       \
    GEMM_ADD_PARTS_TO(bf16, kz_bf16) GEMM_ADD_PARTS_TO(f16, kz_f16) GEMM_ADD_PARTS_TO(f32, float)

#endif
