// kz: sm 90a
// hgemm 11: ping-pong
//
// Idea     let each consumer have a tile of its own, and take turns: one multiplies while the other stores.
// Change   tiles of 128 x 128 per consumer; two named barriers say whose turn it is.
// Expect   no epilogue is seen, however short k is; smaller tiles also fit small matrices.
// Limit    128 x 128 tiles: a third more traffic from L2 and shared memory than 10, which wins where k is long.

#include "frame.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn> struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_PING_PONG_M,
        TILE_N = HGEMM_PING_PONG_N,
        STAGES = HGEMM_PING_PONG_STAGES,
        CLUSTER_M = 2,
        PING_PONG = true,
        STORE = KZ_STORE_TENSOR,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn> shape_##order##_##type;                                               \
    HGEMM_TENSOR(hgemm_ping_pong_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
