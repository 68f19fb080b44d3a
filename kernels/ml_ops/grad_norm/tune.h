// grad_norm: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef GRAD_NORM_TUNE_H
#define GRAD_NORM_TUNE_H

// Not searched yet: taken from reduce, whose loads are the same. To search: threads 256 512, packs 2 4 8, blocks 2 4.
#ifndef GRAD_NORM_THREADS
#define GRAD_NORM_THREADS 256 // of a block
#endif
#ifndef GRAD_NORM_PACKS
#define GRAD_NORM_PACKS 4 // 16-byte loads in flight per thread
#endif
#ifndef GRAD_NORM_BLOCKS
#define GRAD_NORM_BLOCKS 4 // 03 to 06: per multiprocessor
#endif

#endif
