// gemm_types: tuning constants, for kernels and plans. Rows of a stage have 128 bytes, as those of halves: tiles, stages and
// clusters are the ones that hgemm's search found (hgemm/tune.h), but for what promotion leaves of the registers.
#ifndef GEMM_TYPES_TUNE_H
#define GEMM_TYPES_TUNE_H

// Elements along k, and rows of b, that share a factor.
#define GEMM_TYPES_SCALE_BLOCK 128

// 01: a block's tile, four elements per thread.
#define GEMM_TYPES_CORES_TILE    32
#define GEMM_TYPES_CORES_THREADS 256

// 02 and 04: two consumers. Promoted sums need twice the registers: half the columns, and the stages that fit.
#define GEMM_TYPES_TILE_M          128
#define GEMM_TYPES_TILE_N          256
#define GEMM_TYPES_STAGES          4
#define GEMM_TYPES_PROMOTED_N      128
#define GEMM_TYPES_PROMOTED_STAGES 6
#define GEMM_TYPES_CLUSTER         2
// Rows of tiles that blocks walk down before they go to the next column.
#define GEMM_TYPES_GROUP 8

// 03: a tile for each consumer.
#define GEMM_TYPES_PING_PONG_TILE   128
#define GEMM_TYPES_PING_PONG_STAGES 6

// 04: 64 x 128 by one consumer, or by the blocks of a cluster, each with a part of k; 64 x 64 by more of them.
#define GEMM_TYPES_NARROW_STAGES 8
#define GEMM_TYPES_PAIR          2
#define GEMM_TYPES_SPLIT         4
#define GEMM_TYPES_SPLIT_STAGES  13
#define GEMM_TYPES_LEAST_CHUNKS  4 // of 128 bytes along k, that a block of them has at least
// What they take for the same products, in percent of the large tile: by the bytes that they copy, not measured yet.
#define GEMM_TYPES_NARROW_PERCENT 125
#define GEMM_TYPES_PAIR_PERCENT   150
#define GEMM_TYPES_SPLIT_PERCENT  200

// 04, transposing: tiles of so many packs of 16 bytes on a side, as transpose has them.
#define GEMM_TYPES_TRANSPOSE_CHUNKS  16
#define GEMM_TYPES_TRANSPOSE_THREADS 256
// 04, splitting: tiles of floats.
#define GEMM_TYPES_SPLIT_TILE    32
#define GEMM_TYPES_SPLIT_THREADS 256

// 05: stages of the ring, and rows of tiles that blocks walk down before they go to the next column. Not searched yet.
#define GEMM_TYPES_MMA_STAGES 4
#define GEMM_TYPES_MMA_GROUP  8

#endif
