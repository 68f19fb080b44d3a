// cross_entropy 00: plain C on the `cpu` device
//
// Idea     the formula, row by row, in double; each block of the grid takes a run of neighbouring rows.
// Change   none: it stands before the ladder.
// Expect   bound by the exponentials and the conversion of half types, not by memory.
#include <math.h>

#include "private.h"

typedef struct row_values {
    double base, sum, total, label_logit;
} row_values;

static row_values fold(kz_type type, const void *logits, uint64_t first, uint64_t classes, int32_t label) {
    row_values v = {.base = -INFINITY};
    for (uint64_t i = 0; i < classes; i++) v.base = fmax(v.base, kz_element_get(type, logits, first + i));
    if (isinf(v.base) && v.base < 0.0) v.base = 0.0;
    for (uint64_t i = 0; i < classes; i++) {
        double x = kz_element_get(type, logits, first + i);
        v.sum += exp(x - v.base);
        v.total += x;
        if ((int64_t)i == label) v.label_logit = x;
    }
    return v;
}

static float loss_of(row_values v, int32_t label, uint64_t classes, double s) {
    if (label < 0) return 0.0f;
    if ((uint64_t)label >= classes || v.sum == 0.0) return NAN;
    double of_one = s == 1.0 ? 0.0 : (1.0 - s) * (v.base - v.label_logit);
    double of_all = s == 0.0 ? 0.0 : s * (v.base - v.total / (double)classes);
    return (float)(of_one + of_all + log(v.sum));
}

static void put(kz_type type, const void *logits, void *to, uint64_t first, uint64_t classes, int32_t label,
                double log_sum, double factor, double s) {
    if (label >= 0 && (uint64_t)label >= classes) factor = NAN;
    for (uint64_t i = 0; i < classes; i++) {
        double p = exp(kz_element_get(type, logits, first + i) - log_sum);
        double q = s / (double)classes + ((int64_t)i == label ? 1.0 - s : 0.0);
        kz_element_set(type, to, first + i, label < 0 ? 0.0 : factor * (p - q));
    }
}

// The arguments in the order of family.c's guest_args.
static void take(const kz_native_launch *launch, kz_type type, kz_cross_entropy function) {
    void *logits = kz_native_pointer(launch, LOGITS);
    const int32_t *labels = kz_native_pointer(launch, LABELS);
    size_t sizes = function == KZ_CROSS_ENTROPY_BACKWARD ? 5 : 4;
    uint64_t classes = kz_native_u64(launch, sizes + 1);
    double s = *(const float *)launch->args[sizes + 2];
    kz_share own = kz_native_share(launch, kz_native_u64(launch, sizes));
    for (uint64_t row = own.begin; row < own.end; row++) {
        uint64_t first = row * classes;
        if (function == KZ_CROSS_ENTROPY_BACKWARD) {
            const float *log_sum = kz_native_pointer(launch, LOG_SUM_IN),
                        *dloss = kz_native_pointer(launch, DLOSS);
            put(type, logits, kz_native_pointer(launch, DLOGITS), first, classes, labels[row],
                (double)log_sum[row], (double)dloss[row], s);
            continue;
        }
        row_values v = fold(type, logits, first, classes, labels[row]);
        double log_sum = v.base + log(v.sum);
        if (function == KZ_CROSS_ENTROPY_LOSS) {
            ((float *)kz_native_pointer(launch, LOSS_OF))[row] = loss_of(v, labels[row], classes, s);
            ((float *)kz_native_pointer(launch, LOG_SUM))[row] = (float)log_sum;
        } else {
            const float *scale = kz_native_pointer(launch, SCALE);
            ((float *)kz_native_pointer(launch, LOSS_TOO))[row] = loss_of(v, labels[row], classes, s);
            put(type, logits, logits, first, classes, labels[row], log_sum, (double)*scale, s);
        }
    }
}

#define NATIVE(operation, OPERATION, type, TYPE)                                                             \
    static void operation##_##type(const kz_native_launch *launch) {                                         \
        take(launch, TYPE, KZ_CROSS_ENTROPY_##OPERATION);                                                    \
    }
#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    {"cross_entropy_native_" #operation "_" #type, operation##_##type},
#define ALL(ROW)                                                                                             \
    ROW(loss, LOSS, f32, KZ_F32)                                                                             \
    ROW(loss, LOSS, f16, KZ_F16)                                                                             \
    ROW(loss, LOSS, bf16, KZ_BF16)                                                                           \
    ROW(gradient, GRADIENT, f32, KZ_F32)                                                                     \
    ROW(gradient, GRADIENT, f16, KZ_F16)                                                                     \
    ROW(gradient, GRADIENT, bf16, KZ_BF16)                                                                   \
    ROW(backward, BACKWARD, f32, KZ_F32)                                                                     \
    ROW(backward, BACKWARD, f16, KZ_F16)                                                                     \
    ROW(backward, BACKWARD, bf16, KZ_BF16)
ALL(NATIVE)

const kz_native_entry cross_entropy_natives[] = {ALL(ENTRY){0}};
