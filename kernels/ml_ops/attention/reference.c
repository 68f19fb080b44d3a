// attention: the right answer in double, and how far float arithmetic may be from it.
//
// Of one query, with scores s_j, weights p_j that add up to 1, out_d = sum of p_j v_jd, and u = 2^-24:
//   score      a sum of D products, as sgemm has it: with P the sum of the products' squares, six deviations are 6 u
//              sqrt(D (P / 2 + S^2 / 3)) and, where products are rounded apart, 6 u sqrt(P). Subtracting the greatest and
//              exp add u (2 |s_j - greatest| + |s_j| + 8): an absolute error e_j, which is p_j's relative one. They are
//              independent, so a result moves by e sqrt(sum p_j^2 (v_jd - out_d)^2), e the largest e_j, which is below
//              e (sqrt(R) + |out| sqrt(sum p_j^2)) with R = sum (p_j v_jd)^2. The scale's own rounding moves all scores
//              alike: by u |s_j|, and a result by 2 |v| times that, |v| the largest value of the column.
//   product    six deviations of K roundings, u sqrt(K (R / 2 + out^2 / 3)), and of the sum of weights that
//              divides it, u |out| sqrt(K / 3).
//   half types a weight may be rounded to the type before it multiplies v (tensor cores take no float there), by w
//              p_j at most, w the type's unit roundoff: evenly spread that is a deviation of w sqrt(R / 3), and six of
//              those are allowed. Adding in the half type is out from some hundred keys on.
// The result is rounded once to the type.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 8, MOST_THREADS = 64 };

// What one thread works on: heads [first, end), with keys transposed so that the inner loops run along memory.
typedef struct part {
    const kz_case *c;
    void *const *host;
    uint64_t first, end;
    double *expected, *bound;
    double *q, *k, *v;             // of one head: q[i][d], k[d][j], v[j][d]
    double *fourth, *largest;      // per key: root of the sum of fourth powers; per column of v
    double *score, *sum, *squares; // of one query: per key, per d, per d
} part;

static inline __attribute__((always_inline)) void products(const part *p, uint64_t i, uint64_t visible) {
    uint64_t dimension = (uint64_t)p->c->axes[DIMENSION], keys = (uint64_t)p->c->axes[KEYS];
    for (uint64_t j = 0; j < visible; j++) p->score[j] = 0.0;
    for (uint64_t d = 0; d < dimension; d++) {
        double q = p->q[i * dimension + d];
        const double *k = p->k + d * keys;
        for (uint64_t j = 0; j < visible; j++) p->score[j] += q * k[j];
    }
}

