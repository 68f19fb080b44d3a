// reduce_axis: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef REDUCE_AXIS_TUNE_H
#define REDUCE_AXIS_TUNE_H

#define REDUCE_AXIS_THREADS 256  // per block, for 01 to 05 and the second stage
#define REDUCE_AXIS_BLOCKS  8    // blocks per multiprocessor of that size; 8 fill one
#define REDUCE_AXIS_PIECES  1024 // 05 and 07: pieces that n is split into, at most

// 06 and 07, rows: 16-byte loads in flight per thread, threads per block, blocks per multiprocessor, waves of
// them at most (1000000: a tile per block), hint. Searched on an H200 with rows of 16 and of 256 floats: packs
// 2 4 8 (a power of two), threads 128 256 512, waves 4 8 1000000, KZ_CACHE KZ_STREAM. A tile per block takes 3%
// less time than 4 waves for both; streams less than cached lines for 256, 235 us and 248, and for 16, 258 and 261.
#ifndef REDUCE_AXIS_PACKS
#define REDUCE_AXIS_PACKS 4
#endif
#ifndef REDUCE_AXIS_ROW_THREADS
#define REDUCE_AXIS_ROW_THREADS 256
#endif
#ifndef REDUCE_AXIS_ROW_BLOCKS
#define REDUCE_AXIS_ROW_BLOCKS 4
#endif
#ifndef REDUCE_AXIS_ROW_WAVES
#define REDUCE_AXIS_ROW_WAVES 1000000
#endif
#ifndef REDUCE_AXIS_LOAD
#define REDUCE_AXIS_LOAD KZ_STREAM
#endif
// 07 and 08: a segment of more bytes than this has a block of its own (to be searched: 4096 8192 16384 32768); where
// those are few, each of its pieces, of as many bytes at least.
#ifndef REDUCE_AXIS_WARP_BYTES
#define REDUCE_AXIS_WARP_BYTES 8192
#endif
#define REDUCE_AXIS_PIECE_BYTES 16384
#define REDUCE_AXIS_SPLIT_BYTES                                                                              \
    (8 << 20) // that blocks more could read meanwhile, where rows are worth pieces
// 07: the threads of such a block, at least and at most, packs of each in flight, blocks per multiprocessor of the
// largest, hint. Searched on an H200: threads 128 256 512 1024, packs 4 8 16, KZ_CACHE KZ_STREAM. Rows of 2500 floats want
// 128 threads (221 us, 228 with 256), of 16384 512, of 65536 1024 (232 us, 240 with 128). After memory was written, rows
// of 4096 take 245 us with plain loads and 257 with streams; after it was read, both take 236.
#ifndef REDUCE_AXIS_TEAM_LEAST
#define REDUCE_AXIS_TEAM_LEAST 128
#endif
#ifndef REDUCE_AXIS_TEAM_THREADS
#define REDUCE_AXIS_TEAM_THREADS 1024
#endif
#ifndef REDUCE_AXIS_TEAM_PACKS
#define REDUCE_AXIS_TEAM_PACKS 4
#endif
#ifndef REDUCE_AXIS_TEAM_BLOCKS
#define REDUCE_AXIS_TEAM_BLOCKS 2
#endif
#ifndef REDUCE_AXIS_TEAM_LOAD
#define REDUCE_AXIS_TEAM_LOAD KZ_CACHE
#endif
#define REDUCE_AXIS_TEAM_STATUSES 4096 // blocks that have a piece of a row, at most
// 08: packs of a lane in flight (a power of two; to be searched: 4 8), blocks per multiprocessor of the kernel for rows
// (4 3 2) and of that with a block per row (8 7 6), and the threads of that.
#ifndef REDUCE_AXIS_FIND_PACKS
#define REDUCE_AXIS_FIND_PACKS 8
#endif
#ifndef REDUCE_AXIS_FIND_BLOCKS
#define REDUCE_AXIS_FIND_BLOCKS 3
#endif
#ifndef REDUCE_AXIS_FIND_TEAM_THREADS
#define REDUCE_AXIS_FIND_TEAM_THREADS 128
#endif
#ifndef REDUCE_AXIS_FIND_TEAM_BLOCKS
#define REDUCE_AXIS_FIND_TEAM_BLOCKS 6
#endif
// 07: short rows that begin anywhere go through a tile of this many bytes; to be searched: 8192 16384 32768.
#ifndef REDUCE_AXIS_RAGGED_BYTES
#define REDUCE_AXIS_RAGGED_BYTES 16384
#endif
#ifndef REDUCE_AXIS_RAGGED_WAVES
#define REDUCE_AXIS_RAGGED_WAVES 4 // of 6 blocks per multiprocessor
#endif
// 05, 07 and 08, columns: rows in flight per thread; to be searched: 2 4 8. 07: hint of the loads, and blocks per
// multiprocessor. Plain loads take 1 to 3% longer than streams cold, and 4 to 5% less after memory was written.
#ifndef REDUCE_AXIS_ROWS
#define REDUCE_AXIS_ROWS 4
#endif
#ifndef REDUCE_AXIS_COLUMN_LOAD
#define REDUCE_AXIS_COLUMN_LOAD KZ_CACHE
#endif
#define REDUCE_AXIS_COLUMN_BLOCKS 4
// Blocks per multiprocessor that a split over n aims at; to be searched: 4 8 16.
#ifndef REDUCE_AXIS_SPLIT_BLOCKS
#define REDUCE_AXIS_SPLIT_BLOCKS 8
#endif

#endif
