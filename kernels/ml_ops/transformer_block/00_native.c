// transformer_block 00: plain C on the `cpu` device
//
// Idea     the formula, every sum in double.
// Change   none: it stands before the ladder. One block of the grid does it all.
// Expect   nothing but the right answer.
#include "private.h"

static void load(double *to, kz_type type, const void *from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) to[i] = kz_element_get(type, from, i);
}

static void compute(const kz_native_launch *launch, kz_type type, uint32_t operation) {
    bool back = operation == KZ_TRANSFORMER_BLOCK_GRADIENTS;
    size_t axes = back ? DWD + 1 : Y + 1;
    kz_case c = {.operation = operation, .type = type};
    for (size_t i = 0; i < KZ_CASE_AXES; i++) c.axes[i] = (int64_t)kz_native_u64(launch, axes + i);
    block_shape s = block_shape_of(&c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = block_buffers(&c, list);
    block_model b;
    if (!block_model_open(&b, &s, KZ_F64)) return; // the outputs stay as they are, which the check finds
    double *const inputs[] = {b.x, NULL, b.norm1, b.wqkv, b.wo, b.norm2, b.wgu, b.wd, b.dy};
    for (size_t i = 0; i < (back ? DY + 1u : Y + 0u); i++)
        if (inputs[i]) load(inputs[i], type, kz_native_pointer(launch, i), list[i].count);
    b.positions = kz_native_pointer(launch, POSITIONS);
    block_model_forward(&b);
    if (back) block_model_backward(&b);
    for (size_t i = back ? GRADIENTS_Y : Y; i < count; i++) {
        const double *out = block_model_output(&b, operation, i);
        for (uint64_t e = 0; e < list[i].count; e++)
            kz_element_set(type, kz_native_pointer(launch, i), e, out[e]);
    }
    block_model_close(&b);
}

#define ENTRY(type, TYPE)                                                                                    \
    static void forward_##type(const kz_native_launch *launch) {                                             \
        compute(launch, KZ_##TYPE, KZ_TRANSFORMER_BLOCK_FORWARD);                                            \
    }                                                                                                        \
    static void gradients_##type(const kz_native_launch *launch) {                                           \
        compute(launch, KZ_##TYPE, KZ_TRANSFORMER_BLOCK_GRADIENTS);                                          \
    }
#define ROW(type)                                                                                            \
    {"transformer_block_native_forward_" #type, forward_##type}, {                                           \
        "transformer_block_native_gradients_" #type, gradients_##type                                        \
    }

ENTRY(f32, F32)
ENTRY(f16, F16)
ENTRY(bf16, BF16)

const kz_native_entry transformer_block_natives[] = {ROW(f32), ROW(f16), ROW(bf16), {0}};
