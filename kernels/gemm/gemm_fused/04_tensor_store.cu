// kz: sm 90a
// gemm_fused 04: c by a tensor map
//
// Idea     hgemm 10 leaves its sums in shared memory for a tensor map to store. The steps come before, 64 columns at a time, so
//          that the copy of one part runs under the arithmetic of the next.
// Change   tiles of 128 x 256 in clusters of two; stmatrix; where columns are gated, lanes first exchange neighbours.
// Expect   c in whole lines, and the speed of hgemm 10 less the arithmetic of the epilogue.
// Limit    both consumers reach their epilogue at once, and the tensor cores wait (05).

#include "frame.cuh"

template <typename E, typename T, bool b_mn> struct tensor_shape : problem<T, typename E::Out, b_mn> {
    enum {
        TILE_M = FUSED_TILE_M,
        TILE_N = FUSED_TILE_N,
        STAGES = FUSED_STAGES,
        CLUSTER_M = 2,
        STORE = KZ_STORE_TENSOR,
    };
};

#define KERNEL(name, order, b_mn, type, T)                                                                   \
    FUSED_TENSOR(tensor_store, tensor_shape, name, order, b_mn, type, T)
#define EPILOGUE(name, ...) FUSED_KERNELS(KERNEL, name)
#include "epilogues.def"
