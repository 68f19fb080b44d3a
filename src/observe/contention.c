// See contention.h.
#include "observe/contention.h"

#include <stdlib.h>
#include <string.h>

// In units. 32 threads on the 32 words of a line take 5 clocks, four sectors of eight words; on one word, 46 for integers
// and 112 for floats. A single word takes less than several of a sector (atomics/02_red).
enum { ONE_WORD = 12, WORDS = 21, INTEGER_LANE = 23, FLOAT_LANE = 56, PIECE_SHIFT = 9 };
enum {
    FIRST = 1 << 10,
    MOST_PIECES = 1 << 20
}; // beyond these, pieces are not told apart: nobody meets there
enum { SHARED_TURN = 55, SHARED_LANE = 1 };

typedef struct entry {
    uint64_t piece; // 1 + its number; 0: empty
    uint64_t units;
} entry;

struct observe_contention {
    entry *entries;
    uint32_t size, count; // a power of two
    uint64_t most;
};

observe_contention *observe_contention_open(void) {
    observe_contention *c = calloc(1, sizeof *c);
    if (c) c->entries = calloc(c->size = FIRST, sizeof *c->entries);
    if (c && c->entries) return c;
    free(c);
    return NULL;
}

void observe_contention_close(observe_contention *c) {
    if (!c) return;
    free(c->entries);
    free(c);
}

void observe_contention_begin(observe_contention *c) {
    if (c->count) memset(c->entries, 0, c->size * sizeof *c->entries);
    c->count = 0;
    c->most = 0;
}

uint64_t observe_contention_most(const observe_contention *c) { return c->most; }

static entry *find(entry *entries, uint32_t size, uint64_t piece) {
    uint32_t at = (uint32_t)((piece * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (;; at++) {
        entry *e = &entries[at & (size - 1)];
        if (!e->piece || e->piece == piece + 1) return e;
    }
}

static void grow(observe_contention *c) {
    if (c->count < c->size / 2 || c->size >= 2 * MOST_PIECES) return;
    entry *larger = calloc(2 * (size_t)c->size, sizeof *larger);
    if (!larger) return;
    for (uint32_t i = 0; i < c->size; i++)
        if (c->entries[i].piece) *find(larger, 2 * c->size, c->entries[i].piece - 1) = c->entries[i];
    free(c->entries);
    c->entries = larger;
    c->size *= 2;
}

static void add(observe_contention *c, uint64_t piece, uint64_t units) {
    entry *e = find(c->entries, c->size, piece);
    if (!e->piece) {
        if (c->count >= MOST_PIECES || c->count >= c->size - 1) return;
        e->piece = piece + 1;
        c->count++;
    }
    e->units += units;
    if (e->units > c->most) c->most = e->units;
    grow(c);
}

bool observe_is_float(const ptx_inst *inst) {
    ptx_type type = inst->type_count ? (ptx_type)inst->types[inst->type_count - 1] : PTX_TYPE_NONE;
    return type == PTX_F32 || type == PTX_F64 || type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 ||
           type == PTX_BF16X2;
}

typedef struct sector {
    uint32_t words, most; // different addresses; the most lanes at one of them
} sector;

// The sector of the first lane; its lanes are taken out of the mask.
static sector take_sector(const uint64_t *addresses, uint32_t *mask) {
    uint64_t number = addresses[__builtin_ctz(*mask)] >> 5;
    sector found = {0};
    uint32_t same = 0;
    for (uint32_t m = *mask; m; m &= m - 1)
        if (addresses[__builtin_ctz(m)] >> 5 == number) same |= m & -m;
    *mask &= ~same;
    for (; same; found.words++) {
        uint64_t address = addresses[__builtin_ctz(same)];
        uint32_t lanes = 0;
        for (uint32_t m = same; m; m &= m - 1)
            if (addresses[__builtin_ctz(m)] == address) lanes |= m & -m;
        uint32_t count = (uint32_t)__builtin_popcount(lanes);
        if (count > found.most) found.most = count;
        same &= ~lanes;
    }
    return found;
}

uint64_t observe_contention_add(observe_contention *c, const sim_access *access, bool gathered) {
    uint32_t lane = observe_is_float(access->at.inst) ? FLOAT_LANE : INTEGER_LANE;
    uint64_t all = 0;
    for (uint32_t mask = gathered ? access->at.mask & -access->at.mask : access->at.mask; mask;) {
        uint64_t piece = access->addresses[__builtin_ctz(mask)] >> PIECE_SHIFT;
        sector s = take_sector(access->addresses, &mask);
        uint64_t pass = s.words > 1 ? WORDS : ONE_WORD;
        // Different words go by in one pass; those at one word keep their distance, from the next warp's too.
        uint64_t serial = s.words == 1 || s.most > 1 ? (uint64_t)s.most * lane : pass;
        add(c, piece, serial > pass ? serial : pass);
        all += pass + (uint64_t)(s.most - 1) * lane;
    }
    return all;
}

uint32_t observe_contention_shared(const ptx_inst *inst, const uint64_t *addresses, uint32_t mask) {
    uint32_t most = 0;
    while (mask) {
        uint64_t address = addresses[__builtin_ctz(mask)];
        uint32_t lanes = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            if (addresses[__builtin_ctz(m)] == address) lanes |= m & -m;
        uint32_t count = (uint32_t)__builtin_popcount(lanes);
        if (count > most) most = count;
        mask &= ~lanes;
    }
    return most * (observe_is_float(inst) ? SHARED_TURN : SHARED_LANE);
}
