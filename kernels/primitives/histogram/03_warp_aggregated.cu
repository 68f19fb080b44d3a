// histogram 03: warp-aggregated, one atomic per bin and warp
//
// Idea     lanes that want the same counter can find each other before they queue for it.
// Change   02 with match_any: the lowest lane of those with the same bin adds their number.
// Expect   no two lanes of a warp on one counter: constant data costs one atomic per warp, and one pass.
// Limit    match_any takes a pass per distinct bin in the warp: uniform data, which has nothing to gain, pays
//          up to 32 of them. Banks still collide.

#include "shared.cuh"

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY(histogram_warp_aggregated_##operation##_##type)(HISTOGRAM_PARAMETERS(T)) {                      \
        clear_counters(bins);                                                                                \
        auto finder = HISTOGRAM_FINDER(operation, T, stage_levels<operation<T>>(levels, bins, bins));        \
        __syncthreads();                                                                                     \
        for (size_t first = kz_thread() - kz_lane(); first < n; first += kz_threads()) {                     \
            /* Whole warps go round: a lane without an element has no bin. */                                \
            size_t i = first + kz_lane();                                                                    \
            unsigned bin = i < n ? finder.find(in[i]) : ~0u;                                                 \
            unsigned same = __match_any_sync(KZ_ALL_LANES, bin);                                             \
            if (bin < bins && kz_lane() == __ffs((int)same) - 1)                                             \
                atomicAdd(&histogram_shared[bin], __popc(same));                                             \
        }                                                                                                    \
        __syncthreads();                                                                                     \
        flush_counters(out, bins, 1, 0);                                                                     \
    }
HISTOGRAM_ALL(ENTRY)
