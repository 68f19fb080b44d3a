// What the C files of embedding share.
#ifndef EMBEDDING_PRIVATE_H
#define EMBEDDING_PRIVATE_H

#include "kz/family.h"

enum { TABLE, IDS, ROWS };                          // the buffers of gather
enum { D_ROWS, D_TABLE = 2 };                       // and of the gradient, whose ids are IDS too
enum { TOKENS, VOCABULARY, DIM, SKEW, PADDING };    // axes[]; PADDING is the padding id + 1, 0 for none
enum { EMBEDDING_GRADIENT = 1, EMBEDDING_I64 = 2 }; // the bits of an operation
// How the ids of a case lie: axes[SKEW]. ZIPF: id i as often as 1 / (i + 1). OUTSIDE: some name no row.
enum { UNIFORM, ZIPF, ONE_ID, DISTINCT, OUTSIDE, SKEWS };
enum { EMBEDDING_VARIANTS = 8 };

KZ_DECLARE_FAMILY(embedding);
extern const kz_native_entry embedding_natives[];
extern const kz_variant embedding_variants[EMBEDDING_VARIANTS];

static inline bool embedding_is_gradient(const kz_case *c) { return c->operation & EMBEDDING_GRADIENT; }
static inline bool embedding_is_i64(const kz_case *c) { return c->operation & EMBEDDING_I64; }

// The row that id `index` of the case's ids names, or -1.
static inline int64_t embedding_row(const kz_case *c, const void *ids, uint64_t index) {
    int64_t id = embedding_is_i64(c) ? ((const int64_t *)ids)[index] : ((const int32_t *)ids)[index];
    return id >= 0 && id < c->axes[VOCABULARY] ? id : -1;
}

bool embedding_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                    void *host);
kz_status embedding_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
