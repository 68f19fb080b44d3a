// attention_decode: the right answer in double, and how far float arithmetic may be from it.
//
// The bound is attention's (attention/reference.c derives it): of one query with scores s_j, weights p_j that add up to 1 and
// u = 2^-24
//   score      e_j = six deviations of a sum of D products and of its roundings, and u (2 |s_j| + 2 |s_j - greatest| + 8). A result
//              moves by the largest e_j times sqrt(R) + |out| sqrt(sum p_j^2), with R = sum (p_j v_jd)^2
//   scale      is rounded, and multiplied by k_scale and by log2 e for powers of 2, each rounded: 3 u |s_j|, for all scores alike,
//              and a result by 2 |v| times that, |v| the column's largest value
//   product    six deviations of K roundings, and of the sum of weights that divides it
//   half types six deviations of w sqrt(R / 3), w the type's unit roundoff: a weight may be rounded to it
//   lse        the largest error of a score, and u (4 |lse| + 8 + sqrt(K))
// Parts of a cache that are summed apart and then added change the order of sums and rescale them once more, which is within that.
// What bytes of e4m3 say is exact. Of a value that is not finite, in a key that a query may not see yet, nothing is known but that
// it is the column's.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 8, MOST_THREADS = 64, SCALINGS = 3 };

// A query of a head that shares the keys at hand.
typedef struct query_row {
    uint64_t head, query, seen;
    double q[MOST_DIMENSION], fourth; // root of the sum of fourth powers
    double *score;                    // of each key; a weight later
    double greatest, total;
    double most, common, root, lse;                      // what errors of weights do, as above
    double sum[MOST_DIMENSION], squares[MOST_DIMENSION]; // of weight times value
    bool wild[MOST_DIMENSION];                           // a value that it does not see is not finite
} query_row;

// What one thread works on: heads [first, end) of keys, of all sequences.
typedef struct part {
    const decode_problem *p;
    const void *q, *k, *v;
    const int32_t *lengths, *page_table;
    const float *k_scale, *v_scale;
    uint64_t first, end;
    double *expected, *bound; // of out, or of lse
    bool is_lse;
    uint64_t b, kv_head, length;
    query_row *rows;
    uint64_t row_count;
} part;

static double fourth_powers(const double *x, uint64_t count) {
    double sum = 0.0;
    for (uint64_t d = 0; d < count; d++) sum += x[d] * x[d] * x[d] * x[d];
    return sqrt(sum);
}

static void load(const part *p, const void *cache, const float *scale, uint64_t token, double *numbers) {
    uint64_t at = decode_cache_row(p->p, p->page_table, p->b, p->kv_head, token);
    double factor = scale ? (double)scale[p->kv_head] : 1.0;
    for (uint64_t d = 0; d < p->p->dimension; d++) numbers[d] = factor * decode_number(p->p, cache, at + d);
}

static void begin_rows(part *p) {
    const decode_problem *a = p->p;
    uint64_t group = a->heads / a->kv_heads;
    for (uint64_t i = 0; i < p->row_count; i++) {
        query_row *r = &p->rows[i];
        double *score = r->score;
        *r = (query_row){.head = p->kv_head * group + i % group, .query = i / group, .score = score};
        r->seen = decode_seen(a, p->length, r->query);
        r->greatest = (double)-INFINITY;
        r->lse = (double)-INFINITY;
        uint64_t at = decode_row(&a->q, p->b, r->head, r->query);
        for (uint64_t d = 0; d < a->dimension; d++) r->q[d] = kz_element_get(a->type, p->q, at + d);
        r->fourth = fourth_powers(r->q, a->dimension);
    }
}

