// cublasLtMatmul: D = epilogue(alpha op(A) op(B) + beta C), with factors for small types.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "lt.h"

typedef struct matmul {
    cublas_job job; // first
    lt_matmul_desc desc;
    lt_layout la, lb, lc, ld;
    const void *a, *b, *c;
    void *d;
    const void *alpha, *beta; // on the device
    cublas_number host_alpha, host_beta;
} matmul;

// ---- factors --------------------------------------------------------------------------------------------

// `count` numbers of a device vector; malloc'ed, NULL where they cannot be read.
static double *read_vector(const void *at, cublas_type type, int64_t from, size_t count) {
    size_t bytes = cublas_type_bytes(type);
    char *raw = malloc(count * bytes + 1);
    double *values = malloc((count + 1) * sizeof *values);
    bool right = raw && values && cublas_read(raw, (const char *)at + from * (int64_t)bytes, count * bytes);
    for (size_t i = 0; right && i < count; i++) values[i] = cublas_load(raw, type, i);
    free(raw);
    if (right) return values;
    free(values);
    return NULL;
}

static bool write_vector(void *at, cublas_type type, int64_t from, const double *values, size_t count) {
    size_t bytes = cublas_type_bytes(type);
    char *raw = malloc(count * bytes + 1);
    for (size_t i = 0; raw && i < count; i++) cublas_store(raw, type, i, values[i]);
    bool right = raw && cublas_write((char *)at + from * (int64_t)bytes, raw, count * bytes);
    free(raw);
    return right;
}

// A factor on the device, 1 where there is none.
static bool read_factor(const void *at, double *value) {
    float factor = 1;
    bool right = !at || cublas_read(&factor, at, sizeof factor);
    *value = factor;
    return right;
}

// Where the factors of an operand lie that has `outer` rows (columns, for op(B)) and `depth` elements along k.
typedef struct factor_shape {
    int mode;
    size_t outer, depth;
} factor_shape;

static size_t blocks_of(size_t elements) { return (elements + 127) / 128; }
static size_t row_of_blocks(const factor_shape *f) { return (blocks_of(f->depth) + 3) / 4 * 4; }

static size_t factor_count(const factor_shape *f) {
    if (f->mode == LT_SCALE_OUTER_VECTOR) return f->outer;
    if (f->mode == LT_SCALE_128) return f->outer * blocks_of(f->depth);
    return (blocks_of(f->outer) - 1) * row_of_blocks(f) + blocks_of(f->depth); // none behind the last row
}
static size_t factor_at(const factor_shape *f, size_t outer, size_t k) {
    if (f->mode == LT_SCALE_OUTER_VECTOR) return outer;
    return f->mode == LT_SCALE_128 ? k / 128 * f->outer + outer : outer / 128 * row_of_blocks(f) + k / 128;
}

// Scales op(A) or op(B) by a factor for all of it or several.
static bool scale_operand(const lt_matmul_desc *d, int which, cublas_dense *o) {
    const void *at = d->scales[which];
    bool first = which == LT_OF_A;
    double factor;
    if (!at) return true;
    if (d->scale_modes[which] == LT_SCALE_SCALAR) {
        if (!read_factor(at, &factor)) return false;
        cublas_dense_scale(o, factor);
        return true;
    }
    const factor_shape f = {d->scale_modes[which], first ? o->rows : o->columns,
                            first ? o->columns : o->rows};
    double *values = read_vector(at, CUBLAS_F32, 0, factor_count(&f));
    for (size_t j = 0; values && j < o->columns; j++)
        for (size_t i = 0; i < o->rows; i++)
            o->real[i + j * o->rows] *= values[first ? factor_at(&f, i, j) : factor_at(&f, j, i)];
    free(values);
    return values != NULL;
}

// ---- the sum --------------------------------------------------------------------------------------------

static bool fetch_operand(const matmul *m, int which, int64_t index, cublas_dense *to) {
    bool first = which == LT_OF_A;
    int operation = first ? m->desc.ta : m->desc.tb;
    return lt_layout_fetch(first ? &m->la : &m->lb, first ? m->a : m->b, index, to) &&
           (operation == CUBLAS_N || cublas_dense_transpose(to, operation == CUBLAS_C));
}

