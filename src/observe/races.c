// Data races, by what orders threads and not by what happened to come first.
//
// Two accesses to the same bytes, one of them a write, race when neither thread knows of the other's
// (races.h) and they are not both strong (atomic, volatile, relaxed ...) at scopes that reach each other.
// Lanes of a warp are threads like others. Launches and the host's copies are in order.
//
// Shared memory is looked at most often, so reading it has a quick way: a word that was not written since the
// block's last barrier, and that two warps have read, needs no look: nothing that another reader could
// change.
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"

static races *self_of(sim_listener *listener) { return (races *)listener; }

static races_block *block_of(races *self, uint32_t index) {
    if (self->last && self->last->index == index) return self->last;
    races_block *block = self->resident && index < self->blocks ? self->resident[index] : NULL;
    if (block) self->last = block;
    return block;
}

// ---- one cell --------------------------------------------------------------------------------------------

// Whether two strong accesses are so for each other: by blocks, and tags that have the scopes.
static bool reach_each_other(const races *self, uint32_t block, uint32_t tag, uint32_t other,
                             uint32_t other_tag) {
    if (!(tag & other_tag & RACES_TAG_STRONG)) return false;
    if (other == block) return true;
    unsigned a = tag >> RACES_TAG_SCOPE_SHIFT & 3, b = other_tag >> RACES_TAG_SCOPE_SHIFT & 3;
    unsigned least = a < b ? a : b;
    if (least >= 2) return true;
    return least == 1 && observe_races_same_cluster(self, other, block);
}

// Whether two accesses are strong for each other. Volatile ones are, but only where one of them polls.
static bool strong_together(const races_view *v, uint32_t who, uint32_t tag) {
    if (!v->strong || !reach_each_other(v->self, v->block->id, v->tag, who >> 10, tag)) return false;
    return !(v->tag & tag & RACES_TAG_VOLATILE) || !observe_races_is_data(v->self, v->tag) ||
           !observe_races_is_data(v->self, tag);
}

static bool knows_one_of(const races_view *v, uint32_t lane, const races_access *a) {
    for (uint32_t m = a->mask; m; m &= m - 1)
        if (observe_races_knows(v->block, v->warp, lane, a->who | (uint32_t)__builtin_ctz(m),
                                a->tag & RACES_TAG_KIND, a->clock, v->memo))
            return true;
    return false;
}

// An atomic that a later atomic of the same word has read from, perhaps through others, precedes all that
// comes after the later one, without any fence: so the last of those who count may reset the counter. So does a
// volatile store that was polled for: whoever has seen it may store there again.
static bool was_seen(const races_view *v, uint32_t lane, const races_list *list, const races_access *a) {
    if (!list || !(a->tag & (RACES_TAG_ATOMIC | RACES_TAG_VOLATILE)) || !(a->tag & RACES_TAG_WRITE))
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const races_access *later = &list->accesses[i];
        bool is_later =
            later->clock == a->clock ? a->order && later->order > a->order : later->clock > a->clock;
        bool sees = later->tag & RACES_TAG_ATOMIC ||
                    (a->tag & later->tag & RACES_TAG_VOLATILE && observe_races_polls(v->self, later->tag));
        if (is_later && sees &&
            reach_each_other(v->self, a->who >> 10, a->tag, later->who >> 10, later->tag) &&
            knows_one_of(v, lane, later))
            return true;
    }
    return false;
}

// A volatile load that came before by strong accesses, and now a volatile store to the same word.
static bool is_read_before(const races_view *v, uint32_t who, uint32_t clock, uint32_t tag) {
    return v->tag & tag & RACES_TAG_VOLATILE && !(tag & RACES_TAG_WRITE) &&
           observe_races_presumes(v->warp, RACES_RELAXED, who, clock);
}

