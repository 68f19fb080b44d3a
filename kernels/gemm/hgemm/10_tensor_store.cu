// kz: sm 90a
// hgemm 10: c by a tensor map
//
// Idea     a consumer should leave its sums somewhere and go on. stmatrix puts them into shared memory, swizzled, and a
//          tensor map's copy brings them to c while the next tile is multiplied.
// Change   two buffers of 64 x 64 for each consumer; it waits only for the copy before the last.
// Expect   stores in whole lines, and an epilogue of a microsecond.
// Limit    what is left of the epilogue, and tiles that do not divide by the multiprocessors (11 to 13).

#include "frame.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn> struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_TILE_M,
        TILE_N = HGEMM_TILE_N,
        STAGES = HGEMM_STAGES,
        CLUSTER_M = 2,
        STORE = KZ_STORE_TENSOR,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn> shape_##order##_##type;                                               \
    HGEMM_TENSOR(hgemm_tensor_store_##order##_##type, shape_##order##_##type)
HGEMM_LADDER(KERNEL)
