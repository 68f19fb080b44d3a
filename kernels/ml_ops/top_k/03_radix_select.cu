// top_k 03: radix select
//
// Idea     to know the k greatest, nothing needs to be sorted: count how often each leading digit occurs, and the digit at which
//          the k'th lies splits the row. Repeat with the next digit of those that have it.
// Change   a histogram of 8 bits in shared memory per pass: two passes for the half types, four for f32, fewer where a bin
//          holds just what is needed. Equal values go on with digits of their indices. Then the k are gathered and sorted.
// Expect   any length: only the k need room. Passes behind the first find the row in L1 or L2.
// Limit    an atomic per element, and numbers of one magnitude share a leading digit: their atomics queue at one bin. All of the
//          row goes through every pass (see 04).

#include "select.cuh"
#include "tune.h"

template <typename T>
static __device__ __forceinline__ void top_k(const T *row, T *values, int *index, unsigned columns,
                                             unsigned k) {
    extern __shared__ candidate list[];
    __shared__ radix_room room;
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0; // select_row has barriers
    radix_bound bound = select_row(row, columns, k, &room);
    collect_chosen(row, columns, bound, list, &count);
    sort_and_put(row, values, index, list, k, k);
}

#define ENTRY(type, T) TOP_K_BLOCK_ENTRY(radix_select, TOP_K_THREADS, top_k, type, T)
TOP_K_TYPES(ENTRY)
