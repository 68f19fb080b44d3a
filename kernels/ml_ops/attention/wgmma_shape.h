// attention: what a launch of the kernels made of wgmma.cuh needs, for the host and the kernels alike.
#ifndef ATTENTION_WGMMA_SHAPE_H
#define ATTENTION_WGMMA_SHAPE_H

#define ATTENTION_SLAB          64 // elements of a row that lie side by side in shared memory: 128 bytes, swizzled
#define ATTENTION_ROWS          64 // queries of a warpgroup
#define ATTENTION_SLABS(d)      (((d) + ATTENTION_SLAB - 1) / ATTENTION_SLAB)
#define ATTENTION_BARRIERS      1024                              // bytes
#define ATTENTION_TILE(keys, d) (ATTENTION_SLABS(d) * (keys)*128) // bytes of a tile of keys or of values

// Dynamic shared memory; 1024 bytes of it for the alignment that the swizzle wants.
#define ATTENTION_SHARED(d, keys, consumers, stages, q_stages)                                               \
    (1024 + ATTENTION_BARRIERS + (q_stages) * (consumers)*ATTENTION_TILE(ATTENTION_ROWS, d) +                \
     2 * (stages)*ATTENTION_TILE(keys, d))

#endif
