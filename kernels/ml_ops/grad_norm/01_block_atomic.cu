// grad_norm 01: a block per chunk, one atomic each
//
// Idea     a norm of many tensors is a norm of all their elements: one launch has all tensors, by a list of chunks of them.
// Change   the first version. A block adds the squares of its chunk, and that onto one cell by an atomic. A second launch takes the
//          root. Clipping has a block per chunk too.
// Expect   one launch for any number of tensors instead of one for each; coalesced accesses.
// Limit    4 or 2 bytes per access; an atomic per 8192 elements; sums that differ from run to run in their last bits (see 02, 04).

#include "grad_norm.cuh"

template <typename T> static __device__ __forceinline__ void block_atomic(const norm_run<T> &run) {
    norm_chunk<const T> c = norm_find_chunk(run.gradients, run.table, run.list[blockIdx.x]);
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < c.count; i += GRAD_NORM_THREADS)
        sum = add_square(sum, kz_widen(c.at[i]));
    sum = kz_fold_block<KZ_SUM>(sum);
    if (threadIdx.x == 0) atomicAdd(run.sums, sum);
}

template <typename T> static __device__ __forceinline__ void clip(norm_chunk<T> c, float factor) {
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < c.count; i += GRAD_NORM_THREADS)
        kz_narrow(&c.at[i], kz_widen(c.at[i]) * factor);
}

NORM_ENTRIES(block_atomic, block_atomic)
NORM_ENTRIES(block_atomic_finish, norm_finish_cell)
CLIP_ENTRIES(block_atomic, clip)
