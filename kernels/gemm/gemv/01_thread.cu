// gemv 01: a thread per result
//
// Idea     y[i][j] is one sum: a thread takes it, element by element.
// Change   the first version.
// Expect   the lanes of a warp read 32 rows: each load of theirs touches 32 sectors for 32 elements.
// Limit    every sector is fetched for 2 bytes at a time and has to stay in L1 until its last one is read.

#include "any.cuh"

template <int F, typename T> static __device__ __forceinline__ void multiply_thread(const problem<T> &p) {
    size_t at = kz_thread();
    if (at >= p.m * p.n) return;
    size_t token = at / p.n, row = at % p.n, groups = p.k / GROUP;
    const char *w = (const char *)p.w + row * bytes_of<F>(p.k);
    float sum = 0.0f;
    for (size_t i = 0; i < p.k; i++) {
        float value = value_at<F, T>(w, i);
        if (F != DENSE) value *= kz_widen(p.scale[row * groups + i / GROUP]);
        sum += value * kz_widen(p.x[token * p.k + i]);
    }
    kz_narrow(&p.y[at], sum);
}

#define ENTRY(format, FORMAT, type, T)                                                                       \
    KZ_ENTRY(gemv_thread_##format##_##type)                                                                  \
    (const void *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k) {                        \
        multiply_thread<FORMAT>(problem<T>{w, scale, x, y, (unsigned)m, n, k});                              \
    }
GEMV_ALL(ENTRY)
