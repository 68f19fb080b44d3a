// attention_backward: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24, w the type's unit roundoff, six deviations allowed of what is random, as attention_reference.c has it:
//   p    a score is a sum of D products; multiplying by the scale, subtracting the log-sum-exp and exp add u (4 |s| + 4 |lse| + 8):
//        together e, an error relative to p. Exponentials below 2^-126 may be zero.
//   ds   p's error, that of dp = sum of D products, times p, that of delta, times p, and 2 u |ds| of the subtraction and product.
//   half types: p and ds may be rounded to the type before they are multiplied (tensor cores take no float).
// A gradient is a sum of c_j x_j, c the p or ds of its row: the errors of its terms are independent, and so are the roundings of
// the sum: the root of the sum of (error of c_j)^2 x_j^2 and 36 u^2 N / 2 (c_j x_j)^2, and 6 u sqrt(N / 3) of the result. The
// error of delta is common to a row: dq moves by that times a mean of k, below k's largest. The result is rounded once to the type.
//
// Of numbers that are not finite, in a pair that the mask hides, nothing is known but which column they reach.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 8, MOST_THREADS = 64 };
static const double FLUSHED = 0x1p-126; // exponentials below it may be zero

// What one thread works on: heads of keys [first, end) of all sequences.
typedef struct part {
    const attention_problem *p;
    attention_sources from;
    const void *out, *dout;
    const float *lse;
    uint64_t first, end, which; // of heads; the gradient that is asked for: Q, K, V
    double *expected, *bound;
    // Of one head of keys of one sequence:
    attention_sequence s;
    uint64_t b, kv_head;
    bool wild;                           // of what an additive mask may hide, something is not finite
    double *k_columns, *v_columns, *k;   // [d][j], [d][j], [j][d]
    double *k_fourths, *v_fourths;       // per key: root of the sum of fourth powers
    double *largest;                     // per column of k
    double *sums, *variances;            // of dk or dv: [j][d]; of dq: [d]
    double *unknown;                     // the same shape: not 0 where nothing is known
    double *q, *g, *scores, *dp, *c, *e; // of one query: [d], [d], and per key
} part;

// ---- inner loops ---------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void products(const double *x, const double *columns,
                                                           const part *p, attention_span seen, double *to) {
    uint64_t dimension = p->p->dimension, keys = p->p->keys;
    for (uint64_t j = seen.first; j < seen.end; j++) to[j] = 0.0;
    for (uint64_t d = 0; d < dimension; d++) {
        double factor = x[d];
        const double *column = columns + d * keys;
        for (uint64_t j = seen.first; j < seen.end; j++) to[j] += factor * column[j];
    }
}

// sums += c x, and variances += e x^2: one row.
static inline __attribute__((always_inline)) void add_row(uint64_t dimension, double c, double e,
                                                          const double *restrict x, double *restrict sums,
                                                          double *restrict variances) {
    for (uint64_t d = 0; d < dimension; d++) {
        sums[d] += c * x[d];
        variances[d] += e * (x[d] * x[d]);
    }
}
static inline __attribute__((always_inline)) void add_rows(const part *p, attention_span seen) {
    uint64_t dimension = p->p->dimension;
    for (uint64_t j = seen.first; j < seen.end; j++) {
        uint64_t at = p->which == Q ? 0 : j * dimension;
        add_row(dimension, p->c[j], p->e[j],
                p->which == Q   ? p->k + j * dimension
                : p->which == K ? p->q
                                : p->g,
                p->sums + at, p->variances + at);
    }
}

// The same code for wider registers, where the machine has them.
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void
products_avx2(const double *x, const double *columns, const part *p, attention_span seen, double *to) {
    products(x, columns, p, seen, to);
}
__attribute__((target("avx2,fma"))) static void add_rows_avx2(const part *p, attention_span seen) {
    add_rows(p, seen);
}
static bool is_wide(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
#define products_avx2 products
#define add_rows_avx2 add_rows
static bool is_wide(void) { return false; }
#endif

static void multiply(const double *x, const double *columns, const part *p, attention_span seen, double *to) {
    if (is_wide())
        products_avx2(x, columns, p, seen, to);
    else
        products(x, columns, p, seen, to);
}

// ---- one query -------------------------------------------------------------------------------------------

static double square(double x) { return x * x; }
static double finite_or_0(double x) { return isfinite(x) ? x : 0.0; }

// Of a sum of `terms` products whose squares add up to `squares`: products rounded, or sums, or both.
static double product_error(double terms, double squares, double sum) {
    return DEVIATIONS * (sqrt(terms * (squares / 2.0 + sum * sum / 3.0)) + sqrt(squares));
}

static double fourths(const double *x, uint64_t count) {
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) sum += square(x[i] * x[i]);
    return sqrt(sum);
}

