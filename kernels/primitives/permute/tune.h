// permute: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef PERMUTE_TUNE_H
#define PERMUTE_TUNE_H

#define PERMUTE_THREADS 256 // per block, for 01 to 03

// 09: the last axis stays: rows of so many bytes are moved as rows. It changes: the shorter one of the two
// axes has so many bytes for small tiles, and for wide ones. Below are boxes.
#ifndef PERMUTE_ROW_BYTES
#define PERMUTE_ROW_BYTES 32
#endif
#ifndef PERMUTE_SMALL_BYTES
#define PERMUTE_SMALL_BYTES 64
#endif
#ifndef PERMUTE_WIDE_BYTES
#define PERMUTE_WIDE_BYTES 160
#endif

// 04 and 09, rows: threads per block, units of 16 bytes in flight per thread. Searched: 128 256 512; 1 2 4 8.
#ifndef PERMUTE_ROWS_THREADS
#define PERMUTE_ROWS_THREADS 256
#endif
#ifndef PERMUTE_ROWS_FLIGHT
#define PERMUTE_ROWS_FLIGHT 4
#endif

// 06 and 09, tiles by the size of an element: packs on a side, threads, blocks on a multiprocessor. SMALL is
// for axes that fill half of a wide tile or less.
#define PERMUTE_WIDE_CHUNKS_1   16
#define PERMUTE_WIDE_THREADS_1  256
#define PERMUTE_WIDE_BLOCKS_1   2
#define PERMUTE_WIDE_CHUNKS_2   16
#define PERMUTE_WIDE_THREADS_2  128
#define PERMUTE_WIDE_BLOCKS_2   5
#define PERMUTE_WIDE_CHUNKS_4   16
#define PERMUTE_WIDE_THREADS_4  256
#define PERMUTE_WIDE_BLOCKS_4   5
#define PERMUTE_WIDE_CHUNKS_8   16
#define PERMUTE_WIDE_THREADS_8  256
#define PERMUTE_WIDE_BLOCKS_8   6
#define PERMUTE_SMALL_CHUNKS_1  8
#define PERMUTE_SMALL_THREADS_1 64
#define PERMUTE_SMALL_BLOCKS_1  8
#define PERMUTE_SMALL_CHUNKS_2  8
#define PERMUTE_SMALL_THREADS_2 64
#define PERMUTE_SMALL_BLOCKS_2  14
#define PERMUTE_SMALL_CHUNKS_4  8
#define PERMUTE_SMALL_THREADS_4 64
#define PERMUTE_SMALL_BLOCKS_4  16
#define PERMUTE_SMALL_CHUNKS_8  8
#define PERMUTE_SMALL_THREADS_8 64
#define PERMUTE_SMALL_BLOCKS_8  16

// 08 and 09, channels: threads per block. Searched: 64 128 256 512.
#ifndef PERMUTE_CHANNELS_THREADS
#define PERMUTE_CHANNELS_THREADS 64
#endif

// 07 and 09, boxes: bytes in a box, threads per block, accesses in flight per thread. Searched: 16384 32768;
// 128 256; 4 8.
#ifndef PERMUTE_BOX_BYTES
#define PERMUTE_BOX_BYTES 16384
#endif
#ifndef PERMUTE_BOX_THREADS
#define PERMUTE_BOX_THREADS 128
#endif
#ifndef PERMUTE_BOX_FLIGHT
#define PERMUTE_BOX_FLIGHT 4
#endif

#endif
