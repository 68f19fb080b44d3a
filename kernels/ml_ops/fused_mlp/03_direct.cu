// kz: sm 90a
// fused_mlp 03: two kernels, any shape
//
// Idea     bias and activation belong to the product: its sums are in registers when it is done.
// Change   the frame of 64 x 128 with a chain of steps. Rows that do not begin at multiples of 16 bytes are copied to the
//          workspace first, padded; so is the hidden layer, where its rows do not.
// Expect   no byte more than the matrices, and the hidden layer once there and once back.
// Limit    stores of single elements; small tiles.

#include "frame.cuh"
#include "kz/device/pad_rows.cuh"

template <typename T> struct direct_shape : problem<T, T> {
    enum {
        TILE_M = MLP_DIRECT_M,
        TILE_N = MLP_DIRECT_N,
        STAGES = MLP_DIRECT_STAGES,
        CONSUMERS = 1,
    };
};
#define KERNEL(name, type, T) MLP_DIRECT(fused_mlp_direct_##name##_##type, name##_chain, direct_shape<T>, T)
MLP_KERNELS(KERNEL)

KZ_ENTRY_BOUNDS(fused_mlp_direct_pad, 256, 8)
(const uint16_t *from, uint16_t *to, size_t outer, size_t inner, size_t padded) {
    kz_pad_rows(from, to, outer, inner, padded);
}
