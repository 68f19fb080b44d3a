// top_k 02: the whole row sorted
//
// Idea     who sorts a row has its k greatest in front, whatever k is.
// Change   the row is read once, into shared memory, and sorted there as candidates of 8 bytes by a bitonic network.
// Expect   one reading of the row; the time does not depend on k or on the numbers.
// Limit    n log2(n)^2 / 4 exchanges for k elements: 160 thousand for 4096 columns, and a barrier for each of 78 steps. The row
//          must fit in shared memory (see 03).

#include "top_k.cuh"
#include "tune.h"

template <typename T>
static __device__ __forceinline__ void top_k(const T *row, T *values, int *index, unsigned columns,
                                             unsigned k) {
    extern __shared__ candidate list[];
    visit_row(row, columns, [&](T x, unsigned at) { list[at] = candidate_of(x, at); });
    sort_and_put(row, values, index, list, columns, k);
}

#define ENTRY(type, T) TOP_K_BLOCK_ENTRY(sort, TOP_K_SORT_THREADS, top_k, type, T)
TOP_K_TYPES(ENTRY)
