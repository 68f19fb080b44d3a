// kz: sm 90a
// gemm_fused 05: one consumer's epilogue under the other's products
//
// Idea     gelu of a tile takes a tenth of the time of its products for k = 4096, and does not need the tensor cores.
// Change   each consumer has a tile of its own, 128 x 128, and they take turns at multiplying.
// Expect   an epilogue that costs nothing as long as it is shorter than a tile's products.
// Limit    smaller tiles: more copies per product. Short k.

#include "frame.cuh"

template <typename E, typename T, bool b_mn> struct ping_pong_shape : problem<T, typename E::Out, b_mn> {
    enum {
        TILE_M = FUSED_PING_PONG_M,
        TILE_N = FUSED_PING_PONG_N,
        STAGES = FUSED_PING_PONG_STAGES,
        CLUSTER_M = 2,
        PING_PONG = true,
        STORE = KZ_STORE_TENSOR,
    };
};

#define KERNEL(name, order, b_mn, type, T)                                                                   \
    FUSED_TENSOR(ping_pong, ping_pong_shape, name, order, b_mn, type, T)
#define KERNELS(name) FUSED_KERNELS(KERNEL, name)
FUSED_PING_PONG(KERNELS)
