// dropout 00: plain C on the `cpu` device
//
// Idea     the formula, element by element; each block of the grid is one contiguous chunk.
// Change   none: it stands before the ladder. Four neighbours share a call of Philox.
// Expect   bound by Philox and the conversion of half types, not by memory.
#include "ml_ops/dropout_mask.h"
#include "private.h"

static void run(const kz_native_launch *launch, kz_type type) {
    const void *x = kz_native_pointer(launch, 0);
    void *y = kz_native_pointer(launch, 2);
    dropout_mask mask = dropout_mask_of(kz_native_pointer(launch, 1), kz_native_u64(launch, 4));
    float scale = *(const float *)launch->args[5];
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 3));
    for (uint64_t i = own.begin; i < own.end; i++)
        kz_element_set(type, y, i,
                       dropout_mask_keeps(&mask, i) ? (float)kz_element_get(type, x, i) * scale : 0.0f);
}

static void run_f32(const kz_native_launch *launch) { run(launch, KZ_F32); }
static void run_f16(const kz_native_launch *launch) { run(launch, KZ_F16); }
static void run_bf16(const kz_native_launch *launch) { run(launch, KZ_BF16); }

const kz_native_entry dropout_natives[] = {{"dropout_native_dropout_f32", run_f32},
                                           {"dropout_native_dropout_f16", run_f16},
                                           {"dropout_native_dropout_bf16", run_bf16},
                                           {0}};