static void report(const races_view *v, uint32_t lane, uint32_t who, uint32_t clock, uint32_t tag,
                   bool proxy) {
    if (!proxy && observe_races_is_guess(v->self, v->tag, tag)) return;
    if (is_read_before(v, who, clock, tag)) return;
    observe_races_report(v->self, &(races_conflict){.access = v->access,
                                                    .block = v->block,
                                                    .lane = lane,
                                                    .tag = v->tag,
                                                    .address = v->address,
                                                    .bytes = v->bytes,
                                                    .who = who,
                                                    .clock = clock,
                                                    .other_tag = tag,
                                                    .proxy = proxy});
}

static void check_proxy(const races_view *v, uint32_t lane, uint32_t who, uint32_t clock, uint32_t tag) {
    if (observe_races_lacks_proxy_fence(v, lane, who, clock, tag)) report(v, lane, who, clock, tag, true);
}

// A thread that has executed a product which is over has the loads behind it that it did before.
static bool knows(const races_view *v, uint32_t lane, uint32_t who, uint32_t tag, uint32_t clock) {
    unsigned kind = tag & RACES_TAG_KIND;
    if (observe_races_knows(v->block, v->warp, lane, who, kind, clock, v->memo)) return true;
    return kind == RACES_THREAD && !(tag & RACES_TAG_WRITE) &&
           observe_races_knows(v->block, v->warp, lane, who, RACES_ISSUED, clock, v->memo);
}

static void check_write(const races_view *v, uint32_t lane, const races_cell *cell) {
    unsigned kind = cell->write_tag & RACES_TAG_KIND;
    if (strong_together(v, cell->write_who, cell->write_tag)) return;
    if (observe_races_knows(v->block, v->warp, lane, cell->write_who, kind, cell->write_clock, v->memo))
        check_proxy(v, lane, cell->write_who, cell->write_clock, cell->write_tag);
    else
        report(v, lane, cell->write_who, cell->write_clock, cell->write_tag, false);
}

static void check_access(const races_view *v, uint32_t lane, const races_list *list, const races_access *a) {
    if (!v->is_write && !(a->tag & RACES_TAG_WRITE)) return;
    if (a->clock < v->birth || strong_together(v, a->who, a->tag)) return;
    unsigned kind = a->tag & RACES_TAG_KIND;
    if (kind == RACES_TRACKED) {
        if (!observe_races_knows(v->block, v->warp, lane, a->who, kind, a->clock, v->memo))
            report(v, lane, a->who, a->clock, a->tag, false);
        return;
    }
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t who = a->who | (uint32_t)__builtin_ctz(m);
        if (knows(v, lane, who, a->tag, a->clock)) {
            if (a->tag & RACES_TAG_WRITE) check_proxy(v, lane, who, a->clock, a->tag);
            continue;
        }
        if (!was_seen(v, lane, list, a)) report(v, lane, who, a->clock, a->tag, false);
        return;
    }
}

static void check_readers(const races_view *v, uint32_t lane, const races_cell *cell) {
    uint32_t tag = cell->read_tag;
    if (!(tag & RACES_TAG_MANY)) {
        check_access(v, lane, NULL,
                     &(races_access){.clock = cell->read_clock,
                                     .who = cell->read_who & ~UINT32_C(31),
                                     .mask = cell->read_mask,
                                     .tag = tag});
        return;
    }
    bool swap = cell->read_who >> 10 == v->block->id; // readers of other blocks first
    for (int i = 0; i < 2; i++) {
        uint32_t who = (i == 1) != swap ? cell->read_mask : cell->read_who;
        if (knows(v, lane, who, tag, cell->read_clock)) continue;
        report(v, lane, who, cell->read_clock, tag, false);
        return;
    }
}

// ---- remembering -----------------------------------------------------------------------------------------

static races_access access_of(const races_view *v, uint32_t lane) {
    bool tracked = (v->tag & RACES_TAG_KIND) == RACES_TRACKED;
    return (races_access){
        .clock = v->self->now, .who = v->who, .mask = tracked ? 1 : UINT32_C(1) << lane, .tag = v->tag};
}

