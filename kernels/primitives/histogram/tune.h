// histogram: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef HISTOGRAM_TUNE_H
#define HISTOGRAM_TUNE_H

#define HISTOGRAM_THREADS 512 // per block, for 01 to 04
#define HISTOGRAM_BLOCKS  4   // 02 to 04: blocks per multiprocessor at most; shared memory may allow fewer

// 05 and 08; to be searched: threads 512 768 1024, blocks 1 2, packs 2 3 4 6, hint KZ_CACHE KZ_STREAM. 1024
// threads x 4 packs x 16 bytes are 64 KB in flight; in vector_add twice as many gain nothing on an H200.
#ifndef HISTOGRAM_VECTOR_THREADS
#define HISTOGRAM_VECTOR_THREADS 1024
#endif
#ifndef HISTOGRAM_VECTOR_BLOCKS
#define HISTOGRAM_VECTOR_BLOCKS 1 // per multiprocessor: they share its shared memory
#endif
#ifndef HISTOGRAM_VECTOR_PACKS
#define HISTOGRAM_VECTOR_PACKS 4 // 16-byte loads in flight per thread, while as many are being counted
#endif
#ifndef HISTOGRAM_NARROW_PACKS
#define HISTOGRAM_NARROW_PACKS 3 // the same for u16 in 07 and 08, where 4 do not fit into 64 registers
#endif
#ifndef HISTOGRAM_VECTOR_LOAD
#define HISTOGRAM_VECTOR_LOAD KZ_CACHE
#endif
// Words of counters in a block at most: rows times copies; to be searched: 10240 20480 40960. Many copies
// keep lanes apart, and have to be cleared and added up. 40960 are 160 KB: 16 copies of 2048 bins, 8 of 4096.
#ifndef HISTOGRAM_VECTOR_WORDS
#define HISTOGRAM_VECTOR_WORDS 40960
#endif

// 06: blocks in a cluster, over which the bins are split: 2 4 8.
#ifndef HISTOGRAM_CLUSTER
#define HISTOGRAM_CLUSTER 2
#endif

// 08: cells of the guide per bin, at least, and at most in all: 1 2 4; 4096 8192 16384.
#ifndef HISTOGRAM_GUIDE_CELLS
#define HISTOGRAM_GUIDE_CELLS 4
#endif
#ifndef HISTOGRAM_GUIDE_MOST
#define HISTOGRAM_GUIDE_MOST 8192
#endif

#endif
