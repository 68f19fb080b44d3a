// gemv: tuning constants, with the range that was searched on an H200.
#ifndef GEMV_TUNE_H
#define GEMV_TUNE_H

#define GEMV_GROUP   128 // elements of a row that share a scale: KZ_GEMV_GROUP
#define GEMV_PASS    4   // 02 and 03: tokens that are summed at once
#define GEMV_THREADS 256 // 01 to 03: of a block
#define GEMV_BLOCKS  32  // 02 and 03: per multiprocessor, at most
#define GEMV_PACKS   4   // 03: 16 bytes each, that a lane has in flight

// 04: threads of a multiprocessor, and rows in flight of each: 256 to 2048, 2 4 8 16; packs of a row by thread: 1 2 4.
#define GEMV_REGISTER_THREADS 512
#define GEMV_REGISTER_ROWS    4

// 05: warps of a block, and pieces of each row that a lane has in flight: 4 8 16, 2 4 8.
#define GEMV_DIRECT_WARPS  8
#define GEMV_DIRECT_PIECES 4

// 06 to 08: warps that multiply, 4 8 16, and warps that ask for copies, 1 2 4. The ring has as many stages as fit into the
// blocks' parts of shared memory, 64 to 216 KB, and at most so many. shapes.def has the rest.
#define GEMV_WARPS      8
#define GEMV_FETCHERS   4
#define GEMV_STAGES     8
#define GEMV_RING_BYTES (216 << 10) // of a multiprocessor
#define GEMV_CLUSTER    8           // 07 and 08: blocks that share a unit, at most

#endif