typedef struct query {
    uint64_t head, i;
    double lse, delta, delta_error, q_fourths, g_fourths, terms; // terms: of the sum that is asked for
} query;

// c[j], what row j is multiplied by, and e[j], the square of its error in units of the row; from scores and dp.
static void weigh(const part *p, const query *r, uint64_t j, double mask) {
    const attention_problem *a = p->p;
    double d = (double)a->dimension, u = kz_unit_roundoff(KZ_F32), scale = a->scale, dot = p->scores[j];
    double s = scale * dot + mask, weight = exp(s - r->lse);
    double of_score = fabs(scale) * product_error(d, r->q_fourths * p->k_fourths[j], dot);
    double e = finite_or_0(u * (of_score + 4.0 * fabs(s) + 4.0 * fabs(r->lse) + TERMS));
    double error = 0.0, value = weight, scaled = weight;
    if (p->which != V) {
        double dp = p->dp[j], of_dp = u * product_error(d, r->g_fourths * p->v_fourths[j], dp);
        value = weight * (dp - r->delta), scaled = fabs(dp - r->delta);
        error = square(weight * of_dp) + square(2.0 * DEVIATIONS * u * value);
        if (p->which == K) error += square(weight * r->delta_error);
    }
    error += square(value * e) + square(FLUSHED * (p->which == V ? 1.0 : scaled));
    if (a->type != KZ_F32) error += DEVIATIONS * DEVIATIONS / 3.0 * square(kz_half_ulp(a->type, value));
    p->c[j] = value;
    p->e[j] = error + DEVIATIONS * DEVIATIONS * u * u * r->terms / 2.0 * value * value;
}

// Columns in which a hidden pair has a number that is not finite.
static void note_hidden(const part *p, attention_span seen) {
    uint64_t dimension = p->p->dimension;
    for (uint64_t d = 0; d < dimension; d++) {
        double x = p->which == K ? p->q[d] : p->g[d];
        if (p->which != Q && isfinite(x)) continue;
        for (uint64_t j = 0; j < p->s.keys; j++) {
            if (j >= seen.first && j < seen.end) continue;
            if (p->which == Q)
                p->unknown[d] += !isfinite(p->k[j * dimension + d]);
            else
                p->unknown[j * dimension + d] = 1.0;
        }
    }
}

// A query that sees keys, whose scores are all -Inf: each p is 0, and what it is multiplied by may not be finite.
static void note_nothing(const part *p, const query *r, attention_span seen) {
    uint64_t dimension = p->p->dimension;
    if (p->which == V) return;
    for (uint64_t j = seen.first; j < seen.end; j++) {
        if (isfinite(r->delta + r->g_fourths + p->k_fourths[j] + p->v_fourths[j])) continue;
        double *unknown = p->unknown + (p->which == Q ? 0 : j * dimension);
        for (uint64_t d = 0; d < dimension; d++) unknown[d] = 1.0;
    }
}

static void load_row(const part *p, const void *from, uint64_t at, double *to) {
    for (uint64_t d = 0; d < p->p->dimension; d++) to[d] = kz_element_get(p->p->type, from, at + d);
}

static query load_query(part *p, uint64_t head, uint64_t i) {
    const attention_problem *a = p->p;
    double u = kz_unit_roundoff(KZ_F32), squares = 0.0;
    uint64_t token = p->s.query + i, at = attention_row(&a->out, p->b, head, token);
    query r = {.head = head, .i = i, .lse = (double)p->lse[attention_lse_index(a, p->b, head, token)]};
    load_row(p, p->from.q, attention_row(&a->q, p->b, head, token), p->q);
    load_row(p, p->dout, at, p->g);
    for (uint64_t d = 0; d < a->dimension; d++) {
        double term = p->g[d] * kz_element_get(a->type, p->out, at + d);
        r.delta += term, squares += term * term;
    }
    r.delta_error = finite_or_0(u * product_error((double)a->dimension, squares, r.delta));
    r.q_fourths = fourths(p->q, a->dimension), r.g_fourths = fourths(p->g, a->dimension);
    p->wild |= p->from.mask && !isfinite(r.q_fourths + r.g_fourths);
    return r;
}

