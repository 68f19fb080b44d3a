// grad_norm 03: persistent blocks
//
// Idea     sums can stay in registers from one chunk to the next, and the list can be read while elements are on their way.
// Change   a grid that fills the GPU walks over the list; a block folds once, at its end, and has one atomic.
// Expect   one fold and one atomic per block of the launch: about 500 on an H200 for any model.
// Limit    the order of the atomics is not fixed; a fill before and a launch after (see 04, 05).

#include "grad_norm.cuh"

template <typename T> static __device__ __forceinline__ void persistent(const norm_run<T> &run) {
    float sum = norm_sum_chunks(run);
    if (threadIdx.x == 0) atomicAdd(run.sums, sum);
}
NORM_ENTRIES(persistent, persistent)
NORM_ENTRIES(persistent_finish, norm_finish_cell)
