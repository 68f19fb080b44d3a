// What threads know of each other's accesses: immutable trees by block, counted references, shared parts.
//
// Joining two trees shares every part that is the same, or that one of them contains already: blocks that
// hand their knowledge on in a chain, or all wait at a grid's barrier, cost a path each, not a copy.
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"

enum { FAN_SHIFT = 5, FAN = 1 << FAN_SHIFT };

struct observe_known {
    uint32_t references;
    uint32_t level; // 0: a block
    uint32_t all, count;
    union {
        observe_known *child[FAN];
        observe_fact facts[1];
    };
};

unsigned observe_known_levels(uint64_t blocks) {
    unsigned levels = 0;
    while (blocks > 1) {
        blocks = (blocks + FAN - 1) >> FAN_SHIFT;
        levels++;
    }
    return levels;
}

observe_known *observe_known_keep(observe_known *known) {
    if (known) known->references++;
    return known;
}

void observe_known_drop(observe_known *known) {
    if (!known || --known->references) return;
    for (unsigned i = 0; known->level && i < FAN; i++) observe_known_drop(known->child[i]);
    free(known);
}

static observe_known *new_inner(uint32_t level) {
    observe_known *known = calloc(1, sizeof *known);
    if (!known) return NULL;
    known->references = 1;
    known->level = level;
    return known;
}

static observe_known *new_leaf(uint32_t all, uint32_t count) {
    observe_known *known =
        malloc(offsetof(observe_known, facts) + (count ? count : 1) * sizeof(observe_fact));
    if (!known) return NULL;
    known->references = 1;
    known->level = 0;
    known->all = all;
    known->count = count;
    return known;
}

observe_known *observe_known_of(unsigned levels, uint32_t block, uint32_t all, const observe_fact *facts,
                                uint32_t count) {
    observe_known *known = new_leaf(all, count);
    if (!known) return NULL;
    if (count) memcpy(known->facts, facts, count * sizeof *facts);
    for (unsigned level = 1; level <= levels; level++) {
        observe_known *above = new_inner(level);
        if (!above) {
            observe_known_drop(known);
            return NULL;
        }
        above->child[block >> (level - 1) * FAN_SHIFT & (FAN - 1)] = known;
        known = above;
    }
    return known;
}

static uint32_t key_of(const observe_fact *fact) { return (uint32_t)fact->slot << 16 | fact->lane; }

// ---- joining: NULL only when out of memory ---------------------------------------------------------------

// Drops what the block's `all` or the slot's own whole says anyway. A slot's whole comes last in its slot.
static uint32_t tidy(observe_fact *facts, uint32_t count, uint32_t all) {
    uint32_t kept = 0;
    for (uint32_t first = 0; first < count;) {
        uint32_t end = first;
        while (end < count && facts[end].slot == facts[first].slot) end++;
        uint32_t least = facts[first].slot < RACES_WARPS ? all : 0;
        const observe_fact *last = &facts[end - 1];
        bool whole = last->lane == OBSERVE_ALL_LANES && last->clock > least;
        observe_fact copy = *last;
        if (whole) least = copy.clock;
        for (uint32_t i = first; i < end; i++)
            if (facts[i].clock > least) facts[kept++] = facts[i];
        if (whole) facts[kept++] = copy;
        first = end;
    }
    return kept;
}

static bool same_facts(const observe_known *a, uint32_t all, const observe_fact *facts, uint32_t count) {
    return a->all == all && a->count == count &&
           (count == 0 || !memcmp(a->facts, facts, count * sizeof *facts));
}

static observe_known *join_leaves(observe_known *a, observe_known *b) {
    observe_fact few[128], *facts = few;
    uint32_t room = a->count + b->count, count = 0, i = 0, j = 0;
    if (room > BASE_COUNT(few) && !(facts = malloc(room * sizeof *facts))) return NULL;
    while (i < a->count || j < b->count) {
        uint64_t x = i < a->count ? key_of(&a->facts[i]) : UINT64_MAX;
        uint64_t y = j < b->count ? key_of(&b->facts[j]) : UINT64_MAX;
        observe_fact fact = x <= y ? a->facts[i] : b->facts[j];
        if (x == y && b->facts[j].clock > fact.clock) fact.clock = b->facts[j].clock;
        i += x <= y;
        j += y <= x;
        facts[count++] = fact;
    }
    uint32_t all = a->all > b->all ? a->all : b->all;
    count = tidy(facts, count, all);
    observe_known *joined = NULL;
    if (same_facts(a, all, facts, count))
        joined = observe_known_keep(a);
    else if (same_facts(b, all, facts, count))
        joined = observe_known_keep(b);
    else if ((joined = new_leaf(all, count)) && count)
        memcpy(joined->facts, facts, count * sizeof *facts);
    if (facts != few) free(facts);
    return joined;
}

