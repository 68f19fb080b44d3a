// gemv: the problem as kernels see it, and the kernel that takes anything: for 02, and for rows that begin anywhere.
#ifndef GEMV_ANY_CUH
#define GEMV_ANY_CUH

#include "format.cuh"

template <typename T> struct problem {
    const void *w;
    const T *scale, *x; // no scale: NULL
    T *y;
    unsigned m;
    size_t n, k;
};

template <typename T> static __device__ __forceinline__ bool is_aligned(const problem<T> &p) {
    return kz_aligned(p.w, 16) && kz_aligned(p.x, 16) && p.k % 8 == 0;
}

// A warp per row, an element per lane at a time.
template <int F, typename T> static __device__ __forceinline__ void multiply_anywhere(const problem<T> &p) {
    const size_t warps = kz_threads() / KZ_WARP;
    for (size_t row = kz_thread() / KZ_WARP; row < p.n; row += warps) {
        const char *w = (const char *)p.w + row * bytes_of<F>(p.k);
        for (unsigned first = 0; first < p.m; first += GEMV_PASS) { // tokens of a pass
            float sum[GEMV_PASS] = {};
#pragma unroll(F == DENSE ? 8 : 1) // loads in flight
            for (size_t i = kz_lane(); i < p.k; i += KZ_WARP) {
                float value = value_at<F, T>(w, i);
                if (F != DENSE) value *= kz_widen(p.scale[row * (p.k / GROUP) + i / GROUP]);
#pragma unroll
                for (unsigned a = 0; a < GEMV_PASS; a++)
                    if (first + a < p.m) sum[a] += value * kz_widen(p.x[(first + a) * p.k + i]);
            }
#pragma unroll
            for (unsigned a = 0; a < GEMV_PASS; a++) {
                for (int step = KZ_WARP / 2; step > 0; step /= 2)
                    sum[a] += __shfl_xor_sync(KZ_ALL_LANES, sum[a], step);
                if (kz_lane() == 0 && first + a < p.m) kz_narrow(&p.y[(first + a) * p.n + row], sum[a]);
            }
        }
    }
}

// ENTRY(type, T) for the types, ENTRY(format, FORMAT, type, T) for all formats and types.
#define GEMV_TYPES(ENTRY)                                                                                    \
    ENTRY(f16, kz_f16)                                                                                       \
    ENTRY(bf16, kz_bf16)
#define GEMV_OF(ENTRY, format, FORMAT)                                                                       \
    ENTRY(format, FORMAT, f16, kz_f16)                                                                       \
    ENTRY(format, FORMAT, bf16, kz_bf16)
#define GEMV_ALL(ENTRY)                                                                                      \
    GEMV_OF(ENTRY, dense, DENSE)                                                                             \
    GEMV_OF(ENTRY, int8, INT8)                                                                               \
    GEMV_OF(ENTRY, fp8, FP8)                                                                                 \
    GEMV_OF(ENTRY, int4, INT4)                                                                               \
    GEMV_OF(ENTRY, int3, INT3)

#endif
