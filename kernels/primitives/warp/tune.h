// warp: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef WARP_TUNE_H
#define WARP_TUNE_H

#define WARP_THREADS         256 // per block, for 01 to 05
#define WARP_PRODUCT_THREADS 128 // the same for products: 02 has 8 KiB of shared memory for each warp

// 06: threads per block and blocks per multiprocessor, how often the grid is dealt out, packs in flight per lane
// of the scans (2 4 8), rows in flight of match and distinct (2 4 8), hint of the loads and stores. To be
// searched: threads 128 256 512, blocks so that threads x blocks is 512 1024 2048, waves 1 2 4 8 and 1000000 (a
// tile per warp), hint KZ_CACHE KZ_STREAM.
#ifndef WARP_VECTOR_THREADS
#define WARP_VECTOR_THREADS 256
#endif
#ifndef WARP_VECTOR_BLOCKS
#define WARP_VECTOR_BLOCKS 4
#endif
#ifndef WARP_VECTOR_WAVES
#define WARP_VECTOR_WAVES 4
#endif
#ifndef WARP_SCAN_PACKS
#define WARP_SCAN_PACKS 4
#endif
#ifndef WARP_MATCH_ROWS
#define WARP_MATCH_ROWS 8
#endif
#ifndef WARP_HINT
#define WARP_HINT KZ_STREAM
#endif
// 06, products: blocks of WARP_PRODUCT_THREADS per multiprocessor (3 4 5): 96 registers hold three tiles.
#ifndef WARP_PRODUCT_BLOCKS
#define WARP_PRODUCT_BLOCKS 4
#endif

#endif
