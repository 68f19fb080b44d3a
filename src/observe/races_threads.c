// Blocks and warps as the race detector sees them: who has synchronised with whom.
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"

// ---- what a lane knows -----------------------------------------------------------------------------------

static bool holds(const observe_known *known, uint32_t who, unsigned kind, uint32_t clock) {
    return observe_known_holds(known, who >> 10, kind * RACES_WARPS + (who >> 5 & 31), who & 31, clock);
}

static bool holds_again(const observe_known *known, uint32_t who, unsigned kind, uint32_t clock,
                        races_memo *memo) {
    if (kind == RACES_PRODUCT || kind == RACES_ISSUED) who &= ~UINT32_C(31); // known of all lanes, or of none
    races_answer *kept = &memo->kept[(who ^ who >> 3 ^ kind * 37 ^ clock) % RACES_ANSWERS];
    if (kept->life != memo->life || kept->known != known || kept->who != who || kept->kind != kind ||
        kept->clock != clock)
        *kept = (races_answer){known, memo->life, who, kind, clock, holds(known, who, kind, clock)};
    return kept->holds;
}

bool observe_races_knows(const races_block *block, const races_warp *warp, uint32_t lane, uint32_t who,
                         unsigned kind, uint32_t clock, races_memo *memo) {
    uint32_t other = who >> 10, index = who >> 5 & 31, other_lane = who & 31;
    if (kind == RACES_THREAD && other == block->id) {
        if (clock < block->base) return true;
        if (index == warp->index) {
            if (other_lane == lane || clock < warp->base) return true;
            if (warp->met && clock <= warp->met[lane][other_lane]) return true;
        }
    }
    bool own = other == block->id && index == warp->index && other_lane == lane;
    if (own && kind != RACES_THREAD && kind < RACES_TRACKED && clock <= warp->waited[kind]) return true;
    const observe_known *known = warp->lane_known ? warp->lane_known[lane] : warp->known;
    if (!known) return false;
    return memo ? holds_again(known, who, kind, clock, memo) : holds(known, who, kind, clock);
}

// ---- handing over ----------------------------------------------------------------------------------------

// The facts of one warp: its lanes `mask` up to `clock`, all of it before its base, what the lanes synchronised with.
static observe_known *own_facts(races *self, const races_block *block, const races_warp *warp, uint32_t mask,
                                uint32_t block_base, uint32_t warp_base, uint32_t clock,
                                const uint32_t *const met[RACES_LANES]) {
    observe_fact facts[RACES_LANES + 1];
    uint32_t count = 0;
    uint16_t slot = (uint16_t)warp->index;
    if (mask == warp->live) {
        facts[count++] = (observe_fact){slot, OBSERVE_ALL_LANES, clock};
    } else {
        for (uint32_t lane = 0; lane < RACES_LANES; lane++) {
            uint32_t upto = mask >> lane & 1 ? clock : 0;
            for (uint32_t m = mask; met && m; m &= m - 1) {
                const uint32_t *row = met[__builtin_ctz(m)];
                if (row && row[lane] > upto) upto = row[lane];
            }
            if (upto >= warp_base) facts[count++] = (observe_fact){slot, (uint16_t)lane, upto};
        }
        if (warp_base > block_base) facts[count++] = (observe_fact){slot, OBSERVE_ALL_LANES, warp_base - 1};
    }
    observe_known *known = observe_known_of(self->levels, block->id, block_base - 1, facts, count);
    if (!known) self->off = true;
    return known;
}

static void absorb(races *self, observe_known **into, observe_known *other) {
    if (!observe_known_absorb(into, other)) self->off = true;
}

// The copies that all lanes of the warp have waited for, as far as the lanes of `mask` started them.
static void absorb_waited(races *self, const races_block *block, const races_warp *warp, uint32_t mask,
                          observe_known **into) {
    observe_fact facts[RACES_LANES * RACES_TRACKED];
    uint32_t count = 0;
    for (unsigned kind = RACES_COPY; kind < RACES_TRACKED; kind++) {
        uint16_t slot = (uint16_t)(kind * RACES_WARPS + warp->index);
        if (!warp->waited[kind]) continue;
        if (mask == warp->live) facts[count++] = (observe_fact){slot, OBSERVE_ALL_LANES, warp->waited[kind]};
        for (uint32_t m = mask == warp->live ? 0 : mask; m; m &= m - 1)
            facts[count++] = (observe_fact){slot, (uint16_t)__builtin_ctz(m), warp->waited[kind]};
    }
    if (!count) return;
    observe_known *known = observe_known_of(self->levels, block->id, 0, facts, count);
    if (!known) self->off = true;
    absorb(self, into, known);
    observe_known_drop(known);
}