// Whether the newer access stands for the older one in every question that can come.
static bool stands_for(const races_view *v, uint32_t lane, const races_access *old) {
    enum { SAME = RACES_TAG_KIND | RACES_TAG_STRONG | 3 << RACES_TAG_SCOPE_SHIFT | RACES_TAG_VOLATILE };
    if ((old->tag ^ v->tag) & SAME || (old->tag & RACES_TAG_WRITE && !v->is_write)) return false;
    bool is_volatile_load = old->tag & RACES_TAG_VOLATILE && !(old->tag & RACES_TAG_WRITE);
    if (is_volatile_load && old->tag != v->tag) return false; // one may poll, the other not
    unsigned kind = v->tag & RACES_TAG_KIND;                  // products are over in their order
    if (kind == RACES_TRACKED || kind == RACES_PRODUCT) return old->who == v->who;
    for (uint32_t m = old->mask; m; m &= m - 1)
        if (!observe_races_knows(v->block, v->warp, lane, old->who | (uint32_t)__builtin_ctz(m),
                                 old->tag & RACES_TAG_KIND, old->clock, v->memo))
            return false;
    return (v->tag & RACES_TAG_KIND) == RACES_THREAD || old->who == v->who;
}

static void remember_in_list(const races_view *v, uint32_t lane, races_list *list) {
    races_access mine = access_of(v, lane);
    uint32_t index = UINT32_MAX;
    mine.order = ++list->order;
    for (uint32_t i = 0; i < list->count; i++) {
        races_access *old = &list->accesses[i];
        if (old->who == mine.who && old->tag == mine.tag && old->clock == mine.clock) {
            old->order = old->mask == mine.mask ? mine.order : 0; // lanes may have different ones
            old->mask |= mine.mask;
            return;
        }
        if (index == UINT32_MAX && (old->clock < v->birth || stands_for(v, lane, old))) index = i;
    }
    observe_races_list_add(v->shadow, list, index, &mine);
}

static void remember_for_itself(const races_view *v, uint32_t lane, races_cell *cell) {
    races_list *list = observe_races_list_of(v->shadow, cell);
    if (list)
        remember_in_list(v, lane, list);
    else
        v->self->off = true;
}

static void remember_read(const races_view *v, uint32_t lane, races_cell *cell) {
    races_access mine = access_of(v, lane);
    if ((v->tag & RACES_TAG_KIND) == RACES_TRACKED) { // has no lane
        remember_for_itself(v, lane, cell);
        return;
    }
    bool empty = cell->read_clock < v->birth;
    bool same_warp = !empty && !(cell->read_tag & RACES_TAG_MANY) && cell->read_who >> 5 == mine.who >> 5;
    bool over = !empty && (cell->read_who >> 10) == v->block->id && cell->read_clock < v->block->base &&
                !((cell->read_tag | v->tag) & RACES_TAG_KIND) &&
                (!(cell->read_tag & RACES_TAG_MANY) || (cell->read_mask >> 10) == v->block->id);
    if (empty || over ||
        (same_warp && !((cell->read_tag | v->tag) & RACES_TAG_KIND) &&
         (cell->read_clock < v->warp->base || cell->read_mask == mine.mask))) {
        cell->read_clock = mine.clock;
        cell->read_who = mine.who | lane;
        cell->read_mask = mine.mask;
        cell->read_tag = mine.tag;
        return;
    }
    if (same_warp && (!v->exact || cell->read_clock == mine.clock) &&
        !((cell->read_tag ^ v->tag) & RACES_TAG_KIND)) {
        cell->read_mask |= mine.mask;
        cell->read_clock = mine.clock;
        return;
    }
    if (v->exact || (cell->read_tag | v->tag) & RACES_TAG_KIND) {
        remember_for_itself(v, lane, cell);
        return;
    }
    uint32_t who = mine.who | lane;
    if (cell->read_tag & RACES_TAG_MANY) {
        bool one_block = cell->read_who >> 10 == cell->read_mask >> 10;
        if (one_block && who >> 10 != cell->read_who >> 10) cell->read_mask = who;
        if (cell->read_who >> 10 == who >> 10) cell->read_clock = mine.clock;
        return;
    }
    cell->read_mask = who;
    cell->read_tag |= RACES_TAG_MANY;
    cell->read_clock = mine.clock;
}

