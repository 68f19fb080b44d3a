// vector_add: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef VECTOR_ADD_TUNE_H
#define VECTOR_ADD_TUNE_H

#define VECTOR_ADD_THREADS 256 // per block, for 01 to 03

// 02: blocks per multiprocessor; 8 of 256 threads fill one.
#define VECTOR_ADD_STRIDE_BLOCKS 8

// 04: searched: threads 128 256 512, packs 1 2 4 8, hint KZ_CACHE KZ_STREAM for loads and for stores.
#ifndef VECTOR_ADD_UNROLLED_THREADS
#define VECTOR_ADD_UNROLLED_THREADS 128
#endif
#ifndef VECTOR_ADD_UNROLLED_PACKS
#define VECTOR_ADD_UNROLLED_PACKS 2 // 16-byte loads of each input in flight per thread
#endif
#ifndef VECTOR_ADD_UNROLLED_LOAD
#define VECTOR_ADD_UNROLLED_LOAD KZ_CACHE
#endif
#ifndef VECTOR_ADD_UNROLLED_STORE
#define VECTOR_ADD_UNROLLED_STORE KZ_CACHE
#endif

#endif
