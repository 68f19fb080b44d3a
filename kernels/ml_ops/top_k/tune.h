// top_k: the variants' constants, and what else was thought of. None is measured yet.
#ifndef TOP_K_TUNE_H
#define TOP_K_TUNE_H

enum {
    TOP_K_THREADS = 256,        // of a block that owns a row: 01, 03; 128 to 1024
    TOP_K_SORT_THREADS = 512,   // 02: two elements a thread at 1024 columns; 256 to 1024
    TOP_K_LANES = 32,           // of a warp, for the plans
    TOP_K_WARPS = 4,            // 04: rows of a block; 2 to 8
    TOP_K_WARP_LIST = 256,      // 04: survivors that a warp has room for: twice TOP_K_WARP_MOST
    TOP_K_WARP_MOST = 128,      // 04: the greatest k
    TOP_K_FILTER_THREADS = 512, // 05, 06: 256 to 1024
    TOP_K_FILTER_GROUPS = 4,    // 05, 06: whose maxima a thread keeps
    TOP_K_CLUSTER = 8,          // 06: blocks of a row; the most that every GPU with clusters takes
    TOP_K_LIST = 512,           // 05, 06: the least room for survivors; else four times k's power of two
    TOP_K_STATIC_BYTES = 1088,  // 03, 05: shared memory besides candidates, at most
};

#endif
