// dropout: the tuning constants, read by the kernels and by the plans that launch them.
#ifndef DROPOUT_TUNE_H
#define DROPOUT_TUNE_H

#define DROPOUT_THREADS 256 // per block

// 05. Not searched yet: threads 128 256 512, pairs 1 2 4, blocks 2 to 8.
#define DROPOUT_PERSISTENT_PAIRS  2 // of packs, that a thread loads before it uses the first
#define DROPOUT_PERSISTENT_BLOCKS 4 // on a multiprocessor

#endif
