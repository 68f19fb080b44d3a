// gemm 00: plain C on the `cpu` device
//
// Idea     element by element: a row of a times a column of b, wherever their elements lie.
// Change   none: it stands before the ladder. Each block of the grid takes a run of rows of all products; sums in double.
// Expect   bound by the conversion of elements, one by one.
#include "private.h"

typedef struct native {
    const kz_native_launch *launch;
    kz_type type, out;
} native;

static uint64_t number(const native *x, size_t arg) { return kz_native_u64(x->launch, arg); }
static double real(const native *x, size_t arg) { return *(const double *)x->launch->args[arg]; }

// Where product `which` of an array of matrices begins.
static char *matrix_of(const native *x, size_t arg, size_t stride_arg, uint64_t which, kz_type type) {
    char *first = kz_native_pointer(x->launch, arg);
    if (number(x, 18)) return ((char *const *)(void *)first)[which];
    return first + which * number(x, stride_arg) * kz_type_size(type);
}

// Row `row` of product `which`.
static void multiply_row(const native *x, uint64_t which, uint64_t row) {
    uint64_t n = number(x, 5), k = number(x, 6);
    const char *a = k ? matrix_of(x, 0, 12, which, x->type) : NULL,
               *b = k ? matrix_of(x, 1, 13, which, x->type) : NULL;
    char *c = matrix_of(x, 2, 14, which, x->out);
    double alpha = real(x, 16), beta = real(x, 17);
    for (uint64_t column = 0; column < n; column++) {
        double sum = 0.0;
        uint64_t to = row * number(x, 11) + column;
        for (uint64_t i = 0; i < k; i++)
            sum += kz_element_get(x->type, a, row * number(x, 7) + i * number(x, 8)) *
                   kz_element_get(x->type, b, column * number(x, 9) + i * number(x, 10));
        sum = k ? alpha * sum : 0.0;
        if (beta != 0.0) sum += beta * kz_element_get(x->out, c, to);
        kz_element_set(x->out, c, to, sum);
    }
}

static void multiply_group(const native *x, const uint32_t *offsets, uint64_t group) {
    uint64_t m = number(x, 4), end = kz_min_u64(offsets[group + 1], m);
    for (uint64_t row = offsets[group]; row < end; row++) multiply_row(x, group, row);
}

static void multiply(const native *x) {
    const uint32_t *offsets = kz_native_pointer(x->launch, 3);
    uint64_t m = number(x, 4), count = number(x, 15);
    kz_share own = kz_native_share(x->launch, offsets ? count : m * count);
    for (uint64_t i = own.begin; i < own.end; i++) {
        if (offsets)
            multiply_group(x, offsets, i);
        else
            multiply_row(x, i / m, i % m);
    }
}

#define ALL(X)                                                                                               \
    X(any_f32, F32, F32)                                                                                     \
    X(any_f64, F64, F64)                                                                                     \
    X(any_f16, F16, F16) X(any_bf16, BF16, BF16) X(any_to_f32_f16, F16, F32) X(any_to_f32_bf16, BF16, F32)
#define ENTRY(name, TYPE, OUT)                                                                               \
    static void name(const kz_native_launch *launch) { multiply(&(native){launch, KZ_##TYPE, KZ_##OUT}); }
#define ROW(name, TYPE, OUT) {"gemm_native_" #name, name},

ALL(ENTRY)

const kz_native_entry gemm_natives[] = {ALL(ROW){0}};
