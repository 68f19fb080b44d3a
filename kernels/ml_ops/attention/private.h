// What the C files of attention share.
#ifndef ATTENTION_PRIVATE_H
#define ATTENTION_PRIVATE_H

#include "attention.h" // the operations' numbers
#include "kz/family.h"

enum { Q, K, V, OUT };                           // the buffers, in order
enum { BATCH, HEADS, QUERIES, KEYS, DIMENSION }; // the axes, in order

KZ_DECLARE_FAMILY(attention);
extern const kz_native_entry attention_natives[];

// How many keys query i attends to: the first ones. The last query of a causal case attends to all.
static inline uint64_t attention_visible(const kz_case *c, uint64_t i) {
    uint64_t keys = (uint64_t)c->axes[KEYS];
    return c->operation == KZ_ATTENTION_CAUSAL ? keys - (uint64_t)c->axes[QUERIES] + i + 1 : keys;
}

kz_status attention_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
