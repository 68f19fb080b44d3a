// reduce 03: a sequential tree in shared memory
//
// Idea     let the threads that still work be neighbours: whole warps fall idle together.
// Change   in each step the first half of what is left combines with the second half.
// Expect   half of the warps drop out in each of the first steps; neighbours read neighbouring words, so no
//          bank is asked twice.
// Limit    a barrier per step, and half of the threads do nothing but load (see 04, 05).

#include "reduce.cuh"
#include "tune.h"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void sequential_tree(const T *in, void *cell, size_t n) {
    __shared__ A tree[REDUCE_THREADS];
    size_t i = kz_thread();
    tree[threadIdx.x] = i < n ? (A)kz_widen(in[i]) : kz_fold_identity<operation>(A());
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            tree[threadIdx.x] = kz_fold_combine<operation>(tree[threadIdx.x], tree[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) fold_into<operation>(cell, tree[0]);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_sequential_tree_##operation##_##type)(const T *in, void *cell, size_t n) {               \
        sequential_tree<OPERATION, T, A>(in, cell, n);                                                       \
    }
REDUCE_ALL(ENTRY)
REDUCE_ALL_FINISH
