// reduce: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef REDUCE_TUNE_H
#define REDUCE_TUNE_H

#define REDUCE_THREADS       256 // per block, for 01 to 05
#define REDUCE_STRIDE_BLOCKS 8   // 05: blocks per multiprocessor; 8 of 256 threads fill one

// 06 to 08: searched: threads 256 512 1024, blocks 1 2 4 8 (2048 threads at most), waves 1 2 4 8, packs 2 4 8, hint
// KZ_CACHE KZ_STREAM. Streams are as fast where L2 holds what was only read. They are slower where it holds what was
// written (511 us for 2^29 floats, plain loads 484), and keep nothing for a second reduction of a small input
// (notebook/2026-11-16-h200-conditions.md).
#ifndef REDUCE_VECTOR_THREADS
#define REDUCE_VECTOR_THREADS 512
#endif
#ifndef REDUCE_VECTOR_BLOCKS
#define REDUCE_VECTOR_BLOCKS 2 // per multiprocessor
#endif
#ifndef REDUCE_VECTOR_WAVES
#define REDUCE_VECTOR_WAVES 1 // grids that fill the GPU in one launch: more even out slow multiprocessors
#endif
#ifndef REDUCE_VECTOR_PACKS
#define REDUCE_VECTOR_PACKS 8 // 16-byte loads in flight per thread
#endif
#ifndef REDUCE_VECTOR_LOAD
#define REDUCE_VECTOR_LOAD KZ_CACHE
#endif
// 08 and 09: blocks at most (each has a tile status), and statuses a lane polls at once; searched: 4 9. 9 x 32 lanes
// are all of the 264 blocks that fill an H200. The threads of a block where the input is small, and the packs of a
// thread from which on a multiprocessor has more than one block.
#define REDUCE_EPOCH_BLOCKS   1024
#define REDUCE_EPOCH_STATUSES 9
#define REDUCE_EPOCH_THREADS  128
#define REDUCE_EPOCH_PACKS    16   // half of it for the half types, which have more to add in a pack
#define REDUCE_EPOCH_ALONE    2048 // packs that one block has to itself
#ifndef REDUCE_DEPENDENT_PACKS
#define REDUCE_DEPENDENT_PACKS 4 // 09's, which has the small inputs; half of it for the half types
#endif

#endif
