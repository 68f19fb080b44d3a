// Branches around barriers: where one side of a branch comes to a barrier, the other does not, and both sides reconverge
// before the kernel ends, a thread that takes the other side goes past the barrier. The same for instructions at which
// lanes of a warp wait for each other.
//
// What is around the rest of a kernel is left in peace: there the other side is an early return. Lanes that are waited
// for must do more than that: a side with stores of its own is none.
#ifndef OBSERVE_GUARDS_H
#define OBSERVE_GUARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum { OBSERVE_GUARDS = 32, OBSERVE_GUARD_LANES = 32 };

typedef struct observe_guards observe_guards;

// One lane at one of the branches: how often it came by, and which way it went the last 64 times.
typedef struct observe_rounds {
    uint64_t past; // bit i: i times before the last one it went past the barrier
    uint32_t count;
} observe_rounds;

bool observe_is_barrier(const ptx_inst *inst); // for a whole block: bar.sync, bar.red and their like
// The instructions that may follow `at`: at most `room` of them are written.
uint32_t observe_successors(const ptx_function *f, uint32_t at, uint32_t *to, uint32_t room);

// Around the barriers of blocks, or where lanes wait for each other; NULL where there are none, or nobody knows.
typedef enum observe_guarded { OBSERVE_GUARDED_BARRIERS, OBSERVE_GUARDED_LANES } observe_guarded;
observe_guards *observe_guards_open(const ptx_function *f, observe_guarded guarded);
void observe_guards_close(observe_guards *guards);
uint32_t observe_guards_count(const observe_guards *guards);

// Lanes of a warp come by `inst`, which need not be one of the branches; `rounds` are [guards][32], the warp's own.
void observe_guards_branch(const observe_guards *guards, observe_rounds *rounds, const ptx_inst *inst,
                           uint32_t mask, uint32_t taken);
// Of the lanes in `others` those that went past `barrier` in the round in which `lane`, who waits there, did not;
// 0 for none. `branch` is where they diverged, `ends`: the sides do not reconverge before the kernel ends.
uint32_t observe_guards_past(const observe_guards *guards, const observe_rounds *rounds,
                             const ptx_inst *barrier, uint32_t lane, uint32_t others, const ptx_inst **branch,
                             bool *ends);

#endif
