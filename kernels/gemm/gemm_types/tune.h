// gemm_types: tuning constants, for kernels and plans. Tiles are those that hgemm's search found for halves; a row of a stage
// has 128 bytes here too.
#ifndef GEMM_TYPES_TUNE_H
#define GEMM_TYPES_TUNE_H

// 01: a block's tile, four elements per thread.
#define GEMM_TYPES_CORES_TILE    32
#define GEMM_TYPES_CORES_THREADS 256

#endif
