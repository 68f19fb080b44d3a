// kz: sm 90
// gemm_types 05: doubles
//
// Idea     Hopper's tensor cores multiply doubles as fast as its CUDA cores multiply floats, by mma.sync: wgmma has no doubles.
// Change   hgemm 04's tiles of 128 x 128 and ring of cp.async; a chunk is 8 of k. A lane takes two neighbours along k of a row: one
//          load of 16 bytes. Blocks walk down eight rows of tiles before they go to the next column, for L2.
// Expect   mma.m16n8k8's rate. m8n8k4, which sm_80 has, does less than half of it on an H200.
// Limit    64 x 32 sums of a warp are 128 of its registers: one block per multiprocessor. Odd rows go by single elements.

#include "gemm/mma_tile.cuh"
#include "tune.h"

// Tiles in the order in which blocks take them.
static __device__ __forceinline__ void place_tile(size_t m, size_t n, size_t &row, size_t &column) {
    const size_t group = GEMM_TYPES_MMA_GROUP;
    size_t down = (m + SIDE - 1) / SIDE, across = (n + SIDE - 1) / SIDE;
    size_t above = blockIdx.x / (group * across) * group, at = blockIdx.x % (group * across);
    size_t rows = min(down - above, group);
    row = (above + at % rows) * SIDE;
    column = at / rows * SIDE;
}

#define MMA(order, a_mn, b_mn)                                                                               \
    KZ_ENTRY_BOUNDS(gemm_types_mma_##order##_f64_f64, THREADS, 1)                                            \
    (const double *a, const double *b, double *c, size_t m, size_t n, size_t k) {                            \
        size_t row, column;                                                                                  \
        place_tile(m, n, row, column);                                                                       \
        multiply_async<GEMM_TYPES_MMA_STAGES, double, double, double, a_mn, b_mn>(a, b, c, m, n, k, row,     \
                                                                                  column);                   \
    }
MMA(nn, false, true)
MMA(nt, false, false)
MMA(tn, true, true)
MMA(tt, true, false)