static observe_known *join(observe_known *a, observe_known *b) {
    if (a == b || !b) return observe_known_keep(a);
    if (!a) return observe_known_keep(b);
    if (a->level == 0) return join_leaves(a, b);
    observe_known *child[FAN];
    bool is_a = true, is_b = true, failed = false;
    for (unsigned i = 0; i < FAN; i++) {
        child[i] = a->child[i] || b->child[i] ? join(a->child[i], b->child[i]) : NULL;
        failed |= !child[i] && (a->child[i] || b->child[i]);
        is_a &= child[i] == a->child[i];
        is_b &= child[i] == b->child[i];
    }
    observe_known *joined = NULL;
    if (!failed && !is_a && !is_b && (joined = new_inner(a->level))) {
        memcpy(joined->child, child, sizeof child);
        return joined;
    }
    for (unsigned i = 0; i < FAN; i++) observe_known_drop(child[i]);
    if (failed) return NULL;
    return is_a ? observe_known_keep(a) : is_b ? observe_known_keep(b) : NULL;
}

bool observe_known_absorb(observe_known **into, observe_known *other) {
    if (!other || *into == other) return true;
    observe_known *joined = join(*into, other);
    if (!joined) return false;
    observe_known_drop(*into);
    *into = joined;
    return true;
}

// ---- saying it of something else -------------------------------------------------------------------------

static observe_known *leaf_as(const observe_known *known, unsigned from, unsigned to, uint32_t warps) {
    uint32_t room = known->count + warps, count = 0, next = 0;
    observe_known *leaf = new_leaf(0, room);
    if (!leaf) return NULL;
    const uint32_t first = from * RACES_WARPS;
    while (next < known->count && known->facts[next].slot < first) next++;
    for (uint32_t slot = first; slot < first + 2 * RACES_WARPS; slot++) {
        uint16_t as = (uint16_t)(slot - first + to * RACES_WARPS);
        bool whole = false;
        for (; next < known->count && known->facts[next].slot == slot; next++) {
            observe_fact fact = known->facts[next];
            whole |= fact.lane == OBSERVE_ALL_LANES;
            leaf->facts[count++] = (observe_fact){as, fact.lane, fact.clock};
        }
        if (slot < warps && !whole && known->all) // of threads alone
            leaf->facts[count++] = (observe_fact){as, OBSERVE_ALL_LANES, known->all};
    }
    leaf->count = count;
    return leaf;
}

observe_known *observe_known_as(const observe_known *known, unsigned from, unsigned to, uint32_t warps) {
    if (!known->level) return leaf_as(known, from, to, warps);
    observe_known *above = new_inner(known->level);
    for (unsigned i = 0; above && i < FAN; i++) {
        if (!known->child[i]) continue;
        if (!(above->child[i] = observe_known_as(known->child[i], from, to, warps))) {
            observe_known_drop(above);
            return NULL;
        }
    }
    return above;
}

// ---- asking ----------------------------------------------------------------------------------------------

bool observe_known_holds(const observe_known *known, uint32_t block, unsigned slot, unsigned lane,
                         uint32_t clock) {
    while (known && known->level) known = known->child[block >> (known->level - 1) * FAN_SHIFT & (FAN - 1)];
    if (!known) return false;
    if (slot < RACES_WARPS && clock <= known->all) return true;
    uint32_t low = 0, high = known->count, key = (uint32_t)slot << 16 | lane;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (key_of(&known->facts[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < known->count && key_of(&known->facts[low]) == key && clock <= known->facts[low].clock)
        return true;
    while (low < known->count && known->facts[low].slot == slot &&
           known->facts[low].lane != OBSERVE_ALL_LANES)
        low++;
    return low < known->count && known->facts[low].slot == slot && clock <= known->facts[low].clock;
}
