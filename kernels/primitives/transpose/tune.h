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

#endif
