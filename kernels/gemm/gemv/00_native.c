// gemv 00: plain C on the `cpu` device
//
// Idea     the definition: a row of W at a time, by each row of x.
// Change   none: it stands before the ladder. Each block of the grid takes a run of neighbouring rows.
// Expect   bound by unpacking an element at a time, not by memory.
#include <stdlib.h>

#include "private.h"

static void multiply(const kz_native_launch *launch, kz_gemv_format format, kz_type type) {
    const void *x = kz_native_pointer(launch, X);
    void *y = kz_native_pointer(launch, Y);
    uint64_t m = kz_native_u64(launch, 4), n = kz_native_u64(launch, 5), k = kz_native_u64(launch, 6);
    const gemv_matrix matrix = {format, type, k, kz_native_pointer(launch, W),
                                kz_native_pointer(launch, SCALE)};
    kz_share own = kz_native_share(launch, n);
    double *row = malloc((k + 1) * sizeof *row);
    if (!row) return; // y stays as it was, and no check lets that pass
    for (uint64_t j = own.begin; j < own.end; j++) {
        gemv_read_row(&matrix, j, row);
        for (uint64_t i = 0; i < m; i++) {
            double sum = 0.0;
            for (uint64_t at = 0; at < k; at++) sum += row[at] * kz_element_get(type, x, i * k + at);
            kz_element_set(type, y, i * n + j, sum);
        }
    }
    free(row);
}

#define NATIVE(format, FORMAT, type, TYPE)                                                                   \
    static void multiply_##format##_##type(const kz_native_launch *launch) {                                 \
        multiply(launch, KZ_GEMV_##FORMAT, KZ_##TYPE);                                                       \
    }
#define ENTRY(format, FORMAT, type, TYPE) {"gemv_native_" #format "_" #type, multiply_##format##_##type},
#define ALL(X)                                                                                               \
    X(dense, DENSE, f16, F16)                                                                                \
    X(dense, DENSE, bf16, BF16)                                                                              \
    X(int8, INT8, f16, F16)                                                                                  \
    X(int8, INT8, bf16, BF16)                                                                                \
    X(fp8, FP8, f16, F16)                                                                                    \
    X(fp8, FP8, bf16, BF16)                                                                                  \
    X(int4, INT4, f16, F16)                                                                                  \
    X(int4, INT4, bf16, BF16)                                                                                \
    X(int3, INT3, f16, F16)                                                                                  \
    X(int3, INT3, bf16, BF16)

ALL(NATIVE)
const kz_native_entry gemv_natives[] = {ALL(ENTRY){0}};
