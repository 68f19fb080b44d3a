// reduce 06: vector loads, several in flight
//
// Idea     only bytes in flight keep DRAM busy: load 16 at a time, and the next before the last has come.
// Change   05's loop in packs of 16 bytes, PACKS of them at once (vector.cuh).
// Expect   peak DRAM bandwidth for large n.
// Limit    below some millions of elements the time goes to the plan's steps: the fill of the cell, the
//          kernel and, where the cell is not the result, one more (see 07).

#include "vector.cuh"

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_vector_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                       \
    (const T *in, void *cell, size_t n) {                                                                    \
        A value = kz_fold_block<OPERATION>(fold_thread<OPERATION, T, A>(in, n));                             \
        if (threadIdx.x == 0) fold_into<OPERATION>(cell, value);                                             \
    }
REDUCE_ALL(ENTRY)
REDUCE_ALL_FINISH
