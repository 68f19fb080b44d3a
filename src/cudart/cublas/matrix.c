// Matrices: from a program's memory, whole and in double precision, and back.
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "cublas.h"

// ---- dense ----------------------------------------------------------------------------------------------

bool cublas_dense_make(cublas_dense *dense, size_t rows, size_t columns, bool is_complex) {
    *dense = (cublas_dense){.rows = rows, .columns = columns};
    dense->real = calloc(rows * columns + 1, sizeof *dense->real);
    if (is_complex) dense->imaginary = calloc(rows * columns + 1, sizeof *dense->imaginary);
    if (dense->real && (!is_complex || dense->imaginary)) return true;
    cublas_dense_free(dense);
    return false;
}

void cublas_dense_free(cublas_dense *dense) {
    free(dense->real);
    free(dense->imaginary);
    *dense = (cublas_dense){0};
}

cublas_number cublas_dense_get(const cublas_dense *dense, size_t row, size_t column) {
    size_t i = row + column * dense->rows;
    return CMPLX(dense->real[i], dense->imaginary ? dense->imaginary[i] : 0);
}

void cublas_dense_set(cublas_dense *dense, size_t row, size_t column, cublas_number value) {
    size_t i = row + column * dense->rows;
    dense->real[i] = creal(value);
    if (dense->imaginary) dense->imaginary[i] = cimag(value);
}

void cublas_dense_scale(cublas_dense *dense, cublas_number factor) {
    for (size_t i = 0; i < dense->rows * dense->columns; i++) {
        if (!dense->imaginary) {
            dense->real[i] *= creal(factor);
            continue;
        }
        cublas_number value = CMPLX(dense->real[i], dense->imaginary[i]) * factor;
        dense->real[i] = creal(value);
        dense->imaginary[i] = cimag(value);
    }
}

bool cublas_dense_transpose(cublas_dense *dense, bool conjugate) {
    cublas_dense to;
    if (!cublas_dense_make(&to, dense->columns, dense->rows, dense->imaginary != NULL)) return false;
    for (size_t j = 0; j < dense->columns; j++)
        for (size_t i = 0; i < dense->rows; i++) {
            cublas_number value = cublas_dense_get(dense, i, j);
            cublas_dense_set(&to, j, i, conjugate ? conj(value) : value);
        }
    cublas_dense_free(dense);
    *dense = to;
    return true;
}

// sum += sign a b, all real.
static void multiply_real(double *sum, const double *a, const double *b, size_t m, size_t n, size_t k,
                          double sign) {
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < k; l++) {
            double factor = sign * b[l + j * k];
            const double *from = a + l * m;
            double *to = sum + j * m;
            for (size_t i = 0; i < m; i++) to[i] += factor * from[i];
        }
}

void cublas_dense_multiply(cublas_dense *sum, const cublas_dense *a, const cublas_dense *b) {
    size_t m = sum->rows, n = sum->columns, k = a->columns;
    multiply_real(sum->real, a->real, b->real, m, n, k, 1);
    if (a->imaginary && b->imaginary) multiply_real(sum->real, a->imaginary, b->imaginary, m, n, k, -1);
    if (a->imaginary) multiply_real(sum->imaginary, a->imaginary, b->real, m, n, k, 1);
    if (b->imaginary) multiply_real(sum->imaginary, a->real, b->imaginary, m, n, k, 1);
}

// ---- in memory ------------------------------------------------------------------------------------------

bool cublas_matrix_fits(const cublas_matrix *m, int64_t rows, int64_t columns) {
    int64_t stored = m->operation == CUBLAS_N ? rows : columns;
    return (unsigned)m->operation <= CUBLAS_C && (unsigned)m->fill <= CUBLAS_UPPER &&
           m->ld >= (stored > 1 ? stored : 1);
}

static const void *address_of(const cublas_matrix *m, int64_t index) {
    const void *pointer = NULL;
    if (m->list) return cublas_read(&pointer, m->list + index, sizeof pointer) ? pointer : NULL;
    return (const char *)m->at + (long long)cublas_type_bytes(m->type) * m->stride * index;
}

static bool is_stored(const cublas_matrix *m, size_t row, size_t column) {
    return m->form == CUBLAS_GENERAL || (m->fill == CUBLAS_LOWER ? row >= column : row <= column);
}

