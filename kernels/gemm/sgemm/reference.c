// sgemm: the right answer in double, and how far a sum of products in single precision may be from it.
//
// An element is a sum of k products. A kernel rounds after each multiply-add, in an order that nobody fixes;
// one that rounds products apart rounds twice. Take the roundings as independent, each at most u = 2^-24
// times the partial sum: after i of k products its square is about i/k Q + (i/k)^2 S^2, with S the sum and Q
// the sum of the products' squares. Summed over i the error's standard deviation is below u sqrt(k (Q / 2 +
// S^2 / 3)), and rounded products add u sqrt(Q). Six of those are allowed: TF32, which keeps 11 bits of each
// factor, errs by 2^-12 sqrt(Q) and is out up to k of some 10^5. Equal products round alike, not independently: of those
// all roundings may go one way, u |S| (k + 1) / 2 together. Q is at most sqrt(sum a^4 sum b^4) (Cauchy
// and Schwarz), so it takes no second product of matrices. Below the smallest normal float a rounding is
// 2^-150 at most.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

enum { DEVIATIONS = 6, STRIP = 512, ROWS = 4, MOST_THREADS = 64 };

// Rows [first, last) of c. Four rows share a strip of b, whose sums stay in the first cache.
typedef struct part {
    const float *a, *b;
    int64_t n, k, first, last;
    double *expected;
} part;

static inline __attribute__((always_inline)) void
add_rows(const part *p, int64_t row, int64_t rows, int64_t from, int64_t count, double sums[ROWS][STRIP]) {
    for (int64_t x = 0; x < p->k; x++) {
        const float *b = p->b + x * p->n + from;
        double a[ROWS] = {0};
        for (int64_t r = 0; r < rows; r++) a[r] = p->a[(row + r) * p->k + x];
        for (int64_t j = 0; j < count; j++) {
            double right = b[j];
            for (int r = 0; r < ROWS; r++) sums[r][j] += a[r] * right;
        }
    }
}

static inline __attribute__((always_inline)) void multiply(const part *p) {
    double sums[ROWS][STRIP];
    for (int64_t row = p->first; row < p->last; row += ROWS) {
        int64_t rows = p->last - row < ROWS ? p->last - row : ROWS;
        for (int64_t from = 0; from < p->n; from += STRIP) {
            int64_t count = p->n - from < STRIP ? p->n - from : STRIP;
            memset(sums, 0, sizeof sums);
            add_rows(p, row, rows, from, count, sums);
            for (int64_t r = 0; r < rows; r++)
                memcpy(p->expected + (row + r) * p->n + from, sums[r], (size_t)count * sizeof(double));
        }
    }
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
static void multiply_all(const part *whole, double work) {
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
static void sum_fourth_powers(const kz_case *c, const float *a, const float *b, double *rows,
                              double *columns) {
    int64_t m = c->axes[M], n = c->axes[N], k = c->axes[K];
    for (int64_t i = 0; i < m; i++) {
        rows[i] = 0.0;
        for (int64_t x = 0; x < k; x++) rows[i] += pow(a[i * k + x], 4);
        rows[i] = sqrt(rows[i]);
    }
    for (int64_t j = 0; j < n; j++) columns[j] = 0.0;
    for (int64_t x = 0; x < k; x++)
        for (int64_t j = 0; j < n; j++) columns[j] += pow(b[x * n + j], 4);
    for (int64_t j = 0; j < n; j++) columns[j] = sqrt(columns[j]);
}

kz_status sgemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    int64_t m = c->axes[M], n = c->axes[N];
    double k = (double)c->axes[K], u = kz_unit_roundoff(KZ_F32);
    double *rows = malloc((size_t)(m + n + 1) * sizeof *rows), *columns = rows + m;
    if (!rows) return kz_fail(error, KZ_NO_MEMORY, "sgemm: no memory for the sums of rows and columns");
    multiply_all(&(part){host[A], host[B], n, c->axes[K], 0, m, expected}, (double)m * (double)n * k);
    sum_fourth_powers(c, host[A], host[B], rows, columns);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = expected[i * n + j], squares = rows[i] * columns[j];
            double error_of_sums = DEVIATIONS * sqrt(k * (squares / 2.0 + sum * sum / 3.0)),
                   error_of_products = DEVIATIONS * sqrt(squares);
            if (c->data == KZ_DATA_EQUAL) {
                error_of_sums = fmax(error_of_sums, fabs(sum) * (k + 1.0) / 2.0);
                error_of_products = fmax(error_of_products, fabs(sum));
            }
            bound[i * n + j] = u * (error_of_sums + error_of_products) + k * 0x1p-149;
        }
    free(rows);
    return KZ_OK;
}
