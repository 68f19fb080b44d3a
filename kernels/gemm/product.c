// Products of matrices in double, on all cores, and the sums that error bounds are made of.
#include "gemm/product.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef double lanes __attribute__((vector_size(64), may_alias));

// A tile's sums stay in registers, a strip of b in the nearest caches, a block of a in the next.
enum {
    LANES = 8,
    ROWS = 8,
    VECTORS = 3,
    COLUMNS = VECTORS * LANES,
    DEPTH = 256,
    BLOCK = 128,
    MOST_THREADS = 64
};

// Arrays whose every index is a constant are registers.
#define UNROLLED _Pragma("GCC unroll 8")

// Rows [first, last) of c.
typedef struct part {
    const gemm_product *of;
    int64_t n, k, first, last;
    double *expected;
} part;

// Parts of a and b as doubles, in the order in which tiles read them; 0 beyond the edges.
typedef struct panels {
    _Alignas(64) double a[BLOCK / ROWS][DEPTH][ROWS];
    _Alignas(64) double b[DEPTH][COLUMNS];
    _Alignas(64) double sums[ROWS][COLUMNS]; // of one tile
} panels;

static double a_at(const gemm_product *p, int64_t at) { return p->a_doubles ? p->a_doubles[at] : p->a[at]; }
static double b_at(const gemm_product *p, int64_t at) { return p->b_doubles ? p->b_doubles[at] : p->b[at]; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void pack_a(const part *p, int64_t row, int64_t rows, int64_t x, int64_t depth, panels *to) {
    memset(to->a, 0, sizeof to->a);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t d = 0; d < depth; d++)
            to->a[r / ROWS][d][r % ROWS] = a_at(p->of, (row + r) * p->k + x + d);
}

static void pack_b(const part *p, int64_t column, int64_t columns, int64_t x, int64_t depth, panels *to) {
    memset(to->b, 0, sizeof to->b);
    for (int64_t d = 0; d < depth; d++)
        for (int64_t j = 0; j < columns; j++) to->b[d][j] = b_at(p->of, (x + d) * p->n + column + j);
}

// `rows` and `vectors`, of the sums that are kept in registers at once, are constants wherever it is called.
static inline __attribute__((always_inline)) void add_part(const double (*a)[ROWS],
                                                           const double (*b)[COLUMNS], int64_t depth,
                                                           double (*to)[COLUMNS], int rows, int vectors) {
    lanes sums[ROWS][VECTORS];
    UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++) sums[r][v] =
        *(lanes *)&to[r][v * LANES];
    for (int64_t d = 0; d < depth; d++)
        UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++) sums[r][v] +=
            a[d][r] * *(const lanes *)&b[d][v * LANES];
    UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++) *
        (lanes *)&to[r][v * LANES] = sums[r][v];
}

static inline __attribute__((always_inline)) void add_tile(panels *p, int64_t block, int64_t depth, int rows,
                                                           int vectors) {
    for (int r = 0; r < ROWS; r += rows)
        for (int v = 0; v < VECTORS; v += vectors)
            add_part((const double(*)[ROWS]) & p->a[block][0][r],
                     (const double(*)[COLUMNS]) & p->b[0][v * LANES], depth,
                     (double(*)[COLUMNS]) & p->sums[r][v * LANES], rows, vectors);
}

static void copy_tile(const part *p, int64_t row, int64_t rows, int64_t column, int64_t columns, panels *tile,
                      bool out) {
    for (int64_t r = 0; r < rows; r++) {
        double *there = p->expected + (row + r) * p->n + column;
        memcpy(out ? there : tile->sums[r], out ? tile->sums[r] : there, (size_t)columns * sizeof(double));
    }
}

// Each sum takes its products in the order of k, one after the other.
static inline __attribute__((always_inline)) void multiply(const part *p, int rows, int vectors) {
    panels panel;
    memset(p->expected + p->first * p->n, 0, (size_t)((p->last - p->first) * p->n) * sizeof(double));
    for (int64_t row = p->first; row < p->last; row += BLOCK)
        for (int64_t x = 0; x < p->k; x += DEPTH) {
            int64_t block = least(BLOCK, p->last - row), depth = least(DEPTH, p->k - x);
            pack_a(p, row, block, x, depth, &panel);
            for (int64_t column = 0; column < p->n; column += COLUMNS) {
                int64_t columns = least(COLUMNS, p->n - column);
                pack_b(p, column, columns, x, depth, &panel);
                for (int64_t r = 0; r < block; r += ROWS) {
                    int64_t count = least(ROWS, block - r);
                    copy_tile(p, row + r, count, column, columns, &panel, false);
                    add_tile(&panel, r / ROWS, depth, rows, vectors);
                    copy_tile(p, row + r, count, column, columns, &panel, true);
                }
            }
        }
}

// The same code for wider registers, where the machine has them.
#ifdef __x86_64__
__attribute__((target("avx512f"))) static void multiply_avx512(const part *p) { multiply(p, ROWS, VECTORS); }
__attribute__((target("avx2,fma"))) static void multiply_avx2(const part *p) { multiply(p, 4, 1); }
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
        multiply(p, 2, 1);
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
    for (int64_t i = 0; i < m; i++) {
        rows[i] = 0.0;
        for (int64_t x = 0; x < k; x++) rows[i] += pow(a_at(p, i * k + x), 4);
        rows[i] = sqrt(rows[i]);
    }
    for (int64_t j = 0; j < n; j++) columns[j] = 0.0;
    for (int64_t x = 0; x < k; x++)
        for (int64_t j = 0; j < n; j++) columns[j] += pow(b_at(p, x * n + j), 4);
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
