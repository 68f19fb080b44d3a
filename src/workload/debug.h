// A kernel under the debugger of src/debug, in this process: of the zoo, a guest's or a learner's. Whole programs are
// run by workload_run, with KZ_DEBUG in their environment; the runtime library in them opens the debugger.
#ifndef WORKLOAD_DEBUG_H
#define WORKLOAD_DEBUG_H

#include <stdio.h>

#include "workload/workload.h"

typedef struct workload_debug_options {
    const char *gpu, *pattern; // NULL: the default one, and the first case
    uint64_t seed;             // 0: the plain order
    bool optimized;            // as it is built for use: lines, but no variables
    const char *streams;       // where commands come from, as debug_open_streams takes it
    void (*on_quit)(void *context);
    FILE *out; // what is said about the case and its answer
} workload_debug_options;

// `*outcome` is how the run ended: KZ_OK, KZ_WRONG, a fault. An error is none of the kernel's.
kz_status workload_debug(const workload *w, const workload_debug_options *options, kz_status *outcome,
                         kz_error *error);

#endif
