// kz: sm 90a
// hgemm 07: larger tiles by two consumers
//
// Idea     a tile of 128 x 256 needs 1.5 times the bytes of 128 x 128 for twice the products, but its sums, 256 registers per
//          thread of one warpgroup, fit only into two.
// Change   two consumers, 64 x 256 each, share every chunk. While one waits or stores, the other's products run.
// Expect   a third less traffic from L2; wgmma 256 wide reads 80 bytes of shared memory per clock instead of 96.
// Limit    each block ends with its tile: its stores, and the next block's first copies, hide behind nothing (08).

#include "frame.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn> struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_TILE_M,
        TILE_N = HGEMM_TILE_N,
        STAGES = HGEMM_STAGES,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn> shape_##order##_##type;                                               \
    HGEMM_DIRECT(hgemm_two_consumers_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
