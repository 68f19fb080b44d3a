// softmax 00: plain C on the `cpu` device
//
// Idea     the formula, row by row, in double; each block of the grid takes a run of neighbouring rows.
// Change   none: it stands before the ladder.
// Expect   bound by the exponential function, not by memory.
#include <math.h>

#include "private.h"

typedef struct native_rows {
    kz_type type;
    uint32_t operation;
    const void *a; // x, or y of a backward pass
    const void *b; // the mask, or dy
    void *out;
    uint64_t rows, columns;
} native_rows;

static double seen(const native_rows *p, uint64_t row, uint64_t column) {
    uint64_t i = row * p->columns + column;
    if (p->operation == KZ_SOFTMAX_MASKED && ((const uint8_t *)p->b)[i] == 0) return -INFINITY;
    if (p->operation == KZ_SOFTMAX_CAUSAL && column >= softmax_visible(row, p->rows, p->columns))
        return -INFINITY;
    return kz_element_get(p->type, p->a, i);
}

static void forward(const native_rows *p, uint64_t row) {
    double max = -INFINITY, sum = 0.0;
    for (uint64_t c = 0; c < p->columns; c++) max = fmax(max, seen(p, row, c));
    double base = isinf(max) && max < 0.0 ? 0.0 : max;
    for (uint64_t c = 0; c < p->columns; c++) sum += exp(seen(p, row, c) - base);
    for (uint64_t c = 0; c < p->columns; c++) {
        double x = seen(p, row, c) - base;
        double y = p->operation == KZ_SOFTMAX_LOG ? x - (sum == 0.0 ? 0.0 : log(sum))
                                                  : exp(x) * (sum == 0.0 ? 0.0 : 1.0 / sum);
        kz_element_set(p->type, p->out, row * p->columns + c, y);
    }
}

static void backward(const native_rows *p, uint64_t row) {
    uint64_t first = row * p->columns, end = first + p->columns;
    bool log = p->operation == KZ_SOFTMAX_LOG_BACKWARD;
    double sum = 0.0;
    for (uint64_t i = first; i < end; i++)
        sum += (log ? 1.0 : kz_element_get(p->type, p->a, i)) * kz_element_get(p->type, p->b, i);
    for (uint64_t i = first; i < end; i++) {
        double y = kz_element_get(p->type, p->a, i), dy = kz_element_get(p->type, p->b, i);
        kz_element_set(p->type, p->out, i, log ? dy - exp(y) * sum : y * (dy - sum));
    }
}

// Arguments as of every kernel: a, b, out, batch, rows, columns, and one that is not used.
static void run(const kz_native_launch *launch, uint32_t operation, kz_type type) {
    native_rows p = {type,
                     operation,
                     kz_native_pointer(launch, 0),
                     kz_native_pointer(launch, 1),
                     kz_native_pointer(launch, 2),
                     kz_native_u64(launch, 4),
                     kz_native_u64(launch, 5)};
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 3) * p.rows);
    for (uint64_t row = own.begin; row < own.end; row++)
        if (softmax_goes_back(operation))
            backward(&p, row);
        else
            forward(&p, row);
}

#define NATIVE(id, name, type, TYPE)                                                                         \
    static void name##_##type(const kz_native_launch *launch) { run(launch, KZ_SOFTMAX_##id, KZ_##TYPE); }
#define ENTRY(id, name, type, TYPE) {"softmax_native_" #name "_" #type, name##_##type},
#define TYPES(X, id, name)          X(id, name, f32, F32) X(id, name, f16, F16) X(id, name, bf16, BF16)
#define ALL(X)                                                                                               \
    TYPES(X, PLAIN, softmax)                                                                                 \
    TYPES(X, LOG, log_softmax)                                                                               \
    TYPES(X, MASKED, masked)                                                                                 \
    TYPES(X, CAUSAL, causal)                                                                                 \
    TYPES(X, BACKWARD, backward)                                                                             \
    TYPES(X, LOG_BACKWARD, log_backward)

ALL(NATIVE)

const kz_native_entry softmax_natives[] = {ALL(ENTRY){0}};
