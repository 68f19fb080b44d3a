// What a test can see of the fake libcuda: it finds `fake_cuda_now` with dlsym.
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>

typedef struct fake_cuda_launch {
    char name[64];
    unsigned grid[3], block[3], shared_bytes;
    unsigned attribute_count, cooperative, overlap, cluster[3];
} fake_cuda_launch;

typedef struct fake_cuda_state {
    int retained;      // retains of the primary context less releases
    int resets;        // of the primary context
    int live_contexts; // others
    int live_allocations, live_modules, live_streams, live_events, live_graphs, live_execs;
    int live_registrations; // of host memory
    int live_imports;       // of memory by a handle
    size_t live_bytes;
    int loaded_sm; // of the machine code loaded last; 0 where it was PTX
    int loads;     // of modules
    int compiled;  // those that were PTX
    int dynamic_shared_allowed;
    int large_clusters_allowed;
    int uploads;
    unsigned capture_mode; // of the last capture
    fake_cuda_launch last; // the last launch that ran
    int launches;          // that ran, in graphs too
    int param_questions;   // how often cuFuncGetParamInfo was asked
    double rest; // seconds that the next wait for the whole context takes, as for work in other streams
    // What ran since a test emptied it, a letter each: f fill, m copy, r the bench's read, c its copy, k another kernel,
    // e an event, x what another context does, | one or more waits for one.
    char order[256];
} fake_cuda_state;

#endif
