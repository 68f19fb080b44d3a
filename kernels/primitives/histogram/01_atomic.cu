// histogram 01: one atomic per element
//
// Idea     counters are shared by all threads, and an atomic addition is how threads share a counter.
// Change   the first version: a thread per element, which finds its bin and adds 1 in global memory.
// Expect   as many atomics as elements, all done in L2. For range, the levels are searched in global memory.
// Limit    L2 does the atomics on one address one after another: few bins, or one that most elements fall
//          into, are the slowest.

#include "bins.cuh"

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY(histogram_atomic_##operation##_##type)(HISTOGRAM_PARAMETERS(T)) {                               \
        size_t i = kz_thread();                                                                              \
        if (i >= n) return;                                                                                  \
        unsigned bin = HISTOGRAM_FINDER(operation, T, levels).find(in[i]);                                   \
        if (bin < bins) atomicAdd(&out[bin], 1);                                                             \
    }
HISTOGRAM_ALL(ENTRY)
