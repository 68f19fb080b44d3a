// truth: what the simulator says, beside what an NVIDIA GPU does.
//
// The microkernels (micro.c) are one memory access each, of every width and many patterns. The same program
// runs on the GPU, under ncu, and on the simulator, which counts by itself; join.c lays the two side by side.
#ifndef TRUTH_H
#define TRUTH_H

#include "base/base.h"

// ---- micro.c ------------------------------------------------------------------------------------

// MATRIX: ldmatrix and stmatrix, which all lanes execute; a lane's address is that of a row.
typedef enum micro_space { MICRO_GLOBAL, MICRO_SHARED, MICRO_LOCAL, MICRO_MATRIX } micro_space;

// One instruction: MICRO(name, space, bytes, ncu's word for the operation, PTX). In the PTX, %a is the
// address (64 bits; 32 for shared memory), %v and %w are 64-bit registers with a value, %r and %s 32-bit
// ones, %h a 16-bit one; what was loaded must end in %r.
typedef struct micro_op {
    const char *name;
    micro_space space;
    unsigned bytes;
    const char *word;
    const char *ptx;
} micro_op;

// Which addresses the lanes take: offsets from the base.
typedef struct micro_pattern {
    char name[48];
    uint32_t offsets[32];
    uint32_t mask;
} micro_pattern;

enum { MICRO_ROOM = 1 << 20, MICRO_SHARED_ROOM = 40 << 10 };

extern const micro_op micro_ops[];
extern const size_t micro_op_count;

// The patterns for an operation; `patterns` has room for MICRO_PATTERNS.
enum { MICRO_PATTERNS = 48 };
size_t micro_patterns(const micro_op *op, micro_pattern *patterns);

// The module: one kernel per operation, named as it is; the offsets stand in `pattern`, 32 words.
void micro_write(const micro_op *op, base_text *text);

// ---- observed.c ---------------------------------------------------------------------------------

// Between the two the simulated device counts. The second prints "number,metric,value" lines: metrics of
// ncu's whose name contains `only` (NULL: all), and of shared memory the sum over all operations.
typedef struct observe_session observe_session;
kz_status observed_begin(kz_device *device, observe_session **session, kz_error *error);
void observed_end(kz_device *device, observe_session *session, unsigned number, const char *only);

#endif
