// histogram 02: privatized, a histogram per block
//
// Idea     atomics in shared memory are done beside the cores that ask for them: count there, and add the
//          block's counts to the output once.
// Change   a grid that fills the GPU strides over the data; counters and levels lie in shared memory.
// Expect   one global atomic per block and bin that is not empty, however many elements there are.
// Limit    lanes of a warp that hit one bank are serialised, those on one counter too: skewed data is slow.
//          One element at a time keeps few bytes in flight.

#include "shared.cuh"

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY(histogram_privatized_##operation##_##type)(HISTOGRAM_PARAMETERS(T)) {                           \
        clear_counters(bins);                                                                                \
        auto finder = HISTOGRAM_FINDER(operation, T, stage_levels<operation<T>>(levels, bins, bins));        \
        __syncthreads();                                                                                     \
        for (size_t i = kz_thread(); i < n; i += kz_threads()) {                                             \
            unsigned bin = finder.find(in[i]);                                                               \
            if (bin < bins) atomicAdd(&histogram_shared[bin], 1);                                            \
        }                                                                                                    \
        __syncthreads();                                                                                     \
        flush_counters(out, bins, 1, 0);                                                                     \
    }
HISTOGRAM_ALL(ENTRY)
