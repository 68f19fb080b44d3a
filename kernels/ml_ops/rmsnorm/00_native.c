// rmsnorm 00: plain C on the `cpu` device
//
// Idea     the formula, row by row; each block of the grid takes a run of neighbouring rows.
// Change   none: it stands before the ladder. The squares are added in double.
// Expect   bound by the chain of dependent additions and the conversion of half types, not by memory.
#include <math.h>

#include "private.h"

static void normalize(const kz_native_launch *launch, kz_type type) {
    const void *x = kz_native_pointer(launch, 0), *weight = kz_native_pointer(launch, 1);
    void *y = kz_native_pointer(launch, 2);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 3));
    uint64_t columns = kz_native_u64(launch, 4);
    double epsilon = *(const float *)launch->args[5];
    for (uint64_t row = own.begin; row < own.end; row++) {
        double squares = 0.0;
        for (uint64_t i = row * columns; i < (row + 1) * columns; i++)
            squares += kz_element_get(type, x, i) * kz_element_get(type, x, i);
        double factor = 1.0 / sqrt(squares / (double)columns + epsilon);
        for (uint64_t c = 0; c < columns; c++)
            kz_element_set(type, y, row * columns + c,
                           kz_element_get(type, x, row * columns + c) * factor *
                               kz_element_get(type, weight, c));
    }
}

static void normalize_f32(const kz_native_launch *launch) { normalize(launch, KZ_F32); }
static void normalize_f16(const kz_native_launch *launch) { normalize(launch, KZ_F16); }
static void normalize_bf16(const kz_native_launch *launch) { normalize(launch, KZ_BF16); }

const kz_native_entry rmsnorm_natives[] = {{"rmsnorm_native_rmsnorm_f32", normalize_f32},
                                           {"rmsnorm_native_rmsnorm_f16", normalize_f16},
                                           {"rmsnorm_native_rmsnorm_bf16", normalize_bf16},
                                           {0}};
