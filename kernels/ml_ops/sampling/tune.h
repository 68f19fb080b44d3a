// sampling: the variants' constants, and what else was thought of. None is measured yet.
#ifndef SAMPLING_TUNE_H
#define SAMPLING_TUNE_H

enum {
    SAMPLING_THREADS = 512,      // 01, 02: of a block that owns a row; 256 to 1024
    SAMPLING_ROW_THREADS = 1024, // 03: of a sample; 512 or 1024
    SAMPLING_GREEDY_THREADS =
        512, // 03: of greedy: two blocks a multiprocessor, 64 KB of loads in flight; 256 to 1024
    SAMPLING_CLUSTER_THREADS = 512, // 04: 256 to 1024
    SAMPLING_CLUSTER = 8,           // 04: blocks of a row; the most that every GPU with clusters takes
    SAMPLING_AHEAD = 4,             // 03, 04: packs of 16 bytes that a thread has in flight; 2 to 8
    SAMPLING_LIST = 2048, // 03, 04: candidates that a search has room for beside the row; 1024 to 4096
    SAMPLING_STATIC_BYTES = 20480, // what 02, 03 and 04 have of shared memory beside rows, rounded up
};

#endif
