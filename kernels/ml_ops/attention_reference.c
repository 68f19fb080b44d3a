// The forward pass in double, and how far float arithmetic may be from it: attention's answer, and what attention_backward is given.
//
// Of one query, with scores s_j, weights p_j that add up to 1, out_d = sum of p_j v_jd, and u = 2^-24:
//   score      a sum of D products, as sgemm has it: with P the sum of the products' squares, six deviations are 6 u
//              sqrt(D (P / 2 + S^2 / 3)) and, where products are rounded apart, 6 u sqrt(P). Adding the mask, subtracting the
//              greatest and exp add u (2 |s_j - greatest| + 2 |s_j| + 8): an absolute error e_j, which is p_j's relative one. They
//              are independent, so a result moves by e sqrt(sum p_j^2 (v_jd - out_d)^2), e the largest e_j, which is below
//              e (sqrt(R) + |out| sqrt(sum p_j^2)) with R = sum (p_j v_jd)^2. The scale's own rounding moves all scores
//              alike: by u |s_j|, and a result by 2 |v| times that, |v| the largest value of the column.
//   product    six deviations of K roundings, u sqrt(K (R / 2 + out^2 / 3)), and of the sum of weights that
//              divides it, u |out| sqrt(K / 3).
//   half types a weight may be rounded to the type before it multiplies v (tensor cores take no float there), by w
//              p_j at most, w the type's unit roundoff: evenly spread that is a deviation of w sqrt(R / 3), and six of
//              those are allowed. Adding in the half type is out from some hundred keys on.
//   lse        the largest error of a score, and u (4 |lse| + 8 + sqrt(K)) of the sum, its logarithm and the addition.
// The result is rounded once to the type. Of a value that is not finite, in a key that the query's mask hides, nothing is known
// but that it is the column's.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "attention_case.h"

enum { DEVIATIONS = 6, TERMS = 8, MOST_THREADS = 64 };

// What one thread works on: heads [first, end) of all sequences, with keys transposed so that the inner loops run along memory.
typedef struct part {
    const attention_problem *p;
    const attention_sources *from;
    const attention_answer *to;
    uint64_t first, end;
    // Of one head of one sequence:
    attention_sequence s;
    uint64_t b, head;
    double *q, *k, *v;             // q[i][d], k[d][j], v[j][d]
    double *fourth, *largest;      // per key: root of the sum of fourth powers; per column of v
    double *score, *sum, *squares; // of one query: per key, per d, per d
    uint64_t *wild;                // per column of v: how many keys are not finite there
} part;

static inline __attribute__((always_inline)) void products(const part *p, uint64_t i, attention_span seen) {
    uint64_t dimension = p->p->dimension, keys = p->p->keys;
    for (uint64_t j = seen.first; j < seen.end; j++) p->score[j] = 0.0;
    for (uint64_t d = 0; d < dimension; d++) {
        double q = p->q[i * dimension + d];
        const double *k = p->k + d * keys;
        for (uint64_t j = seen.first; j < seen.end; j++) p->score[j] += q * k[j];
    }
}

static inline __attribute__((always_inline)) void weighted_sums(const part *p, attention_span seen) {
    uint64_t dimension = p->p->dimension;
    for (uint64_t d = 0; d < dimension; d++) p->sum[d] = p->squares[d] = 0.0;
    for (uint64_t j = seen.first; j < seen.end; j++) {
        double weight = p->score[j];
        const double *v = p->v + j * dimension;
        for (uint64_t d = 0; d < dimension; d++) {
            double term = weight * v[d];
            p->sum[d] += term;
            p->squares[d] += term * term;
        }
    }
}

