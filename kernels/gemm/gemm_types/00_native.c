// gemm_types 00: plain C on the `cpu` device
//
// Idea     row by row, an element of c is a sum of products, whatever the elements are.
// Change   none: it stands before the ladder. Each block of the grid takes a run of rows; sums in double.
// Expect   bound by the conversion of elements, one by one.
#include "private.h"

static void multiply(const kz_native_launch *launch, kz_gemm_format format) {
    const gemm_types_format *f = &gemm_types_formats[format];
    const void *a = kz_native_pointer(launch, A), *b = kz_native_pointer(launch, B);
    const float *scale_a = kz_native_pointer(launch, SCALE_A), *scale_b = kz_native_pointer(launch, SCALE_B);
    uint64_t m = kz_native_u64(launch, BUFFERS), n = kz_native_u64(launch, BUFFERS + 1),
             k = kz_native_u64(launch, BUFFERS + 2);
    kz_case c = {.operation = ORDERS * format + (uint32_t)kz_native_u64(launch, BUFFERS + 3),
                 .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    bool a_mn = gemm_types_a_mn(&c), b_mn = gemm_types_b_mn(&c);
    kz_share own = kz_native_share(launch, m);
    for (uint64_t row = own.begin; row < own.end; row++)
        for (uint64_t column = 0; column < n; column++) {
            double sum = 0.0;
            for (uint64_t x = 0; x < k; x++)
                sum += gemm_types_get(f->element, a, a_mn ? x * m + row : row * k + x) *
                       gemm_types_get(f->element, b, b_mn ? x * n + column : column * k + x) *
                       gemm_types_scale(&c, SCALE_A, scale_a, row, x) *
                       gemm_types_scale(&c, SCALE_B, scale_b, column, x);
            kz_element_set(f->out, kz_native_pointer(launch, C), row * n + column, sum);
        }
}

#define ALL(X)                                                                                               \
    X(tf32, f32, TF32)                                                                                       \
    X(tf32x3, f32, TF32X3)                                                                                   \
    X(int8, i32, INT8)                                                                                       \
    X(e4m3, bf16, E4M3)                                                                                      \
    X(e5m2, bf16, E5M2)                                                                                      \
    X(e4m3_promoted, bf16, E4M3_PROMOTED)                                                                    \
    X(e4m3_fine, bf16, E4M3_FINE)                                                                            \
    X(f64, f64, F64)
#define ENTRY(name, type, ID)                                                                                \
    static void name(const kz_native_launch *launch) { multiply(launch, KZ_GEMM_##ID); }
#define ROW(name, type, ID) {"gemm_types_native_" #name "_" #type, name},

ALL(ENTRY)

const kz_native_entry gemm_types_natives[] = {ALL(ROW){0}};
