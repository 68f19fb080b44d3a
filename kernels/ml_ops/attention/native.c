// attention: what the native variants share: a launch's arguments, queries by their number, and how 11 to 13 go through tiles of
// queries and keys with an online softmax.
#include <math.h>
#include <string.h>

#include "private.h"
#include "tune.h"

enum { QUERIES = ATTENTION_CPU_QUERIES, KEYS = ATTENTION_CPU_KEYS, COLUMNS = 16 };

static kz_attention_strides strides_at(const kz_native_launch *launch, size_t first) {
    return (kz_attention_strides){kz_native_u64(launch, first), kz_native_u64(launch, first + 1),
                                  kz_native_u64(launch, first + 2)};
}

// One by one what KZ_ATTENTION_PARAMETERS says, and the workspace.
attention_native attention_native_of(const kz_native_launch *launch, kz_type type) {
    attention_native n = {.q = kz_native_pointer(launch, 0),
                          .k = kz_native_pointer(launch, 1),
                          .v = kz_native_pointer(launch, 2),
                          .out = kz_native_pointer(launch, 3),
                          .lse = kz_native_pointer(launch, 4),
                          .query_offsets = kz_native_pointer(launch, 5),
                          .key_offsets = kz_native_pointer(launch, 6),
                          .mask = kz_native_pointer(launch, 7),
                          .workspace = kz_native_pointer(launch, 28)};
    bool packed = n.query_offsets, padded = !packed && n.key_offsets;
    n.p = (attention_problem){.operation = padded ? KZ_ATTENTION_PADDED : KZ_ATTENTION_FULL,
                              .type = type,
                              .packed = packed,
                              .batch = kz_native_u64(launch, 8),
                              .heads = kz_native_u64(launch, 9),
                              .kv_heads = kz_native_u64(launch, 10),
                              .queries = kz_native_u64(launch, 11),
                              .keys = kz_native_u64(launch, 12),
                              .dimension = kz_native_u64(launch, 13),
                              .scale = (double)*(const float *)launch->args[14],
                              .reach = kz_native_u64(launch, 15),
                              .q = strides_at(launch, 16),
                              .kv = strides_at(launch, 19),
                              .out = strides_at(launch, 22),
                              .mask = strides_at(launch, 25)};
    n.p.sequences_of_arrays = packed ? 1 : n.p.batch;
    return n;
}

attention_queries attention_native_row(const attention_native *n, uint64_t at) {
    const attention_problem *p = &n->p;
    attention_queries r = {.b = p->packed ? 0 : at / (p->heads * p->queries),
                           .head = at / p->queries % p->heads,
                           .query = at % p->queries,
                           .count = 1};
    r.kv_head = r.head / (p->heads / p->kv_heads);
    r.s = attention_sequence_of(p, n->query_offsets, n->key_offsets, r.b);
    while (p->packed && r.b + 1 < p->batch && r.query >= r.s.query + r.s.queries)
        r.s = attention_sequence_of(p, n->query_offsets, n->key_offsets, ++r.b);
    r.query -= r.s.query;
    return r;
}

bool attention_native_tile(const attention_native *n, uint64_t at, uint64_t head, attention_queries *tile) {
    const attention_problem *p = &n->p;
    for (uint64_t b = 0; b < p->batch; b++) {
        attention_sequence s = attention_sequence_of(p, n->query_offsets, n->key_offsets, b);
        uint64_t tiles = kz_ceil_div(s.queries, QUERIES), query = at * QUERIES;
        if (at < tiles) {
            *tile = (attention_queries){b, head,  head / (p->heads / p->kv_heads),
                                        s, query, kz_min_u64(QUERIES, s.queries - query)};
            return true;
        }
        at -= tiles;
    }
    return false;
}

// ---- tiles -------------------------------------------------------------------------------------------------

static uint64_t pitch_of(uint64_t dimension) { return kz_ceil_div(dimension, COLUMNS) * COLUMNS; }

uint64_t attention_native_scratch(uint64_t dimension) {
    uint64_t floats = 2 * (QUERIES + KEYS) * pitch_of(dimension) + QUERIES * KEYS;
    return floats * sizeof(float);
}

// A block's own memory: queries[i][d], keys[d][j], values[j][d], scores[i][j], results[i][d], as floats. What no row or column
// has is zero.
typedef struct scratch {
    uint64_t pitch;
    float *q, *k, *v, *scores, *out;
    float most[QUERIES], sum[QUERIES];
} scratch;

static scratch scratch_at(const attention_native *n, uint64_t block) {
    scratch own = {.pitch = pitch_of(n->p.dimension)};
    own.q = (float *)n->workspace + block * (attention_native_scratch(n->p.dimension) / sizeof(float));
    own.k = own.q + QUERIES * own.pitch;
    own.v = own.k + KEYS * own.pitch;
    own.scores = own.v + KEYS * own.pitch;
    own.out = own.scores + QUERIES * KEYS;
    return own;
}

static void widen(kz_type type, const void *from, uint64_t at, uint64_t count, float *to) {
    if (type == KZ_F32)
        memcpy(to, (const float *)from + at, count * sizeof *to);
    else
        for (uint64_t d = 0; d < count; d++) to[d] = (float)kz_element_get(type, from, at + d);
}

