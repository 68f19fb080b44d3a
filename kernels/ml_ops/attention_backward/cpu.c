// attention_backward: how 11 to 13 go through tiles of keys and queries. A block has the heads of keys that fall to it, a tile of keys
// at a time, and goes along the queries that see it; dq of all heads that share them lies in its memory until the last tile.
#include <math.h>
#include <string.h>

#include "private.h"
#include "tune.h"

enum { QUERIES = BACKWARD_CPU_QUERIES, KEYS = BACKWARD_CPU_KEYS, PAIRS = QUERIES * KEYS, COLUMNS = 16 };

// A block's memory, as floats. What no row or column has is zero.
typedef struct scratch {
    uint64_t pitch;                              // of d
    uint64_t rows;                               // of dq, of each head
    float *k, *k_columns, *v_columns, *q, *dout; // [j][d], [d][j], [d][j], [i][d], [i][d]
    float *weights, *slopes, *turned;            // [i][j], [i][j], [j][i]
    float *dk, *dv, *dq;                         // [j][d], [j][d], [head][i][d]
} scratch;

typedef struct tile {
    const backward_job *j;
    backward_heads h;
    uint64_t key, keys, head, query, queries;
} tile;

static uint64_t pitch_of(const attention_problem *p) { return kz_ceil_div(p->dimension, COLUMNS) * COLUMNS; }
static uint64_t rows_of(const attention_problem *p) { return kz_ceil_div(p->queries, QUERIES) * QUERIES; }

static uint64_t floats_of(const attention_problem *p) {
    uint64_t rows = p->heads / (p->kv_heads ? p->kv_heads : 1) * rows_of(p);
    return (5 * KEYS + 2 * QUERIES + rows) * pitch_of(p) + 3 * PAIRS;
}
uint64_t backward_cpu_bytes(const attention_problem *p) { return floats_of(p) * sizeof(float); }

static scratch scratch_at(const backward_job *j, uint64_t block) {
    scratch s = {.pitch = pitch_of(&j->p), .rows = rows_of(&j->p)};
    s.k = (float *)j->workspace + block * floats_of(&j->p);
    s.k_columns = s.k + KEYS * s.pitch;
    s.v_columns = s.k_columns + KEYS * s.pitch;
    s.dk = s.v_columns + KEYS * s.pitch;
    s.dv = s.dk + KEYS * s.pitch;
    s.q = s.dv + KEYS * s.pitch;
    s.dout = s.q + QUERIES * s.pitch;
    s.weights = s.dout + QUERIES * s.pitch;
    s.slopes = s.weights + PAIRS;
    s.turned = s.slopes + PAIRS;
    s.dq = s.turned + PAIRS;
    return s;
}

static void load_row(kz_type type, const void *from, uint64_t at, uint64_t count, float *to) {
    if (type == KZ_F32)
        memcpy(to, (const float *)from + at, count * sizeof *to);
    else
        for (uint64_t d = 0; d < count; d++) to[d] = (float)kz_element_get(type, from, at + d);
}

// Rows of `from`, and zeros where there are none.
static void load(const tile *t, const void *from, const kz_attention_strides *at, uint64_t head,
                 uint64_t token, uint64_t count, uint64_t all, uint64_t pitch, float *to) {
    memset(to, 0, all * pitch * sizeof *to);
    for (uint64_t i = 0; i < count; i++)
        load_row(t->j->p.type, from, attention_row(at, t->h.b, head, token + i), t->j->p.dimension,
                 to + i * pitch);
}

