// fused_mlp: the right answer in double, and how far a kernel may be from it.
//
// The hidden layer's elements are known up to an error each: of their sums (gemm/product.h), of the activation
// (gemm/epilogue.c) and of their rounding to the type, which is the largest. In a sum of the second product such errors are
// independent: DEVIATIONS of their root of squares are allowed, and by Cauchy and Schwarz the roots of sums of fourth powers
// bound that. The second product's own error, its bias and the last rounding are added. Rows go by blocks, to save memory.
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

enum { DEVIATIONS = 6, BLOCK = 4096 };

typedef struct block {
    const kz_case *c;
    void *const *host;
    mlp_buffers at;
    uint64_t first, rows, model, columns, hidden; // columns: of the first product
    float *w1, *w2;                               // model x columns, hidden x model
    float *x, *h, *error;                         // rows of x, and of the hidden layer
    double *sums, *of_rows, *of_columns;          // of either product
} block;

// Weights of `rows` x `columns`, transposed.
static void transpose(kz_type type, const void *from, uint64_t rows, uint64_t columns, float *to) {
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++)
            to[j * rows + i] = (float)kz_element_get(type, from, i * columns + j);
}

static void multiply(const block *b, const float *left, const float *right, uint64_t n, uint64_t k) {
    gemm_product product = {left, right, (int64_t)b->rows, (int64_t)n, (int64_t)k};
    gemm_multiply(&product, b->sums);
    gemm_sum_fourth_powers(&product, b->of_rows, b->of_columns);
}
static gemm_near sum_at(const block *b, uint64_t row, uint64_t column, uint64_t n, uint64_t k) {
    double sum = b->sums[row * n + column], squares = b->of_rows[row] * b->of_columns[column];
    return (gemm_near){kz_saturate(KZ_F32, sum), gemm_halves_bound((double)k, sum, squares)};
}

static void find_hidden(const block *b) {
    uint64_t step = mlp_gated(b->c) ? 2 : 1;
    for (uint64_t i = 0; i < b->rows * b->model; i++)
        b->x[i] = (float)kz_element_get(b->c->type, b->host[b->at.x], b->first * b->model + i);
    multiply(b, b->x, b->w1, b->columns, b->model);
    for (uint64_t i = 0; i < b->rows; i++)
        for (uint64_t j = 0; j < b->hidden; j++) {
            gemm_passing p = {.v = sum_at(b, i, j * step, b->columns, b->model),
                              .row = i,
                              .column = j,
                              .x_type = b->c->type,
                              .x = b->host[b->at.b1]};
            if (step == 2) p.next = sum_at(b, i, 2 * j + 1, b->columns, b->model);
            for (gemm_step *const *act = mlp_steps(b->c); *act; act++) (*act)(&p);
            gemm_near stored = gemm_stored(p.v, b->c->type);
            b->h[i * b->hidden + j] = (float)stored.value;
            b->error[i * b->hidden + j] = (float)stored.error;
        }
}

static void find_result(const block *b, double *expected, double *bound) {
    uint64_t n = b->model, k = b->hidden;
    gemm_product errors = {b->error, b->w2, (int64_t)b->rows, (int64_t)n, (int64_t)k};
    double *of_rows = b->sums + b->rows * n; // behind the sums
    multiply(b, b->h, b->w2, n, k);
    gemm_sum_fourth_powers(&errors, of_rows, b->of_columns);
    for (uint64_t i = 0; i < b->rows; i++)
        for (uint64_t j = 0; j < n; j++) {
            gemm_passing p = {
                .v = sum_at(b, i, j, n, k), .column = j, .x_type = b->c->type, .x = b->host[b->at.b2]};
            p.v.error += DEVIATIONS * sqrt(of_rows[i] * b->of_columns[j]);
            if (!mlp_gated(b->c)) epilogue_add_x_column(&p);
            gemm_near stored = gemm_stored(p.v, b->c->type);
            expected[(b->first + i) * n + j] = stored.value;
            bound[(b->first + i) * n + j] = stored.error;
        }
}

kz_status fused_mlp_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error) {
    (void)which;
    uint64_t tokens = (uint64_t)c->axes[TOKENS], most = kz_min_u64(tokens, BLOCK);
    block b = {.c = c,
               .host = host,
               .at = mlp_buffers_of(c),
               .model = (uint64_t)c->axes[MODEL],
               .columns = mlp_columns(c),
               .hidden = (uint64_t)c->axes[HIDDEN]};
    uint64_t widest = b.columns > b.model ? b.columns : b.model;
    float *floats =
        malloc((b.model * (b.columns + b.hidden) + most * (b.model + 2 * b.hidden) + 1) * sizeof *floats);
    double *doubles = malloc((most * (widest + 2) + widest + 1) * sizeof *doubles);
    if (floats && doubles) {
        b.w1 = floats, b.w2 = b.w1 + b.model * b.columns, b.x = b.w2 + b.hidden * b.model;
        b.h = b.x + most * b.model, b.error = b.h + most * b.hidden;
        b.sums = doubles, b.of_rows = b.sums + most * (widest + 1), b.of_columns = b.of_rows + most;
        transpose(c->type, host[b.at.w1], b.columns, b.model, b.w1);
        transpose(c->type, host[b.at.w2], b.model, b.hidden, b.w2);
        for (; b.first < tokens; b.first += b.rows) {
            b.rows = kz_min_u64(BLOCK, tokens - b.first);
            find_hidden(&b);
            find_result(&b, expected, bound);
        }
    }
    bool there = floats && doubles;
    free(floats), free(doubles);
    return there ? KZ_OK
                 : kz_fail(error, KZ_NO_MEMORY,
                           "fused_mlp: no memory for the reference\nfree some, or take a smaller case");
}
