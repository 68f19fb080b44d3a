// fused_mlp: tuning constants, for kernels and plans.
#ifndef FUSED_MLP_TUNE_H
#define FUSED_MLP_TUNE_H

#define MLP_WARPS 4 // of a block, in 01 and in the second kernels of 02

// The products of 02.
#define MLP_TILE_M 128
#define MLP_TILE_N 256
#define MLP_STAGES 4

// 03: small tiles for any shape.
#define MLP_DIRECT_M      64
#define MLP_DIRECT_N      128
#define MLP_DIRECT_STAGES 8

// 04: a tile for each consumer, as gemm_fused 05.
#define MLP_PING_PONG_M      128
#define MLP_PING_PONG_N      128
#define MLP_PING_PONG_STAGES 6

// Rows of tiles that blocks walk down before they go to the next column.
#define MLP_GROUP 8

#endif
