// embedding 00: plain C on the `cpu` device
//
// Idea     gather: a run of tokens per block. gradient: a run of columns per block, so that no two blocks add to one element.
// Change   none: it stands before the ladder. Sums in double, in a buffer for one column.
// Expect   gather: copies of rows. gradient: every block reads all ids.
#include <string.h>

#include "private.h"

typedef struct problem {
    const void *from, *ids;
    void *to;
    double *sums; // of the gradient: a column of the table for each block
    uint64_t tokens, vocabulary, dim, wide, padding;
} problem;

static problem take(const kz_native_launch *launch) {
    return (problem){kz_native_pointer(launch, 0), kz_native_pointer(launch, 1), kz_native_pointer(launch, 2),
                     kz_native_pointer(launch, 3), kz_native_u64(launch, 4),     kz_native_u64(launch, 5),
                     kz_native_u64(launch, 6),     kz_native_u64(launch, 7),     kz_native_u64(launch, 8)};
}

// The row that a token's id names; `vocabulary` for none.
static uint64_t row_of(const problem *p, uint64_t token) {
    int64_t id = p->wide ? ((const int64_t *)p->ids)[token] : ((const int32_t *)p->ids)[token];
    return (uint64_t)id < p->vocabulary ? (uint64_t)id : p->vocabulary;
}

static void gather(const kz_native_launch *launch, size_t size) {
    problem p = take(launch);
    kz_share own = kz_native_share(launch, p.tokens);
    for (uint64_t t = own.begin; t < own.end; t++) {
        uint64_t row = row_of(&p, t);
        char *to = (char *)p.to + t * p.dim * size;
        if (row < p.vocabulary)
            memcpy(to, (const char *)p.from + row * p.dim * size, p.dim * size);
        else
            memset(to, 0, p.dim * size);
    }
}

static void add_columns(const kz_native_launch *launch, kz_type type) {
    problem p = take(launch);
    kz_share own = kz_native_share(launch, p.dim);
    double *sums = p.sums + launch->block_index[0] * p.vocabulary;
    for (uint64_t k = own.begin; k < own.end; k++) {
        for (uint64_t v = 0; v < p.vocabulary; v++) sums[v] = 0.0;
        for (uint64_t t = 0; t < p.tokens; t++) {
            uint64_t row = row_of(&p, t);
            if (row < p.vocabulary && row + 1 != p.padding)
                sums[row] += kz_element_get(type, p.from, t * p.dim + k);
        }
        for (uint64_t v = 0; v < p.vocabulary; v++) kz_element_set(type, p.to, v * p.dim + k, sums[v]);
    }
}

static void gather_u32(const kz_native_launch *launch) { gather(launch, 4); }
static void gather_u16(const kz_native_launch *launch) { gather(launch, 2); }
static void add_f32(const kz_native_launch *launch) { add_columns(launch, KZ_F32); }
static void add_f16(const kz_native_launch *launch) { add_columns(launch, KZ_F16); }
static void add_bf16(const kz_native_launch *launch) { add_columns(launch, KZ_BF16); }

const kz_native_entry embedding_natives[] = {
    {"embedding_native_gather_u32", gather_u32},  {"embedding_native_gather_u16", gather_u16},
    {"embedding_native_gradient_f32", add_f32},   {"embedding_native_gradient_f16", add_f16},
    {"embedding_native_gradient_bf16", add_bf16}, {0}};
