// Order that hardware keeps, though PTX does not promise it. It never makes a race disappear; it says how grave one is.
//
// Fences: threads write, fence, and wait at a barrier; then one thread writes a flag for all of them. In the PTX memory
// model a release is a fence and a write of the same thread. Many libraries do it so all the same, and on the other
// side one thread reads the flag, and others fence after a barrier. Where the flag is a ticket, an atomic that tells the
// last of all, the fence after it is often left out, as in the CUDA Programming Guide: the loads wait for what
// the atomic gave. Who polls a flag has no such excuse: an earlier load of the data may still be in L1.
//
// Relaxed accesses: what a thread read before it wrote a word, and whoever saw that word writes again. No GPU takes
// the second value back to the first read.
#include "observe/races.h"

enum { WIDEST = RACES_SCOPES - 1 };

static void absorb(races *self, observe_known **into, observe_known *other) {
    if (other && !observe_known_absorb(into, other)) self->off = true;
}

// ---- a warp ------------------------------------------------------------------------------------------------

// What the lanes did before their fences.
static void add_fenced(races *self, const races_block *block, races_warp *warp) {
    observe_fact facts[RACES_LANES];
    uint32_t count = 0, all = UINT32_MAX;
    for (uint32_t lane = 0; warp->lanes && lane < RACES_LANES; lane++) {
        const races_fence *fence = &warp->lanes[lane].fences[WIDEST];
        if (!fence->clock) continue;
        facts[count++] = (observe_fact){(uint16_t)warp->index, (uint16_t)lane, fence->clock};
        if (fence->block_base - 1 < all) all = fence->block_base - 1;
        if (!lane || fence->known != warp->lanes[lane - 1].fences[WIDEST].known)
            absorb(self, &warp->presumed[RACES_FENCED], fence->known);
    }
    if (!count) return;
    observe_known *known = observe_known_of(self->levels, block->id, all, facts, count);
    if (!known) self->off = true;
    absorb(self, &warp->presumed[RACES_FENCED], known);
    observe_known_drop(known);
}

void observe_races_presume_fence(races *self, races_block *block, races_warp *warp) {
    if (!self->presumes_fences) return;
    block->presumes = warp->has_fenced = true;
    absorb(self, &warp->presumed[RACES_ACQUIRED], warp->presumed[RACES_SEEN]);
}

void observe_races_presume_sync(races *self, const races_block *block, races_warp *warp) {
    if (!warp->has_fenced) return;
    warp->has_fenced = false;
    add_fenced(self, block, warp);
}

void observe_races_presume_barrier(races *self, races_block *block, uint32_t warps) {
    if (!block->presumes) return;
    observe_known *all[RACES_PRESUMPTIONS] = {0};
    for (uint32_t m = warps; m; m &= m - 1) {
        races_warp *warp = &block->warps[__builtin_ctz(m)];
        observe_races_presume_sync(self, block, warp);
        for (int i = 0; i < RACES_PRESUMPTIONS; i++) absorb(self, &all[i], warp->presumed[i]);
    }
    for (uint32_t m = warps; m; m &= m - 1)
        for (int i = 0; i < RACES_PRESUMPTIONS; i++)
            absorb(self, &block->warps[__builtin_ctz(m)].presumed[i], all[i]);
    for (int i = 0; i < RACES_PRESUMPTIONS; i++) observe_known_drop(all[i]);
}

void observe_races_presume_nothing(races_warp *warp) {
    for (int i = 0; i < RACES_PRESUMPTIONS; i++) observe_known_drop(warp->presumed[i]);
}

// ---- flags -------------------------------------------------------------------------------------------------

bool observe_races_has_presumed(const races *self, const races_warp *warp) {
    return self->presumes_relaxed || warp->presumed[RACES_FENCED];
}

void observe_races_presume_write(races *self, const races_block *block, const races_warp *warp, uint32_t lane,
                                 races_release *release) {
    absorb(self, &release->fenced, warp->presumed[RACES_FENCED]);
    if (!self->presumes_relaxed) return;
    observe_known *known = observe_races_knowledge(self, block, warp, UINT32_C(1) << lane);
    absorb(self, &release->relaxed, known);
    absorb(self, &release->relaxed, warp->presumed[RACES_RELAXED]);
    observe_known_drop(known);
}

void observe_races_presume_read(races *self, races_block *block, races_warp *warp,
                                const races_release *release, bool is_ticket) {
    if (self->presumes_fences) {
        if (is_ticket) {
            absorb(self, &warp->presumed[RACES_TICKET], release->fenced);
            absorb(self, &warp->presumed[RACES_TICKET], release->known[WIDEST]);
        }
        absorb(self, &warp->presumed[RACES_SEEN], release->fenced);
        absorb(self, &warp->presumed[RACES_SEEN], release->known[WIDEST]);
        absorb(self, &warp->presumed[RACES_RELEASED], release->known[WIDEST]);
    }
    absorb(self, &warp->presumed[RACES_RELAXED], release->relaxed);
    block->presumes = true;
}

// ---- asking ------------------------------------------------------------------------------------------------

bool observe_races_presumes(const races_warp *warp, races_presumption which, uint32_t who, uint32_t clock) {
    const observe_known *known = warp->presumed[which];
    return known && observe_known_holds(known, who >> 10, who >> 5 & 31, who & 31, clock);
}