// `count` rows, and zeros up to `all`.
static void load_rows(const attention_native *n, const void *from, const kz_attention_strides *at, uint64_t b,
                      uint64_t head, uint64_t token, uint64_t count, uint64_t all, uint64_t pitch,
                      float *to) {
    memset(to, 0, all * pitch * sizeof *to);
    for (uint64_t i = 0; i < count; i++)
        widen(n->p.type, from, attention_row(at, b, head, token + i), n->p.dimension, to + i * pitch);
}

// Keys lie a column each, so that neighbouring scores are neighbours in memory. They go through the place of the values.
static void load_keys(const attention_native *n, const attention_queries *t, uint64_t at, uint64_t count,
                      const scratch *own) {
    load_rows(n, n->k, &n->p.kv, t->b, t->kv_head, t->s.key + at, count, KEYS, own->pitch, own->v);
    for (uint64_t d = 0; d < n->p.dimension; d++)
        for (uint64_t j = 0; j < KEYS; j++) own->k[d * KEYS + j] = own->v[j * own->pitch + d];
}

// Scales, adds the mask, and hides what query `i` of the tile does not see; returns the largest.
static float finish_scores(const attention_native *n, const attention_queries *t, uint64_t i, uint64_t at,
                           float *scores) {
    attention_span seen = attention_span_of(&n->p, &t->s, t->query + i);
    uint64_t mask = attention_row(&n->p.mask, t->b, t->head, t->query + i) + at;
    float scale = (float)n->p.scale, most = -INFINITY;
    for (uint64_t j = 0; j < KEYS; j++) {
        float score = scores[j] * scale;
        bool sees = at + j >= seen.first && at + j < seen.end;
        if (sees && n->mask) score += (float)kz_element_get(n->p.type, n->mask, mask + j);
        scores[j] = sees ? score : -INFINITY;
        most = scores[j] > most ? scores[j] : most;
    }
    return most;
}

// Scores to weights; what is known so far of the query is scaled to the new largest score.
static void soften(const attention_native *n, const attention_queries *t, uint64_t i, uint64_t at,
                   const attention_steps *steps, scratch *own) {
    float *scores = own->scores + i * KEYS, *out = own->out + i * own->pitch;
    float most = fmaxf(own->most[i], finish_scores(n, t, i, at, scores));
    float base = most == -INFINITY ? 0.0f : most, factor = expf(own->most[i] - base);
    own->most[i] = most;
    own->sum[i] = own->sum[i] * factor + steps->soften(scores, base);
    for (uint64_t d = 0; d < own->pitch; d++) out[d] *= factor;
}

static void store(const attention_native *n, const attention_queries *t, const scratch *own) {
    for (uint64_t i = 0; i < t->count; i++) {
        uint64_t query = t->s.query + t->query + i, to = attention_row(&n->p.out, t->b, t->head, query);
        float sum = own->sum[i];
        for (uint64_t d = 0; d < n->p.dimension; d++)
            kz_element_set(n->p.type, n->out, to + d,
                           sum == 0.0f ? 0.0 : (double)(own->out[i * own->pitch + d] / sum));
        if (n->lse) n->lse[attention_lse_index(&n->p, t->b, t->head, query)] = own->most[i] + logf(sum);
    }
}

static void attend(const attention_native *n, const attention_queries *t, const attention_steps *steps,
                   scratch *own) {
    uint64_t d = n->p.dimension, pitch = own->pitch;
    uint64_t first = attention_span_of(&n->p, &t->s, t->query).first;
    uint64_t end = attention_span_of(&n->p, &t->s, t->query + t->count - 1).end;
    load_rows(n, n->q, &n->p.q, t->b, t->head, t->s.query + t->query, t->count, QUERIES, pitch, own->q);
    memset(own->out, 0, QUERIES * pitch * sizeof *own->out);
    for (uint64_t i = 0; i < QUERIES; i++) own->most[i] = -INFINITY, own->sum[i] = 0.0f;
    for (uint64_t at = first; at < end; at += KEYS) {
        uint64_t count = kz_min_u64(KEYS, end - at);
        load_keys(n, t, at, count, own);
        steps->multiply(own->q, pitch, own->k, KEYS, own->scores, KEYS, KEYS, d, false);
        for (uint64_t i = 0; i < t->count; i++) soften(n, t, i, at, steps, own);
        load_rows(n, n->v, &n->p.kv, t->b, t->kv_head, t->s.key + at, count, KEYS, pitch, own->v);
        steps->multiply(own->scores, KEYS, own->v, pitch, own->out, pitch, pitch, count, true);
    }
    store(n, t, own);
}

// Tiles go to blocks by turns: the last queries see the most keys where a mask is causal.
void attention_native_attend(const kz_native_launch *launch, kz_type type, const attention_steps *steps) {
    attention_native n = attention_native_of(launch, type);
    uint64_t tiles = attention_tiles(&n.p, QUERIES), all = tiles * n.p.heads;
    scratch own = scratch_at(&n, launch->block_index[0]);
    attention_queries tile;
    for (uint64_t at = launch->block_index[0]; at < all; at += launch->grid[0])
        if (attention_native_tile(&n, at % tiles, at / tiles, &tile)) attend(&n, &tile, steps, &own);
}