static void score_key(const decode_problem *a, query_row *r, uint64_t j, const double *k, double fourth) {
    double dot = 0.0, u = kz_unit_roundoff(KZ_F32), scale = (double)a->scale, d = (double)a->dimension;
    for (uint64_t x = 0; x < a->dimension; x++) dot += r->q[x] * k[x];
    double s = r->score[j] = scale * dot, squares = r->fourth * fourth;
    r->greatest = isnan(s) || s > r->greatest ? s : r->greatest;
    if (s == (double)-INFINITY) return;
    double error = DEVIATIONS * scale * (sqrt(d * (squares / 2.0 + dot * dot / 3.0)) + sqrt(squares));
    r->most = fmax(r->most, u * (fabs(error) + 2.0 * fabs(s) + TERMS));
    r->common = fmax(r->common, SCALINGS * u * fabs(s));
}

// Scores to weights that add up to 1; all 0 where there are none but -Inf.
static void soften(query_row *r) {
    double furthest = 0.0, u = kz_unit_roundoff(KZ_F32);
    for (uint64_t j = 0; j < r->seen; j++) {
        double below = r->greatest - r->score[j];
        if (r->greatest == (double)-INFINITY)
            r->score[j] = 0.0;
        else
            r->total += r->score[j] = exp(r->score[j] - r->greatest);
        if (below < 100.0) furthest = fmax(furthest, below); // a weight of e^-100 moves nothing
    }
    if (r->greatest == (double)-INFINITY) return;
    r->most += 2.0 * u * furthest;
    for (uint64_t j = 0; j < r->seen; j++) {
        r->score[j] /= r->total;
        r->root += r->score[j] * r->score[j];
    }
    r->root = sqrt(r->root);
    r->lse = r->greatest + log(r->total);
}

static void add_value(const decode_problem *a, query_row *r, uint64_t j, const double *v) {
    for (uint64_t d = 0; d < a->dimension; d++) {
        if (j >= r->seen) {
            r->wild[d] |= !isfinite(v[d]);
            continue;
        }
        double term = r->score[j] * v[d];
        r->sum[d] += term;
        r->squares[d] += term * term;
    }
}

static void store(const part *p, const query_row *r, const double *largest) {
    const decode_problem *a = p->p;
    double keys = (double)r->seen, u = kz_unit_roundoff(KZ_F32);
    double w = a->type == KZ_F32 ? 0.0 : kz_unit_roundoff(a->type);
    if (p->is_lse) {
        uint64_t at = (p->b * a->heads + r->head) * a->queries + r->query;
        p->expected[at] = r->lse;
        p->bound[at] =
            isfinite(r->lse) ? r->most + r->common + u * (4.0 * fabs(r->lse) + TERMS + sqrt(keys)) : 0.0;
        return;
    }
    uint64_t at = decode_row(&a->out, p->b, r->head, r->query);
    for (uint64_t d = 0; d < a->dimension; d++) {
        double out = r->sum[d], squares = r->squares[d];
        double error = r->most * (sqrt(squares) + fabs(out) * r->root) + r->common * 2.0 * largest[d];
        error += DEVIATIONS * u *
                 (sqrt(keys * (squares / 2.0 + out * out / 3.0)) + fabs(out) * (sqrt(keys / 3.0) + 1.0));
        error += DEVIATIONS * w * sqrt(squares / 3.0);
        p->expected[at + d] = kz_saturate(a->type, out);
        p->bound[at + d] = isfinite(out) ? error + kz_half_ulp(a->type, fabs(out) + error) : 0.0;
        if (r->wild[d]) p->bound[at + d] = KZ_ANYTHING;
    }
}

