// What orders threads: barriers, mbarriers, fences, releases and acquires, waits for asynchronous copies.
//
// Releases and acquires follow the PTX memory model: a release pattern (a releasing write, or a fence and
// then a strong write) meets an acquire pattern (an acquiring read, or a strong read and then a fence) that
// reads what it wrote, perhaps through atomics of others; both scopes must reach the other thread.
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"
#include "sim/inspect.h"

unsigned observe_races_scope_of(const ptx_inst *inst, unsigned otherwise) {
    switch (inst->by_category[PTX_CAT_SCOPE]) {
    case PTX_MOD_CTA: return 0;
    case PTX_MOD_CLUSTER: return 1;
    case PTX_MOD_GPU:
    case PTX_MOD_GL:
    case PTX_MOD_SYS: return 2;
    default: return otherwise;
    }
}

bool observe_races_same_cluster(const races *self, uint32_t block, uint32_t other) {
    const uint32_t *grid = self->grid, *size = self->cluster;
    for (int i = 0; i < 3; i++) {
        if (block % grid[i] / size[i] != other % grid[i] / size[i]) return false;
        block /= grid[i];
        other /= grid[i];
    }
    return true;
}

static void absorb(races *self, observe_known **into, observe_known *other) {
    if (!observe_known_absorb(into, other)) self->off = true;
}

// ---- barriers of a block ---------------------------------------------------------------------------------

static races_barrier *barrier_of(races *self, races_block *block, uint64_t object) {
    for (uint32_t i = 0; i < block->barrier_count; i++)
        if (block->barriers[i].object == object) return &block->barriers[i];
    if (block->barrier_count == RACES_BARRIERS) {
        self->off = true; // a block has no more than these
        return &block->barriers[0];
    }
    races_barrier *barrier = &block->barriers[block->barrier_count++];
    *barrier = (races_barrier){.object = object};
    return barrier;
}

static bool is_arrive_only(const ptx_inst *inst) { return ptx_op_get(inst->op)->end == PTX_END_ARRIVE; }

static void arrive_at_barrier(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    races_barrier *barrier = barrier_of(self, block, sync->object);
    if (is_arrive_only(sync->at.inst)) {
        observe_known *known = observe_races_knowledge(self, block, warp, sync->at.mask);
        absorb(self, &barrier->handed, known);
        observe_known_drop(known);
        self->now++;
        return;
    }
    if (!barrier->arrived) barrier->counted = false;
    barrier->counted |= sync->count != 0;
    if (!(barrier->arrived >> warp->index & 1)) barrier->waiting[warp->index] = 0;
    barrier->waiting[warp->index] |= sync->at.mask;
    barrier->arrived |= UINT32_C(1) << warp->index;
}

// Everybody who is left has come: nothing is to be compared lane by lane.
static void open_for_all(races *self, races_block *block) {
    block->base = ++self->now;
    if (block->any_known) {
        observe_known *all = observe_known_of(self->levels, block->id, block->base - 1, NULL, 0);
        if (!all) self->off = true;
        for (uint32_t i = 0; i < block->warp_count; i++) {
            races_warp *warp = &block->warps[i];
            observe_races_meet(self, block, warp, UINT32_MAX); // unites the lanes
            absorb(self, &all, warp->known);
        }
        for (uint32_t i = 0; i < block->warp_count; i++) absorb(self, &block->warps[i].known, all);
        observe_known_drop(all);
        block->base = ++self->now;
    }
    for (uint32_t i = 0; i < block->warp_count; i++) {
        races_warp *warp = &block->warps[i];
        free(warp->met);
        warp->met = NULL;
        warp->base = block->base;
    }
}

static void open_for_some(races *self, races_block *block, races_barrier *barrier) {
    observe_known *all = barrier->handed;
    barrier->handed = NULL;
    for (uint32_t m = barrier->arrived; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        observe_known *known = observe_races_knowledge(self, block, &block->warps[i], barrier->waiting[i]);
        absorb(self, &all, known);
        observe_known_drop(known);
    }
    self->now++;
    for (uint32_t m = barrier->arrived; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        observe_races_meet(self, block, &block->warps[i], barrier->waiting[i]);
        observe_races_learn(self, block, &block->warps[i], barrier->waiting[i], all);
    }
    observe_known_drop(all);
}

