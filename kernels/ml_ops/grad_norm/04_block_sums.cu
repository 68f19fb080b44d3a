// grad_norm 04: a sum per block
//
// Idea     what a fixed order adds is the same in every run, and training that is to be repeated needs that.
// Change   each block of 03 writes its sum to the workspace. The second launch, one block, folds them in their order.
// Expect   the same bits in every run on one GPU; no fill before. As fast as 03: the second launch reads a few hundred sums more.
// Limit    the second launch waits for the last block of the first, and then starts (see 05, 06).

#include "grad_norm.cuh"

template <typename T> static __device__ __forceinline__ void block_sums(const norm_run<T> &run) {
    float sum = norm_sum_chunks(run);
    if (threadIdx.x == 0) run.sums[blockIdx.x] = sum;
}
// `chunks` is the number of sums here.
template <typename T> static __device__ __forceinline__ void finish(const norm_run<T> &run) {
    norm_finish_sums(run, run.chunks);
}
NORM_ENTRIES(block_sums, block_sums)
NORM_ENTRIES(block_sums_finish, finish)