static void touch(const races_view *v, uint32_t lane, races_cell *cell) {
    if (cell->write_clock >= v->birth) check_write(v, lane, cell);
    bool has_readers = cell->read_clock >= v->birth,
         has_list = has_readers && cell->read_tag & RACES_TAG_LIST;
    if (v->chains && !has_list && observe_races_chain(v, lane, cell)) {
        if (has_readers) check_readers(v, lane, cell);
        return;
    }
    if (has_list || v->strong) {
        races_list *list = observe_races_list_of(v->shadow, cell);
        if (!list) {
            v->self->off = true;
            return;
        }
        for (uint32_t i = 0; i < list->count; i++) check_access(v, lane, list, &list->accesses[i]);
        if (v->strong || !v->is_write) {
            remember_in_list(v, lane, list);
            return;
        }
        observe_races_list_clear(v->shadow, list);
    } else if (v->is_write && has_readers) {
        check_readers(v, lane, cell);
        cell->read_clock = cell->read_tag = 0;
    }
    if (!v->is_write) {
        remember_read(v, lane, cell);
        return;
    }
    cell->write_clock = v->self->now;
    cell->write_who = (v->tag & RACES_TAG_KIND) == RACES_TRACKED ? v->who : v->who | lane;
    cell->write_tag = v->tag;
}

// ---- a lane's bytes --------------------------------------------------------------------------------------

static void mark_quick(const races_view *v, uint64_t at, const races_cell *cell, uint32_t shift) {
    uint32_t *quick = v->shadow->quick;
    if (!quick || shift > 2) return; // what was never words was never quick
    if (v->is_write || v->strong || v->exact || v->self->has_clusters) {
        quick[at >> 2] = 0;
    } else if (shift == 2 && cell->write_clock < v->block->base && cell->read_clock >= v->block->base &&
               (cell->read_tag & (RACES_TAG_MANY | RACES_TAG_LIST)) == RACES_TAG_MANY) {
        quick[at >> 2] = v->block->base;
    }
}

static void touch_bytes(races_view *v, uint32_t lane, uint64_t offset) {
    uint32_t bytes = v->access->bytes, odd = (uint32_t)offset | bytes;
    uint32_t fine = odd & 1 ? 1 : odd & 2 ? 2 : odd & 15 || v->strong ? 4 : 16;
    // Threads come back in single words, or in runs that have words: only others make cells of 16 bytes.
    uint32_t made = fine == 16 && (v->tag & RACES_TAG_KIND) == RACES_THREAD ? 4 : fine;
    bool first = true;
    for (uint64_t at = offset, end = offset + bytes; at < end && !v->self->off;) {
        races_page *page = observe_races_page_of(v->shadow, at >> RACES_PAGE_SHIFT, fine, made);
        if (!page) {
            v->self->off |= at >> RACES_PAGE_SHIFT < v->shadow->page_count;
            return;
        }
        uint64_t page_end = ((at >> RACES_PAGE_SHIFT) + 1) << RACES_PAGE_SHIFT;
        if (page_end > end) page_end = end;
        v->bytes = UINT32_C(1) << page->shift;
        for (; at < page_end; at += UINT64_C(1) << page->shift) {
            uint32_t index = (at & (RACES_PAGE_BYTES - 1)) >> page->shift;
            races_cell cell = observe_races_cell_load(page, index);
            v->address = v->access->addresses[lane] + (at - offset);
            touch(v, lane, &cell);
            observe_races_cell_store(page, index, &cell);
            mark_quick(v, at, &cell, page->shift);
            if (v->strong && first && observe_races_has_list(&cell, v->birth))
                observe_races_strong(v->self, v->block, v->warp, lane, v->access, v->shadow,
                                     &v->shadow->lists[cell.read_who], v->tag);
            first = false;
        }
    }
}

