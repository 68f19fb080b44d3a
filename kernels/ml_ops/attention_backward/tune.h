// Tuning constants of attention_backward, for kernels and plans.
#ifndef ATTENTION_BACKWARD_TUNE_H
#define ATTENTION_BACKWARD_TUNE_H

// 02 and 03: X(dimension up to, keys of a tile, queries of a tile). Four rows of floats for each and two matrices of pairs stay
// within the 64 KB that a block has on sm_75; not searched, no GPU has timed them yet.
#define RECOMPUTE_THREADS 256
#define RECOMPUTE_TILES(X, ...)                                                                              \
    X(32, 32, 32, __VA_ARGS__)                                                                               \
    X(64, 32, 32, __VA_ARGS__) X(128, 16, 16, __VA_ARGS__) X(256, 16, 8, __VA_ARGS__)
#define RECOMPUTE_SHARED_BYTES(dimension, keys, queries)                                                     \
    (4 * (2 * ((keys) + (queries)) * ((dimension) + 1) + 2 * (queries) * ((keys) + 1) + 2 * (queries)))

// 04 and 05: X(dimension up to, keys of a tile, queries of a tile). Eight warps have 16 keys each, or at 256 columns two warps the
// same 16 keys and half of the columns. The most that fits into 163 KB, with 64 keys' sums in at most 128 registers; not searched.
#define BACKWARD_MMA_THREADS 256
#define BACKWARD_MMA_TILES(X, ...)                                                                           \
    X(64, 128, 64, __VA_ARGS__)                                                                              \
    X(96, 128, 64, __VA_ARGS__) X(128, 128, 32, __VA_ARGS__) X(256, 64, 32, __VA_ARGS__)
#define BACKWARD_MMA_SHARED_BYTES(dimension, keys, queries)                                                  \
    (2 * (2 * (keys) * ((dimension) + 8) + 4 * (queries) * ((dimension) + 8) + (keys) * ((queries) + 8)) +   \
     2 * 8 * (queries))

// 06 to 08: X(dimension up to, queries of a tile). Tiles of 128 keys, two warpgroups of 64; dq in chunks of 64 queries x 64 columns, one for
// each warpgroup. With two stages 177 KB and 162 KB, 16 KB and 32 KB more in 08; not searched.
#define BACKWARD_WGMMA_KEYS               128
#define BACKWARD_WGMMA_CHUNK              64
#define BACKWARD_WGMMA_STAGES             2
#define BACKWARD_WGMMA_THREADS            384
#define BACKWARD_WGMMA_PRODUCER_REGISTERS 24
#define BACKWARD_WGMMA_CONSUMER_REGISTERS 240
#define BACKWARD_WGMMA_TILES(X, ...)      X(64, 128, __VA_ARGS__) X(128, 64, __VA_ARGS__)
#define BACKWARD_WGMMA_SHARED_BYTES(d, queries, slopes)                                                      \
    (1024 + 2 * BACKWARD_WGMMA_KEYS * (d)*2 + (slopes)*BACKWARD_WGMMA_KEYS * (queries)*2 +                   \
     2 * BACKWARD_WGMMA_CHUNK * 64 * 4 + BACKWARD_WGMMA_STAGES * (2 * (queries) * (d)*2 + (queries)*8) +     \
     8 * (1 + 2 * BACKWARD_WGMMA_STAGES))

// 11 to 13: tiles of queries and keys of a core. At 128 columns five tiles of keys and two of queries take 200 KB, an L2's worth; not
// searched.
#define BACKWARD_CPU_QUERIES 32
#define BACKWARD_CPU_KEYS    64

#endif
