// sgemm: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef SGEMM_TUNE_H
#define SGEMM_TUNE_H

#define SGEMM_THREADS      256 // 01 and 02: 16 x 16 or 8 x 32 elements
#define SGEMM_SHARED_SIDE  32  // 03: tiles of 32 x 32, a thread per element
#define SGEMM_COLUMN_SIDE  64  // 04: tiles of 64 x 64, 8 rows per thread
#define SGEMM_COLUMN_DEPTH 8
#define SGEMM_SQUARE_SIDE  128 // 05 and 06: tiles of 128 x 128, 8 x 8 per thread
#define SGEMM_SQUARE_DEPTH 8

// 07 to 09 share the warp's tile (tile.cuh): 64 rows, 64 columns, 8 x 16 elements per thread.
// What a block has: so many warps down and across, and so many k per chunk.
#define SGEMM_WARP_DOWN   2
#define SGEMM_WARP_ACROSS 2
#define SGEMM_WARP_DEPTH  16
#ifndef SGEMM_WARP_BLOCKS
#define SGEMM_WARP_BLOCKS 2 // 07: per multiprocessor
#endif

// 08: range to search: down x across 2x2 2x4 4x2, blocks 2 (2x2) or 1, depth 8 16 32, stages 2 to 5,
// unroll 1 2 3 (groups of 4 k per iteration of the inner loop), group 4 8 16 32.
#ifndef SGEMM_ASYNC_DOWN
#define SGEMM_ASYNC_DOWN 2
#endif
#ifndef SGEMM_ASYNC_ACROSS
#define SGEMM_ASYNC_ACROSS 2
#endif
#ifndef SGEMM_ASYNC_BLOCKS
#define SGEMM_ASYNC_BLOCKS 2
#endif
#ifndef SGEMM_ASYNC_DEPTH
#define SGEMM_ASYNC_DEPTH 32
#endif
#ifndef SGEMM_ASYNC_STAGES
#define SGEMM_ASYNC_STAGES 3
#endif
#ifndef SGEMM_ASYNC_UNROLL
#define SGEMM_ASYNC_UNROLL 2
#endif

// 09 and 10: the same (unroll to 7: past the instruction cache), and whether rows of b come by bulk copies (1) or by 16-byte ones (0).
#ifndef SGEMM_PRODUCER_DOWN
#define SGEMM_PRODUCER_DOWN 2
#endif
#ifndef SGEMM_PRODUCER_ACROSS
#define SGEMM_PRODUCER_ACROSS 4
#endif
#ifndef SGEMM_PRODUCER_DEPTH
#define SGEMM_PRODUCER_DEPTH 32
#endif
#ifndef SGEMM_PRODUCER_STAGES
#define SGEMM_PRODUCER_STAGES 4
#endif
#ifndef SGEMM_PRODUCER_UNROLL
#define SGEMM_PRODUCER_UNROLL 2
#endif
#ifndef SGEMM_PRODUCER_BULK
#define SGEMM_PRODUCER_BULK 1
#endif

#define SGEMM_PRODUCER_THREADS 128 // beside those that multiply
#define SGEMM_BARRIER_BYTES    128 // before the stages in shared memory
// 10: the tile of 128 x 64.
#ifndef SGEMM_SMALL_BLOCKS
#define SGEMM_SMALL_BLOCKS 2 // per multiprocessor
#endif
#ifndef SGEMM_SMALL_UNROLL
#define SGEMM_SMALL_UNROLL 3
#endif
#ifndef SGEMM_SMALL_PERCENT
#define SGEMM_SMALL_PERCENT 111 // of the time that large tiles take for the same work
#endif

// 11 to 14: blocks of a cluster, at most (what every GPU with clusters runs), and the tickets and flags in the
// module: for tiles x blocks of a cluster, or for blocks that stay.
#define SGEMM_CLUSTER 8
#define SGEMM_TICKETS 4096
#define SGEMM_GROUPS  40 // clusters of a tile, at most
// 12: chunks of a tile that are worth a block's while.
#ifndef SGEMM_STREAM_LEAST
#define SGEMM_STREAM_LEAST 4
#endif
// 11: the tile of 64 x 64.
#define SGEMM_SPLIT_DEPTH  16
#define SGEMM_SPLIT_STAGES 4
#define SGEMM_SPLIT_BLOCKS 4 // per multiprocessor
// 13: a block's threads and how many share a multiprocessor; columns of a block's band, or the floats of a warp's load;
// rows or columns at most; the bytes of shared memory for what a block has of the smaller matrix.
#define SGEMM_VECTOR_THREADS 256
#define SGEMM_VECTOR_BLOCKS  2
#define SGEMM_VECTOR_BAND    128
#define SGEMM_VECTOR_MOST    8
#define SGEMM_VECTOR_BYTES   (32 << 10)
#define SGEMM_PACK_THREADS   256 // 14

// From 07 on: rows of tiles that consecutive blocks go down before the next column: tiles that run together
// should lie in a square, whose rows of a and columns of b are few.
#ifndef SGEMM_GROUP
#define SGEMM_GROUP 16
#endif

// The CPU's ladder. 17: blocks of b that stay in L2 (256 x 256 floats are 256 KiB), rows of c in L1.
#define SGEMM_CPU_BLOCK 256
// 18 and 19: a panel of b, depth x 32, is 24 KiB and stays in L1; a tile of c is so many rows and columns,
// and what it needs of a at a time, 144 x 192, and of b, 192 x 256, stays in L2.
#define SGEMM_CPU_DEPTH        192
#define SGEMM_CPU_TILE_ROWS    144
#define SGEMM_CPU_TILE_COLUMNS 256

#endif