static void store(const part *p, uint64_t at, const double *sums, const double *variances,
                  const double *unknown, double terms, const double *common) {
    const attention_problem *a = p->p;
    double u = kz_unit_roundoff(KZ_F32), scale = p->which == V ? 1.0 : a->scale;
    for (uint64_t d = 0; d < a->dimension; d++) {
        double x = scale * sums[d];
        double error = fabs(scale) * (sqrt(variances[d]) + (common ? common[d] : 0.0)) +
                       DEVIATIONS * u * fabs(x) * (sqrt(terms / 3.0) + 1.0);
        p->expected[at + d] = kz_saturate(a->type, x);
        p->bound[at + d] = isfinite(x) ? error + kz_half_ulp(a->type, fabs(x) + error) : 0.0;
        if (unknown[d] != 0.0 || p->wild) p->bound[at + d] = KZ_ANYTHING;
    }
}

static void clear(const part *p, uint64_t rows) {
    size_t bytes = rows * p->p->dimension * sizeof(double);
    memset(p->sums, 0, bytes), memset(p->variances, 0, bytes), memset(p->unknown, 0, bytes);
}

static void run_query(part *p, uint64_t head, uint64_t i) {
    const attention_problem *a = p->p;
    query r = load_query(p, head, i);
    attention_span seen = attention_span_of(a, &p->s, i);
    r.terms = p->which == Q ? (double)(seen.end - seen.first)
                            : (double)p->s.queries * (double)(a->heads / a->kv_heads);
    if (p->which == Q) clear(p, 1);
    if (r.lse == (double)-INFINITY) {
        note_nothing(p, &r, seen);
        seen = (attention_span){0, 0};
    }
    multiply(p->q, p->k_columns, p, seen, p->scores);
    if (p->which != V) multiply(p->g, p->v_columns, p, seen, p->dp);
    uint64_t mask = p->from.mask ? attention_row(&a->mask, p->b, head, i) : 0;
    for (uint64_t j = seen.first; j < seen.end; j++)
        weigh(p, &r, j, p->from.mask ? kz_element_get(a->type, p->from.mask, mask + j) : 0.0);
    note_hidden(p, seen);
    if (is_wide())
        add_rows_avx2(p, seen);
    else
        add_rows(p, seen);
    if (p->which != Q) return;
    double *common = p->c; // of as many keys as there are, which may be less than the dimension
    for (uint64_t d = 0; d < a->dimension; d++) common[d] = r.delta_error * p->largest[d];
    store(p, attention_row(&a->q, p->b, head, p->s.query + i), p->sums, p->variances, p->unknown, r.terms,
          common);
}

// ---- one head of keys ------------------------------------------------------------------------------------

static void load_keys(part *p) {
    const attention_problem *a = p->p;
    uint64_t dimension = a->dimension;
    p->wild = false;
    for (uint64_t d = 0; d < dimension; d++) p->largest[d] = 0.0;
    for (uint64_t j = 0; j < p->s.keys; j++) {
        uint64_t at = attention_row(&a->kv, p->b, p->kv_head, p->s.key + j);
        double *k = p->k + j * dimension, *v = p->g; // a row of v in the place of dout's
        load_row(p, p->from.k, at, k);
        load_row(p, p->from.v, at, v);
        for (uint64_t d = 0; d < dimension; d++) {
            p->k_columns[d * a->keys + j] = k[d];
            p->v_columns[d * a->keys + j] = v[d];
            p->largest[d] = fmax(p->largest[d], fabs(k[d]));
        }
        p->k_fourths[j] = fourths(k, dimension), p->v_fourths[j] = fourths(v, dimension);
        p->wild |= p->from.mask && !isfinite(p->k_fourths[j] + p->v_fourths[j]);
    }
}