// All that waited go on together, so the first to be told of settles it for all.
static void pass_barrier(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    races_barrier *barrier = barrier_of(self, block, sync->object);
    if (!(barrier->arrived >> warp->index & 1)) return;
    bool all = barrier->handed == NULL;
    for (uint32_t i = 0; i < block->warp_count && all; i++) {
        bool came = barrier->arrived >> i & 1;
        uint32_t waiting = came ? barrier->waiting[i] : 0;
        // A barrier that counts its threads does not ask for warps that have ended.
        all = (waiting & block->warps[i].live) == block->warps[i].live && (came || !barrier->counted);
    }
    observe_races_presume_barrier(self, block, barrier->arrived);
    if (all)
        open_for_all(self, block);
    else
        open_for_some(self, block, barrier);
    barrier->arrived = 0;
}

// ---- mbarriers, barriers of clusters ---------------------------------------------------------------------

uint32_t observe_races_channel(uint64_t object) { return (uint32_t)(object >> 3) & 1023; }

static races_object *object_of(races *self, uint64_t object) {
    if ((self->object_count + 1) * 2 > self->object_capacity) {
        uint32_t capacity = self->object_capacity ? self->object_capacity * 2 : 64;
        races_object *grown = calloc(capacity, sizeof *grown);
        if (!grown) {
            self->off = true;
            return NULL;
        }
        for (uint32_t i = 0; i < self->object_capacity; i++) {
            if (!self->objects[i].object) continue;
            uint32_t at = (uint32_t)((self->objects[i].object * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
            while (grown[at & (capacity - 1)].object) at++;
            grown[at & (capacity - 1)] = self->objects[i];
        }
        free(self->objects);
        self->objects = grown;
        self->object_capacity = capacity;
    }
    uint64_t key = object + 1; // 0 means free
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (;; at++) {
        races_object *o = &self->objects[at & (self->object_capacity - 1)];
        if (o->object == key) return o;
        if (o->object) continue;
        o->object = key;
        self->object_count++;
        return o;
    }
}

void observe_races_objects_clear(races *self) {
    for (uint32_t i = 0; i < self->object_capacity; i++) {
        observe_known_drop(self->objects[i].handed);
        observe_known_drop(self->objects[i].done);
        free(self->objects[i].came);
    }
    free(self->objects);
    self->objects = NULL;
    self->object_count = self->object_capacity = 0;
}

static void end_phase(races *self, races_object *object) {
    absorb(self, &object->done, object->handed);
    observe_known_drop(object->handed);
    object->handed = NULL;
    object->came_count = 0;
}

static bool is_mbarrier(const ptx_inst *inst) {
    switch (inst->op) {
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT:
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_ARRIVE_DROP: return true;
    default: return false;
    }
}

// An mbarrier's phase is over when its parity, bit 61 of its word, has changed since the last look; its
// arrivals of the new phase are few by then. Another block's cannot be looked at: it will be from there.
static void look_at_phase(races *self, races_object *object, const races_block *block, const sim_sync *sync) {
    uint64_t word;
    if (!sync->at.self || sync->object >> 32 != block->index) return;
    uint64_t address = sim_inspect_window(SIM_SHARED) + (sync->object & INT32_MAX);
    if (!sim_inspect_memory(sync->at.self, (uint32_t)__builtin_ctz(sync->at.mask), address, &word,
                            sizeof word))
        return;
    uint32_t parity = word >> 61 & 1;
    if (parity == object->phase) return;
    object->phase = parity;
    end_phase(self, object);
}

static void make_object(races *self, const races_block *block, const races_warp *warp, const sim_sync *sync) {
    races_object *object = object_of(self, sync->object);
    if (!object) return;
    observe_known_drop(object->handed);
    observe_known_drop(object->done);
    object->handed = object->done = NULL;
    object->phase = object->came_count = 0;
    object->made_clock = self->now++;
    object->made_who = observe_races_who(block, warp->index, (uint32_t)__builtin_ctz(sync->at.mask));
    object->made_tag = sync->at.inst->serial << RACES_TAG_SERIAL_SHIFT | RACES_TAG_WRITE;
}

// Whoever uses an mbarrier must know that it was made. A relaxed arrival at a cluster's barrier tells that too.
static void check_made(races *self, const races_block *block, const races_warp *warp, const sim_sync *sync,
                       const races_object *object) {
    uint32_t clock = object->made_clock, who = object->made_who;
    if (!clock || (clock < block->base && who >> 10 == block->id)) return;
    for (uint32_t m = sync->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (observe_races_knows(block, warp, lane, who, RACES_THREAD, clock, NULL) ||
            observe_races_knows(block, warp, lane, who, RACES_REACHED, clock, NULL))
            continue;
        observe_races_report_unmade(self, block, sync, lane, object);
        return;
    }
}

static void note_arrival(races_object *object, uint32_t who) {
    if (object->came_count == object->came_capacity) {
        uint32_t capacity = object->came_capacity ? object->came_capacity * 2 : 16;
        uint32_t *grown = realloc(object->came, capacity * sizeof *grown);
        if (!grown) return;
        object->came = grown;
        object->came_capacity = capacity;
    }
    object->came[object->came_count++] = who;
}

// That the lanes have come this far, and nothing about their accesses.
static observe_known *reached(races *self, const races_block *block, const races_warp *warp, uint32_t mask) {
    observe_fact facts[RACES_LANES];
    uint32_t count = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        facts[count++] = (observe_fact){(uint16_t)(RACES_REACHED * RACES_WARPS + warp->index),
                                        (uint16_t)__builtin_ctz(m), self->now};
    observe_known *known = observe_known_of(self->levels, block->id, 0, facts, count);
    if (!known) self->off = true;
    return known;
}

static void arrive_at_object(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    races_object *object = object_of(self, sync->object);
    if (!object) return;
    check_made(self, block, warp, sync, object);
    bool relaxed = sync->at.inst->by_category[PTX_CAT_ORDER] == PTX_MOD_RELAXED;
    observe_known *known = relaxed ? reached(self, block, warp, sync->at.mask)
                                   : observe_races_knowledge(self, block, warp, sync->at.mask);
    absorb(self, &object->handed, known);
    observe_known_drop(known);
    self->now++;
    note_arrival(object, observe_races_who(block, warp->index, 0));
    if (is_mbarrier(sync->at.inst)) look_at_phase(self, object, block, sync);
}

static void pass_object(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    races_object *object = object_of(self, sync->object);
    if (!object) return;
    check_made(self, block, warp, sync, object);
    if (is_mbarrier(sync->at.inst) && sync->at.self) {
        look_at_phase(self, object, block, sync);
    } else {
        // Whoever passes came before; if that was to the phase that is being counted, it is over.
        uint32_t who = observe_races_who(block, warp->index, 0);
        for (uint32_t i = 0; i < object->came_count; i++)
            if (object->came[i] == who) end_phase(self, object);
    }
    if (sync->at.inst->by_category[PTX_CAT_ORDER] == PTX_MOD_RELAXED) return;
    observe_races_learn(self, block, warp, sync->at.mask, object->done);
}

// ---- asynchronous copies ---------------------------------------------------------------------------------

static void commit(races *self, races_warp *warp, const sim_sync *sync) {
    if (sync->agent == SIM_PRODUCT) {
        observe_races_commit_products(self, warp);
        return;
    }
    unsigned which = sync->agent == SIM_ASYNC_PROXY;
    for (uint32_t m = sync->at.mask; m; m &= m - 1) {
        races_lane *lane = observe_races_lane_of(self, warp, (uint32_t)__builtin_ctz(m));
        if (!lane) return;
        lane->group_clock[which][lane->commits[which]++ % RACES_GROUPS] = self->now;
    }
    self->now++;
}

// The clock up to which the lane's copies are done, when all but its `count` latest groups are.
static uint32_t done_up_to(const races_lane *lane, unsigned which, uint32_t count, uint32_t now) {
    if (count == UINT32_MAX) return now;
    if (!lane || lane->commits[which] <= count || count >= RACES_GROUPS) return 0;
    return lane->group_clock[which][(lane->commits[which] - count - 1) % RACES_GROUPS];
}

static void learn_copies(races *self, races_block *block, races_warp *warp, uint32_t mask, unsigned kind,
                         uint32_t lane, uint32_t clock) {
    if (!clock) return;
    observe_fact fact = {(uint16_t)(kind * RACES_WARPS + warp->index), (uint16_t)lane, clock};
    observe_known *known = observe_known_of(self->levels, block->id, 0, &fact, 1);
    if (!known) self->off = true;
    observe_races_learn(self, block, warp, mask, known);
    observe_known_drop(known);
}

static void wait_for_copies(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    if (sync->agent == SIM_PRODUCT) {
        observe_races_wait_for_products(self, block, warp, sync);
        return;
    }
    unsigned which = sync->agent == SIM_ASYNC_PROXY;
    uint32_t clock[RACES_LANES], first = (uint32_t)__builtin_ctz(sync->at.mask);
    bool same = sync->at.mask == warp->live;
    for (uint32_t m = sync->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        clock[lane] = done_up_to(warp->lanes ? &warp->lanes[lane] : NULL, which, sync->count, self->now);
        same &= clock[lane] == clock[first];
    }
    self->now++;
    unsigned kinds[2] = {which ? RACES_BULK_READ : RACES_COPY, RACES_BULK_WRITE};
    unsigned count = which && !(sync->at.inst->flags & PTX_FLAG(READ)) ? 2 : 1;
    for (unsigned k = 0; k < count; k++) {
        if (same) { // each lane knows of its own copies; all know of all from the next warp synchronisation on
            if (clock[first] > warp->waited[kinds[k]]) warp->waited[kinds[k]] = clock[first];
            block->any_known = true;
            continue;
        }
        for (uint32_t m = sync->at.mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            learn_copies(self, block, warp, UINT32_C(1) << lane, kinds[k], lane, clock[lane]);
        }
    }
}

static void track(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    races_object *object = object_of(self, sync->object);
    if (!object) return;
    check_made(self, block, warp, sync, object);
    look_at_phase(self, object, block, sync);
    observe_known *known;
    if (sync->agent == SIM_ASYNC_PROXY) {
        observe_races_tracked(self, block, warp, sync->object);
        uint32_t channel = observe_races_channel(sync->object);
        observe_fact fact = {(uint16_t)(RACES_TRACKED * RACES_WARPS + (channel >> 5)),
                             (uint16_t)(channel & 31), self->now};
        known =
            observe_known_of(self->levels, (uint32_t)(sync->object >> 32) & RACES_BLOCK_MASK, 0, &fact, 1);
    } else {
        observe_fact facts[RACES_LANES];
        uint32_t count = 0;
        for (uint32_t m = sync->at.mask; m; m &= m - 1)
            facts[count++] = (observe_fact){(uint16_t)(RACES_COPY * RACES_WARPS + warp->index),
                                            (uint16_t)__builtin_ctz(m), self->now};
        known = observe_known_of(self->levels, block->id, 0, facts, count);
    }
    if (!known) self->off = true;
    absorb(self, &object->handed, known);
    observe_known_drop(known);
    self->now++;
}

// ---- fences ----------------------------------------------------------------------------------------------

static void fence_lane(races *self, races_block *block, races_warp *warp, uint32_t index, unsigned scope) {
    races_lane *lane = observe_races_lane_of(self, warp, index);
    if (!lane) return;
    for (unsigned s = 0; s <= scope; s++) {
        observe_races_learn(self, block, warp, UINT32_C(1) << index, lane->pending[s]);
        observe_known_drop(lane->pending[s]);
        lane->pending[s] = NULL;
    }
    for (unsigned s = 0; s <= scope; s++) {
        races_fence *fence = &lane->fences[s];
        observe_known_drop(fence->known);
        fence->clock = self->now;
        fence->block_base = block->base;
        fence->warp_base = warp->base;
        fence->known = observe_known_keep(warp->lane_known ? warp->lane_known[index] : warp->known);
        if (warp->met && !fence->met) fence->met = malloc(sizeof *warp->met);
        if (warp->met && fence->met) memcpy(fence->met, warp->met[index], sizeof *warp->met);
        if (!warp->met) {
            free(fence->met);
            fence->met = NULL;
        }
    }
}

static void fence(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    const ptx_inst *inst = sync->at.inst;
    if (inst->op ==
        PTX_OP_TENSORMAP_CP_FENCEPROXY) // all lanes copy the same bytes: what one of them wrote, each did
        observe_races_meet(self, block, warp, sync->at.mask);
    if (inst->op == PTX_OP_FENCE_PROXY || inst->op == PTX_OP_TENSORMAP_CP_FENCEPROXY)
        observe_races_proxy_fence(self, block, warp, sync);
    if (inst->op == PTX_OP_FENCE_PROXY) return;
    unsigned scope = observe_races_scope_of(inst, inst->op == PTX_OP_FENCE_MBARRIER_INIT ? 1 : 2);
    for (uint32_t m = sync->at.mask; m; m &= m - 1)
        fence_lane(self, block, warp, (uint32_t)__builtin_ctz(m), scope);
    if (scope + 1 == RACES_SCOPES) observe_races_presume_fence(self, block, warp);
    self->now++;
}

// ---- strong accesses -------------------------------------------------------------------------------------

bool observe_races_releases(const ptx_inst *inst) {
    uint16_t order = inst->by_category[PTX_CAT_ORDER];
    return order == PTX_MOD_RELEASE || order == PTX_MOD_ACQ_REL || order == PTX_MOD_SC;
}

bool observe_races_acquires(const ptx_inst *inst) {
    uint16_t order = inst->by_category[PTX_CAT_ORDER];
    return order == PTX_MOD_ACQUIRE || order == PTX_MOD_ACQ_REL || order == PTX_MOD_SC;
}

// The scope that reaches from one block to the other.
unsigned observe_races_scope_between(const races *self, uint32_t block, uint32_t other) {
    if (other == UINT32_MAX) return 2;
    if (block == other) return 0;
    return self->has_clusters && observe_races_same_cluster(self, block, other) ? 1 : 2;
}

static void take(races *self, races_block *block, races_warp *warp, uint32_t lane, const ptx_inst *inst,
                 const races_release *release, unsigned scope) {
    for (unsigned s = 0; s < RACES_SCOPES; s++) {
        if (!release->known[s]) continue;
        unsigned needed = observe_races_scope_between(self, block->id, release->block[s]);
        if (s < needed || scope < needed) continue;
        if (observe_races_acquires(inst)) {
            observe_races_learn(self, block, warp, UINT32_C(1) << lane, release->known[s]);
            continue;
        }
        races_lane *state = observe_races_lane_of(self, warp, lane);
        if (state) absorb(self, &state->pending[needed], release->known[s]);
    }
}

static void add_release(races *self, races_release *release, unsigned scope, uint32_t block,
                        observe_known *known) {
    bool first = !release->known[scope];
    if (!first && release->block[scope] != block) {
        if (scope == 2) {
            release->block[scope] = UINT32_MAX;
        } else { // what others released for their own block is nothing to this one
            observe_known_drop(release->known[scope]);
            release->known[scope] = NULL;
            first = true;
        }
    }
    if (first) release->block[scope] = block;
    absorb(self, &release->known[scope], known);
    observe_known_drop(known);
}

static void publish(races *self, races_block *block, races_warp *warp, uint32_t lane, const ptx_inst *inst,
                    races_shadow *shadow, races_list *list, unsigned scope, bool is_atomic) {
    uint32_t who = observe_races_who(block, warp->index, lane);
    if (list->release && !is_atomic && list->release->writer != who)
        observe_races_release_clear(list->release);
    const races_lane *state = warp->lanes ? &warp->lanes[lane] : NULL;
    bool fenced = state && (state->fences[0].clock || state->fences[1].clock || state->fences[2].clock);
    bool presumes = observe_races_has_presumed(self, warp);
    if (!observe_races_releases(inst) && !fenced && !presumes) return;
    if (!observe_races_release_of(shadow, list)) {
        self->off = true;
        return;
    }
    list->release->writer = who;
    if (presumes) observe_races_presume_write(self, block, warp, lane, list->release);
    if (observe_races_releases(inst))
        add_release(self, list->release, scope, block->id,
                    observe_races_knowledge(self, block, warp, UINT32_C(1) << lane));
    for (unsigned s = 0; s <= scope && fenced; s++) {
        const races_fence *fence = &state->fences[s];
        bool again = s < scope && s + 1 < RACES_SCOPES && state->fences[s + 1].clock == fence->clock;
        if (fence->clock && !again) // a wider scope says the same
            add_release(self, list->release, s, block->id,
                        observe_races_knowledge_at(self, block, warp, lane, fence));
    }
    self->now++;
}

void observe_races_note_link(races_block *block, const races_link *link) {
    if (!link->write_clock || link->write_who == link->read_who) return;
    races_link *to = NULL;
    for (uint32_t i = 0; i < RACES_LINKS && !to; i++) { // the newest first: it is asked for again and again
        races_link *old = &block->links[(block->link_next + RACES_LINKS - 1 - i) % RACES_LINKS];
        if (old->read_tag == link->read_tag && old->write_tag == link->write_tag &&
            old->write_who >> 10 == link->write_who >> 10)
            to = old;
    }
    if (!to) to = &block->links[block->link_next++ % RACES_LINKS];
    *to = *link;
}

static void link_list(const races *self, races_block *block, uint32_t who, uint64_t address,
                      const races_list *list, uint32_t tag) {
    races_link link = {.write_clock = list->strong_clock,
                       .write_who = list->strong_who,
                       .write_tag = list->strong_tag,
                       .read_clock = self->now,
                       .read_who = who,
                       .read_tag = tag,
                       .released = -1,
                       .address = address};
    for (int s = 0; list->release && s < RACES_SCOPES; s++)
        if (list->release->known[s]) link.released = s;
    observe_races_note_link(block, &link);
}

void observe_races_note_write(races *self, const races_view *v) {
    if (v->access->space != SIM_GLOBAL || self->blocks > RACES_WRITERS) return;
    if (!self->writes && !(self->writes = calloc(self->blocks, sizeof *self->writes))) return;
    races_write *writes = self->writes[v->block->index], *to = writes;
    for (uint32_t i = 0; i < RACES_WRITES; i++) {
        if (writes[i].tag == v->tag) {
            to = &writes[i];
            break;
        }
        if (writes[i].clock < to->clock) to = &writes[i];
    }
    *to = (races_write){.address = v->access->addresses[__builtin_ctz(v->access->at.mask)],
                        .clock = self->now,
                        .tag = v->tag};
}

void observe_races_strong(races *self, races_block *block, races_warp *warp, uint32_t lane,
                          const sim_access *access, races_shadow *shadow, races_list *list, uint32_t tag) {
    const ptx_inst *inst = access->at.inst;
    unsigned scope = tag >> RACES_TAG_SCOPE_SHIFT & 3;
    uint32_t who = observe_races_who(block, warp->index, lane);
    if (access->kind != SIM_STORE && inst->op != PTX_OP_RED) {
        link_list(self, block, who, access->addresses[lane], list, tag);
        if (list->release) {
            observe_races_presume_read(self, block, warp, list->release, observe_races_is_ticket(self, tag));
            take(self, block, warp, lane, inst, list->release, scope);
        }
    }
    if (access->kind == SIM_LOAD) return;
    publish(self, block, warp, lane, inst, shadow, list, scope, access->kind == SIM_ATOMIC);
    list->strong_clock = self->now;
    list->strong_who = who;
    list->strong_tag = tag;
    if (tag & RACES_TAG_VOLATILE) self->now++; // so that polls that saw it are later
}

// ---- all of them -----------------------------------------------------------------------------------------

void observe_races_on_sync(races *self, races_block *block, races_warp *warp, const sim_sync *sync) {
    switch (sync->kind) {
    case SIM_WARP_SYNC: observe_races_meet(self, block, warp, sync->at.mask); break;
    case SIM_ARRIVE:
        if (sync->is_barrier)
            arrive_at_barrier(self, block, warp, sync);
        else
            arrive_at_object(self, block, warp, sync);
        break;
    case SIM_PASS:
        if (sync->is_barrier)
            pass_barrier(self, block, warp, sync);
        else
            pass_object(self, block, warp, sync);
        break;
    case SIM_COMMIT: commit(self, warp, sync); break;
    case SIM_WAIT: wait_for_copies(self, block, warp, sync); break;
    case SIM_ISSUE: observe_races_begin_product(self, warp); break;
    case SIM_TRACK: track(self, block, warp, sync); break;
    case SIM_FENCE: fence(self, block, warp, sync); break;
    case SIM_LEFT:
    case SIM_ENDED: break; // see mbarriers.c
    case SIM_INIT: make_object(self, block, warp, sync); break;
    case SIM_GRID_WAIT: break; // see streams.c
    }
}
