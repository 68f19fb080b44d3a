// kz: sm 90a
// gemm_types 03: one consumer stores while the other multiplies
//
// Idea     c has two or four bytes where a and b have one: storing it takes as long as a quarter of the products of 4096 x 4096.
// Change   each consumer has a tile of its own, 128 x 128; they take turns with the tensor cores, as in hgemm 11.
// Expect   better than 02 where k is short, worse where it is long: the tile is half as large.
// Limit    promoted sums of 128 x 128 do not fit into a warpgroup's registers.

#include "frame.cuh"

template <typename F> struct ping_pong : problem<F> {
    enum {
        TILE_M = GEMM_TYPES_PING_PONG_TILE,
        TILE_N = GEMM_TYPES_PING_PONG_TILE,
        STAGES = GEMM_TYPES_PING_PONG_STAGES,
        CLUSTER_M = GEMM_TYPES_CLUSTER,
        PING_PONG = true,
        STORE = KZ_STORE_TENSOR,
    };
};

#define PING_PONG(F, out) GEMM_TYPES_TENSOR(gemm_types_ping_pong_##F##_##out, ping_pong<F>)
GEMM_TYPES_PLAIN(PING_PONG)