// Between dense bytes, `rows` by `columns`, and the matrix. Of a triangle nothing else is touched: it may hold nothing yet.
static bool copy_bytes(const cublas_matrix *m, char *dense, const void *at, size_t rows, size_t columns,
                       bool put) {
    size_t bytes = cublas_type_bytes(m->type), pitch = (size_t)m->ld * bytes;
    char *matrix = (char *)(uintptr_t)at;
    if (rows * columns == 0) return true;
    if (m->form == CUBLAS_GENERAL)
        return cudaMemcpy2D(put ? matrix : dense, put ? pitch : rows * bytes, put ? dense : matrix,
                            put ? rows * bytes : pitch, rows * bytes, columns,
                            cudaMemcpyDefault) == cudaSuccess;
    for (size_t j = 0; j < columns; j++) {
        size_t from = m->fill == CUBLAS_LOWER ? j : 0, to = m->fill == CUBLAS_LOWER ? rows : j + 1;
        char *here = dense + (from + j * rows) * bytes, *there = matrix + from * bytes + j * pitch;
        if (!cublas_read(put ? there : here, put ? here : there, (to - from) * bytes)) return false;
    }
    return true;
}

// Its bytes, without gaps; malloc'ed, NULL where they cannot be read.
static void *read_bytes(const cublas_matrix *m, const void *at, size_t rows, size_t columns) {
    void *raw = calloc(rows * columns + 1, cublas_type_bytes(m->type));
    if (raw && at && copy_bytes(m, raw, at, rows, columns, false)) return raw;
    free(raw);
    return NULL;
}

// The element that the form gives where nothing is stored, and on the diagonal.
static cublas_number implied(const cublas_matrix *m, const cublas_dense *d, size_t row, size_t column) {
    switch (m->form) {
    case CUBLAS_SYMMETRIC: return cublas_dense_get(d, column, row);
    case CUBLAS_HERMITIAN:
        return row == column ? creal(cublas_dense_get(d, row, row)) : conj(cublas_dense_get(d, column, row));
    case CUBLAS_UNIT_TRIANGULAR: return row == column;
    case CUBLAS_TRIANGULAR: return row == column ? cublas_dense_get(d, row, row) : 0;
    default: return cublas_dense_get(d, row, column);
    }
}

static void complete(const cublas_matrix *m, cublas_dense *d) {
    if (m->form == CUBLAS_GENERAL) return;
    for (size_t j = 0; j < d->columns; j++)
        for (size_t i = 0; i < d->rows; i++)
            if (i == j || !is_stored(m, i, j)) cublas_dense_set(d, i, j, implied(m, d, i, j));
}

bool cublas_matrix_fetch(const cublas_matrix *m, int64_t index, size_t rows, size_t columns,
                         cublas_dense *to) {
    bool plain = m->operation == CUBLAS_N, is_complex = cublas_is_complex(m->type);
    size_t stored_rows = plain ? rows : columns, stored_columns = plain ? columns : rows;
    void *raw = read_bytes(m, address_of(m, index), stored_rows, stored_columns);
    if (!raw || !cublas_dense_make(to, stored_rows, stored_columns, is_complex)) {
        free(raw);
        *to = (cublas_dense){0};
        return false;
    }
    for (size_t i = 0; i < rows * columns; i++) {
        to->real[i] = cublas_load(raw, m->type, is_complex ? 2 * i : i);
        if (is_complex) to->imaginary[i] = cublas_load(raw, m->type, 2 * i + 1);
    }
    free(raw);
    complete(m, to);
    return plain || cublas_dense_transpose(to, m->operation == CUBLAS_C);
}

bool cublas_matrix_put(const cublas_matrix *m, int64_t index, const cublas_dense *values) {
    const void *at = address_of(m, index);
    size_t bytes = cublas_type_bytes(m->type), rows = values->rows, columns = values->columns;
    if (!at || rows * columns == 0) return at != NULL;
    void *raw = calloc(rows * columns, bytes);
    if (!raw) return false;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            if (!is_stored(m, i, j)) continue;
            cublas_number value = cublas_dense_get(values, i, j);
            size_t at_index = i + j * rows;
            bool is_complex = cublas_is_complex(m->type);
            cublas_store(raw, m->type, is_complex ? 2 * at_index : at_index, creal(value));
            if (is_complex) cublas_store(raw, m->type, 2 * at_index + 1, cimag(value));
        }
    bool right = copy_bytes(m, raw, at, rows, columns, true);
    free(raw);
    return right;
}
