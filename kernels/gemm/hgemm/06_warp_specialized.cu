// kz: sm 90a
// hgemm 06: a warp that copies, a warpgroup that multiplies
//
// Idea     whoever waits for a copy should not be the one who multiplies. One thread does nothing but ask for chunks.
// Change   the frame (kz/device/gemm.cuh): a ring of five stages, two barriers each, one producer, one consumer; registers
//          move from the producer's warps to the consumer's.
// Expect   copies hide behind products: the consumer finds its chunk there.
// Limit    128 x 128: each chunk is 32 KB for 512 clocks of products, more than L2 delivers to all multiprocessors (07).

#include "frame.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn> struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_WGMMA_TILE,
        TILE_N = HGEMM_WGMMA_TILE,
        STAGES = HGEMM_SINGLE_STAGES,
        CONSUMERS = 1,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn> shape_##order##_##type;                                               \
    HGEMM_DIRECT(hgemm_warp_specialized_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
