// gemm: tuning constants, for kernels and plans.
#ifndef GEMM_TUNE_H
#define GEMM_TUNE_H

// 01: a block's tile, four elements per thread.
#define GEMM_UNIVERSAL_SIDE    32
#define GEMM_UNIVERSAL_THREADS 256

// From 02 on: a kernel's flags.
#define GEMM_TENSOR_STORE 1 // rows of c begin at multiples of 16 bytes
#define GEMM_A_SHARED     2 // by all products
#define GEMM_B_SHARED     4

// Rows of c that blocks walk down before they go to the next column. Searched: 512 to 4096.
#define GEMM_GROUP_HEIGHT 2048
// 06 and 07: chunks of 64 along k that a share has at least.
#define GEMM_LEAST_CHUNKS 4
// 08: rows of a, at most. 09: rows of a group, on average, from which on tiles have 128 of them.
#define GEMM_FEW_ROWS   64
#define GEMM_GROUP_ROWS 96

// 22 and 23: parts of k, at most; what adding them takes beside the bytes, in microseconds, and TB/s of L2: guesses, not measured yet.
#define GEMM_MOST_PARTS      64
#define GEMM_PARTS_LAUNCH    3.5
#define GEMM_PARTS_BANDWIDTH 4.0
// The kernel that adds them: threads of a block, and loads of a thread in flight.
#define GEMM_PARTS_THREADS 256
#define GEMM_PARTS_AT_ONCE 8

// 24 and 25: chunks of raw rows, by tile: what fits beside the ring, or as many bytes in flight as 22 has.
#define GEMM_ODD_RAW_STAGES(id_is_large) ((id_is_large) ? 3 : 6)

#endif
