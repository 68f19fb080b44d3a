// Atomics of threads on one word are a chain: each reads what the last one wrote. Whoever knows of the last knows of
// all before it, without any fence; so the last is all that a cell has to remember, however many there were.
//
// A chain ends where a word is accessed in other ways too, or where a thread releases something by it: then the
// cell gets a list (races_shadow.c), with the last of the chain in it.
#include "observe/races.h"

static bool has_fenced(const races_view *v, uint32_t lane) {
    if (!v->warp->lanes) return false;
    const races_fence *fences = v->warp->lanes[lane].fences;
    return fences[0].clock || fences[1].clock || fences[2].clock;
}

static void note_link(const races_view *v, uint32_t lane, uint32_t clock, uint32_t who, uint32_t tag) {
    observe_races_note_link(v->block, &(races_link){.write_clock = clock,
                                                    .write_who = who,
                                                    .write_tag = tag,
                                                    .read_clock = v->self->now,
                                                    .read_who = v->who | lane,
                                                    .read_tag = v->tag,
                                                    .released = -1,
                                                    .address = v->access->addresses[lane]});
}

void observe_races_see_atomic(races_view *v) {
    const sim_access *access = v->access;
    bool is_wide = (v->tag >> RACES_TAG_SCOPE_SHIFT & 3) == RACES_SCOPES - 1;
    bool reaches_all = access->space == SIM_SHARED || (access->space == SIM_GLOBAL && is_wide);
    v->chains = (v->tag & RACES_TAG_KIND) == RACES_THREAD && reaches_all && !v->self->has_clusters &&
                !observe_races_releases(access->at.inst) && !observe_races_has_presumed(v->self, v->warp);
}

bool observe_races_chain(const races_view *v, uint32_t lane, races_cell *cell) {
    bool alive = cell->read_clock >= v->birth && !observe_races_is_over(v, cell->read_clock);
    bool first = v->address == v->access->addresses[lane]; // of the words
    if (has_fenced(v, lane) || (alive && !observe_races_is_chained(cell->read_tag))) return false;
    if (alive && first && v->access->at.inst->op != PTX_OP_RED)
        note_link(v, lane, cell->read_clock, cell->read_who, cell->read_tag);
    cell->read_clock = v->self->now;
    cell->read_who = v->who | lane;
    cell->read_mask = UINT32_C(1) << lane;
    cell->read_tag = v->tag;
    return true;
}

// ---- a warp at a glance ------------------------------------------------------------------------------------

// What is there is a chain, or nothing that anybody could still conflict with.
static inline bool is_simple(const races_view *v, const uint32_t *cell, size_t stride) {
    uint32_t write_clock = cell[0], read_clock = cell[3 * stride];
    if (write_clock >= v->birth) {
        bool known = cell[stride] >> 10 == v->block->id && write_clock < v->block->base &&
                     !(cell[2 * stride] & RACES_TAG_KIND);
        if (!known) return false;
    }
    return read_clock < v->birth || observe_races_is_chained(cell[6 * stride]);
}

static inline void set_last(const races_view *v, uint32_t lane, uint32_t *cell, size_t stride) {
    cell[3 * stride] = v->self->now;
    cell[4 * stride] = v->who | lane;
    cell[5 * stride] = UINT32_C(1) << lane;
    cell[6 * stride] = v->tag;
}

uint32_t observe_races_look_at_atomics(races_view *v) {
    const sim_access *access = v->access;
    uint32_t words = access->bytes / 4, lanes = access->at.mask;
    bool returns = access->at.inst->op != PTX_OP_RED;
    if (!v->chains || (access->bytes != 4 && access->bytes != 8)) return lanes;
    v->shadow = access->space == SIM_GLOBAL ? &v->self->global : &v->block->shadow;
    v->birth = v->shadow->birth;
    races_page *page = NULL;
    uint64_t number = UINT64_MAX;
    for (; lanes; lanes &= lanes - 1) { // in their order: who is the last matters
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t at = access->addresses[lane];
        if (has_fenced(v, lane) || at & (access->bytes - 1)) break;
        if (at >> RACES_PAGE_SHIFT != number) {
            number = at >> RACES_PAGE_SHIFT;
            page = observe_races_page_of(v->shadow, number, 4);
        }
        if (!page || page->shift != 2) break;
        uint32_t *cell = page->column + ((at & (RACES_PAGE_BYTES - 1)) >> 2);
        size_t stride = page->stride;
        if (!is_simple(v, cell, stride) || !is_simple(v, cell + words - 1, stride)) break;
        if (returns && cell[3 * stride] >= v->birth)
            note_link(v, lane, cell[3 * stride], cell[4 * stride], cell[6 * stride]);
        for (uint32_t i = 0; i < words; i++) set_last(v, lane, cell + i, stride);
        for (uint32_t i = 0; v->shadow->quick && i < words; i++) v->shadow->quick[(at >> 2) + i] = 0;
    }
    return lanes;
}
