// saxpy: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef SAXPY_TUNE_H
#define SAXPY_TUNE_H

#define SAXPY_THREADS 256 // per block, for 01 to 03

// 02: blocks per multiprocessor; 8 of 256 threads fill one.
#define SAXPY_STRIDE_BLOCKS 8

// 04: searched: threads 128 256 512, packs 1 2 4 8, hint KZ_CACHE KZ_STREAM for loads and for stores.
#ifndef SAXPY_UNROLLED_THREADS
#define SAXPY_UNROLLED_THREADS 128
#endif
#ifndef SAXPY_UNROLLED_PACKS
#define SAXPY_UNROLLED_PACKS 2 // 16-byte loads of each input in flight per thread
#endif
#ifndef SAXPY_UNROLLED_LOAD
#define SAXPY_UNROLLED_LOAD KZ_CACHE
#endif
#ifndef SAXPY_UNROLLED_STORE
#define SAXPY_UNROLLED_STORE KZ_CACHE
#endif

#endif
