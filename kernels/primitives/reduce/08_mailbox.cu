// reduce 08: partial results by mail
//
// Idea     07 still pays for order: a fence, a ticket, and only then the partial results. A word that carries
//          its own postmark needs none of them.
// Change   a block writes one 64-bit word, the launch's number above its partial result, and leaves. Block 0
//          looks at the words until all bear this launch's number, and folds them in order.
// Expect   one store and one load between the slowest block and the answer; ahead of 07 below 2^24 elements.
// Limit    the words and the number live in the module: one launch at a time, as in 07. Block 0 waits for the
//          others, so they must fit beside it: any GPU holds more than one block of this size.

#include "mailbox.cuh"

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_mailbox_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                      \
    (const T *in, T *out, size_t n) { mailbox<OPERATION, T, A, false>(in, out, NULL, n); }
#define ARG(operation, OPERATION, type, T, A)                                                                \
    KZ_ENTRY_BOUNDS(reduce_mailbox_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                      \
    (const T *in, T *out, long long *index, size_t n) {                                                      \
        mailbox<OPERATION, T, kz_best<A>, false>(in, out, index, n);                                         \
    }
REDUCE_ALL(ENTRY)
KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)
KZ_BEST_TYPES(ARG)
