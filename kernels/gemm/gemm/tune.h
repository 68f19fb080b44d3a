// gemm: tuning constants, for kernels and plans.
#ifndef GEMM_TUNE_H
#define GEMM_TUNE_H

// 01: a block's tile, four elements per thread.
#define GEMM_UNIVERSAL_SIDE    32
#define GEMM_UNIVERSAL_THREADS 256

#endif
