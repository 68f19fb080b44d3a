// reduce 08: partial results with epoch flags
//
// Idea     07 still pays for order: a fence, a ticket, and only then the partial results. A word that holds
//          flag and value needs none of them.
// Change   a block writes one 64-bit word, the launch's number (the epoch) above its partial result, and exits. Block 0
//          polls the words until all have this launch's epoch, and folds them in order.
// Expect   one store and one load between the slowest block and the answer; ahead of 07 below 2^24 elements.
// Limit    the words and the epoch live in the module: one launch at a time, as in 07. Block 0 waits for the
//          others, so they must fit beside it: any GPU holds more than one block of this size.

#include "epoch_flags.cuh"

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_epoch_flags_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                  \
    (const T *in, T *out, size_t n) { epoch_flags<OPERATION, T, A, false>(in, out, NULL, n); }
#define ARG(operation, OPERATION, type, T, A)                                                                \
    KZ_ENTRY_BOUNDS(reduce_epoch_flags_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                  \
    (const T *in, T *out, long long *index, size_t n) {                                                      \
        epoch_flags<OPERATION, T, kz_value_index<A>, false>(in, out, index, n);                              \
    }
REDUCE_ALL(ENTRY)
KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)
KZ_ARG_TYPES(ARG)
