// reduce 02: an interleaved tree in shared memory
//
// Idea     fold within the block first, in log2 steps: one atomic per 256 elements instead of per element.
// Change   neighbours combine, then pairs of pairs, ...: in step s every 2s-th thread works.
// Expect   a 256th of the atomics.
// Limit    the working threads are spread over all warps, so every warp runs every step for ever fewer of its
//          lanes; and a barrier per step (see 03).

#include "reduce.cuh"
#include "tune.h"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void interleaved_tree(const T *in, void *cell, size_t n) {
    __shared__ A tree[REDUCE_THREADS];
    size_t i = kz_thread();
    tree[threadIdx.x] = i < n ? (A)kz_widen(in[i]) : kz_fold_identity<operation>(A());
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0)
            tree[threadIdx.x] = kz_fold_combine<operation>(tree[threadIdx.x], tree[threadIdx.x + step]);
    }
    if (threadIdx.x == 0) fold_into<operation>(cell, tree[0]);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_interleaved_tree_##operation##_##type)(const T *in, void *cell, size_t n) {              \
        interleaved_tree<OPERATION, T, A>(in, cell, n);                                                      \
    }
REDUCE_ALL(ENTRY)
REDUCE_ALL_FINISH
