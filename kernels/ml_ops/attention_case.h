// What the families of attention share: the axes, what a case asks for, its sequences, the inputs that masks need.
#ifndef ATTENTION_CASE_H
#define ATTENTION_CASE_H

#include "kz/attention_shape.h"
#include "kz/family.h"

enum {
    ATTENTION_BATCH,
    ATTENTION_HEADS,
    ATTENTION_KV_HEADS,
    ATTENTION_QUERIES,
    ATTENTION_KEYS,
    ATTENTION_DIMENSION
};
#define ATTENTION_AXES                                                                                       \
    (const char *const[]) { "batch", "heads", "kv_heads", "queries", "keys", "dimension", NULL }
#define ATTENTION_OPERATION_NAMES                                                                            \
    (const char *const[]) {                                                                                  \
        "full", "causal", "window", "padded", "packed", "packed_causal", "additive", NULL                    \
    }

// What kz_case.detail points at; NULL is all 0, as in kz_attention_shape.
typedef struct attention_detail {
    float scale;
    uint64_t window; // 0 in a WINDOW case: half of the keys, 1024 at most
    kz_attention_strides q, kv, out, mask;
    bool lse;
} attention_detail;

// A case with its defaults filled in.
typedef struct attention_problem {
    uint32_t operation;
    kz_type type;
    uint64_t batch, heads, kv_heads, queries, keys, dimension;
    uint64_t sequences_of_arrays; // batch, or 1 where sequences are packed
    double scale;                 // as the float that kernels get
    uint64_t reach;               // as in kz/device/attention.cuh
    kz_attention_strides q, kv, out, mask;
    bool lse, packed;
} attention_problem;
attention_problem attention_problem_of(const kz_case *c);
bool attention_is_dense(const kz_case *c); // the case asks for no strides
// Why a case has no meaning: KZ_UNSUPPORTED.
kz_status attention_refuse(const kz_planner *p);
attention_detail attention_detail_of(const kz_attention_shape *shape);
// The shape and its case, for the calls of kz/ops; `call` is named in messages.
kz_status attention_case_of(const kz_attention_shape *shape, kz_attention_operation which, kz_type type,
                            const char *call, attention_detail *detail, kz_case *c, kz_error *error);

// Elements of an array from its first to its last.
uint64_t attention_extent(const attention_problem *p, const kz_attention_strides *at, uint64_t heads,
                          uint64_t tokens);
uint64_t attention_lse_count(const attention_problem *p);

static inline uint64_t attention_row(const kz_attention_strides *at, uint64_t b, uint64_t head,
                                     uint64_t token) {
    return b * at->batch + head * at->head + token * at->token;
}

// ---- sequences and what queries see ---------------------------------------------------------------------------------

// As kz_attention_sequence of kz/device/attention.cuh: `offsets` are the inputs of those names, NULL where the case has none.
typedef struct attention_sequence {
    uint64_t query, queries, key, keys;
} attention_sequence;
attention_sequence attention_sequence_of(const attention_problem *p, const int32_t *query_offsets,
                                         const int32_t *key_offsets, uint64_t b);
typedef struct attention_span {
    uint64_t first, end;
} attention_span;
attention_span attention_span_of(const attention_problem *p, const attention_sequence *s, uint64_t query);
uint64_t attention_lse_index(const attention_problem *p, uint64_t b, uint64_t head,
                             uint64_t query); // of the arrays

// Pairs of a query and a key it sees, of one head of the whole batch, if sequences are as long as they may be on the whole.
double attention_pairs(const attention_problem *p);

// ---- buffers -----------------------------------------------------------------------------------------------------------

// Where the inputs that a mask needs are among the case's buffers; -1: it has none.
typedef struct attention_inputs {
    int query_offsets, key_offsets, mask;
} attention_inputs;
// Appends them to `list`, which has `count` already, and says where.
attention_inputs attention_add_inputs(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS],
                                      size_t *count);
// Fills one of them, named as attention_add_inputs names it; false where it is none.
bool attention_fill_input(const kz_case *c, const char *name, uint64_t seed, uint64_t first, uint64_t count,
                          void *host);
// Elements of q or k that lead to scores far apart: uniform in [-8, 8). Those of every second row of q, which is the first
// buffer, lead to scores near one another: all keys count, which wrong masks and short sums do not survive.
void attention_fill_wide(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                         void *host);

// ---- the forward pass in double -----------------------------------------------------------------------------------

// A case's inputs on the host; NULL: it has none.
typedef struct attention_sources {
    const void *q, *k, *v, *mask;
    const int32_t *query_offsets, *key_offsets;
} attention_sources;
// Where elements of out and lse go, in the arrays' own order, and how far float arithmetic may be from them; NULL: nowhere. What
// no sequence has is left as it is.
typedef struct attention_answer {
    double *out, *out_bound, *lse, *lse_bound;
} attention_answer;
kz_status attention_forward(const attention_problem *p, const attention_sources *from,
                            const attention_answer *to, kz_error *error);

// ---- plans ----------------------------------------------------------------------------------------------------------------

// The arguments of KZ_ATTENTION_PARAMETERS: buffers by their indices, -1 for NULL. Returns how many.
typedef struct attention_arrays {
    int q, k, v, out, lse;
    attention_inputs inputs;
} attention_arrays;
size_t attention_args(const attention_problem *p, const attention_arrays *at, kz_arg args[KZ_PLAN_ARGS]);
// Tiles of `rows` queries of one head, of the whole batch: of packed sequences as many as there may be.
uint64_t attention_tiles(const attention_problem *p, uint64_t rows);

#endif
