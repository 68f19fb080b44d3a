// adamw: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef ADAMW_TUNE_H
#define ADAMW_TUNE_H

// Not searched yet: these are reasoned (README.md). To search: threads 128 256 512, packs 1 2 4, blocks 2 to 8.
#ifndef ADAMW_THREADS
#define ADAMW_THREADS 256 // of a block
#endif
#ifndef ADAMW_PACKS
#define ADAMW_PACKS 2 // 04 to 06: packs of each array that a thread has in flight
#endif
#ifndef ADAMW_BLOCKS
#define ADAMW_BLOCKS                                                                                         \
    3 // 04 to 07: per multiprocessor; what registers are given for, and the grid of 06 and 07
#endif
#ifndef ADAMW_STAGES
#define ADAMW_STAGES 4 // 07: tiles of 16 kB that a block has in its ring
#endif
#define ADAMW_STAGE_BYTES                                                                                    \
    (ADAMW_THREADS * 64) // a pack of four arrays for each thread: less with master weights

#endif