observe_known *observe_races_knowledge(races *self, const races_block *block, const races_warp *warp,
                                       uint32_t mask) {
    const uint32_t *rows[RACES_LANES];
    for (uint32_t i = 0; i < RACES_LANES; i++) rows[i] = warp->met ? warp->met[i] : NULL;
    observe_known *known =
        own_facts(self, block, warp, mask, block->base, warp->base, self->now, warp->met ? rows : NULL);
    absorb_waited(self, block, warp, mask, &known);
    if (!warp->lane_known) {
        absorb(self, &known, warp->known);
        return known;
    }
    for (uint32_t m = mask; m; m &= m - 1) absorb(self, &known, warp->lane_known[__builtin_ctz(m)]);
    return known;
}

observe_known *observe_races_knowledge_at(races *self, const races_block *block, const races_warp *warp,
                                          uint32_t lane, const races_fence *fence) {
    const uint32_t *rows[RACES_LANES] = {0};
    rows[lane] = fence->met;
    observe_known *known = own_facts(self, block, warp, UINT32_C(1) << lane, fence->block_base,
                                     fence->warp_base, fence->clock, rows);
    absorb(self, &known, fence->known);
    absorb_waited(self, block, warp, UINT32_C(1) << lane, &known);
    return known;
}

static bool part_lanes(races *self, races_warp *warp) {
    if (warp->lane_known) return true;
    if (!(warp->lane_known = calloc(RACES_LANES, sizeof *warp->lane_known))) {
        self->off = true;
        return false;
    }
    for (uint32_t i = 0; i < RACES_LANES; i++) warp->lane_known[i] = observe_known_keep(warp->known);
    observe_known_drop(warp->known);
    warp->known = NULL;
    return true;
}

void observe_races_learn(races *self, races_block *block, races_warp *warp, uint32_t mask,
                         observe_known *known) {
    if (!known) return;
    block->any_known = true;
    if (mask == warp->live && !warp->lane_known) {
        absorb(self, &warp->known, known);
        return;
    }
    if (!part_lanes(self, warp)) return;
    for (uint32_t m = mask; m; m &= m - 1) absorb(self, &warp->lane_known[__builtin_ctz(m)], known);
}

// ---- synchronisation ---------------------------------------------------------------------------------------------

// All lanes know all again.
static void unite(races *self, races_warp *warp) {
    free(warp->met);
    warp->met = NULL;
    if (!warp->lane_known) return;
    for (uint32_t i = 0; i < RACES_LANES; i++) {
        if (warp->live >> i & 1) absorb(self, &warp->known, warp->lane_known[i]);
        observe_known_drop(warp->lane_known[i]);
    }
    free(warp->lane_known);
    warp->lane_known = NULL;
}

static void meet_some(races *self, races_block *block, races_warp *warp, uint32_t mask) {
    if (!warp->met) {
        if (!(warp->met = malloc(RACES_LANES * sizeof *warp->met))) {
            self->off = true;
            return;
        }
        for (uint32_t i = 0; i < RACES_LANES; i++)
            for (uint32_t j = 0; j < RACES_LANES; j++) warp->met[i][j] = warp->base - 1;
    }
    uint32_t row[RACES_LANES] = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t *other = warp->met[__builtin_ctz(m)];
        for (uint32_t j = 0; j < RACES_LANES; j++) row[j] = other[j] > row[j] ? other[j] : row[j];
    }
    for (uint32_t m = mask; m; m &= m - 1) row[__builtin_ctz(m)] = self->now;
    for (uint32_t m = mask; m; m &= m - 1) memcpy(warp->met[__builtin_ctz(m)], row, sizeof row);
    self->now++;
    observe_known *all = NULL;
    if (block->any_known) absorb_waited(self, block, warp, mask, &all);
    if (all) observe_races_learn(self, block, warp, mask, all);
    observe_known_drop(all);
    if (!warp->lane_known) return;
    all = NULL;
    for (uint32_t m = mask; m; m &= m - 1) absorb(self, &all, warp->lane_known[__builtin_ctz(m)]);
    for (uint32_t m = mask; m; m &= m - 1) absorb(self, &warp->lane_known[__builtin_ctz(m)], all);
    observe_known_drop(all);
}

void observe_races_meet(races *self, races_block *block, races_warp *warp, uint32_t mask) {
    observe_races_presume_sync(self, block, warp);
    if ((mask & warp->live) != warp->live) {
        meet_some(self, block, warp, mask);
        return;
    }
    if (warp->met || warp->lane_known) unite(self, warp);
    if (block->any_known) absorb_waited(self, block, warp, warp->live, &warp->known);
    warp->base = ++self->now;
}

// ---- lanes, blocks ---------------------------------------------------------------------------------------

races_lane *observe_races_lane_of(races *self, races_warp *warp, uint32_t lane) {
    if (!warp->lanes && !(warp->lanes = calloc(RACES_LANES, sizeof *warp->lanes))) {
        self->off = true;
        return NULL;
    }
    return &warp->lanes[lane];
}

