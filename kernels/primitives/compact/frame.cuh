// compact: the frame of 01 to 03: count by parts, scan the counts, read again and write.
//
// A variant has a kernel that counts what is selected in each part and one that writes, with counts[part] being
// how many are selected before it. The kernel between them is the same for all.
#ifndef COMPACT_FRAME_CUH
#define COMPACT_FRAME_CUH

#include "compact.cuh"
#include "tune.h"

enum { THREADS = COMPACT_THREADS, WARPS = THREADS / KZ_WARP };

// One block; counts[i] becomes the sum of those before it, and `all` that of all. Each thread takes several
// beside each other: a block alone waits for memory most of the time, and so has to ask for more at once.
static __device__ __forceinline__ void scan_counts(unsigned *counts, size_t parts, unsigned *all) {
    const int ITEMS = COMPACT_SUMS_ITEMS;
    unsigned carry = 0;
    for (size_t first = 0; first < parts; first += THREADS * ITEMS) {
        size_t i = first + threadIdx.x * ITEMS;
        unsigned own[ITEMS], sum = 0, total;
#pragma unroll
        for (int k = 0; k < ITEMS; k++) own[k] = i + k < parts ? counts[i + k] : 0;
#pragma unroll
        for (int k = 0; k < ITEMS; k++) sum += own[k];
        unsigned inclusive = kz_scan_warp<count>(sum);
        unsigned before = carry + inclusive - sum +
                          kz_scan_warp_totals<count, WARPS>(kz_shuffle(inclusive, KZ_WARP - 1), &total);
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (i + k < parts) counts[i + k] = before;
            before += own[k];
        }
        carry += total;
        __syncthreads(); // the next round writes what the warps have just read
    }
    if (threadIdx.x == 0) *all = carry;
}

#define COMPACT_SUMS(idea)                                                                                   \
    KZ_ENTRY(compact_##idea##_sums)(unsigned *counts, size_t parts, unsigned *all) {                         \
        scan_counts(counts, parts, all);                                                                     \
    }
// The entry points of a variant with the functions count_part<R> and write_part<R>. Partitions count as selections
// do, by the same kernels.
#define COMPACT_FRAME(idea, operation, type, T, rule)                                                        \
    KZ_ENTRY(compact_##idea##_##operation##_##type)                                                          \
    (const T *in, const uint8_t *flags, const unsigned *counts, T *out, size_t n) {                          \
        write_part<COMPACT_RULE rule>(in, flags, counts, out, n);                                            \
    }
#define COMPACT_FRAME_COUNT(idea, operation, type, T, rule)                                                  \
    KZ_ENTRY(compact_##idea##_count_##operation##_##type)                                                    \
    (const T *in, const uint8_t *flags, unsigned *counts, size_t n) {                                        \
        count_part<COMPACT_RULE rule>(in, flags, counts, n);                                                 \
    }

#endif
