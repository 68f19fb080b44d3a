// rope: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search. Not searched yet; as they are they have been timed.
#ifndef ROPE_TUNE_H
#define ROPE_TUNE_H

#define ROPE_THREADS 256 // per block, for all variants

// 04 and 05: heads whose loads a thread has in flight at once. To be searched: 2 4 8.
#ifndef ROPE_HEADS
#define ROPE_HEADS 4
#endif
// 05: heads that a thread serves, at most: rounds of ROPE_HEADS. To be searched: 4 8 16.
#ifndef ROPE_MOST_HEADS
#define ROPE_MOST_HEADS 8
#endif
// 05: threads per multiprocessor, at least, before a thread serves more heads. To be searched: 64 128 256 512.
#ifndef ROPE_FILL
#define ROPE_FILL 128
#endif

#endif
