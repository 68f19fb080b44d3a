// top_k 01: k times the greatest
//
// Idea     the greatest element is a fold; the next one is the greatest of those below it.
// Change   the first version: a block per row, and k passes over it.
// Expect   right for every k and every length, without room for anything: what was found is known by one number.
// Limit    the row is read k times, from the caches at best, and each pass waits for two barriers (see 02).

#include "top_k.cuh"
#include "tune.h"

static __device__ __forceinline__ candidate greatest_of_block(candidate best) {
    __shared__ candidate of_warp[KZ_WARP];
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2)
        best = max(best, __shfl_xor_sync(KZ_ALL_LANES, best, step));
    if (kz_lane() == 0) of_warp[kz_warp()] = best;
    __syncthreads();
    for (unsigned w = 0; w < kz_warps(); w++) best = max(best, of_warp[w]);
    __syncthreads(); // all have read it: the next pass may write
    return best;
}

template <typename T>
static __device__ __forceinline__ void top_k(const T *row, T *values, int *index, unsigned columns,
                                             unsigned k) {
    candidate last = ~0ull; // nobody above it counts any more
    for (unsigned i = 0; i < k; i++) {
        candidate best = 0;
        visit_row(row, columns, [&](T x, unsigned at) {
            candidate c = candidate_of(x, at);
            if (c <= last) best = max(best, c);
        });
        best = greatest_of_block(best);
        if (threadIdx.x == 0) put(row, &values[i], &index[i], best);
        last = best - 1;
    }
}

#define ENTRY(type, T) TOP_K_BLOCK_ENTRY(arg_max, TOP_K_THREADS, top_k, type, T)
TOP_K_TYPES(ENTRY)
