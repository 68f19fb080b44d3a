// kz: sm 90a
// gemm_types 02: hgemm's frame
//
// Idea     a chunk of hgemm's ring is 128 bytes of k, whatever the elements: 32 floats, 64 halves, 128 bytes.
// Change   tiles of 128 x 256, clusters of two, tensor maps in and out, as hgemm 10. A tensor map rounds floats to tf32 as it copies
//          them. Formats that promote add the sums of each chunk to a second set in f32, times the scales of its blocks; that
//          takes twice the registers, and tiles of 128 x 128.
// Expect   bytes twice as many products per chunk as halves, floats half as many, at the same bytes per second.
// Limit    order nt, rows of whole 16 bytes. Of a sum of fp8, Hopper's tensor cores keep 14 bits.

#include "frame.cuh"

template <typename F> struct cluster : problem<F> {
    enum {
        TILE_M = GEMM_TYPES_TILE_M,
        TILE_N = F::PROMOTE ? GEMM_TYPES_PROMOTED_N : GEMM_TYPES_TILE_N,
        STAGES = F::PROMOTE ? GEMM_TYPES_PROMOTED_STAGES : GEMM_TYPES_STAGES,
        CLUSTER_M = GEMM_TYPES_CLUSTER,
        STORE = KZ_STORE_TENSOR,
    };
};

#define CLUSTER(F, out) GEMM_TYPES_TENSOR(gemm_types_cluster_##F##_##out, cluster<F>)
GEMM_TYPES_SINGLE(CLUSTER)
