// kz: sm 90a
// hgemm 12: stream-k
//
// Idea     512 tiles on 132 multiprocessors are four rounds, the last 88% full; 48 tiles leave most of them idle. Tiles need
//          not be whole: k can be shared out as well.
// Change   the first tiles, as many as do not fill rounds, are cut along k into equal shares, one per cluster. Whoever has a
//          tile's first chunk adds the others' partial sums, which they leave in the workspace.
// Expect   all multiprocessors end together, whatever the number of tiles; the same bits in every run.
// Limit    128 KB of partial sums written and read per cut: it pays where k is long, or rounds are few.

#include "frame.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn> struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_TILE_M,
        TILE_N = HGEMM_TILE_N,
        STAGES = HGEMM_STAGES,
        CLUSTER_M = 2,
        STORE = KZ_STORE_TENSOR,
        STREAM_K = true,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn> shape_##order##_##type;                                               \
    HGEMM_STREAM_K(hgemm_stream_k_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
