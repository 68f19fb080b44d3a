// kz: sm 90a
// fused_mlp 04: two kernels, epilogues under products
//
// Idea     an activation does not need the tensor cores: let one consumer apply it while the other multiplies.
// Change   tiles of 128 x 128 for each consumer, in clusters of two; results leave by tensor maps.
// Expect   both products at the speed of hgemm 11.
// Limit    the hidden layer goes by way of L2 and DRAM: it is as large as a tile's columns times all rows of w2.

#include "frame.cuh"

template <typename T> struct ping_pong_shape : problem<T, T> {
    enum {
        TILE_M = MLP_PING_PONG_M,
        TILE_N = MLP_PING_PONG_N,
        STAGES = MLP_PING_PONG_STAGES,
        CLUSTER_M = 2,
        PING_PONG = true,
        STORE = KZ_STORE_TENSOR,
    };
};
#define KERNEL(name, type, T)                                                                                \
    MLP_TENSOR(fused_mlp_ping_pong_##name##_##type, name##_chain, ping_pong_shape<T>, T)
MLP_KERNELS(KERNEL)
