// grad_norm 05: one launch, the last block finishes
//
// Idea     the block that comes last knows that all sums are there: it needs no second launch.
// Change   after its sum each block of 04 takes a ticket; the one that draws the last folds all sums, in their order.
// Expect   one launch, nothing before or after it; the same bits as 04. Ahead of 04 where a launch counts: small models.
// Limit    the ticket lives in the module: one launch of an operation at a time, as the library asks anyway. A fence and an
//          atomic per block.

#include "grad_norm.cuh"
#include "kz/device/last_block.cuh"

template <typename T> static __device__ __forceinline__ void last_block(const norm_run<T> &run) {
    float sum = norm_sum_chunks(run);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) run.sums[blockIdx.x] = sum;
        if (kz_is_last_block()) norm_finish_sums(run, gridDim.x);
    } else if (threadIdx.x == 0) {
        norm_finish(run, sum);
    }
}
NORM_ENTRIES(last_block, last_block)
