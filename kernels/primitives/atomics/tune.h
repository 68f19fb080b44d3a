// atomics: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef ATOMICS_TUNE_H
#define ATOMICS_TUNE_H

#define ATOMICS_THREADS 256 // per block, for all

#ifndef ATOMICS_BLOCKS
#define ATOMICS_BLOCKS 8 // per multiprocessor, for 01, 02, 04 and 05; 8 fill one
#endif
// 03 and 06 to 09: the same where threads try again and again, and more of them are only in each other's way. To be
// searched: 1 2 4 8.
#ifndef ATOMICS_RETRY_BLOCKS
#define ATOMICS_RETRY_BLOCKS 2
#endif
// 07 and 09: nanoseconds of the first and the longest sleep before the lock is looked at again; 08: of the sleep for
// each one that is before us. To be searched: 20 100 500; 500 2000 8000; 0 100 500 1000.
#ifndef ATOMICS_SLEEP_FIRST
#define ATOMICS_SLEEP_FIRST 50
#endif
#ifndef ATOMICS_SLEEP_MOST
#define ATOMICS_SLEEP_MOST 2000
#endif
#ifndef ATOMICS_SLEEP_EACH
#define ATOMICS_SLEEP_EACH 200
#endif
// 05: rounds of a block between two appends to the queue. To be searched: 1 4 8 16.
#ifndef ATOMICS_APPEND_ROUNDS
#define ATOMICS_APPEND_ROUNDS 8
#endif

#endif