// What a row is multiplied with: from the host, the device, or a vector that has one for each row.
static bool scale_rows(const matmul *m, const void *at, bool vector, cublas_number host, int64_t from,
                       cublas_dense *d) {
    cublas_type type = (cublas_type)m->desc.scale_type;
    cublas_scalar scalar = {.device = at, .type = type, .value = host};
    cublas_number factor;
    if (!vector) {
        if (!cublas_scalar_read(&scalar, &factor)) return false;
        cublas_dense_scale(d, factor);
        return true;
    }
    double *factors = read_vector(at, type, from, d->rows);
    for (size_t j = 0; factors && j < d->columns; j++)
        for (size_t i = 0; i < d->rows; i++) d->real[i + j * d->rows] *= factors[i];
    free(factors);
    return factors != NULL;
}

// Whether C counts at all: with a beta of 0 it is not read.
static bool needs_c(const matmul *m, bool *needs) {
    cublas_scalar scalar = {
        .device = m->beta, .type = (cublas_type)m->desc.scale_type, .value = m->host_beta};
    cublas_number beta = 1;
    bool right = m->desc.pointer_mode == LT_VECTORS || cublas_scalar_read(&scalar, &beta);
    *needs = m->desc.pointer_mode != LT_VECTOR_BETA_ZERO && beta != 0;
    return right;
}

static bool add_c(const matmul *m, int64_t index, cublas_dense *d) {
    bool needs;
    double factor;
    cublas_dense c = {0};
    if (!needs_c(m, &needs) || !needs) return !needs;
    bool right = read_factor(m->desc.scales[LT_OF_C], &factor) && lt_layout_fetch(&m->lc, m->c, index, &c);
    if (right) cublas_dense_scale(&c, factor);
    right = right && scale_rows(m, m->beta, m->desc.pointer_mode == LT_VECTORS, m->host_beta, 0, &c);
    for (size_t i = 0; right && i < c.rows * c.columns; i++) {
        d->real[i] += c.real[i];
        if (d->imaginary) d->imaginary[i] += c.imaginary[i];
    }
    cublas_dense_free(&c);
    return right;
}

// ---- epilogues ------------------------------------------------------------------------------------------

