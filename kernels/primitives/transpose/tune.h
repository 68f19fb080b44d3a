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

// 08, by the size of an element in bytes. To be searched: chunks (packs on a side of the tile) 8 16 32, threads 64
// 128 256 512, blocks by the registers, group 1 4 16 64, hints.
#ifndef TRANSPOSE_PACKS_CHUNKS_1
#define TRANSPOSE_PACKS_CHUNKS_1 16
#endif
#ifndef TRANSPOSE_PACKS_THREADS_1
#define TRANSPOSE_PACKS_THREADS_1 256
#endif
#ifndef TRANSPOSE_PACKS_BLOCKS_1
#define TRANSPOSE_PACKS_BLOCKS_1 2
#endif
#ifndef TRANSPOSE_PACKS_GROUP_1
#define TRANSPOSE_PACKS_GROUP_1 16
#endif
#ifndef TRANSPOSE_PACKS_CHUNKS_2
#define TRANSPOSE_PACKS_CHUNKS_2 16
#endif
#ifndef TRANSPOSE_PACKS_THREADS_2
#define TRANSPOSE_PACKS_THREADS_2 256
#endif
#ifndef TRANSPOSE_PACKS_BLOCKS_2
#define TRANSPOSE_PACKS_BLOCKS_2 4
#endif
#ifndef TRANSPOSE_PACKS_GROUP_2
#define TRANSPOSE_PACKS_GROUP_2 16
#endif
#ifndef TRANSPOSE_PACKS_CHUNKS_4
#define TRANSPOSE_PACKS_CHUNKS_4 16
#endif
#ifndef TRANSPOSE_PACKS_THREADS_4
#define TRANSPOSE_PACKS_THREADS_4 256
#endif
#ifndef TRANSPOSE_PACKS_BLOCKS_4
#define TRANSPOSE_PACKS_BLOCKS_4 5
#endif
#ifndef TRANSPOSE_PACKS_GROUP_4
#define TRANSPOSE_PACKS_GROUP_4 64
#endif
#ifndef TRANSPOSE_PACKS_CHUNKS_8
#define TRANSPOSE_PACKS_CHUNKS_8 32
#endif
#ifndef TRANSPOSE_PACKS_THREADS_8
#define TRANSPOSE_PACKS_THREADS_8 256
#endif
#ifndef TRANSPOSE_PACKS_BLOCKS_8
#define TRANSPOSE_PACKS_BLOCKS_8 4
#endif
#ifndef TRANSPOSE_PACKS_GROUP_8
#define TRANSPOSE_PACKS_GROUP_8 64
#endif
#ifndef TRANSPOSE_PACKS_LOAD
#define TRANSPOSE_PACKS_LOAD KZ_CACHE
#endif
#ifndef TRANSPOSE_PACKS_STORE
#define TRANSPOSE_PACKS_STORE KZ_CACHE
#endif

// 09, likewise; depth is the number of stages. Shared memory: (depth + 1) tiles per block.
#ifndef TRANSPOSE_STAGES_CHUNKS_1
#define TRANSPOSE_STAGES_CHUNKS_1 8
#endif
#ifndef TRANSPOSE_STAGES_THREADS_1
#define TRANSPOSE_STAGES_THREADS_1 64
#endif
#ifndef TRANSPOSE_STAGES_BLOCKS_1
#define TRANSPOSE_STAGES_BLOCKS_1 4
#endif
#ifndef TRANSPOSE_STAGES_GROUP_1
#define TRANSPOSE_STAGES_GROUP_1 16
#endif
#ifndef TRANSPOSE_STAGES_DEPTH_1
#define TRANSPOSE_STAGES_DEPTH_1 3
#endif
#ifndef TRANSPOSE_STAGES_CHUNKS_2
#define TRANSPOSE_STAGES_CHUNKS_2 16
#endif
#ifndef TRANSPOSE_STAGES_THREADS_2
#define TRANSPOSE_STAGES_THREADS_2 256
#endif
#ifndef TRANSPOSE_STAGES_BLOCKS_2
#define TRANSPOSE_STAGES_BLOCKS_2 2
#endif
#ifndef TRANSPOSE_STAGES_GROUP_2
#define TRANSPOSE_STAGES_GROUP_2 16
#endif
#ifndef TRANSPOSE_STAGES_DEPTH_2
#define TRANSPOSE_STAGES_DEPTH_2 2
#endif
#ifndef TRANSPOSE_STAGES_CHUNKS_4
#define TRANSPOSE_STAGES_CHUNKS_4 16
#endif
#ifndef TRANSPOSE_STAGES_THREADS_4
#define TRANSPOSE_STAGES_THREADS_4 256
#endif
#ifndef TRANSPOSE_STAGES_BLOCKS_4
#define TRANSPOSE_STAGES_BLOCKS_4 3
#endif
#ifndef TRANSPOSE_STAGES_GROUP_4
#define TRANSPOSE_STAGES_GROUP_4 64
#endif
#ifndef TRANSPOSE_STAGES_DEPTH_4
#define TRANSPOSE_STAGES_DEPTH_4 3
#endif
#ifndef TRANSPOSE_STAGES_CHUNKS_8
#define TRANSPOSE_STAGES_CHUNKS_8 32
#endif
#ifndef TRANSPOSE_STAGES_THREADS_8
#define TRANSPOSE_STAGES_THREADS_8 256
#endif
#ifndef TRANSPOSE_STAGES_BLOCKS_8
#define TRANSPOSE_STAGES_BLOCKS_8 2
#endif
#ifndef TRANSPOSE_STAGES_GROUP_8
#define TRANSPOSE_STAGES_GROUP_8 64
#endif
#ifndef TRANSPOSE_STAGES_DEPTH_8
#define TRANSPOSE_STAGES_DEPTH_8 2
#endif
#ifndef TRANSPOSE_STAGES_STORE
#define TRANSPOSE_STAGES_STORE KZ_CACHE
#endif

#endif