static void note_visit(races *self, races_block *owner, const races_view *v, uint32_t lane) {
    races_access mine = access_of(v, lane);
    for (uint32_t i = 0; i < owner->visit_count; i++) {
        races_access *old = &owner->visits[i];
        if (old->who != mine.who || (old->tag ^ mine.tag) & RACES_TAG_KIND) continue;
        *old = mine;
        return;
    }
    if (owner->visit_count == owner->visit_capacity) {
        uint32_t capacity = owner->visit_capacity ? owner->visit_capacity * 2 : 32;
        races_access *grown = realloc(owner->visits, capacity * sizeof *grown);
        if (!grown) {
            self->off = true;
            return;
        }
        owner->visits = grown;
        owner->visit_capacity = capacity;
    }
    owner->visits[owner->visit_count++] = mine;
}

// ---- an access of a warp ---------------------------------------------------------------------------------

// Somebody learns, or forgets.
static void forget_answers(races *self) { self->memo.life++; }

static void begin_view(races_view *v, races *self, const sim_access *access, races_block *block,
                       races_warp *warp, races_kind kind) {
    *v = (races_view){.self = self, .access = access, .block = block, .warp = warp};
    v->tag = observe_races_tag_of(access, kind);
    v->strong = v->tag & RACES_TAG_STRONG;
    v->is_write = v->tag & RACES_TAG_WRITE;
    if (v->strong)
        forget_answers(self);
    else
        v->memo = &self->memo;
    v->exact = self->exact || warp->met;
    v->bytes = access->bytes < 4 ? access->bytes : 4;
    v->who = observe_races_who(block, warp->index, 0);
}

static void look_lane(races_view *v, uint32_t lane) {
    races *self = v->self;
    uint64_t address = v->access->addresses[lane];
    races_block *owner = v->block;
    switch (v->access->space) {
    case SIM_GLOBAL: v->shadow = &self->global; break;
    case SIM_DISTRIBUTED:
        owner = block_of(self, (uint32_t)(address >> 32));
        if (!owner) return; // it has ended: the machine tells of it
        self->last = v->block;
        address &= UINT32_MAX; // fall through
    default: v->shadow = &owner->shadow;
    }
    v->birth = v->shadow->birth;
    touch_bytes(v, lane, address);
    if (v->access->part == SIM_PART_MAP) observe_races_check_old_map(v, lane, address);
    if (owner == v->block) return;
    observe_races_check_begun(self, owner, v, lane);
    note_visit(self, owner, v, lane);
}

static void look(races *self, const sim_access *access, races_block *block, races_warp *warp,
                 races_kind kind) {
    races_view v;
    begin_view(&v, self, access, block, warp, kind);
    uint32_t lanes = access->at.mask;
    if (kind == RACES_THREAD && !v.strong && lanes == UINT32_MAX && observe_races_look_at_runs(&v)) return;
    if (v.strong && v.is_write) observe_races_note_write(self, &v);
    if (v.tag & RACES_TAG_ATOMIC) {
        observe_races_see_atomic(&v);
        lanes = observe_races_look_at_atomics(&v);
    }
    for (uint32_t m = lanes; m && !self->off; m &= m - 1) look_lane(&v, (uint32_t)__builtin_ctz(m));
}

static void keep_for_later(races *self, const sim_access *access) {
    if (self->stash_count == self->stash_capacity) {
        uint32_t capacity = self->stash_capacity ? self->stash_capacity * 2 : 64;
        races_stashed *grown = realloc(self->stash, capacity * sizeof *grown);
        if (!grown) {
            self->off = true;
            return;
        }
        self->stash = grown;
        self->stash_capacity = capacity;
    }
    races_stashed *kept = &self->stash[self->stash_count++];
    kept->access = *access;
    kept->address = access->addresses[__builtin_ctz(access->at.mask)];
}

