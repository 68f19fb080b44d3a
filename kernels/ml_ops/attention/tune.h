// attention: the shapes of the tiles, read by the kernels and by the plans that launch them. Those of 09 were searched on an H200
// (notebook/attention.md), the others not.
#ifndef ATTENTION_TUNE_H
#define ATTENTION_TUNE_H

// The fused kernels are compiled for these dimensions; what is between them is filled with zeros.
#define ATTENTION_MOST_DIMENSION 256

// 02, by dimension (64, 128, 256): queries of a block, keys of a tile, and bytes of shared memory: queries, then keys or values,
// in rows that are 4 floats longer, and weights in rows of WEIGHTS floats. At most 64 KB, which is what sm_75 has.
#define ATTENTION_TILED_THREADS    128
#define ATTENTION_TILED_QUERIES(d) ((d) <= 128 ? 64 : 32) // to be searched: 32 64 128
#define ATTENTION_TILED_KEYS(d)    ((d) <= 64 ? 64 : (d) <= 128 ? 32 : 16)
#define ATTENTION_TILED_PITCH(d)   ((d) + 4)
#define ATTENTION_TILED_WEIGHTS(d) ((d) <= 128 ? ATTENTION_TILED_KEYS(d) + 16 : ATTENTION_TILED_KEYS(d))
#define ATTENTION_TILED_BYTES(d)                                                                             \
    (4 * ((ATTENTION_TILED_QUERIES(d) + ATTENTION_TILED_KEYS(d)) * ATTENTION_TILED_PITCH(d) +                \
          ATTENTION_TILED_QUERIES(d) * ATTENTION_TILED_WEIGHTS(d)))

// 03 and 04, by dimension (64, 96, 128, 256): blocks of 16 queries of a warp, queries of a block of four warps, keys of a tile, and
// bytes of shared memory: queries, and keys and values for each stage. At most 96 KB, which a block may have from sm_80 on.
#define ATTENTION_MMA_THREADS 128
#define ATTENTION_MMA_BLOCKS(d)                                                                              \
    ((d) <= 128 ? 2 : 1) // results of 2 x 256 floats are all the registers of a warp's thread
#define ATTENTION_MMA_QUERIES(d) (64 * ATTENTION_MMA_BLOCKS(d))
#define ATTENTION_MMA_KEYS(d)    ((d) <= 128 ? 64 : 32) // to be searched: 32 64 128
#define ATTENTION_MMA_BYTES(d, stages)                                                                       \
    (2 * (d) * (ATTENTION_MMA_QUERIES(d) + 2 * (stages)*ATTENTION_MMA_KEYS(d)))
#define ATTENTION_MMA_STAGES 2 // 04. To be searched: 2 3

// ---- Hopper's rungs, 05 to 09: consumers of 64 queries each, keys of a tile, stages of the ring ----------------

// A multiprocessor has 227 KB and 65536 registers. Of a consumer's thread the sums take dimension / 2 registers, the scores keys /
// 2 and the weights keys / 4; three consumers may have 160 each, two 240.

// 05: one warpgroup to a block. 64 keys leave room for three blocks of 128 elements, 128 for two. Considered: 64, 128.
#ifndef ATTENTION_SINGLE_KEYS_64
#define ATTENTION_SINGLE_KEYS_64 128
#endif
#ifndef ATTENTION_SINGLE_KEYS
#define ATTENTION_SINGLE_KEYS 64
#endif

// 06: 128 queries.
#ifndef ATTENTION_PAIR_KEYS
#define ATTENTION_PAIR_KEYS 128
#endif

// From 07 on. Of 64 elements: 192 queries x 128 keys; considered 128 x 128 and 192 x 192, whose weights do not fit beside
// the scores.
#ifndef ATTENTION_KEYS_64
#define ATTENTION_KEYS_64 128
#endif
#ifndef ATTENTION_CONSUMERS_64
#define ATTENTION_CONSUMERS_64 3
#endif
// Of 96: 128 x 128; considered 192 x 144, which needs 156 registers for sums, scores and weights alone.
#ifndef ATTENTION_KEYS_96
#define ATTENTION_KEYS_96 128
#endif
// Of 128: where no query's keys end before another's, 176 keys fill shared memory; under a causal mask 128, of which the edges
// waste less, and also where there are few keys, for the next queries land early beside them. Searched: 80 to 176.
#ifndef ATTENTION_KEYS_128
#define ATTENTION_KEYS_128 128
#endif
#ifndef ATTENTION_FULL_KEYS_128
#define ATTENTION_FULL_KEYS_128 176
#endif
#ifndef ATTENTION_FULL_FROM_128
#define ATTENTION_FULL_FROM_128 4097 // timed: 2048 and 8192
#endif
// Of 256: what two stages leave.
#ifndef ATTENTION_KEYS_256
#define ATTENTION_KEYS_256 80
#endif
#ifndef ATTENTION_STAGES
#define ATTENTION_STAGES 2
#endif

// Weights may grow to 2 to this power before sums are scaled anew. Searched: 0, 8, which is 0 to 5% faster; f16 ends at 2^16.
#ifndef ATTENTION_LAG
#define ATTENTION_LAG 8.0f
#endif

// 09: bytes of keys and values that blocks work on at the same time: what an L2 of 50 MB holds beside queries and results. Considered:
// 16 to 40 MB.
#ifndef ATTENTION_SECTION
#define ATTENTION_SECTION (32 << 20)
#endif

// ---- the CPU's rungs ---------------------------------------------------------------------------------------

// 11 to 13: queries and keys of a tile. Of 128 elements they are 96 KB as floats, with the results: L2.
#define ATTENTION_CPU_QUERIES 32
#define ATTENTION_CPU_KEYS    64
#define ATTENTION_CPU_BLOCKS  4 // 13, for each core

#endif
