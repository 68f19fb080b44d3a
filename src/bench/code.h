// bench/code: what the kernel of a candidate is made of: resources, occupancy, and the size of its code.
//
// A plan may have several launches. This is of the widest, the one with the most threads: it does the work, and the
// others prepare or finish it. Unknown is -1, never 0.
#ifndef BENCH_CODE_H
#define BENCH_CODE_H

#include "kz/plan.h"

typedef struct bench_code {
    int launches;         // of the plan; 0: there is no kernel, and all that follows is unknown
    int threads;          // of a block
    int registers;        // of a thread
    int64_t shared_bytes; // of a block, static and dynamic
    int64_t local_bytes;  // of a thread: what spilled, and arrays in local memory
    // Blocks and warps that a multiprocessor holds at once; -1 on the CPU. Without registers an upper bound.
    int blocks, warps;
    double occupancy; // those warps, of what it could hold; NAN where unknown
    const char
        *limit; // what allows no more: "registers", "shared memory", "warps", "blocks"; "" where unknown
    int64_t code_bytes; // of machine code
    int64_t ptx_instructions;
} bench_code;

// Makes machine code of PTX for this architecture, where somebody can (the bench has no compiler): false where not.
// The code is for the caller to free.
typedef struct bench_assembler {
    bool (*assemble)(void *context, const char *name, const char *ptx, int sm, void **code, size_t *size);
    void *context;
} bench_assembler;

bench_code bench_code_unknown(void);
// Of the plan's kernels in `module`, which was loaded from `image`. `assembler` may be NULL.
bench_code bench_code_of(kz_device *device, kz_module *module, const kz_image *image, const kz_plan *plan,
                         const bench_assembler *assembler);

// The instructions in the body of a kernel's PTX; -1 where the text has no such kernel.
int64_t bench_ptx_instructions(const char *ptx, const char *entry);

#endif
