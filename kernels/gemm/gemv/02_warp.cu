// gemv 02: a warp per row
//
// Idea     the lanes of a warp should read neighbours: along a row, not across rows.
// Change   a warp per row of W, an element per lane at a time; the lanes' sums are added by shuffles at the end. Four tokens are summed at
//          once, so W is read once for four rows of x.
// Expect   whole sectors: 64 bytes of W per load of a warp.
// Limit    one load of 2 bytes per lane in flight: DRAM waits for the warps, not the other way round. x is read again for every row.

#include "any.cuh"

#define ENTRY(format, FORMAT, type, T)                                                                       \
    KZ_ENTRY(gemv_warp_##format##_##type)                                                                    \
    (const void *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k) {                        \
        multiply_anywhere<FORMAT>(problem<T>{w, scale, x, y, (unsigned)m, n, k});                            \
    }
GEMV_ALL(ENTRY)