static void answer(part *p) {
    double numbers[MOST_DIMENSION], largest[MOST_DIMENSION] = {0.0};
    begin_rows(p);
    for (uint64_t j = 0; j < p->length; j++) {
        load(p, p->k, p->k_scale, j, numbers);
        double fourth = fourth_powers(numbers, p->p->dimension);
        for (uint64_t i = 0; i < p->row_count; i++)
            if (j < p->rows[i].seen) score_key(p->p, &p->rows[i], j, numbers, fourth);
    }
    for (uint64_t i = 0; i < p->row_count; i++) soften(&p->rows[i]);
    for (uint64_t j = 0; j < p->length && !p->is_lse; j++) {
        load(p, p->v, p->v_scale, j, numbers);
        for (uint64_t d = 0; d < p->p->dimension; d++) largest[d] = fmax(largest[d], fabs(numbers[d]));
        for (uint64_t i = 0; i < p->row_count; i++) add_value(p->p, &p->rows[i], j, numbers);
    }
    for (uint64_t i = 0; i < p->row_count; i++) store(p, &p->rows[i], largest);
}

static void *run_part(void *context) {
    part *p = context;
    for (uint64_t at = p->first; at < p->end; at++) {
        p->b = at / p->p->kv_heads;
        p->kv_head = at % p->p->kv_heads;
        p->length = decode_length(p->p, p->lengths, p->b);
        answer(p);
    }
    return NULL;
}

// On all cores where it takes long.
static uint64_t threads_for(const decode_problem *p) {
    double products = (double)(p->batch * p->heads * p->queries) * (double)(p->keys * p->dimension);
    long cores = products > 1e7 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    uint64_t most = cores < 1 ? 1 : kz_min_u64((uint64_t)cores, MOST_THREADS);
    return kz_min_u64(p->batch * p->kv_heads, most);
}

static const void *input(void *const *host, int at) { return at < 0 ? NULL : host[at]; }

static kz_status run_parts(part *model, uint64_t pairs) {
    uint64_t count = threads_for(model->p), keys = model->p->keys;
    query_row *rows = calloc(count * model->row_count, sizeof *rows);
    double *scores = malloc(count * model->row_count * (keys + 1) * sizeof *scores);
    part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    kz_status status = rows && scores ? KZ_OK : KZ_NO_MEMORY;
    for (uint64_t t = 0; t < count && !status; t++) {
        parts[t] = *model;
        parts[t].rows = rows + t * model->row_count;
        for (uint64_t i = 0; i < model->row_count; i++)
            parts[t].rows[i].score = scores + (t * model->row_count + i) * (keys + 1);
        parts[t].first = pairs * t / count;
        parts[t].end = pairs * (t + 1) / count;
        started[t] = t > 0 && pthread_create(&threads[t], NULL, run_part, &parts[t]) == 0;
    }
    for (uint64_t t = 0; t < count && !status; t++)
        if (!started[t]) run_part(&parts[t]);
    for (uint64_t t = 0; t < count && !status; t++)
        if (started[t]) pthread_join(threads[t], NULL);
    free(scores);
    free(rows);
    return status;
}

kz_status attention_decode_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                     double *bound, kz_error *error) {
    decode_problem p = decode_problem_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count;
    decode_arrays at = decode_list(&p, list, &count);
    // What lies between strided rows is the kernel's.
    for (uint64_t i = 0; i < list[which].count; i++) expected[i] = 0.0, bound[i] = KZ_ANYTHING;
    uint64_t pairs = p.batch * p.kv_heads;
    if (list[which].count == 0 || pairs == 0) return KZ_OK;
    part model = {.p = &p,
                  .q = host[at.q],
                  .k = host[at.k],
                  .v = host[at.v],
                  .lengths = host[at.lengths],
                  .page_table = input(host, at.page_table),
                  .k_scale = input(host, at.k_scale),
                  .v_scale = input(host, at.v_scale),
                  .expected = expected,
                  .bound = bound,
                  .is_lse = (int)which == at.lse,
                  .row_count = p.heads / p.kv_heads * p.queries};
    if (run_parts(&model, pairs))
        return kz_fail(error, KZ_NO_MEMORY,
                       "attention_decode: no memory for %llu scores of each query\nfree memory, or check a "
                       "shorter cache",
                       (unsigned long long)p.keys);
    return KZ_OK;
}