static void *run_part(void *context) {
    part *p = context;
    const attention_problem *a = p->p;
    uint64_t group = a->heads / a->kv_heads;
    for (uint64_t at = p->first; at < p->end; at++) {
        p->b = at / a->kv_heads;
        p->kv_head = at % a->kv_heads;
        p->s = attention_sequence_of(a, p->from.query_offsets, p->from.key_offsets, p->b);
        load_keys(p);
        if (p->which != Q) clear(p, a->keys);
        for (uint64_t head = p->kv_head * group; head < (p->kv_head + 1) * group; head++)
            for (uint64_t i = 0; i < p->s.queries; i++) run_query(p, head, i);
        if (p->which == Q) continue;
        double terms = (double)p->s.queries * (double)group;
        for (uint64_t j = 0; j < (a->packed ? p->s.keys : a->keys); j++) {
            uint64_t row = j * a->dimension;
            store(p, attention_row(&a->kv, p->b, p->kv_head, p->s.key + j), p->sums + row, p->variances + row,
                  p->unknown + row, terms, NULL);
        }
    }
    return NULL;
}

// ---- all of it -------------------------------------------------------------------------------------------

static uint64_t doubles_of(const attention_problem *p) {
    uint64_t rows = p->keys ? p->keys : 1, longer = p->keys > p->dimension ? p->keys : p->dimension;
    return (3 * p->keys + 3 * rows + 3) * p->dimension + 4 * p->keys + 2 * longer;
}

static void give_memory(part *own, double *memory) {
    const attention_problem *p = own->p;
    uint64_t all = p->keys * p->dimension, rows = (p->keys ? p->keys : 1) * p->dimension;
    uint64_t longer = p->keys > p->dimension ? p->keys : p->dimension;
    own->k_columns = memory;
    own->v_columns = own->k_columns + all;
    own->k = own->v_columns + all;
    own->sums = own->k + all;
    own->variances = own->sums + rows;
    own->unknown = own->variances + rows;
    own->largest = own->unknown + rows;
    own->q = own->largest + p->dimension;
    own->g = own->q + p->dimension;
    own->k_fourths = own->g + p->dimension;
    own->v_fourths = own->k_fourths + p->keys;
    own->scores = own->v_fourths + p->keys;
    own->dp = own->scores + p->keys;
    own->c = own->dp + p->keys;
    own->e = own->c + longer;
}

kz_status attention_backward_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                       double *bound, kz_error *error) {
    attention_problem p = attention_problem_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    backward_arrays at = backward_list(&p, list);
    // What no sequence has, and what lies between rows, is the kernel's.
    for (uint64_t i = 0; i < list[which].count; i++) expected[i] = 0.0, bound[i] = KZ_ANYTHING;
    uint64_t heads = p.batch * p.kv_heads;
    if (heads == 0 || p.dimension == 0) return KZ_OK;
    long cores =
        attention_pairs(&p) * (double)(p.heads * p.dimension) > 1e6 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    uint64_t count = kz_min_u64(heads, cores < 1 ? 1 : kz_min_u64((uint64_t)cores, MOST_THREADS));
    double *memory = malloc(count * doubles_of(&p) * sizeof *memory);
    if (!memory)
        return kz_fail(error, KZ_NO_MEMORY,
                       "attention_backward: no memory for the heads that are worked on\ntake a smaller case, "
                       "or free memory");
    part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    for (uint64_t t = 0; t < count; t++) {
        parts[t] = (part){.p = &p,
                          .from = backward_sources(&at, host),
                          .out = host[at.out],
                          .dout = host[at.dout],
                          .lse = host[at.lse],
                          .which = (int)which == at.dq   ? Q
                                   : (int)which == at.dk ? K
                                                         : V,
                          .first = heads * t / count,
                          .end = heads * (t + 1) / count,
                          .expected = expected,
                          .bound = bound};
        give_memory(&parts[t], memory + t * doubles_of(&p));
        started[t] = t > 0 && pthread_create(&threads[t], NULL, run_part, &parts[t]) == 0;
    }
    for (uint64_t t = 0; t < count; t++)
        if (!started[t]) run_part(&parts[t]);
    for (uint64_t t = 0; t < count; t++)
        if (started[t]) pthread_join(threads[t], NULL);
    free(memory);
    return KZ_OK;
}
