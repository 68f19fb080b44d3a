// gemm_sparse: tuning constants, for kernels and plans.
#ifndef GEMM_SPARSE_TUNE_H
#define GEMM_SPARSE_TUNE_H

// 01: a block's tile, four elements per thread.
#define GEMM_SPARSE_CORES_TILE    32
#define GEMM_SPARSE_CORES_THREADS 256

// 02: two consumers. A stage is 64 of k: per 128 rows of a 9 KB, metadata included, per 128 of b 16 KB. Not searched yet.
#define GEMM_SPARSE_STAGES       4 // 128 x 256
#define GEMM_SPARSE_SMALL_STAGES 7 // 128 x 128
#define GEMM_SPARSE_CLUSTER      2 // tiles of 128 x 256, one above the other, that share b's chunks
// Rows of tiles that blocks walk down before they go to the next column.
#define GEMM_SPARSE_GROUP 8
// What 128 x 128 takes for the same products, in percent of 128 x 256: it copies a once more.
#define GEMM_SPARSE_SMALL_PERCENT 115

#endif