// By the hyperbolic tangent, as cuBLASLt has it, and its derivative.
static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
static double gelu_slope(double x) {
    double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

// The layout of the matrix beside D: what went into gelu, by columns.
static lt_layout aux_layout(const matmul *m) {
    return (lt_layout){.type = (int)lt_aux_type(&m->desc, &m->ld),
                       .rows = m->ld.rows,
                       .columns = m->ld.columns,
                       .ld = m->desc.aux_ld,
                       .batch = 1,
                       .stride = m->desc.aux_stride};
}

// relu's bits, one for each element and a column every aux_ld of them: set where the element was not below 0. They come in
// whole bytes; what is between the columns is not touched.
static bool copy_relu_bits(const matmul *m, int64_t index, unsigned char *bits, bool put) {
    size_t ld = (size_t)m->desc.aux_ld / 8, rows = ((size_t)m->ld.rows + 7) / 8;
    char *at = (char *)m->desc.aux + m->desc.aux_stride / 8 * index;
    return cudaMemcpy2D(put ? (void *)at : bits, put ? ld : rows, put ? (void *)bits : at, put ? rows : ld,
                        rows, (size_t)m->ld.columns, cudaMemcpyDefault) == cudaSuccess;
}

// Dense, a column every whole byte; malloc'ed.
static unsigned char *make_relu_bits(const matmul *m) {
    return calloc(((size_t)m->ld.rows + 7) / 8 * (size_t)m->ld.columns + 1, 1);
}

static bool keep_relu_bits(const matmul *m, int64_t index, const cublas_dense *d) {
    size_t column = (d->rows + 7) / 8;
    unsigned char *bits = make_relu_bits(m);
    for (size_t j = 0; bits && j < d->columns; j++)
        for (size_t i = 0; i < d->rows; i++)
            if (d->real[i + j * d->rows] >= 0) bits[i / 8 + j * column] |= (unsigned char)(1u << i % 8);
    bool right = bits && copy_relu_bits(m, index, bits, true);
    free(bits);
    return right;
}

static bool apply_relu_bits(const matmul *m, int64_t index, cublas_dense *d) {
    size_t column = (d->rows + 7) / 8;
    unsigned char *bits = make_relu_bits(m);
    bool right = bits && copy_relu_bits(m, index, bits, false);
    for (size_t j = 0; right && j < d->columns; j++)
        for (size_t i = 0; i < d->rows; i++)
            if (!(bits[i / 8 + j * column] >> i % 8 & 1)) d->real[i + j * d->rows] = 0;
    free(bits);
    return right;
}

static double greatest(const cublas_dense *d) {
    double most = 0;
    for (size_t i = 0; i < d->rows * d->columns; i++) most = fmax(most, fabs(d->real[i]));
    return most;
}

static bool write_greatest(void *at, const cublas_dense *d) {
    double most = at ? greatest(d) : 0;
    return !at || write_vector(at, CUBLAS_F32, 0, &most, 1);
}

// What goes into gelu, beside D: for the way back.
static bool keep_aux(const matmul *m, int64_t index, const cublas_dense *d) {
    lt_layout layout = aux_layout(m);
    cublas_dense aux = {0};
    double factor;
    bool right = cublas_dense_make(&aux, d->rows, d->columns, false) && write_greatest(m->desc.aux_amax, d) &&
                 read_factor(m->desc.scales[LT_OF_AUX], &factor);
    for (size_t i = 0; right && i < d->rows * d->columns; i++) aux.real[i] = d->real[i] * factor;
    right = right && lt_layout_put(&layout, m->desc.aux, index, &aux);
    cublas_dense_free(&aux);
    return right;
}

static bool activate(const matmul *m, int64_t index, cublas_dense *d) {
    uint32_t epilogue = m->desc.epilogue;
    bool aux = epilogue & LT_AUX;
    if (aux && epilogue & LT_RELU && !keep_relu_bits(m, index, d)) return false;
    if (aux && epilogue & LT_GELU && !keep_aux(m, index, d)) return false;
    for (size_t i = 0; i < d->rows * d->columns; i++) {
        if (epilogue & LT_RELU) d->real[i] = d->real[i] > 0 ? d->real[i] : d->real[i] < 0 ? 0 : d->real[i];
        if (epilogue & LT_GELU) d->real[i] = gelu(d->real[i]);
    }
    return true;
}

static bool go_back(const matmul *m, int64_t index, cublas_dense *d) {
    if (m->desc.epilogue & LT_RELU_GRADIENT) return apply_relu_bits(m, index, d);
    lt_layout layout = aux_layout(m);
    cublas_dense aux = {0};
    double factor;
    bool right =
        read_factor(m->desc.scales[LT_OF_AUX], &factor) && lt_layout_fetch(&layout, m->desc.aux, index, &aux);
    for (size_t i = 0; right && i < d->rows * d->columns; i++) d->real[i] *= gelu_slope(aux.real[i] * factor);
    cublas_dense_free(&aux);
    return right;
}

// A bias for each row of D; or sums where it is a gradient: of D's rows, of op(A)'s, of op(B)'s columns.
static bool add_bias(const matmul *m, int64_t index, cublas_dense *d) {
    cublas_type type = lt_bias_type(&m->desc, &m->lc, &m->ld);
    double *bias = read_vector(m->desc.bias, type, m->desc.bias_stride * index, d->rows);
    for (size_t j = 0; bias && j < d->columns; j++)
        for (size_t i = 0; i < d->rows; i++) d->real[i + j * d->rows] += bias[i];
    free(bias);
    return bias != NULL;
}

static bool keep_sums(const matmul *m, int64_t index, const cublas_dense *of, bool by_rows) {
    size_t count = by_rows ? of->rows : of->columns;
    double *sums = calloc(count + 1, sizeof *sums);
    for (size_t j = 0; sums && j < of->columns; j++)
        for (size_t i = 0; i < of->rows; i++) sums[by_rows ? i : j] += of->real[i + j * of->rows];
    cublas_type type = lt_bias_type(&m->desc, &m->lc, &m->ld);
    bool right = sums && write_vector(m->desc.bias, type, m->desc.bias_stride * index, sums, count);
    free(sums);
    return right;
}

static bool finish(const matmul *m, int64_t index, cublas_dense *d) {
    uint32_t epilogue = m->desc.epilogue;
    bool right = !(epilogue & LT_BIAS) || add_bias(m, index, d);
    if (epilogue & (LT_RELU | LT_GELU)) right = right && activate(m, index, d);
    if (epilogue & (LT_RELU_GRADIENT | LT_GELU_GRADIENT)) right = right && go_back(m, index, d);
    if (epilogue & LT_BIAS_GRADIENT) right = right && keep_sums(m, index, d, true);
    double factor;
    right = right && write_greatest(m->desc.amax, d) && read_factor(m->desc.scales[LT_OF_D], &factor);
    if (right && m->desc.scales[LT_OF_D]) cublas_dense_scale(d, factor);
    return right && lt_layout_put(&m->ld, m->d, index, d);
}

// ---- the job --------------------------------------------------------------------------------------------

static bool multiply_one(const matmul *m, int64_t index) {
    cublas_dense a = {0}, b = {0}, d = {0};
    bool vector = m->desc.pointer_mode >= LT_VECTORS;
    bool right = fetch_operand(m, LT_OF_A, index, &a) && fetch_operand(m, LT_OF_B, index, &b) &&
                 cublas_dense_make(&d, a.rows, b.columns, a.imaginary != NULL);
    if (right && m->desc.epilogue & LT_BIAS_GRADIENT_A) right = keep_sums(m, index, &a, true);
    if (right && m->desc.epilogue & LT_BIAS_GRADIENT_B) right = keep_sums(m, index, &b, false);
    right = right && scale_operand(&m->desc, LT_OF_A, &a) && scale_operand(&m->desc, LT_OF_B, &b);
    if (right) cublas_dense_multiply(&d, &a, &b);
    right = right && scale_rows(m, m->alpha, vector, m->host_alpha, m->desc.alpha_stride * index, &d) &&
            add_c(m, index, &d) && finish(m, index, &d);
    cublas_dense_free(&a);
    cublas_dense_free(&b);
    cublas_dense_free(&d);
    return right;
}

static cublas_status run(cublas_job *job) {
    const matmul *m = (const matmul *)job;
    for (int64_t i = 0; i < m->ld.batch; i++)
        if (!multiply_one(m, i)) return CUBLAS_EXECUTION_FAILED;
    return CUBLAS_SUCCESS;
}

CUBLAS_FUNCTION(cublasLtMatmul, cublas_handle *handle, const lt_matmul_desc *desc, const void *alpha,
                const void *a, const lt_layout *la, const void *b, const lt_layout *lb, const void *beta,
                const void *c, const lt_layout *lc, void *d, const lt_layout *ld,
                const lt_algorithm *algorithm, void *workspace, size_t bytes, cudaStream_t stream) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    if (!desc || !alpha || !a || !la || !b || !lb || !lc || !d || !ld) return CUBLAS_INVALID_VALUE;
    cublas_status status = lt_check_matmul(desc, la, lb, lc, ld);
    if (status) return status;
    if (bytes < lt_workspace_bytes(desc, ld)) return CUBLAS_NOT_SUPPORTED;
    bool no_beta = desc->pointer_mode == LT_VECTOR_BETA_ZERO;
    if (!no_beta && !beta) return CUBLAS_INVALID_VALUE;
    matmul m = {.job = {.run = run, .routine = __func__},
                .desc = *desc,
                .la = *la,
                .lb = *lb,
                .lc = *lc,
                .ld = *ld,
                .a = a,
                .b = b,
                .c = c,
                .d = d};
    cublas_type scale = (cublas_type)desc->scale_type;
    if (desc->pointer_mode == LT_HOST)
        m.host_alpha = cublas_scalar_of(false, alpha, scale).value;
    else
        m.alpha = alpha;
    if (desc->pointer_mode == LT_HOST || desc->pointer_mode == LT_VECTOR_BETA_HOST)
        m.host_beta = cublas_scalar_of(false, beta, scale).value;
    else
        m.beta = beta;
    return cublas_enqueue(stream, &m.job, sizeof m);
}
