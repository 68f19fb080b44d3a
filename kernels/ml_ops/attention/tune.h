// attention: the shapes of the tiles, read by the kernels and by the plans that launch them.
// Not searched yet: no GPU has timed them.
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

// 11 to 13: queries and keys of a tile. Of 128 elements they are 96 KB as floats, with the results: L2.
#define ATTENTION_CPU_QUERIES 32
#define ATTENTION_CPU_KEYS    64
#define ATTENTION_CPU_BLOCKS  4 // 13, for each core

#endif