void observe_races_tracked(races *self, races_block *block, races_warp *warp, uint64_t object) {
    uint32_t channel = observe_races_channel(object);
    races_block *owner = block_of(self, (uint32_t)(object >> 32));
    self->last = block;
    for (uint32_t i = 0; i < self->stash_count && !self->off; i++) {
        races_view v;
        uint64_t addresses[RACES_LANES];
        sim_access access = self->stash[i].access;
        uint32_t lane = (uint32_t)__builtin_ctz(access.at.mask);
        addresses[lane] = self->stash[i].address;
        access.addresses = addresses;
        begin_view(&v, self, &access, block, warp, RACES_TRACKED);
        v.who = (uint32_t)(object >> 32 & RACES_BLOCK_MASK) << 10 | channel;
        if (owner) owner->channel_who[channel] = observe_races_who(block, warp->index, lane);
        look_lane(&v, lane);
    }
    self->stash_count = 0;
}

// ---- the listener ----------------------------------------------------------------------------------------

static void on_access(sim_listener *listener, const sim_access *access) {
    races *self = self_of(listener);
    if (self->off || !access->at.mask || !access->bytes) return;
    if (access->space != SIM_SHARED && access->space != SIM_GLOBAL && access->space != SIM_DISTRIBUTED)
        return;
    races_block *block = block_of(self, access->at.block);
    if (!block) return;
    races_kind kind = observe_races_kind_of(access);
    if (kind != RACES_THREAD) observe_races_note_piece(self, block, access, kind);
    if (kind == RACES_TRACKED)
        keep_for_later(self, access);
    else
        look(self, access, block, &block->warps[access->at.warp], kind);
}

static void on_sync(sim_listener *listener, const sim_sync *sync) {
    races *self = self_of(listener);
    races_block *block = self->off ? NULL : block_of(self, sync->at.block);
    if (!block || !sync->at.mask) return;
    forget_answers(self);
    observe_races_on_sync(self, block, &block->warps[sync->at.warp], sync);
    self->off |= self->now >= RACES_LAST_CLOCK;
}

static void on_block_begin(sim_listener *listener, uint32_t index, uint32_t warps) {
    races *self = self_of(listener);
    if (self->off || index >= self->blocks || warps > RACES_WARPS) return;
    forget_answers(self);
    self->resident[index] = self->last = observe_races_block_begin(self, index, warps);
}

static void on_block_end(sim_listener *listener, uint32_t index) {
    races *self = self_of(listener);
    races_block *block = block_of(self, index);
    if (!block) return;
    forget_answers(self);
    observe_races_block_end(self, block);
    self->resident[index] = NULL;
    self->last = NULL;
}

static void on_leave(sim_listener *listener, const sim_event *event) {
    races *self = self_of(listener);
    races_block *block = block_of(self, event->block);
    if (block) block->warps[event->warp].live &= ~event->mask;
}

// What device malloc hands out has no past, though others had it before.
static void on_memory(sim_listener *listener, const sim_memory_event *event) {
    races *self = self_of(listener);
    if (event->kind == SIM_MEMORY_ALLOC) self->budget.program += event->bytes;
    if (event->kind == SIM_MEMORY_FREE)
        self->budget.program -= event->bytes < self->budget.program ? event->bytes : self->budget.program;
    if (event->kind == SIM_MEMORY_HOST_WRITE || event->kind == SIM_MEMORY_COPY)
        observe_races_note_host_write(self, event->address, event->bytes);
    if (self->off || !event->at || event->kind != SIM_MEMORY_ALLOC) return;
    uint64_t at = event->address, end = at + event->bytes;
    while (at < end) {
        races_page *page = observe_races_page_of(&self->global, at >> RACES_PAGE_SHIFT, 4, 4);
        if (!page) return;
        uint64_t page_end = ((at >> RACES_PAGE_SHIFT) + 1) << RACES_PAGE_SHIFT;
        for (; at < end && at < page_end; at += UINT64_C(1) << page->shift) {
            uint32_t index = (at & (RACES_PAGE_BYTES - 1)) >> page->shift;
            races_cell cell = observe_races_cell_load(page, index);
            if (observe_races_has_list(&cell, self->global.birth))
                observe_races_list_clear(&self->global, &self->global.lists[cell.read_who]);
            observe_races_cell_store(page, index, &(races_cell){0});
        }
    }
}

