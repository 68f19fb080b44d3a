// kz: sm 90a
// hgemm 09: clusters with multicast
//
// Idea     two blocks whose tiles lie above one another need the same chunk of b: fetch it once, for both.
// Change   clusters of two blocks; each fetches half of b's chunk and sends it to both; a stage is empty when the consumers
//          of both are done with it.
// Expect   a third less traffic from L2: 32 KB per block and chunk instead of 48.
// Limit    consumers write c by 4 bytes per lane, and multiply nothing meanwhile (10).

#include "frame.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn> struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_TILE_M,
        TILE_N = HGEMM_TILE_N,
        STAGES = HGEMM_STAGES,
        CLUSTER_M = 2,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn> shape_##order##_##type;                                               \
    HGEMM_DIRECT(hgemm_cluster_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
