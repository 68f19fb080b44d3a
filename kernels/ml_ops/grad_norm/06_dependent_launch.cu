// kz: sm 90
// grad_norm 06: programmatic dependent launch
//
// Idea     04's second launch costs what it takes to begin: let it begin before the first has ended.
// Change   04, its second launch with programmatic dependent launch: its block is on a multiprocessor already, and waits there for
//          the first grid. No ticket, no fence.
// Expect   between 04 and 05 alone; where the model is small, the end of the first grid and the fold follow each other at once.
// Limit    sm_90. The block that waits takes room on a multiprocessor.

#include "grad_norm.cuh"
#include "kz/device/tensor_copy.cuh"

template <typename T> static __device__ __forceinline__ void block_sums(const norm_run<T> &run) {
    kz_let_successor_begin();
    float sum = norm_sum_chunks(run);
    if (threadIdx.x == 0) run.sums[blockIdx.x] = sum;
}
// `chunks` is the number of sums here.
template <typename T> static __device__ __forceinline__ void finish(const norm_run<T> &run) {
    kz_wait_for_predecessor();
    norm_finish_sums(run, run.chunks);
}
NORM_ENTRIES(dependent_launch, block_sums)
NORM_ENTRIES(dependent_launch_finish, finish)
