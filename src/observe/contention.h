// Where atomics of a launch meet: clocks of L2 by piece of memory, over the whole grid.
//
// A slice of L2 does its atomics one after another; pieces of 512 bytes are spread over the slices. A request costs, for
// each sector it touches, a pass by the number of its words, and what lanes at one address take, one after another. At one
// address even atomics of different warps keep that distance. The clocks are an H200's (kz microbench atomics;
// reduce/01_atomic and 04_warp_shuffle for floats): see contention.c.
#ifndef OBSERVE_CONTENTION_H
#define OBSERVE_CONTENTION_H

#include "sim/sim.h"

enum {
    OBSERVE_ATOMIC_UNIT = 16,  // of the clocks below: parts of one
    OBSERVE_ATOMIC_SLICES = 34 // that work at once, at best
};

typedef struct observe_contention observe_contention;
observe_contention *observe_contention_open(void); // NULL when out of memory
void observe_contention_close(observe_contention *contention);
void observe_contention_begin(observe_contention *contention); // a launch
// What the request costs L2 in all, in units, `gathered` where one lane goes for all; what its slices can do at once is not taken off.
uint64_t observe_contention_add(observe_contention *contention, const sim_access *access, bool gathered);
uint64_t observe_contention_most(const observe_contention *contention); // of the busiest piece, in units

// Floats in shared memory are added by a loop of a load, a sum and a compare-and-swap; other warps disturb it.
bool observe_is_float(const ptx_inst *inst);
// Clocks that lanes of an atomic on shared memory wait for each other.
uint32_t observe_contention_shared(const ptx_inst *inst, const uint64_t *addresses, uint32_t mask);

#endif
