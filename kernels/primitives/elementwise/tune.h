// elementwise: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef ELEMENTWISE_TUNE_H
#define ELEMENTWISE_TUNE_H

#define ELEMENTWISE_THREADS 256 // per block, for 01 and 02

// 03 and 04: searched: threads 128 256 512, packs 1 2 4 8, hint KZ_CACHE KZ_STREAM for loads and for stores.
#ifndef ELEMENTWISE_UNROLLED_THREADS
#define ELEMENTWISE_UNROLLED_THREADS 128
#endif
#ifndef ELEMENTWISE_UNROLLED_PACKS
#define ELEMENTWISE_UNROLLED_PACKS 4 // 16-byte loads in flight per thread
#endif
#ifndef ELEMENTWISE_UNROLLED_LOAD
#define ELEMENTWISE_UNROLLED_LOAD KZ_CACHE
#endif
#ifndef ELEMENTWISE_UNROLLED_STORE
#define ELEMENTWISE_UNROLLED_STORE KZ_CACHE
#endif

#endif
