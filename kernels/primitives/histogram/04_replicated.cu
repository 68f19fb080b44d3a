// histogram 04: replicated bins, a bank for each lane
//
// Idea     lanes that never share a counter never wait. Give lane l copy l % copies, and put the copies of a
//          bin side by side: with 32 of them a lane has a bank of its own, whatever the data.
// Change   02 with `copies` counters per bin, a power of two, as many as shared memory has room for.
// Expect   with 32 copies no conflict on any data; with c copies at most 32 / c lanes in one bank.
// Limit    the copies are cleared and added up once per block: small inputs want few. One element at a time
//          still keeps few bytes in flight.

#include "shared.cuh"

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY(histogram_replicated_##operation##_##type)(HISTOGRAM_PARAMETERS(T), size_t copies) {            \
        unsigned words = (unsigned)(bins * copies);                                                          \
        clear_counters(words);                                                                               \
        auto finder = HISTOGRAM_FINDER(operation, T, stage_levels<operation<T>>(levels, words, bins));       \
        unsigned *mine = histogram_shared + (kz_lane() & (copies - 1));                                      \
        __syncthreads();                                                                                     \
        for (size_t i = kz_thread(); i < n; i += kz_threads()) {                                             \
            unsigned bin = finder.find(in[i]);                                                               \
            if (bin < bins) atomicAdd(&mine[bin * (unsigned)copies], 1);                                     \
        }                                                                                                    \
        __syncthreads();                                                                                     \
        flush_counters(out, bins, copies, 0);                                                                \
    }
HISTOGRAM_ALL(ENTRY)
