// grad_norm 00: plain C on the `cpu` device
//
// Idea     each block of the grid adds the squares of a run of neighbouring chunks; a second launch adds the blocks' sums.
// Change   none: it stands before the ladder. Squares are added in double.
// Expect   bound by the chain of dependent additions and the conversion of half types, not by memory.
#include <math.h>

#include "private.h"

// Elements [begin, end) of the array of chunk `entry`.
typedef struct native_range {
    char *array;
    uint64_t begin, end;
} native_range;

static native_range chunk_of(const kz_native_launch *launch, int64_t entry) {
    const kz_parameter *tensor = (const kz_parameter *)kz_native_pointer(launch, TABLE) + (entry >> 32);
    uint64_t begin = (uint64_t)(uint32_t)entry * KZ_PARAMETER_CHUNK;
    return (native_range){(char *)kz_native_pointer(launch, GRADIENTS) + tensor->gradients, begin,
                          kz_min_u64(begin + KZ_PARAMETER_CHUNK, tensor->count)};
}

static void add_squares(const kz_native_launch *launch, kz_type type) {
    const int64_t *list = kz_native_pointer(launch, LIST);
    double *sums = kz_native_pointer(launch, NOT_FINITE + 1), sum = 0.0;
    kz_share own = kz_native_share(launch, kz_native_u64(launch, NOT_FINITE + 2));
    for (uint64_t k = own.begin; k < own.end; k++) {
        native_range r = chunk_of(launch, list[k]);
        for (uint64_t i = r.begin; i < r.end; i++) {
            double g = kz_element_get(type, r.array, i);
            sum += g * g;
        }
    }
    sums[launch->block_index[0]] = sum;
}

// As the kernels: a sum past float's largest is infinite.
static void finish(const kz_native_launch *launch) {
    const double *sums = kz_native_pointer(launch, NOT_FINITE + 1);
    const float *scale = kz_native_pointer(launch, SCALED);
    uint64_t count = kz_native_u64(launch, NOT_FINITE + 2);
    float most = *(const float *)launch->args[NOT_FINITE + 3];
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) sum += sums[i];
    float norm = (float)sqrt((double)(float)sum) * (scale ? *scale : 1.0f);
    float coefficient = most / (norm + 1e-6f);
    if (coefficient > 1.0f) coefficient = 1.0f;
    *(float *)kz_native_pointer(launch, NORM) = norm;
    *(float *)kz_native_pointer(launch, COEFFICIENT) = coefficient * (scale ? *scale : 1.0f);
    *(uint32_t *)kz_native_pointer(launch, NOT_FINITE) = !isfinite(norm);
}

static void clip(const kz_native_launch *launch, kz_type type) {
    const int64_t *list = kz_native_pointer(launch, LIST);
    float coefficient = *(const float *)kz_native_pointer(launch, SCALED);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, SCALED + 1));
    if (coefficient == 1.0f) return;
    for (uint64_t k = own.begin; k < own.end; k++) {
        native_range r = chunk_of(launch, list[k]);
        for (uint64_t i = r.begin; i < r.end; i++)
            kz_element_set(type, r.array, i, (float)kz_element_get(type, r.array, i) * coefficient);
    }
}

#define ENTRY(type, TYPE)                                                                                    \
    static void norm_##type(const kz_native_launch *launch) { add_squares(launch, KZ_##TYPE); }              \
    static void clip_##type(const kz_native_launch *launch) { clip(launch, KZ_##TYPE); }
#define ROW(type, TYPE)                                                                                      \
    {"grad_norm_native_norm_" #type, norm_##type}, {"grad_norm_native_finish_norm_" #type, finish},          \
        {"grad_norm_native_clip_" #type, clip_##type},
#define ALL(X) X(f32, F32) X(f16, F16) X(bf16, BF16)

ALL(ENTRY)

const kz_native_entry grad_norm_natives[] = {ALL(ROW){0}};
