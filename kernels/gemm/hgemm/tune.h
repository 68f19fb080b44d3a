// hgemm: tuning constants, for kernels and plans, with what was searched (H200, 2026-11-18).
#ifndef HGEMM_TUNE_H
#define HGEMM_TUNE_H

#include "gemm/mma_shape.h" // 02 to 04

// 01: a block of four warps, 32 x 32 each.
#define HGEMM_WMMA_TILE 64

#define HGEMM_MMA_STAGES 4 // 04

// 05 and 06: one warpgroup multiplies.
#define HGEMM_WGMMA_TILE    128
#define HGEMM_SINGLE_STAGES 5

// From 07 on: two consumers, 64 x 256 each. Searched: 128 x 256, 256 x 128, 256 x 192, 128 x 192, 128 x 128, 64 x 256;
// 3 and 4 stages; clusters of 1, 2 and 4.
#define HGEMM_TILE_M 128
#define HGEMM_TILE_N 256
#define HGEMM_STAGES 4

// Rows of tiles, of clusters where there are, that blocks walk down before they go to the next column. Searched: 4, 8,
// 16, 32: 16384 x 16384 gains 3% from 8 clusters over 4.
#define HGEMM_GROUP 8

// 11: a tile for each consumer.
#define HGEMM_PING_PONG_M      128
#define HGEMM_PING_PONG_N      128
#define HGEMM_PING_PONG_STAGES 6

// 15: rows of a tile, and its columns: of the first ones, and of the last. Widths that were looked at, by how full the rounds are at
// 3072 to 16384: 192, 200 and 208 with 64 to 160.
#define HGEMM_TALL_M      256
#define HGEMM_TALL_STAGES 3
#define HGEMM_WIDE_N      192
#define HGEMM_WIDEST_N    208 // of a K-major b: slabs of 64 do not divide it
#define HGEMM_NARROW_N    128

// 14: a block's tile, four elements per thread.
#define HGEMM_CORES_TILE 32

// 12 and 13: chunks of 64 along k that a share has at least.
#define HGEMM_LEAST_CHUNKS 4

// 13, stages by kind: what fits into 227 KB beside the buffers for c.
#define HGEMM_SMALL_STAGES  6  // 128 x 128, two consumers
#define HGEMM_NARROW_STAGES 8  // 64 x 128
#define HGEMM_FEW_STAGES    13 // 64 x 64 and 64 x 16
#define HGEMM_SPLIT         4  // blocks of a cluster that share a tile. Searched: 2, 4, 8
// What a kind takes for the same products, in percent of 128 x 256: the copies of smaller tiles.
#define HGEMM_WIDE_PERCENT   100
#define HGEMM_SMALL_PERCENT  105
#define HGEMM_NARROW_PERCENT 125

#endif
