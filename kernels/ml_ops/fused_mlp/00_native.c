// fused_mlp 00: plain C on the `cpu` device
//
// Idea     a row of x at a time: its hidden row, then its row of y.
// Change   none: it stands before the ladder. Each block of the grid takes a run of rows; sums in double.
// Expect   bound by the conversion of elements, one by one.
#include "private.h"

// Row `row` of a matrix of `k` columns times row `other` of the weights.
static double dot(kz_type type, const void *a, uint64_t row, const void *w, uint64_t other, uint64_t k) {
    double sum = 0.0;
    for (uint64_t i = 0; i < k; i++)
        sum += kz_element_get(type, a, row * k + i) * kz_element_get(type, w, other * k + i);
    return sum;
}

// The arguments are the buffers, the hidden layer, and the axes.
static void run(const kz_native_launch *launch, uint32_t operation, kz_type type) {
    kz_case c = {.operation = operation, .type = type};
    mlp_buffers at = mlp_buffers_of(&c);
    void *hidden = kz_native_pointer(launch, at.count), *y = kz_native_pointer(launch, at.y);
    uint64_t model = kz_native_u64(launch, at.count + 2), width = kz_native_u64(launch, at.count + 3);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, at.count + 1));
    for (uint64_t row = own.begin; row < own.end; row++) {
        for (uint64_t j = 0; j < width; j++) {
            const void *x = kz_native_pointer(launch, at.x), *w1 = kz_native_pointer(launch, at.w1);
            uint64_t first = mlp_gated(&c) ? 2 * j : j;
            gemm_passing v = {.v = {dot(type, x, row, w1, first, model), 0.0},
                              .row = row,
                              .column = j,
                              .x_type = type,
                              .x = kz_native_pointer(launch, at.b1)};
            if (mlp_gated(&c)) v.next.value = dot(type, x, row, w1, first + 1, model);
            for (gemm_step *const *step = mlp_steps(&c); *step; step++) (*step)(&v);
            kz_element_set(type, hidden, row * width + j, v.v.value);
        }
        for (uint64_t j = 0; j < model; j++) {
            double sum = dot(type, hidden, row, kz_native_pointer(launch, at.w2), j, width);
            if (!mlp_gated(&c)) sum += kz_element_get(type, kz_native_pointer(launch, at.b2), j);
            kz_element_set(type, y, row * model + j, sum);
        }
    }
}

#define OPERATIONS(X, type, TYPE)                                                                            \
    X(relu, RELU, type, TYPE)                                                                                \
    X(gelu, GELU, type, TYPE)                                                                                \
    X(silu, SILU, type, TYPE)                                                                                \
    X(swiglu, SWIGLU, type, TYPE)
#define DEFINE(name, NAME, type, TYPE)                                                                       \
    static void name##_##type(const kz_native_launch *launch) { run(launch, KZ_FUSED_MLP_##NAME, KZ_##TYPE); }
#define ROW(name, NAME, type, TYPE) {"fused_mlp_native_" #name "_" #type, name##_##type},
OPERATIONS(DEFINE, f16, F16)
OPERATIONS(DEFINE, bf16, BF16)

const kz_native_entry fused_mlp_natives[] = {OPERATIONS(ROW, f16, F16) OPERATIONS(ROW, bf16, BF16){0}};
