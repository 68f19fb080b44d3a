// The asynchronous proxy: it sees what threads wrote only after a proxy fence, and a warpgroup's products read by it.
//
// A proxy fence counts wherever it stands on the way from the write to the copy: of the thread that wrote, or of one that
// knows of the write. So what a fence covers is a thing to know, handed on by barriers as all else is. Tensor maps take two fences:
// a release behind the write, and an acquire that comes after it.
#include <stdlib.h>

#include "observe/races.h"

enum { GROUP_WARPS = 4 };

// ---- fences ----------------------------------------------------------------------------------------------

static void learn_acquired(races *self, races_block *block, races_warp *warp, uint32_t mask) {
    observe_fact fact = {RACES_MAPS_ACQUIRED * RACES_WARPS, OBSERVE_ALL_LANES, self->now};
    observe_known *known = observe_known_of(self->levels, block->id, 0, &fact, 1);
    if (!known) self->off = true;
    observe_races_learn(self, block, warp, mask, known);
    observe_known_drop(known);
}

// What is known of the kind `from` and the next is known of `to` and the next from here on.
static void learn_as(races *self, races_block *block, races_warp *warp, uint32_t mask, unsigned from,
                     unsigned to) {
    observe_known *known = observe_races_knowledge(self, block, warp, mask);
    observe_known *fenced = known ? observe_known_as(known, from, to, block->warp_count) : NULL;
    if (!fenced) self->off = true;
    observe_races_learn(self, block, warp, mask, fenced);
    observe_known_drop(known);
    observe_known_drop(fenced);
}

static void fence_maps(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    if (observe_races_releases(sync->at.inst)) {
        learn_as(self, block, warp, sync->at.mask, RACES_THREAD, RACES_PUBLISHED);
        return;
    }
    learn_as(self, block, warp, sync->at.mask, RACES_PUBLISHED, RACES_MAPPED);
    learn_acquired(self, block, warp, sync->at.mask);
}

// One that names a state space is for that one alone; fence.proxy.alias is for another proxy.
void observe_races_proxy_fence(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    uint16_t mode = sync->at.inst->by_category[PTX_CAT_MODE];
    uint16_t space = sync->at.inst->by_category[PTX_CAT_SPACE];
    if (mode == PTX_MOD_ALIAS) return;
    if (mode == PTX_MOD_TENSORMAP_GENERIC) {
        fence_maps(self, block, warp, sync);
    } else {
        if (space != PTX_MOD_GLOBAL) learn_as(self, block, warp, sync->at.mask, RACES_THREAD, RACES_PROXIED);
        if (space == PTX_MOD_GLOBAL || space == PTX_MOD_NONE)
            learn_as(self, block, warp, sync->at.mask, RACES_THREAD, RACES_PROXIED_GLOBAL);
    }
    self->now++;
}

// Bulk copies and products see what threads wrote only after a proxy fence; tensor maps, by one of their own.
bool observe_races_lacks_proxy_fence(const races_view *v, uint32_t lane, uint32_t who, uint32_t clock,
                                     uint32_t tag) {
    unsigned kind = tag & RACES_TAG_KIND;
    bool by_proxy = v->access->agent >= SIM_ASYNC_PROXY && (v->tag & RACES_TAG_KIND) != RACES_THREAD;
    bool is_map = v->access->part == SIM_PART_MAP;
    if (!by_proxy || v->is_write) return false;
    if (kind != RACES_THREAD && kind != RACES_COPY) return false;
    bool is_global = v->access->space == SIM_GLOBAL;
    kind += is_map ? RACES_MAPPED : is_global ? RACES_PROXIED_GLOBAL : RACES_PROXIED;
    return !observe_races_knows(v->block, v->warp, lane, who, kind, clock, v->memo);
}

// ---- products --------------------------------------------------------------------------------------------

static races_products *products_of(races *self, races_warp *warp) {
    if (!warp->products) warp->products = calloc(1, sizeof *warp->products);
    if (!warp->products) self->off = true;
    return warp->products;
}

void observe_races_begin_product(races *self, races_warp *warp) {
    races_products *products = products_of(self, warp);
    if (products) products->clock[products->count++ % RACES_PRODUCTS] = ++self->now;
}

void observe_races_commit_products(races *self, races_warp *warp) {
    races_products *products = products_of(self, warp);
    if (products) products->at_commit[products->commits++ % RACES_GROUPS] = products->count;
}

// A product is one of four warps: it is over for all of them.
void observe_races_wait_for_products(races *self, races_block *block, races_warp *warp,
                                     const sim_sync *sync) {
    const races_products *mine = warp->products;
    uint32_t leave = sync->count, first = warp->index / GROUP_WARPS * GROUP_WARPS, count = 0;
    if (!mine || mine->commits <= leave || leave >= RACES_GROUPS) return;
    uint32_t due = mine->at_commit[(mine->commits - leave - 1) % RACES_GROUPS];
    observe_fact facts[2 * GROUP_WARPS];
    for (unsigned kind = 0; due && kind < 2; kind++)
        for (uint32_t i = first; i < first + GROUP_WARPS && i < block->warp_count; i++) {
            const races_products *other = block->warps[i].products;
            if (!other || other->count < due || other->count - due >= RACES_PRODUCTS) continue;
            uint16_t slot = (uint16_t)((kind ? RACES_ISSUED : RACES_PRODUCT) * RACES_WARPS + i);
            facts[count++] =
                (observe_fact){slot, OBSERVE_ALL_LANES, other->clock[(due - 1) % RACES_PRODUCTS]};
        }
    if (!count) return;
    observe_known *known = observe_known_of(self->levels, block->id, 0, facts, count);
    if (!known) self->off = true;
    observe_races_learn(self, block, warp, sync->at.mask, known);
    observe_known_drop(known);
    self->now++;
}

// The number of a warp's product that was under way at a time, the newest one.
static uint32_t product_at(const races_products *products, uint32_t clock) {
    uint32_t n = products->count;
    while (n && products->count - n < RACES_PRODUCTS && products->clock[(n - 1) % RACES_PRODUCTS] > clock)
        n--;
    return n;
}

bool observe_races_is_before_issue(const races_conflict *c) {
    bool reads_now = (c->tag & RACES_TAG_KIND) == RACES_PRODUCT;
    uint32_t now = c->access->at.warp, then = c->who >> 5 & 31;
    if (!reads_now && (c->other_tag & RACES_TAG_KIND) != RACES_PRODUCT) return false;
    if (c->who >> 10 != c->block->id || now / GROUP_WARPS != then / GROUP_WARPS) return false;
    const races_products *reader = c->block->warps[reads_now ? now : then].products,
                         *writer = c->block->warps[reads_now ? then : now].products;
    if (!reader) return false;
    uint32_t n = reads_now ? reader->count : product_at(reader, c->clock);
    if (!writer || writer->count < n) return true;
    return reads_now && product_at(writer, c->clock) < n;
}
