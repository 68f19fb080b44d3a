// A kernel that may begin before the one before it has ended (programmatic stream serialization): which of its warps
// have waited for that one, by griddepcontrol.wait themselves or by a barrier after another's.
#include "observe/streams_overlap.h"

#include <stdlib.h>

void observe_overlap_begin(observe_overlap *overlap, const sim_launch *launch) {
    uint32_t blocks = 1;
    for (int i = 0; i < 3; i++) blocks *= launch->grid[i] ? launch->grid[i] : 1;
    observe_overlap_end(overlap);
    overlap->blocks = calloc(blocks, sizeof *overlap->blocks);
    overlap->count = overlap->blocks ? blocks : 0;
}

void observe_overlap_end(observe_overlap *overlap) {
    free(overlap->blocks);
    *overlap = (observe_overlap){0};
}

void observe_overlap_sync(observe_overlap *overlap, const sim_sync *sync) {
    if (sync->at.block >= overlap->count || sync->at.warp >= 32) return;
    overlap_block *block = &overlap->blocks[sync->at.block];
    uint32_t warp = UINT32_C(1) << sync->at.warp;
    if (sync->kind == SIM_GRID_WAIT) block->waited |= warp;
    if (sync->is_barrier && sync->kind == SIM_ARRIVE && block->waited & warp) block->is_handed = true;
    if (sync->is_barrier && sync->kind == SIM_PASS && block->is_handed) block->waited |= warp;
}

bool observe_overlap_is_early(const observe_overlap *overlap, const sim_event *at) {
    return at->block < overlap->count && at->warp < 32 &&
           !(overlap->blocks[at->block].waited >> at->warp & 1);
}
