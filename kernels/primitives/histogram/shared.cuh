// histogram: counters in shared memory: cleared, and added to the output at the end.
//
// A block's dynamic shared memory holds bins * copies counters and behind them, for range, the levels.
// Counter c of a bin lies at bin * copies + c: neighbouring copies are neighbouring banks.
#ifndef HISTOGRAM_SHARED_CUH
#define HISTOGRAM_SHARED_CUH

#include "bins.cuh"

extern __shared__ __align__(16) unsigned histogram_shared[];

static __device__ __forceinline__ void clear_counters(unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) histogram_shared[i] = 0;
}

// The levels where the finder shall look for them: in shared memory behind `words` counters. For even there
// are none.
template <typename Finder, typename L>
static __device__ __forceinline__ const L *stage_levels(const L *levels, unsigned words, unsigned bins) {
    if (!is_range<Finder>::value) return levels;
    L *staged = (L *)(histogram_shared + words);
    for (unsigned i = threadIdx.x; i <= bins; i += blockDim.x) staged[i] = levels[i];
    return staged;
}

// A row per thread; lanes start at different copies, so that they meet in different banks.
static __device__ __forceinline__ unsigned add_copies(unsigned row, unsigned copies) {
    unsigned sum = 0;
    for (unsigned c = 0; c < copies; c++)
        sum += histogram_shared[row * copies + ((c + threadIdx.x) & (copies - 1))];
    return sum;
}

// Bin 0 is row `first`.
static __device__ __forceinline__ void flush_counters(unsigned *out, unsigned bins, unsigned copies,
                                                      unsigned first) {
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = add_copies(first + bin, copies);
        if (sum) atomicAdd(&out[bin], sum);
    }
}

#endif
