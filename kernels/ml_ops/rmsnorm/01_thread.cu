// rmsnorm 01: a thread per row
//
// Idea     a row needs one owner: the thread adds its squares, then goes over it again and scales.
// Change   the first version.
// Expect   right, and slow: lanes of a warp are a row apart, so a load touches 32 sectors for 32 elements.
// Limit    few rows are few threads, and no access is coalesced (see 02).

#include "rmsnorm.cuh"

template <typename T>
static __device__ __forceinline__ void normalize(const T *x, const T *weight, T *y, size_t rows,
                                                 size_t columns, float epsilon) {
    size_t row = kz_thread();
    if (row >= rows) return;
    x += row * columns;
    y += row * columns;
    float squares = 0.0f;
    for (size_t c = 0; c < columns; c++) squares += kz_widen(x[c]) * kz_widen(x[c]);
    float factor = factor_of(squares, columns, epsilon);
    for (size_t c = 0; c < columns; c++) kz_narrow(&y[c], kz_widen(x[c]) * factor * kz_widen(weight[c]));
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(rmsnorm_thread_rmsnorm_##type)                                                                  \
    (const T *x, const T *weight, T *y, size_t rows, size_t columns, float epsilon) {                        \
        normalize(x, weight, y, rows, columns, epsilon);                                                     \
    }
RMSNORM_TYPES(ENTRY)
