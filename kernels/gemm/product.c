// Products of matrices in double, on all cores, and the sums that error bounds are made of.
#include "gemm/product.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STRIP = 512, ROWS = 4, MOST_THREADS = 64 };

// Rows [first, last) of c. Four rows share a strip of b, whose sums stay in the first cache.
typedef struct part {
    const gemm_product *of;
    int64_t n, k, first, last;
    double *expected;
} part;

// `doubles` is a constant wherever it is called: the loops have no branch in them.
static inline __attribute__((always_inline)) double a_at(const gemm_product *p, int64_t at, bool doubles) {
    return doubles ? p->a_doubles[at] : p->a[at];
}
static inline __attribute__((always_inline)) double b_at(const gemm_product *p, int64_t at, bool doubles) {
    return doubles ? p->b_doubles[at] : p->b[at];
}

static inline __attribute__((always_inline)) void add_rows(const part *p, bool doubles, int64_t row,
                                                           int64_t rows, int64_t from, int64_t count,
                                                           double sums[ROWS][STRIP]) {
    for (int64_t x = 0; x < p->k; x++) {
        int64_t b = x * p->n + from;
        double a[ROWS] = {0};
        for (int64_t r = 0; r < rows; r++) a[r] = a_at(p->of, (row + r) * p->k + x, doubles);
        for (int64_t j = 0; j < count; j++) {
            double right = b_at(p->of, b + j, doubles);
            for (int r = 0; r < ROWS; r++) sums[r][j] += a[r] * right;
        }
    }
}

static inline __attribute__((always_inline)) void multiply_as(const part *p, bool doubles) {
    double sums[ROWS][STRIP];
    for (int64_t row = p->first; row < p->last; row += ROWS) {
        int64_t rows = p->last - row < ROWS ? p->last - row : ROWS;
        for (int64_t from = 0; from < p->n; from += STRIP) {
            int64_t count = p->n - from < STRIP ? p->n - from : STRIP;
            memset(sums, 0, sizeof sums);
            add_rows(p, doubles, row, rows, from, count, sums);
            for (int64_t r = 0; r < rows; r++)
                memcpy(p->expected + (row + r) * p->n + from, sums[r], (size_t)count * sizeof(double));
        }
    }
}

static inline __attribute__((always_inline)) void multiply(const part *p) {
    if (p->of->a_doubles)
        multiply_as(p, true);
    else
        multiply_as(p, false);
}

// The same code for wider registers, where the machine has them.
#ifdef __x86_64__
__attribute__((target("avx512f"))) static void multiply_avx512(const part *p) { multiply(p); }
__attribute__((target("avx2,fma"))) static void multiply_avx2(const part *p) { multiply(p); }
#endif

static void *run_part(void *context) {
    const part *p = context;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        multiply_avx512(p);
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        multiply_avx2(p);
    else
#endif
        multiply(p);
    return NULL;
}

// On all cores where it takes long: a product of 8192 x 8192 is 5 * 10^11 multiply-adds.
static void multiply_all(const part *whole) {
    double work = (double)whole->last * (double)whole->n * (double)whole->k;
    long cores = work > 1e8 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    int64_t rows = whole->last, count = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
    int64_t each = (rows + count - 1) / count;
    part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    bool started[MOST_THREADS];
    for (int64_t i = 0; i < count; i++) {
        parts[i] = *whole;
        parts[i].first = i * each < rows ? i * each : rows;
        parts[i].last = (i + 1) * each < rows ? (i + 1) * each : rows;
        started[i] = i + 1 < count && pthread_create(&threads[i], NULL, run_part, &parts[i]) == 0;
        if (!started[i]) run_part(&parts[i]);
    }
    for (int64_t i = 0; i < count; i++)
        if (started[i]) pthread_join(threads[i], NULL);
}

// The fourth powers of each row of a, and of each column of b, summed; then the square root of the sums.
void gemm_sum_fourth_powers(const gemm_product *p, double *rows, double *columns) {
    int64_t m = p->m, n = p->n, k = p->k;
    bool doubles = p->a_doubles != NULL;
    for (int64_t i = 0; i < m; i++) {
        rows[i] = 0.0;
        for (int64_t x = 0; x < k; x++) rows[i] += pow(a_at(p, i * k + x, doubles), 4);
        rows[i] = sqrt(rows[i]);
    }
    for (int64_t j = 0; j < n; j++) columns[j] = 0.0;
    for (int64_t x = 0; x < k; x++)
        for (int64_t j = 0; j < n; j++) columns[j] += pow(b_at(p, x * n + j, doubles), 4);
    for (int64_t j = 0; j < n; j++) columns[j] = sqrt(columns[j]);
}

void gemm_multiply(const gemm_product *p, double *c) { multiply_all(&(part){p, p->n, p->k, 0, p->m, c}); }

float *gemm_widen(kz_type type, const void *from, int64_t rows, int64_t columns, bool transposed) {
    float *to = malloc((size_t)(rows * columns + 1) * sizeof *to);
    for (int64_t i = 0; to && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[i * columns + j] =
                (float)kz_element_get(type, from, (uint64_t)(transposed ? j * rows + i : i * columns + j));
    return to;
}

bool gemm_may_overflow(double k, double squares) { return isfinite(squares) && sqrt(k * squares) > FLT_MAX; }

double gemm_halves_bound(double k, double sum, double squares) {
    enum { DEVIATIONS = 6, STEP = 8, ULPS = 6 };
    double steps = k / STEP + 1.0, ulp = ULPS * 0x1p-23;
    return ulp * (steps * fabs(sum) / 2.0 + DEVIATIONS * sqrt(steps * (squares / 2.0 + sum * sum / 3.0))) +
           steps * 0x1p-149;
}
