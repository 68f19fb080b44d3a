// kz: sm 90a
// hgemm 08: blocks that stay, in an order that suits L2
//
// Idea     a block per multiprocessor that takes tile after tile: the producer copies the next tile's chunks while the
//          consumers store. And tiles in flight should share rows of a and columns of b.
// Change   the plan alone: one block per multiprocessor, tiles walked down 8 rows before the next column. The kernel is 07's.
// Expect   no start-up between tiles; 132 tiles in flight read 1024 rows of a and 17 columns of tiles of b.
// Limit    every multiprocessor still fetches every chunk by itself (09).

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
    HGEMM_DIRECT(hgemm_persistent_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
