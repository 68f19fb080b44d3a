// reduce_segments: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef REDUCE_SEGMENTS_TUNE_H
#define REDUCE_SEGMENTS_TUNE_H

#define REDUCE_SEGMENTS_THREADS 256 // per block, for 01 to 03
#define REDUCE_SEGMENTS_BLOCKS  32  // of those per multiprocessor, in 4 waves

// 04: threads, and items (elements and ends of segments) that a thread walks over; an odd number spreads its steps
// over the banks. To be searched: threads 128 256 512, items 7 11 15 19 23, blocks per multiprocessor 2 to 8.
#ifndef REDUCE_SEGMENTS_MERGE_THREADS
#define REDUCE_SEGMENTS_MERGE_THREADS 256
#endif
#ifndef REDUCE_SEGMENTS_MERGE_ITEMS
#define REDUCE_SEGMENTS_MERGE_ITEMS 15
#endif
#ifndef REDUCE_SEGMENTS_MERGE_BLOCKS
#define REDUCE_SEGMENTS_MERGE_BLOCKS 4
#endif
#define REDUCE_SEGMENTS_MERGE_TILE (REDUCE_SEGMENTS_MERGE_THREADS * REDUCE_SEGMENTS_MERGE_ITEMS)

// 05: threads per block, blocks per multiprocessor, and items that are worth a warp. Of 192 x 4, 224 x 5 and 256 x 4 the
// second was the fastest on an H200 for segments of 16, 256 and 4096.
#ifndef REDUCE_SEGMENTS_FLAGS_THREADS
#define REDUCE_SEGMENTS_FLAGS_THREADS 224
#endif
#ifndef REDUCE_SEGMENTS_FLAGS_BLOCKS
#define REDUCE_SEGMENTS_FLAGS_BLOCKS 5
#endif
#define REDUCE_SEGMENTS_FLAGS_ITEMS 640
// 05 and 06: what segments come to takes the place of a tile's elements in shared memory (but for half types), which makes
// room for more warps: 2 to 4% in 06.
#ifndef REDUCE_SEGMENTS_FLAGS_INSTEAD
#define REDUCE_SEGMENTS_FLAGS_INSTEAD 1
#endif
// 05 and 06: tiles of a warp in shared memory, all but one on their way.
#ifndef REDUCE_SEGMENTS_FLAGS_STAGES
#define REDUCE_SEGMENTS_FLAGS_STAGES 2
#endif
// 06: tiles of a warp's range: fewer where those would not fill the GPU, more where there would be more blocks than tile
// statuses. Searched: 4 8 24, of which each was better than the one before.
#ifndef REDUCE_SEGMENTS_IN_ORDER_TILES
#define REDUCE_SEGMENTS_IN_ORDER_TILES 24
#endif
#define REDUCE_SEGMENTS_IN_ORDER_BLOCKS 16384

// 07: warps that fold, packs of a lane (3 of the half types), tiles in flight, offsets in the ring beside them, blocks per
// multiprocessor. To be searched: warps 8 to 28, packs 5 7, stages 2 to 5, ends 2048 4096 8192, blocks 1 2 3.
#ifndef REDUCE_SEGMENTS_RING_WARPS
#define REDUCE_SEGMENTS_RING_WARPS 10
#endif
#ifndef REDUCE_SEGMENTS_RING_PACKS
#define REDUCE_SEGMENTS_RING_PACKS 7
#endif
#ifndef REDUCE_SEGMENTS_RING_STAGES
#define REDUCE_SEGMENTS_RING_STAGES 2
#endif
#ifndef REDUCE_SEGMENTS_RING_ENDS
#define REDUCE_SEGMENTS_RING_ENDS 4096
#endif
#ifndef REDUCE_SEGMENTS_RING_PAGE
#define REDUCE_SEGMENTS_RING_PAGE 512 // offsets that come by one copy
#endif
#ifndef REDUCE_SEGMENTS_RING_EVICT
#define REDUCE_SEGMENTS_RING_EVICT 1 // what is the first to leave L2: 1 elements, 2 offsets too
#endif
// A block's first tiles, 130 MB of all blocks, are read as usual: they make L2 write back what is dirty, which
// lines that leave first do not displace. Searched: 0 7 10 14 20 28; after memory was written, segments of 256 take 266,
// 258, 255, 254, 254 and 255 us, after it was read 243, 245, 246, 246, 247 and 247.
#ifndef REDUCE_SEGMENTS_RING_PLAIN
#define REDUCE_SEGMENTS_RING_PLAIN 14
#endif
#ifndef REDUCE_SEGMENTS_RING_BLOCKS
#define REDUCE_SEGMENTS_RING_BLOCKS 2
#endif
// 08 has more to do for each tile, and one block with all the memory of a multiprocessor. Segments of 8, 16, 256 and 4096
// took 461, 358, 263 and 249 us so, 465, 366, 275 and 253 with 07's numbers. Searched: blocks 1 2, warps 7 to 22, stages 2
// 3 4, packs 5 7, ends 4096 8192.
#ifndef REDUCE_SEGMENTS_INDEX_WARPS
#define REDUCE_SEGMENTS_INDEX_WARPS 18
#endif
#ifndef REDUCE_SEGMENTS_INDEX_STAGES
#define REDUCE_SEGMENTS_INDEX_STAGES 2
#endif
#ifndef REDUCE_SEGMENTS_INDEX_ENDS
#define REDUCE_SEGMENTS_INDEX_ENDS 8192
#endif
#ifndef REDUCE_SEGMENTS_INDEX_BLOCKS
#define REDUCE_SEGMENTS_INDEX_BLOCKS 1
#endif
#define REDUCE_SEGMENTS_RING_STATUSES       1024 // blocks, at most
#define REDUCE_SEGMENTS_RING_THREADS(warps) (((warps) + 3) * 32)
// Elements of a chunk. A stage has one for each warp; after the stages is room for as many values of `kept` bytes.
#define REDUCE_SEGMENTS_RING_CHUNK(size) (((size) == 2 ? 3 : REDUCE_SEGMENTS_RING_PACKS) * 512 / (size))
#define REDUCE_SEGMENTS_RING_SHARED(size, warps, stages, kept)                                               \
    ((warps)*REDUCE_SEGMENTS_RING_CHUNK(size) * ((size) * (stages) + (kept)))

// 09: threads per block, at least and at most, 16-byte loads of each in flight, rounds of them that make a piece at least,
// helpers in all. Searched on an H200: at least 64 128, at most 256 512 1024, pieces of 32 KB to 16 MB.
#define REDUCE_SEGMENTS_SPLIT_LEAST   64
#define REDUCE_SEGMENTS_SPLIT_THREADS 512
#define REDUCE_SEGMENTS_SPLIT_PACKS   4
#define REDUCE_SEGMENTS_SPLIT_ROUNDS  4
#define REDUCE_SEGMENTS_SPLIT_HELPERS 4096

#endif
