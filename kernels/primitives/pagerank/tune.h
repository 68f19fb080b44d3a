// pagerank: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef PAGERANK_TUNE_H
#define PAGERANK_TUNE_H

#define PAGERANK_THREADS 256 // per block, for 01 to 07
#define PAGERANK_BLOCKS  32  // of those per multiprocessor, in 4 waves

// 03: edges that a thread takes together, after one search for the vertex they belong to. To be searched: 4 8 16 32.
#ifndef PAGERANK_EDGES
#define PAGERANK_EDGES 8
#endif

// 06: edges that a lane should have on average; the lanes of a vertex are the mean degree over this, a power of two. The
// same graph: 1 575 us, 2 512 us, 4 520 us.
#ifndef PAGERANK_PER_LANE
#define PAGERANK_PER_LANE 2
#endif

// 07: threads, items (edges and ends of rows) of each, and blocks that a multiprocessor holds. On an H200 (2026-11-15), for
// a random graph of 2^22 vertices and 2^26 edges: 256 x 5, 8 blocks 645 us; x 7, 8 586 us; x 11, 5 541 us; x 15, 4 527 us;
// 512 x 8, 3 538 us.
#ifndef PAGERANK_MERGE_THREADS
#define PAGERANK_MERGE_THREADS 256
#endif
#ifndef PAGERANK_MERGE_ITEMS
#define PAGERANK_MERGE_ITEMS 15
#endif
#ifndef PAGERANK_MERGE_BLOCKS
#define PAGERANK_MERGE_BLOCKS 4
#endif
// 07: blocks for each that a multiprocessor holds. Items are alike in number, not in time: a share that is in L1 comes sooner.
#ifndef PAGERANK_MERGE_WAVES
#define PAGERANK_MERGE_WAVES 3
#endif
#define PAGERANK_MERGE_TILE (PAGERANK_MERGE_THREADS * PAGERANK_MERGE_ITEMS)

#endif
