// Which warps of a kernel that overlaps the one before it have waited for that one.
#ifndef OBSERVE_STREAMS_OVERLAP_H
#define OBSERVE_STREAMS_OVERLAP_H

#include "sim/sim.h"

typedef struct overlap_block {
    uint32_t waited; // bit i: warp i
    bool is_handed;  // a warp that has waited came to a barrier
} overlap_block;

typedef struct observe_overlap {
    overlap_block *blocks; // NULL: the kernel overlaps none
    uint32_t count;
} observe_overlap;

void observe_overlap_begin(observe_overlap *overlap, const sim_launch *launch);
void observe_overlap_end(observe_overlap *overlap);
void observe_overlap_sync(observe_overlap *overlap, const sim_sync *sync);
bool observe_overlap_is_early(const observe_overlap *overlap, const sim_event *at); // it has not waited

#endif
