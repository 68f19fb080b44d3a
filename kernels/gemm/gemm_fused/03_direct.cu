// kz: sm 90a
// gemm_fused 03: fused, any shape
//
// Idea     the sums are in registers when the product is done: apply the steps there.
// Change   the frame of 64 x 128 with the chain between its main loop and its stores, which consumers do themselves. Operands
//          whose rows do not begin at multiples of 16 bytes are copied to the workspace first, rows padded.
// Expect   no byte more than a, b, c and what the epilogue reads.
// Limit    stores of single elements, and tiles half as large as hgemm's.

#include "frame.cuh"
#include "kz/device/pad_rows.cuh"

template <typename E, typename T, bool b_mn> struct direct_shape : problem<T, typename E::Out, b_mn> {
    enum {
        TILE_M = FUSED_DIRECT_M,
        TILE_N = FUSED_DIRECT_N,
        STAGES = FUSED_DIRECT_STAGES,
        CONSUMERS = 1,
    };
};

#define KERNEL(name, order, b_mn, type, T) FUSED_DIRECT(direct, direct_shape, name, order, b_mn, type, T)
#define EPILOGUE(name, ...)                FUSED_KERNELS(KERNEL, name)
#include "epilogues.def"

KZ_ENTRY_BOUNDS(gemm_fused_direct_pad, 256, 8)
(const uint16_t *from, uint16_t *to, size_t outer, size_t inner, size_t padded) {
    kz_pad_rows(from, to, outer, inner, padded);
}
