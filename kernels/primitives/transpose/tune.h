// transpose: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef TRANSPOSE_TUNE_H
#define TRANSPOSE_TUNE_H

#define TRANSPOSE_THREADS 256 // per block, for 01 to 06

// 07: searched: group 1 4 8 16 32 64, blocks 4 6 8, hint KZ_CACHE KZ_STREAM for loads and for stores.
#define TRANSPOSE_VECTOR_TILE    64  // rows and columns; 16 chunks of 4
#define TRANSPOSE_VECTOR_THREADS 256 // 4 x 4 elements each
#ifndef TRANSPOSE_VECTOR_GROUP
#define TRANSPOSE_VECTOR_GROUP 64 // rows of tiles that consecutive blocks go down before the next column
#endif
#ifndef TRANSPOSE_VECTOR_BLOCKS
#define TRANSPOSE_VECTOR_BLOCKS 6 // at least so many on a multiprocessor: caps the registers
#endif
#ifndef TRANSPOSE_VECTOR_LOAD
#define TRANSPOSE_VECTOR_LOAD KZ_CACHE
#endif
#ifndef TRANSPOSE_VECTOR_STORE
#define TRANSPOSE_VECTOR_STORE KZ_CACHE
#endif

// 08, by the size of an element in bytes: packs of 16 bytes on a side of the tile, threads, blocks on a
// multiprocessor. Searched (notebook/2026-11-15-h200-transpose.md): chunks 8 16 32, threads 64 to 1024,
// blocks by the registers, groups as in 07 from 1 to all, streaming stores.
#define TRANSPOSE_WIDE_CHUNKS_1  16
#define TRANSPOSE_WIDE_THREADS_1 256
#define TRANSPOSE_WIDE_BLOCKS_1  2
#define TRANSPOSE_WIDE_CHUNKS_2  16
#define TRANSPOSE_WIDE_THREADS_2 128
#define TRANSPOSE_WIDE_BLOCKS_2  5
#define TRANSPOSE_WIDE_CHUNKS_4  16
#define TRANSPOSE_WIDE_THREADS_4 256
#define TRANSPOSE_WIDE_BLOCKS_4  5
#define TRANSPOSE_WIDE_CHUNKS_8  16
#define TRANSPOSE_WIDE_THREADS_8 256
#define TRANSPOSE_WIDE_BLOCKS_8  6

#endif