static void forget_lanes(races_warp *warp) {
    for (uint32_t i = 0; warp->lanes && i < RACES_LANES; i++)
        for (int scope = 0; scope < RACES_SCOPES; scope++) {
            observe_known_drop(warp->lanes[i].pending[scope]);
            observe_known_drop(warp->lanes[i].fences[scope].known);
            free(warp->lanes[i].fences[scope].met);
        }
    free(warp->lanes);
    free(warp->products);
    for (uint32_t i = 0; warp->lane_known && i < RACES_LANES; i++) observe_known_drop(warp->lane_known[i]);
    free(warp->lane_known);
    observe_known_drop(warp->known);
    free(warp->met);
    observe_races_presume_nothing(warp);
}

static races_block *new_block(races *self) {
    races_block *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    uint64_t bytes = self->shared_bytes;
    block->shadow.page_count = (bytes + RACES_PAGE_BYTES - 1) >> RACES_PAGE_SHIFT;
    block->shadow.budget = &self->budget;
    if (bytes) {
        block->shadow.pages = calloc(block->shadow.page_count, sizeof *block->shadow.pages);
        block->shadow.quick_bytes = RACES_PAGE_BYTES;
        while (block->shadow.quick_bytes < bytes) block->shadow.quick_bytes *= 2;
        block->shadow.quick = calloc(block->shadow.quick_bytes / 4, sizeof *block->shadow.quick);
        if (!block->shadow.pages || !block->shadow.quick) {
            observe_races_block_free(block);
            return NULL;
        }
    }
    return block;
}

races_block *observe_races_block_begin(races *self, uint32_t index, uint32_t warps) {
    races_block *block = self->spare;
    self->spare = NULL;
    if (!block && !(block = new_block(self))) {
        self->off = true;
        return NULL;
    }
    block->index = index;
    block->id = index & RACES_BLOCK_MASK;
    block->base = ++self->now;
    block->warp_count = warps;
    block->any_known = block->presumes = false;
    block->begun = 0;
    observe_races_shadow_begin(&block->shadow, block->base);
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t lanes = self->threads > i * RACES_LANES ? self->threads - i * RACES_LANES : 0;
        block->warps[i] =
            (races_warp){.index = i,
                         .base = block->base,
                         .live = lanes >= RACES_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1};
    }
    return block;
}

static void end_block(races_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) forget_lanes(&block->warps[i]);
    for (uint32_t i = 0; i < block->barrier_count; i++) observe_known_drop(block->barriers[i].handed);
    block->barrier_count = block->link_next = block->visit_count = block->warp_count = 0;
    memset(block->links, 0, sizeof block->links);
}

void observe_races_block_end(races *self, races_block *block) {
    for (uint32_t i = 0; i < block->visit_count; i++) {
        const races_access *visit = &block->visits[i];
        unsigned kind = visit->tag & RACES_TAG_KIND;
        uint32_t who = kind == RACES_TRACKED ? visit->who : visit->who | (uint32_t)__builtin_ctz(visit->mask);
        bool known = false;
        for (uint32_t w = 0; w < block->warp_count && !known; w++)
            for (uint32_t lane = 0; lane < RACES_LANES && !known; lane++)
                known = observe_races_knows(block, &block->warps[w], lane, who, kind, visit->clock, NULL) ||
                        (kind == RACES_THREAD && observe_races_knows(block, &block->warps[w], lane, who,
                                                                     RACES_REACHED, visit->clock, NULL));
        if (!known) observe_races_report_visit(self, block, visit);
    }
    end_block(block);
    if (self->spare)
        observe_races_block_free(block);
    else
        self->spare = block;
}

void observe_races_block_free(races_block *block) {
    if (!block) return;
    end_block(block);
    observe_races_shadow_close(&block->shadow);
    free(block->visits);
    free(block);
}

// ---- blocks of a cluster -----------------------------------------------------------------------------

// Blocks of a cluster run together, but one may come to its first instruction later than another.
static bool has_begun(const races_view *v, uint32_t lane, const races_block *owner) {
    for (uint32_t i = 0; i < owner->warp_count * RACES_LANES; i++) {
        uint32_t who = observe_races_who(owner, i / RACES_LANES, i % RACES_LANES),
                 birth = owner->shadow.birth;
        if (observe_races_knows(v->block, v->warp, lane, who, RACES_THREAD, birth, NULL) ||
            observe_races_knows(v->block, v->warp, lane, who, RACES_REACHED, birth, NULL))
            return true;
    }
    return false;
}

void observe_races_check_begun(races *self, const races_block *owner, const races_view *v, uint32_t lane) {
    uint32_t bit = UINT32_C(1) << owner->index % 32;
    if (v->block->begun & bit) return;
    if (!has_begun(v, lane, owner)) observe_races_report_early(self, v, lane, owner);
    v->block->begun |= bit;
}
