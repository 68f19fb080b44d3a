// top_k 05: a block per row, and the same filter
//
// Idea     a long row does not fit in a warp's registers, but its second reading finds it in L2.
// Change   512 threads keep the maxima of four groups each, two digits of a radix select on those 2048 keys give the bound, and
//          the row is read again for what reaches it. Survivors meet in shared memory and are sorted there.
// Expect   a pass over DRAM and one over L2, whatever k is to 1024; no atomic but for survivors and 2048 maxima.
// Limit    fewer rows than multiprocessors leave some of these idle (see 06). A row with too many survivors, as one of equals,
//          takes 03's way.
// kz: sm 80

#include "filter.cuh"

template <typename T>
static __device__ __forceinline__ void top_k(const T *row, T *values, int *index, unsigned columns,
                                             unsigned k) {
    extern __shared__ candidate list[];
    __shared__ filter_room room;
    unsigned count = filter_row(row, columns, k, list, &room);
    sort_and_put(row, values, index, list, count, k);
}

#define ENTRY(type, T) TOP_K_BLOCK_ENTRY(block_filter, TOP_K_FILTER_THREADS, top_k, type, T)
TOP_K_TYPES(ENTRY)
