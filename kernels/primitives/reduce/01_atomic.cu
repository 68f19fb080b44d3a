// reduce 01: one atomic per element
//
// Idea     a result that many threads change needs an atomic operation: let every thread use one.
// Change   the first version. Each thread folds one element into the cell, which the plan filled before.
// Expect   right, and slow: all the atomics meet at one address, which L2 serves one after another.
// Limit    n atomics on one word, whatever the bandwidth (see 02).

#include "reduce.cuh"

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_atomic_##operation##_##type)(const T *in, void *cell, size_t n) {                        \
        size_t i = kz_thread();                                                                              \
        if (i < n) fold_into<OPERATION, A>(cell, kz_widen(in[i]));                                           \
    }
REDUCE_ALL(ENTRY)
REDUCE_ALL_FINISH
