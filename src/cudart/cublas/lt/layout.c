// Matrices of cuBLASLt in memory, in every order.
#include <complex.h>
#include <stdlib.h>

#include "lt.h"

// Where element (row, column) is. The orders of tiles have groups of 32 columns, `ld` from one to the next.
static size_t index_of(const lt_layout *l, size_t row, size_t column) {
    size_t ld = (size_t)l->ld, group = column / 32 * ld, inner = column % 32;
    switch ((lt_order)l->order) {
    case LT_ROW: return row * ld + column;
    case LT_COL32: return group + row * 32 + inner;
    case LT_COL4_4R2_8C: // 8 rows: the even ones, then the odd ones, in pieces of 4 by 4
        return group + (row / 8 * 8 + row % 2 * 4 + inner / 8) * 32 + (column % 8 / 4 * 4 + row % 8 / 2) * 4 +
               column % 4;
    case LT_COL32_2R_4R4: // 32 rows
        return group + row / 32 * 1024 + ((row % 8 / 2 * 4 + row % 32 / 8) * 2 + row % 2) * 32 + inner;
    default: return row + column * ld;
    }
}

static uint64_t round_up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

bool lt_layout_is_right(const lt_layout *l) {
    uint64_t least[] = {[LT_COLUMN] = l->rows,
                        [LT_ROW] = l->columns,
                        [LT_COL32] = 32 * l->rows,
                        [LT_COL4_4R2_8C] = 32 * round_up(l->rows, 8),
                        [LT_COL32_2R_4R4] = 32 * round_up(l->rows, 32)};
    return (uint32_t)l->order <= LT_COL32_2R_4R4 && l->batch > 0 && l->ld >= 0 &&
           (uint64_t)l->ld >= least[l->order];
}

static size_t elements_of(const lt_layout *l) {
    size_t rows = (size_t)l->rows, columns = (size_t)l->columns;
    if (rows == 0 || columns == 0) return 0;
    if (l->order == LT_COLUMN || l->order == LT_ROW) return index_of(l, rows - 1, columns - 1) + 1;
    size_t tile_rows = l->order == LT_COL4_4R2_8C ? 8 : l->order == LT_COL32_2R_4R4 ? 32 : 1;
    return (columns - 1) / 32 * (size_t)l->ld + (size_t)round_up(rows, tile_rows) * 32;
}

static const char *address_of(const lt_layout *l, const void *at, int64_t index) {
    const char *pointer = NULL;
    if (!l->by_pointers)
        return (const char *)at + (int64_t)cublas_type_bytes((cublas_type)l->type) * l->stride * index;
    return cublas_read(&pointer, (const char *const *)at + index, sizeof pointer) ? pointer : NULL;
}

// Its bytes as they stand; of what is between columns or rows nothing is read. malloc'ed, NULL where they cannot be read.
static void *read_bytes(const lt_layout *l, const char *at) {
    size_t bytes = cublas_type_bytes((cublas_type)l->type), ld = (size_t)l->ld * bytes;
    size_t length = (size_t)(l->order == LT_ROW ? l->columns : l->rows) * bytes;
    size_t count = (size_t)(l->order == LT_ROW ? l->rows : l->columns), all = elements_of(l) * bytes;
    void *raw = calloc(all + 1, 1);
    bool right = raw && at;
    if (right && all && l->order <= LT_ROW)
        right = cudaMemcpy2D(raw, ld, at, ld, length, count, cudaMemcpyDefault) == cudaSuccess;
    else if (right)
        right = cublas_read(raw, at, all);
    if (right) return raw;
    free(raw);
    return NULL;
}

bool lt_layout_fetch(const lt_layout *l, const void *at, int64_t index, cublas_dense *to) {
    cublas_type type = (cublas_type)l->type;
    bool is_complex = cublas_is_complex(type);
    void *raw = read_bytes(l, address_of(l, at, index));
    bool right = raw && cublas_dense_make(to, (size_t)l->rows, (size_t)l->columns, is_complex);
    for (size_t j = 0; right && j < to->columns; j++)
        for (size_t i = 0; i < to->rows; i++) {
            size_t from = index_of(l, i, j);
            cublas_number value =
                is_complex ? CMPLX(cublas_load(raw, type, 2 * from), cublas_load(raw, type, 2 * from + 1))
                           : cublas_load(raw, type, from);
            cublas_dense_set(to, i, j, value);
        }
    free(raw);
    return right;
}

// By columns and rows: what is between them is not touched. Tiles are written whole, with what was beyond the edge.
static bool write_bytes(const lt_layout *l, char *to, const char *raw) {
    size_t bytes = cublas_type_bytes((cublas_type)l->type), ld = (size_t)l->ld * bytes;
    size_t length = (size_t)(l->order == LT_ROW ? l->columns : l->rows) * bytes;
    size_t count = (size_t)(l->order == LT_ROW ? l->rows : l->columns);
    if (length == 0 || count == 0) return true;
    if (l->order <= LT_ROW)
        return cudaMemcpy2D(to, ld, raw, ld, length, count, cudaMemcpyDefault) == cudaSuccess;
    return cublas_write(to, raw, elements_of(l) * bytes);
}

static bool has_edges(const lt_layout *l) {
    return l->order > LT_ROW && elements_of(l) != (size_t)(l->rows * l->columns);
}

bool lt_layout_put(const lt_layout *l, void *at, int64_t index, const cublas_dense *values) {
    cublas_type type = (cublas_type)l->type;
    bool is_complex = cublas_is_complex(type);
    const char *to = address_of(l, at, index);
    char *raw = has_edges(l) ? read_bytes(l, to) : calloc(elements_of(l) + 1, cublas_type_bytes(type));
    if (!raw || !to) {
        free(raw);
        return false;
    }
    for (size_t j = 0; j < values->columns; j++)
        for (size_t i = 0; i < values->rows; i++) {
            size_t into = index_of(l, i, j);
            cublas_number value = cublas_dense_get(values, i, j);
            cublas_store(raw, type, is_complex ? 2 * into : into, creal(value));
            if (is_complex) cublas_store(raw, type, 2 * into + 1, cimag(value));
        }
    bool right = write_bytes(l, (char *)(uintptr_t)to, raw);
    free(raw);
    return right;
}
