// Atomics of threads on one word are a chain: each reads what the last one wrote. Whoever knows of the last knows of
// all before it, without any fence; so the last is all that a cell has to remember, however many there were.
//
// A chain ends with a weak write. Where other strong accesses come, or a thread releases something by the word, the
// cell gets a list (races_shadow.c), with the last of the chain in it.
#include "observe/races.h"

static bool has_fenced(const races_view *v, uint32_t lane) {
    if (!v->warp->lanes) return false;
    const races_fence *fences = v->warp->lanes[lane].fences;
    return fences[0].clock || fences[1].clock || fences[2].clock;
}

static void note_link(const races_view *v, uint32_t lane, uint32_t clock, uint32_t who, uint32_t tag) {
    if (clock < v->birth || !observe_races_is_chained(tag)) return;
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

// Nothing, or a chain: a weak write has to be remembered beside atomics, for those who know them but not it.
static bool can_chain(const races_view *v, uint32_t write_clock, uint32_t write_tag) {
    return write_clock < v->birth || observe_races_is_chained(write_tag) ||
           observe_races_is_over(v, write_clock);
}

bool observe_races_chain(const races_view *v, uint32_t lane, races_cell *cell) {
    if (has_fenced(v, lane) || !can_chain(v, cell->write_clock, cell->write_tag)) return false;
    bool first = v->address == v->access->addresses[lane]; // of the words
    if (first && v->access->at.inst->op != PTX_OP_RED)
        note_link(v, lane, cell->write_clock, cell->write_who, cell->write_tag);
    cell->write_clock = v->self->now;
    cell->write_who = v->who | lane;
    cell->write_tag = v->tag;
    return true;
}

// ---- a warp at a glance ------------------------------------------------------------------------------------

// Nobody has read it that could conflict, but for the lane itself.
static inline bool is_unread(const races_view *v, uint32_t lane, const races_columns *m) {
    if (*m->read_clock < v->birth) return true;
    if (*m->read_tag & (RACES_TAG_KIND | RACES_TAG_MANY | RACES_TAG_LIST)) return false;
    return *m->read_who >> 5 == v->who >> 5 && *m->read_mask == UINT32_C(1) << lane;
}

static inline bool look_at_word(const races_view *v, uint32_t lane, races_page *page, uint64_t at,
                                bool links) {
    races_columns m = observe_races_columns(page, (uint32_t)(at & (RACES_PAGE_BYTES - 1)) >> 2);
    if (!can_chain(v, *m.write_clock, *m.write_tag) || !is_unread(v, lane, &m)) return false;
    if (links) note_link(v, lane, *m.write_clock, *m.write_who, *m.write_tag);
    *m.write_clock = v->self->now;
    *m.write_who = v->who | lane;
    *m.write_tag = v->tag;
    if (v->shadow->quick) v->shadow->quick[at >> 2] = 0;
    return true;
}

uint32_t observe_races_look_at_atomics(races_view *v) {
    const sim_access *access = v->access;
    uint32_t lanes = access->at.mask;
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
            page = observe_races_page_of(v->shadow, number, 4, 4);
        }
        if (!page || page->shift != 2) break;
        if (!look_at_word(v, lane, page, at, returns)) break;
        if (access->bytes == 8 && !look_at_word(v, lane, page, at + 4, false)) break;
    }
    return lanes;
}