static void turn(const float *from, uint64_t rows, uint64_t columns, float *to) {
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

static void load_keys(const tile *t, const scratch *s) {
    const attention_problem *p = &t->j->p;
    load(t, t->j->v, &p->kv, t->h.kv_head, t->h.s.key + t->key, t->keys, KEYS, s->pitch, s->k);
    turn(s->k, KEYS, s->pitch, s->v_columns);
    load(t, t->j->k, &p->kv, t->h.kv_head, t->h.s.key + t->key, t->keys, KEYS, s->pitch, s->k);
    turn(s->k, KEYS, s->pitch, s->k_columns);
    memset(s->dk, 0, 2 * KEYS * s->pitch * sizeof *s->dk);
}

// Scores to p and dp to ds, of query `i` of the tile; 0 where the mask hides a key.
static void weigh(const tile *t, uint64_t i, const backward_steps *steps, float *weights, float *slopes) {
    const backward_job *j = t->j;
    const attention_problem *p = &j->p;
    uint64_t token = t->h.s.query + t->query + i;
    uint64_t mask = attention_row(&p->mask, t->h.b, t->head, t->query + i) + t->key;
    const float *row = j->rows + 2 * attention_lse_index(p, t->h.b, t->head, token);
    attention_span seen = attention_span_of(p, &t->h.s, t->query + i);
    float scale = (float)p->scale * 1.44269504f;
    for (uint64_t c = 0; c < KEYS; c++) {
        bool sees = t->key + c >= seen.first && t->key + c < seen.end;
        float below = weights[c] * scale - row[0];
        if (sees && j->mask) below += 1.44269504f * (float)kz_element_get(p->type, j->mask, mask + c);
        weights[c] = sees ? below : -INFINITY;
    }
    steps->powers(weights, KEYS);
    for (uint64_t c = 0; c < KEYS; c++) {
        bool sees = t->key + c >= seen.first && t->key + c < seen.end;
        slopes[c] = sees ? weights[c] * (slopes[c] - row[1]) : 0.0f;
    }
}

static void add_queries(const tile *t, const backward_steps *steps, const scratch *s) {
    const attention_problem *p = &t->j->p;
    uint64_t pitch = s->pitch, first = t->h.s.query + t->query;
    float *dq = s->dq + ((t->head - t->h.first) * s->rows + t->query) * pitch;
    load(t, t->j->q, &p->q, t->head, first, t->queries, QUERIES, pitch, s->q);
    load(t, t->j->dout, &p->out, t->head, first, t->queries, QUERIES, pitch, s->dout);
    memset(s->weights, 0, 2 * PAIRS * sizeof *s->weights);
    steps->multiply(s->q, pitch, s->k_columns, KEYS, s->weights, KEYS, QUERIES, KEYS, p->dimension);
    steps->multiply(s->dout, pitch, s->v_columns, KEYS, s->slopes, KEYS, QUERIES, KEYS, p->dimension);
    for (uint64_t i = 0; i < t->queries; i++) weigh(t, i, steps, s->weights + i * KEYS, s->slopes + i * KEYS);
    turn(s->weights, QUERIES, KEYS, s->turned);
    steps->multiply(s->turned, QUERIES, s->dout, pitch, s->dv, pitch, KEYS, pitch, t->queries);
    turn(s->slopes, QUERIES, KEYS, s->turned);
    steps->multiply(s->turned, QUERIES, s->q, pitch, s->dk, pitch, KEYS, pitch, t->queries);
    steps->multiply(s->slopes, KEYS, s->k, pitch, dq, pitch, QUERIES, pitch, t->keys);
}

static void store_row(const attention_problem *p, void *to, uint64_t at, float scale, const float *row) {
    for (uint64_t d = 0; d < p->dimension; d++)
        kz_element_set(p->type, to, at + d, row ? (double)(scale * row[d]) : 0.0);
}

// Behind a padded length there are zeros.
static void store_keys(const tile *t, const scratch *s) {
    const backward_job *j = t->j;
    uint64_t written = backward_keys_written(j, &t->h);
    for (uint64_t c = 0; c < KEYS && t->key + c < written; c++) {
        uint64_t at = attention_row(&j->p.kv, t->h.b, t->h.kv_head, t->h.s.key + t->key + c);
        bool there = c < t->keys;
        store_row(&j->p, j->dk, at, (float)j->p.scale, there ? s->dk + c * s->pitch : NULL);
        store_row(&j->p, j->dv, at, 1.0f, there ? s->dv + c * s->pitch : NULL);
    }
}

static void run_keys(tile *t, const backward_steps *steps, const scratch *s) {
    load_keys(t, s);
    for (t->head = t->h.first; t->head < t->h.end && t->keys; t->head++)
        for (t->query = 0; t->query < t->h.s.queries; t->query += QUERIES) {
            const attention_problem *p = &t->j->p;
            t->queries = kz_min_u64(QUERIES, t->h.s.queries - t->query);
            if (attention_span_of(p, &t->h.s, t->query).first >= t->key + t->keys ||
                attention_span_of(p, &t->h.s, t->query + t->queries - 1).end <= t->key)
                continue;
            add_queries(t, steps, s);
        }
    store_keys(t, s);
}

void backward_cpu(const kz_native_launch *launch, kz_type type, const backward_steps *steps) {
    backward_job j = backward_job_of(launch, type);
    const attention_problem *p = &j.p;
    scratch s = scratch_at(&j, launch->block_index[0]);
    kz_share own = kz_native_share(launch, p->batch * p->kv_heads);
    for (uint64_t at = own.begin; at < own.end; at++) {
        tile t = {.j = &j, .h = backward_heads_of(&j, at)};
        memset(s.dq, 0, (t.h.end - t.h.first) * s.rows * s.pitch * sizeof *s.dq);
        for (t.key = 0; t.key < backward_keys_written(&j, &t.h); t.key += KEYS) {
            t.keys = t.key < t.h.s.keys ? kz_min_u64(KEYS, t.h.s.keys - t.key) : 0;
            run_keys(&t, steps, &s);
        }
        for (t.head = t.h.first; t.head < t.h.end; t.head++)
            for (uint64_t i = 0; i < t.h.s.queries; i++)
                store_row(p, j.dq, attention_row(&p->q, t.h.b, t.head, t.h.s.query + i), (float)p->scale,
                          s.dq + ((t.head - t.h.first) * s.rows + i) * s.pitch);
    }
}