// The same code for wider registers, where the machine has them.
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void products_avx2(const part *p, uint64_t i,
                                                              attention_span seen) {
    products(p, i, seen);
}
__attribute__((target("avx2,fma"))) static void weighted_sums_avx2(const part *p, attention_span seen) {
    weighted_sums(p, seen);
}
static bool is_wide(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
#define products_avx2      products
#define weighted_sums_avx2 weighted_sums
static bool is_wide(void) { return false; }
#endif

static double fourth_power(double x) { return x * x * x * x; }

// What the errors of a query's weights do to its results.
typedef struct weights_error {
    double most;   // the largest e_j
    double common; // that all scores share
    double root;   // of the sum of squared weights
    double lse;
} weights_error;

// Scores to weights that add up to 1; all 0 where there are none but -Inf.
static weights_error soften(const part *p, uint64_t i, attention_span seen) {
    const attention_problem *a = p->p;
    double d = (double)a->dimension, u = kz_unit_roundoff(KZ_F32), scale = a->scale;
    double query = 0.0, greatest = (double)-INFINITY, sum = 0.0;
    weights_error e = {.lse = (double)-INFINITY};
    uint64_t mask = p->from->mask ? attention_row(&a->mask, p->b, p->head, i) : 0;
    for (uint64_t x = 0; x < a->dimension; x++) query += fourth_power(p->q[i * a->dimension + x]);
    for (uint64_t j = seen.first; j < seen.end; j++) {
        double dot = p->score[j], squares = sqrt(query) * p->fourth[j], s = scale * dot;
        if (p->from->mask) s += kz_element_get(a->type, p->from->mask, mask + j);
        p->score[j] = s;
        greatest = isnan(s) || s > greatest ? s : greatest;
        if (s == (double)-INFINITY) continue;
        double error = DEVIATIONS * scale * (sqrt(d * (squares / 2.0 + dot * dot / 3.0)) + sqrt(squares));
        e.most = fmax(e.most, u * (fabs(error) + 2.0 * fabs(s) + TERMS));
        e.common = fmax(e.common, u * fabs(scale * dot));
    }
    if (greatest == (double)-INFINITY) {
        for (uint64_t j = seen.first; j < seen.end; j++) p->score[j] = 0.0;
        return e;
    }
    double furthest = 0.0;
    for (uint64_t j = seen.first; j < seen.end; j++) {
        double below = greatest - p->score[j];
        if (below < 100.0) furthest = fmax(furthest, below); // a weight of e^-100 moves nothing
        sum += p->score[j] = exp(p->score[j] - greatest);
    }
    e.most += 2.0 * u * furthest;
    for (uint64_t j = seen.first; j < seen.end; j++) {
        p->score[j] /= sum;
        e.root += p->score[j] * p->score[j];
    }
    e.root = sqrt(e.root);
    e.lse = greatest + log(sum);
    return e;
}

static bool hides_wild(const part *p, attention_span seen, uint64_t d) {
    uint64_t hidden = p->wild[d], dimension = p->p->dimension;
    for (uint64_t j = seen.first; j < seen.end && hidden; j++) hidden -= !isfinite(p->v[j * dimension + d]);
    return hidden > 0;
}

static void answer_lse(const part *p, uint64_t i, double keys, const weights_error *e) {
    const attention_answer *to = p->to;
    if (!to->lse) return;
    uint64_t at = attention_lse_index(p->p, p->b, p->head, p->s.query + i);
    double u = kz_unit_roundoff(KZ_F32);
    to->lse[at] = e->lse;
    if (to->lse_bound)
        to->lse_bound[at] =
            isfinite(e->lse) ? e->most + e->common + u * (4.0 * fabs(e->lse) + TERMS + sqrt(keys)) : 0.0;
}

static void answer_query(const part *p, uint64_t i, bool wide) {
    const attention_problem *a = p->p;
    const attention_answer *to = p->to;
    attention_span seen = attention_span_of(a, &p->s, i);
    double keys = (double)(seen.end - seen.first), u = kz_unit_roundoff(KZ_F32);
    double w = a->type == KZ_F32 ? 0.0 : kz_unit_roundoff(a->type);
    if (wide)
        products_avx2(p, i, seen);
    else
        products(p, i, seen);
    weights_error e = soften(p, i, seen);
    answer_lse(p, i, keys, &e);
    if (!to->out) return;
    if (wide)
        weighted_sums_avx2(p, seen);
    else
        weighted_sums(p, seen);
    uint64_t at = attention_row(&a->out, p->b, p->head, p->s.query + i);
    for (uint64_t d = 0; d < a->dimension; d++) {
        double out = p->sum[d], squares = p->squares[d];
        to->out[at + d] = kz_saturate(a->type, out);
        if (!to->out_bound) continue;
        double error = e.most * (sqrt(squares) + fabs(out) * e.root) + e.common * 2.0 * p->largest[d];
        error += DEVIATIONS * u *
                 (sqrt(keys * (squares / 2.0 + out * out / 3.0)) + fabs(out) * (sqrt(keys / 3.0) + 1.0));
        error += DEVIATIONS * w * sqrt(squares / 3.0);
        to->out_bound[at + d] = isfinite(out) ? error + kz_half_ulp(a->type, fabs(out) + error) : 0.0;
        if (p->wild[d] && hides_wild(p, seen, d)) to->out_bound[at + d] = KZ_ANYTHING;
    }
}

// One head's numbers as doubles, and what the bounds need of them.
static void load_head(const part *p) {
    const attention_problem *a = p->p;
    uint64_t dimension = a->dimension, kv_head = p->head / (a->heads / a->kv_heads);
    for (uint64_t i = 0; i < p->s.queries; i++)
        for (uint64_t d = 0; d < dimension; d++)
            p->q[i * dimension + d] =
                kz_element_get(a->type, p->from->q, attention_row(&a->q, p->b, p->head, p->s.query + i) + d);
    for (uint64_t d = 0; d < dimension; d++) p->largest[d] = 0.0, p->wild[d] = 0;
    for (uint64_t j = 0; j < p->s.keys; j++) {
        double fourth = 0.0;
        uint64_t at = attention_row(&a->kv, p->b, kv_head, p->s.key + j);
        for (uint64_t d = 0; d < dimension; d++) {
            double k = kz_element_get(a->type, p->from->k, at + d),
                   v = kz_element_get(a->type, p->from->v, at + d);
            p->k[d * a->keys + j] = k;
            p->v[j * dimension + d] = v;
            fourth += fourth_power(k);
            p->largest[d] = fmax(p->largest[d], fabs(v));
            p->wild[d] += !isfinite(v);
        }
        p->fourth[j] = sqrt(fourth);
    }
}

static void *run_part(void *context) {
    part *p = context;
    for (uint64_t at = p->first; at < p->end; at++) {
        p->b = at / p->p->heads;
        p->head = at % p->p->heads;
        p->s = attention_sequence_of(p->p, p->from->query_offsets, p->from->key_offsets, p->b);
        load_head(p);
        for (uint64_t i = 0; i < p->s.queries; i++) answer_query(p, i, is_wide());
    }
    return NULL;
}

static uint64_t doubles_of(const attention_problem *p) {
    return (p->queries + 2 * p->keys + 4) * p->dimension + 2 * p->keys;
}

static void give_memory(part *own, double *memory) {
    const attention_problem *p = own->p;
    own->q = memory;
    own->k = own->q + p->queries * p->dimension;
    own->v = own->k + p->keys * p->dimension;
    own->fourth = own->v + p->keys * p->dimension;
    own->score = own->fourth + p->keys;
    own->largest = own->score + p->keys;
    own->sum = own->largest + p->dimension;
    own->squares = own->sum + p->dimension;
    own->wild = (uint64_t *)(own->squares + p->dimension);
}

kz_status attention_forward(const attention_problem *p, const attention_sources *from,
                            const attention_answer *to, kz_error *error) {
    uint64_t heads = p->batch * p->heads;
    if (heads == 0 || p->queries == 0 || p->dimension == 0) return KZ_OK;
    // On all cores where it takes long.
    long cores =
        attention_pairs(p) * (double)(p->heads * p->dimension) > 1e7 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    uint64_t count = kz_min_u64(heads, cores < 1 ? 1 : kz_min_u64((uint64_t)cores, MOST_THREADS));
    double *memory = malloc(count * doubles_of(p) * sizeof *memory);
    if (!memory) return kz_fail(error, KZ_NO_MEMORY, "attention: no memory for the heads that are worked on");
    part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    for (uint64_t t = 0; t < count; t++) {
        parts[t] = (part){
            .p = p, .from = from, .to = to, .first = heads * t / count, .end = heads * (t + 1) / count};
        give_memory(&parts[t], memory + t * doubles_of(p));
        started[t] = t > 0 && pthread_create(&threads[t], NULL, run_part, &parts[t]) == 0;
    }
    for (uint64_t t = 0; t < count; t++)
        if (!started[t]) run_part(&parts[t]);
    for (uint64_t t = 0; t < count; t++)
        if (started[t]) pthread_join(threads[t], NULL);
    free(memory);
    return KZ_OK;
}
