// hgemm 00: plain C on the `cpu` device
//
// Idea     row by row: a row of c is a sum of rows of b, each times an element of a, or, where b lies transposed, of products of
//          rows.
// Change   none: it stands before the ladder. Each block of the grid takes a run of rows; sums in double.
// Expect   bound by the conversion of elements, one by one.
#include "private.h"

static void multiply(const kz_native_launch *launch, kz_type type, kz_type out, bool a_mn, bool b_mn) {
    const void *a = kz_native_pointer(launch, 0), *b = kz_native_pointer(launch, 1);
    void *c = kz_native_pointer(launch, 2);
    uint64_t m = kz_native_u64(launch, 3), n = kz_native_u64(launch, 4), k = kz_native_u64(launch, 5);
    kz_share own = kz_native_share(launch, m);
    for (uint64_t row = own.begin; row < own.end; row++)
        for (uint64_t column = 0; column < n; column++) {
            double sum = 0.0;
            for (uint64_t x = 0; x < k; x++)
                sum += kz_element_get(type, a, a_mn ? x * m + row : row * k + x) *
                       kz_element_get(type, b, b_mn ? x * n + column : column * k + x);
            kz_element_set(out, c, row * n + column, sum);
        }
}

#define ENTRY(order, a_mn, b_mn, type, TYPE, OUT)                                                            \
    static void order##_##type(const kz_native_launch *launch) {                                             \
        multiply(launch, KZ_##TYPE, KZ_##OUT, a_mn, b_mn);                                                   \
    }
#define ROW(order, a_mn, b_mn, type, TYPE, OUT) {"hgemm_native_" #order "_" #type, order##_##type},
#define ORDERS(X, suffix, type, TYPE, OUT)                                                                   \
    X(nn##suffix, false, true, type, TYPE, OUT)                                                              \
    X(nt##suffix, false, false, type, TYPE, OUT)                                                             \
    X(tn##suffix, true, true, type, TYPE, OUT)                                                               \
    X(tt##suffix, true, false, type, TYPE, OUT)
#define ALL(X)                                                                                               \
    ORDERS(X, , f16, F16, F16)                                                                               \
    ORDERS(X, , bf16, BF16, BF16)                                                                            \
    ORDERS(X, _f32, f16, F16, F32)                                                                           \
    ORDERS(X, _f32, bf16, BF16, F32)

ALL(ENTRY)

const kz_native_entry hgemm_natives[] = {ALL(ROW){0}};