static inline __attribute__((always_inline)) void weighted_sums(const part *p, uint64_t visible) {
    uint64_t dimension = (uint64_t)p->c->axes[DIMENSION];
    for (uint64_t d = 0; d < dimension; d++) p->sum[d] = p->squares[d] = 0.0;
    for (uint64_t j = 0; j < visible; j++) {
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
__attribute__((target("avx2,fma"))) static void products_avx2(const part *p, uint64_t i, uint64_t visible) {
    products(p, i, visible);
}
__attribute__((target("avx2,fma"))) static void weighted_sums_avx2(const part *p, uint64_t visible) {
    weighted_sums(p, visible);
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
} weights_error;

// Scores to weights that add up to 1.
static weights_error soften(const part *p, uint64_t i, uint64_t visible) {
    double d = (double)p->c->axes[DIMENSION], u = kz_unit_roundoff(KZ_F32), scale = 1.0 / sqrt(d);
    double query = 0.0, greatest = -INFINITY, sum = 0.0;
    weights_error e = {0};
    for (int64_t x = 0; x < p->c->axes[DIMENSION]; x++)
        query += fourth_power(p->q[i * (uint64_t)p->c->axes[DIMENSION] + (uint64_t)x]);
    for (uint64_t j = 0; j < visible; j++) {
        double s = p->score[j] *= scale;
        greatest = isnan(s) || s > greatest ? s : greatest;
    }
    for (uint64_t j = 0; j < visible; j++) {
        double s = p->score[j], dot = s / scale, squares = sqrt(query) * p->fourth[j];
        double error = DEVIATIONS * scale * (sqrt(d * (squares / 2.0 + dot * dot / 3.0)) + sqrt(squares));
        e.most = fmax(e.most, u * (error + 2.0 * fabs(s - greatest) + fabs(s) + TERMS));
        e.common = fmax(e.common, u * fabs(s));
        sum += p->score[j] = exp(s - greatest);
    }
    for (uint64_t j = 0; j < visible; j++) {
        p->score[j] /= sum;
        e.root += p->score[j] * p->score[j];
    }
    e.root = sqrt(e.root);
    return e;
}

static void answer_query(const part *p, uint64_t head, uint64_t i, bool wide) {
    const kz_case *c = p->c;
    uint64_t dimension = (uint64_t)c->axes[DIMENSION], visible = attention_visible(c, i);
    double keys = (double)visible, u = kz_unit_roundoff(KZ_F32);
    double w = c->type == KZ_F32 ? 0.0 : kz_unit_roundoff(c->type);
    if (wide)
        products_avx2(p, i, visible);
    else
        products(p, i, visible);
    weights_error e = soften(p, i, visible);
    if (wide)
        weighted_sums_avx2(p, visible);
    else
        weighted_sums(p, visible);
    uint64_t at = (head * (uint64_t)c->axes[QUERIES] + i) * dimension;
    for (uint64_t d = 0; d < dimension; d++) {
        double out = p->sum[d], squares = p->squares[d];
        double error = e.most * (sqrt(squares) + fabs(out) * e.root) + e.common * 2.0 * p->largest[d];
        error += DEVIATIONS * u *
                 (sqrt(keys * (squares / 2.0 + out * out / 3.0)) + fabs(out) * (sqrt(keys / 3.0) + 1.0));
        error += DEVIATIONS * w * sqrt(squares / 3.0);
        p->expected[at + d] = kz_saturate(c->type, out);
        p->bound[at + d] = isfinite(out) ? error + kz_half_ulp(c->type, fabs(out) + error) : 0.0;
    }
}

// One head's numbers as doubles, and what the bounds need of them.
static void load_head(const part *p, uint64_t head) {
    const kz_case *c = p->c;
    uint64_t queries = (uint64_t)c->axes[QUERIES], keys = (uint64_t)c->axes[KEYS],
             dimension = (uint64_t)c->axes[DIMENSION];
    for (uint64_t x = 0; x < queries * dimension; x++)
        p->q[x] = kz_element_get(c->type, p->host[Q], head * queries * dimension + x);
    for (uint64_t d = 0; d < dimension; d++) p->largest[d] = 0.0;
    for (uint64_t j = 0; j < keys; j++) {
        double fourth = 0.0;
        for (uint64_t d = 0; d < dimension; d++) {
            uint64_t at = (head * keys + j) * dimension + d;
            double k = kz_element_get(c->type, p->host[K], at), v = kz_element_get(c->type, p->host[V], at);
            p->k[d * keys + j] = k;
            p->v[j * dimension + d] = v;
            fourth += fourth_power(k);
            p->largest[d] = fmax(p->largest[d], fabs(v));
        }
        p->fourth[j] = sqrt(fourth);
    }
}

static void *run_part(void *context) {
    const part *p = context;
    for (uint64_t head = p->first; head < p->end; head++) {
        load_head(p, head);
        for (uint64_t i = 0; i < (uint64_t)p->c->axes[QUERIES]; i++) answer_query(p, head, i, is_wide());
    }
    return NULL;
}

static uint64_t doubles_of(const kz_case *c) {
    uint64_t queries = (uint64_t)c->axes[QUERIES], keys = (uint64_t)c->axes[KEYS],
             dimension = (uint64_t)c->axes[DIMENSION];
    return (queries + 2 * keys + 3) * dimension + 2 * keys;
}

static part make_part(const kz_case *c, double *memory) {
    uint64_t queries = (uint64_t)c->axes[QUERIES], keys = (uint64_t)c->axes[KEYS],
             dimension = (uint64_t)c->axes[DIMENSION];
    part p = {.c = c, .q = memory};
    p.k = p.q + queries * dimension;
    p.v = p.k + keys * dimension;
    p.fourth = p.v + keys * dimension;
    p.score = p.fourth + keys;
    p.largest = p.score + keys;
    p.sum = p.largest + dimension;
    p.squares = p.sum + dimension;
    return p;
}

kz_status attention_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error) {
    uint64_t heads = (uint64_t)c->axes[BATCH] * (uint64_t)c->axes[HEADS];
    if (heads == 0 || c->axes[QUERIES] == 0) return KZ_OK;
    // On all cores where it takes long.
    double pairs = (double)heads * (double)c->axes[QUERIES] * (double)c->axes[KEYS];
    long cores = pairs * (double)c->axes[DIMENSION] > 1e7 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    uint64_t count = kz_min_u64(heads, cores < 1 ? 1 : kz_min_u64((uint64_t)cores, MOST_THREADS));
    double *memory = malloc(count * doubles_of(c) * sizeof *memory);
    if (!memory)
        return kz_fail(
            error, KZ_NO_MEMORY,
            "attention: no memory for the heads that are worked on\nfree some, or take a smaller case");
    part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    for (uint64_t t = 0; t < count; t++) {
        parts[t] = make_part(c, memory + t * doubles_of(c));
        parts[t].host = host;
        parts[t].expected = expected;
        parts[t].bound = bound;
        parts[t].first = heads * t / count;
        parts[t].end = heads * (t + 1) / count;
        started[t] = t > 0 && pthread_create(&threads[t], NULL, run_part, &parts[t]) == 0;
    }
    for (uint64_t t = 0; t < count; t++)
        if (!started[t]) run_part(&parts[t]);
    for (uint64_t t = 0; t < count; t++)
        if (started[t]) pthread_join(threads[t], NULL);
    free(memory);
    return KZ_OK;
}
