// What the C files of attention_decode share.
#ifndef ATTENTION_DECODE_PRIVATE_H
#define ATTENTION_DECODE_PRIVATE_H

#include "attention_decode.h" // operations, strides
#include "kz/family.h"

enum { BATCH, HEADS, KV_HEADS, QUERIES, KEYS, DIMENSION }; // the axes, in order
enum { MOST_QUERIES = 8, MOST_DIMENSION = 256 };

// What kz_case.detail points at; NULL is all 0, as in kz_attention_decode_shape.
typedef struct decode_detail {
    float scale;
    uint64_t page, pages, splits;
    kz_attention_decode_strides q, kv, out;
    bool lse;
} decode_detail;

// A case with its defaults filled in.
typedef struct decode_problem {
    kz_type type;
    bool fp8, paged, lse;
    uint64_t batch, heads, kv_heads, queries, keys, dimension;
    uint64_t page, pages,
        table;       // tokens of a page, pages of the pool, entries of a sequence; 0s where it is not paged
    uint64_t splits; // 0: the plan's own
    float scale;
    kz_attention_decode_strides q, kv, out;
} decode_problem;
decode_problem decode_problem_of(const kz_case *c);

// The buffers, by their places in the list; -1: the case has none.
typedef struct decode_arrays {
    int q, k, v, lengths, page_table, k_scale, v_scale, out, lse;
} decode_arrays;
decode_arrays decode_list(const decode_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS], size_t *count);

// The first element of a row of q or out, or of the cache: token `at` of sequence b, wherever its page is.
static inline uint64_t decode_row(const kz_attention_decode_strides *at, uint64_t b, uint64_t head,
                                  uint64_t token) {
    return b * at->batch + head * at->head + token * at->token;
}
uint64_t decode_cache_row(const decode_problem *p, const int32_t *page_table, uint64_t b, uint64_t kv_head,
                          uint64_t token);
uint64_t decode_length(const decode_problem *p, const int32_t *lengths, uint64_t b);
// Keys that query i of a sequence of so many sees: the first ones.
uint64_t decode_seen(const decode_problem *p, uint64_t length, uint64_t query);
// An element of k or v as its bytes say, without a scale.
double decode_number(const decode_problem *p, const void *cache, uint64_t index);

KZ_DECLARE_FAMILY(attention_decode);
extern const kz_native_entry attention_decode_natives[];
kz_status attention_decode_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                     double *bound, kz_error *error);

#endif