// ---- launches --------------------------------------------------------------------------------------------

static void forget_launch(races *self) {
    for (uint32_t i = 0; self->resident && i < self->blocks; i++) observe_races_block_free(self->resident[i]);
    free(self->resident);
    free(self->writes);
    observe_races_block_free(self->spare);
    self->resident = NULL;
    self->writes = NULL;
    self->spare = self->last = NULL;
    self->blocks = 0;
    observe_races_objects_clear(self);
    observe_races_shadow_begin(&self->global, self->now); // its knowledge belongs to the launch
}

static void clear_global(races *self) {
    observe_races_shadow_close(&self->global);
    self->global.page_count = UINT64_MAX;
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    races *self = self_of(listener);
    forget_launch(self);
    forget_answers(self);
    if (self->now > UINT32_C(3) << 30) { // the clock begins anew
        clear_global(self);
        self->now = 1;
    }
    const sim_launch *launch = event->launch;
    self->module = event->module;
    self->guess = NULL;
    self->entry = event->entry;
    self->is_cooperative = launch->cooperative;
    self->off = self->has_clusters = false;
    self->blocks = self->threads = 1;
    for (int i = 0; i < 3; i++) {
        self->grid[i] = launch->grid[i] ? launch->grid[i] : 1;
        self->cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
        self->has_clusters |= self->cluster[i] > 1;
        self->blocks *= self->grid[i];
        self->threads *= launch->block[i] ? launch->block[i] : 1;
    }
    self->shared_bytes = event->shared_bytes;
    self->reserved_shared_bytes = event->reserved_shared_bytes;
    self->levels =
        observe_known_levels(self->blocks < RACES_BLOCK_MASK ? self->blocks : RACES_BLOCK_MASK + 1);
    self->seen_count = self->stash_count = 0;
    if (self->seen) memset(self->seen, 0, self->seen_capacity * sizeof *self->seen);
    self->resident = calloc(self->blocks, sizeof *self->resident);
    self->off = !self->resident || !observe_races_know_module(self, event);
    observe_races_shadow_begin(&self->global, ++self->now);
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    races *self = self_of(listener);
    if (self->off || self->budget.exceeded) observe_races_say_unchecked(self);
    forget_launch(self);
    if (self->budget.exceeded) clear_global(self); // the next launch has all of it
    self->budget.exceeded = false;
}

static void close_races(observe_detector *detector) {
    races *self = (races *)detector;
    forget_launch(self);
    observe_races_shadow_close(&self->global);
    free(self->insts);
    free(self->polls);
    free(self->seen);
    free(self->stash);
    free(self->pieces);
    free(self->host_writes);
    free(self);
}

observe_detector *observe_races_open(observe_findings *findings) {
    races *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->now = 1;
#if defined(__x86_64__)
    self->has_avx2 = __builtin_cpu_supports("avx2");
#endif
    self->global.page_count = UINT64_MAX;
    observe_races_budget_open(&self->budget);
    self->global.budget = &self->budget;
    self->detector = (observe_detector){.listener = {.launch_begin = on_launch_begin,
                                                     .launch_end = on_launch_end,
                                                     .block_begin = on_block_begin,
                                                     .block_end = on_block_end,
                                                     .access = on_access,
                                                     .sync = on_sync,
                                                     .leave = on_leave,
                                                     .memory = on_memory},
                                        .close = close_races};
    return &self->detector;
}
