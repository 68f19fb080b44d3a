// Weak accesses of whole warps in patterns that are told at a glance: lanes side by side, all lanes at one
// word, or one of these for each half of the warp (tiles 16 wide). Their words are compared column by column,
// which compilers make vector code of; what is not settled so is looked at lane by lane.
#include <string.h>

#include "observe/races.h"

// Words in a row: word i is accessed by the lanes mask[i], of which lane[i] is one.
typedef struct run {
    uint64_t at; // offset in the shadow
    uint32_t count;
    const uint32_t *mask, *lane;
} run;

enum { WIDEST = 128 };
#define EIGHT(f, n)  f(n), f(n + 1), f(n + 2), f(n + 3), f(n + 4), f(n + 5), f(n + 6), f(n + 7)
#define ALL_32(f, n) EIGHT(f, n), EIGHT(f, n + 8), EIGHT(f, n + 16), EIGHT(f, n + 24)
#define LANE_1(i)    (i)
#define LANE_2(i)    ((i) / 2)
#define LANE_4(i)    ((i) / 4)
#define MASK_1(i)    (UINT32_C(1) << (i))
#define MASK_2(i)    (UINT32_C(1) << (i) / 2)
#define MASK_4(i)    (UINT32_C(1) << (i) / 4)
#define MASK_TWO(i)  (UINT32_C(0x10001) << ((i)&15))
static const uint32_t lane_1[] = {ALL_32(LANE_1, 0)}, mask_1[] = {ALL_32(MASK_1, 0)};
static const uint32_t lane_2[] = {ALL_32(LANE_2, 0), ALL_32(LANE_2, 32)};
static const uint32_t mask_2[] = {ALL_32(MASK_2, 0), ALL_32(MASK_2, 32)};
static const uint32_t lane_4[] = {ALL_32(LANE_4, 0), ALL_32(LANE_4, 32), ALL_32(LANE_4, 64),
                                  ALL_32(LANE_4, 96)};
static const uint32_t mask_4[] = {ALL_32(MASK_4, 0), ALL_32(MASK_4, 32), ALL_32(MASK_4, 64),
                                  ALL_32(MASK_4, 96)};
static const uint32_t mask_two[] = {ALL_32(MASK_TWO, 0)}; // lanes i and i + 16
static const uint32_t lane_first[] = {0}, lane_second[] = {16};
static const uint32_t mask_all[] = {UINT32_MAX}, mask_first[] = {0xffff}, mask_second[] = {0xffff0000};

// ---- patterns --------------------------------------------------------------------------------------------

static inline bool is_row(const uint64_t *address, uint32_t count, uint64_t step) {
    uint64_t different = 0;
    if (address[count - 1] - address[0] != (count - 1) * step) return false;
    for (uint32_t i = 0; i < count; i++) different |= (address[i] - address[0]) ^ (i * step);
    return different == 0;
}

static inline bool is_row_of_16(const uint64_t *address, uint64_t step) {
    uint64_t different = 0;
    if (address[15] - address[0] != 15 * step) return false;
    for (uint32_t i = 0; i < 16; i++) different |= (address[i] - address[0]) ^ (i * step);
    return different == 0;
}

// The runs of an access of 4, 8 or 16 bytes by all lanes: 1 or 2 of them; 0 where there is no pattern.
static inline uint32_t find_runs(const sim_access *access, run runs[2]) {
    const uint64_t *a = access->addresses;
    uint32_t bytes = access->bytes;
    uint64_t step = a[1] - a[0];
    if (a[0] & 3) return 0;
    if (step == 0 && bytes == 4) {
        if (is_row(a, RACES_LANES, 0)) {
            runs[0] = (run){a[0], 1, mask_all, lane_first};
            return 1;
        }
        if (!is_row_of_16(a, 0) || !is_row_of_16(a + 16, 0) || a[16] & 3) return 0;
        runs[0] = (run){a[0], 1, mask_first, lane_first};
        runs[1] = (run){a[16], 1, mask_second, lane_second};
        return 2;
    }
    if (step != bytes) return 0;
    if (is_row(a, RACES_LANES, bytes)) {
        const uint32_t *mask = bytes == 4 ? mask_1 : bytes == 8 ? mask_2 : mask_4;
        const uint32_t *lane = bytes == 4 ? lane_1 : bytes == 8 ? lane_2 : lane_4;
        runs[0] = (run){a[0], bytes * 8, mask, lane};
        return 1;
    }
    if (bytes != 4 || !is_row_of_16(a, 4) || !is_row_of_16(a + 16, 4) || a[16] & 3) return 0;
    if (a[16] == a[0]) {
        runs[0] = (run){a[0], 16, mask_two, lane_1};
        return 1;
    }
    uint64_t apart = a[16] > a[0] ? a[16] - a[0] : a[0] - a[16];
    if (apart < 64) return 0; // halves that overlap
    runs[0] = (run){a[0], 16, mask_1, lane_1};
    runs[1] = (run){a[16], 16, mask_1 + 16, lane_1 + 16};
    return 2;
}

// ---- columns ---------------------------------------------------------------------------------------------

// What everybody in the block knows: nothing at all (before the birth), or of the block before its base.
// `low` is the latter where memory holds nobody else's accesses.
typedef struct limits {
    uint32_t birth, base, id, low;
} limits;

static inline bool is_old(const uint32_t *clock, uint32_t count, uint32_t low) {
    uint32_t recent = 0;
    for (uint32_t i = 0; i < count; i++) recent |= clock[i] >= low;
    return !recent;
}

static inline uint32_t unknown_writes(const races_columns *c, uint32_t count, limits l) {
    uint32_t unknown = 0;
    if (is_old(c->write_clock, count, l.low)) return 0;
    if (l.low == l.base) return 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t foreign = (c->write_who[i] >> 10 ^ l.id) | (c->write_tag[i] & RACES_TAG_KIND);
        unknown |= (c->write_clock[i] >= l.birth) & ((c->write_clock[i] >= l.base) | (foreign != 0));
    }
    return unknown;
}

// Not zero where readers are of another block, are copies, or have a list.
static inline uint32_t foreign_readers(const races_columns *c, uint32_t i, limits l) {
    enum { MANY_SHIFT = 8 };
    uint32_t if_many = 0u - (c->read_tag[i] >> MANY_SHIFT & 1);
    return (c->read_who[i] >> 10 ^ l.id) | ((c->read_who[i] ^ c->read_mask[i]) >> 10 & if_many) |
           (c->read_tag[i] & (RACES_TAG_KIND | RACES_TAG_LIST));
}

static inline uint32_t unknown_reads(const races_columns *c, uint32_t count, limits l) {
    uint32_t unknown = 0;
    if (is_old(c->read_clock, count, l.low)) return 0;
    if (l.low == l.base) return 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t foreign = foreign_readers(c, i, l);
        unknown |= (c->read_clock[i] >= l.birth) & ((c->read_clock[i] >= l.base) | (foreign != 0));
    }
    return unknown;
}

// Columns do not overlap, nor what is known of lanes: said so that eight are filled at once.
static inline void fill(uint32_t *restrict column, uint32_t count, uint32_t value) {
    for (uint32_t i = 0; i < count; i++) column[i] = value;
}

static inline void fill_lanes(uint32_t *restrict column, uint32_t count, uint32_t who,
                              const uint32_t *restrict lane) {
    for (uint32_t i = 0; i < count; i++) column[i] = who | lane[i];
}

static inline void fill_readers(const races_view *v, const races_columns *c, const run *r, uint32_t count) {
    fill(c->read_clock, count, v->self->now);
    fill_lanes(c->read_who, count, v->who, r->lane);
    memcpy(c->read_mask, r->mask, count * sizeof *r->mask);
    fill(c->read_tag, count, v->tag);
}

// ---- reading ---------------------------------------------------------------------------------------------

enum { NOT_PLAIN = RACES_TAG_KIND | RACES_TAG_MANY | RACES_TAG_LIST };

// The same lanes read it before.
static inline bool read_again(const races_view *v, const races_columns *c, const run *r, uint32_t count) {
    uint32_t different = 0, mine = v->who;
    for (uint32_t i = 0; i < count; i++)
        different |=
            (c->read_who[i] ^ mine) >> 5 | (c->read_mask[i] ^ r->mask[i]) | (c->read_tag[i] & NOT_PLAIN);
    if (different) return false;
    fill(c->read_clock, count, v->self->now);
    fill(c->read_tag, count, v->tag);
    return true;
}

// Another warp has read it, and nothing came between: from now on many have.
static inline bool read_by_another(const races_view *v, const races_columns *c, const run *r, uint32_t count,
                                   limits l) {
    uint32_t different = v->exact, mine = v->who >> 5;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = c->read_who[i] >> 10 == l.id, past = c->read_clock[i] < l.base;
        uint32_t dead = c->read_clock[i] < l.birth, same = c->read_who[i] >> 5 == mine;
        different |= dead | (own & past) | same | (c->read_tag[i] & NOT_PLAIN);
    }
    if (different) return false;
    fill_lanes(c->read_mask, count, v->who, r->lane);
    for (uint32_t i = 0; i < count; i++) c->read_tag[i] |= RACES_TAG_MANY;
    fill(c->read_clock, count, v->self->now);
    return true;
}

// Many have: two warps of this block since its barrier, or two blocks. Whoever writes races with one of them.
static inline bool read_by_many(const races_view *v, const races_columns *c, const run *r, uint32_t count,
                                limits l) {
    uint32_t different = v->exact;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t blocks = (c->read_who[i] ^ c->read_mask[i]) >> 10, own = c->read_who[i] >> 10 == l.id;
        uint32_t settled = (blocks != 0) | (own & (c->read_clock[i] >= l.base));
        different |= (c->read_tag[i] & (RACES_TAG_MANY | RACES_TAG_LIST)) ^ RACES_TAG_MANY;
        different |= (c->read_clock[i] < l.birth) | !settled;
    }
    return !different;
}

static inline bool read_run(races_view *v, const races_columns *c, const run *r, uint32_t count, limits l) {
    if (unknown_writes(c, count, l)) return false;
    if (!unknown_reads(c, count, l)) {
        fill_readers(v, c, r, count);
        return true;
    }
    // The first word says what the others are likely to be.
    if (c->read_tag[0] & RACES_TAG_MANY) return read_by_many(v, c, r, count, l);
    if (c->read_who[0] >> 5 == v->who >> 5) return read_again(v, c, r, count);
    return read_by_another(v, c, r, count, l);
}

// ---- writing ---------------------------------------------------------------------------------------------

// Each word by one lane; what was there before is over, or was this lane's own.
static inline bool write_run(races_view *v, const races_columns *c, const run *r, uint32_t count, limits l) {
    uint32_t unknown = 0, now = v->self->now, mine = v->who;
    bool old_writes = is_old(c->write_clock, count, l.low), old_reads = is_old(c->read_clock, count, l.low);
    if (!old_writes)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t foreign = (c->write_who[i] >> 10 ^ l.id) | (c->write_tag[i] & RACES_TAG_KIND);
            uint32_t other = (c->write_who[i] ^ (mine | r->lane[i])) | (c->write_tag[i] & RACES_TAG_KIND);
            uint32_t alive = c->write_clock[i] >= l.birth, recent = c->write_clock[i] >= l.base;
            unknown |= alive & (recent | (foreign != 0)) & (other != 0);
        }
    if (!old_reads)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t foreign = foreign_readers(c, i, l);
            uint32_t other =
                (c->read_who[i] ^ mine) >> 5 | (c->read_mask[i] ^ r->mask[i]) | (c->read_tag[i] & NOT_PLAIN);
            uint32_t alive = c->read_clock[i] >= l.birth, recent = c->read_clock[i] >= l.base;
            unknown |= alive & (recent | (foreign != 0)) & (other != 0);
        }
    if (unknown) return false;
    fill(c->write_clock, count, now);
    fill_lanes(c->write_who, count, v->who, r->lane);
    fill(c->write_tag, count, v->tag);
    fill(c->read_clock, count, 0);
    fill(c->read_tag, count, 0);
    return true;
}

// ---- an access -------------------------------------------------------------------------------------------

static inline bool is_quick(const races_view *v, const run *r) {
    const uint32_t *quick = v->shadow->quick;
    uint32_t base = v->block->base, different = 0;
    if (!quick || v->is_write || r->at + 4 * (uint64_t)r->count > v->shadow->quick_bytes) return false;
    quick += r->at >> 2;
    if (r->count == 1) return *quick == base;
    if (r->count == 16) {
        for (uint32_t i = 0; i < 16; i++) different |= quick[i] ^ base;
    } else {
        for (uint32_t i = 0; i < r->count; i++) different |= quick[i] ^ base;
    }
    return !different;
}

static inline void mark(const races_view *v, const races_columns *c, const run *r, uint32_t count) {
    uint32_t *quick = v->shadow->quick;
    if (!quick) return;
    quick += r->at >> 2;
    if (v->is_write)
        memset(quick, 0, count * sizeof *quick);
    else if (!v->exact && c->read_tag[0] & RACES_TAG_MANY) // all of a run are in the same state
        fill(quick, count, v->block->base);
}

static inline bool settle(races_view *v, const races_columns *c, const run *r, uint32_t count) {
    bool plain = v->shadow != &v->self->global && !v->self->exact;
    limits l = {v->birth, v->block->base, v->block->id, plain ? v->block->base : v->birth};
    if (!(v->is_write ? write_run(v, c, r, count, l) : read_run(v, c, r, count, l))) return false;
    mark(v, c, r, count);
    return true;
}

// The usual lengths by themselves, so that their loops are unrolled.
static inline bool settle_any(races_view *v, const races_columns *c, const run *r) {
    if (r->count == 1) return settle(v, c, r, 1);
    if (r->count == 16) return settle(v, c, r, 16);
    if (r->count == 32) return settle(v, c, r, 32);
    return settle(v, c, r, r->count);
}

static inline races_page *page_of(races_view *v, uint64_t at) {
    races_shadow *shadow = v->shadow;
    uint64_t number = at >> RACES_PAGE_SHIFT;
    if (shadow->pages && number < shadow->page_count && shadow->pages[number]) return shadow->pages[number];
    return observe_races_page_of(shadow, number, 4, 4);
}

// One page's part of a run.
static inline bool look_at_run(races_view *v, const run *r) {
    if (is_quick(v, r)) return true;
    races_page *page = page_of(v, r->at);
    if (!page || page->shift != 2) return false;
    races_columns c = observe_races_columns(page, (uint32_t)(r->at & (RACES_PAGE_BYTES - 1)) >> 2);
    return settle_any(v, &c, r);
}

static inline bool look_at_runs(races_view *v) {
    const sim_access *access = v->access;
    run runs[2];
    uint32_t count = find_runs(access, runs);
    if (!count) return false;
    v->shadow = access->space == SIM_GLOBAL ? &v->self->global : &v->block->shadow;
    v->birth = v->shadow->birth;
    for (uint32_t i = 0; i < count; i++) {
        run rest = runs[i];
        if (v->is_write && rest.mask[0] & (rest.mask[0] - 1)) return false; // lanes at one word
        while (rest.count) {
            uint32_t room = (uint32_t)(RACES_PAGE_BYTES - (rest.at & (RACES_PAGE_BYTES - 1))) / 4;
            run part = rest;
            if (part.count > room) part.count = room;
            if (!look_at_run(v, &part)) return false;
            rest = (run){rest.at + 4 * (uint64_t)part.count, rest.count - part.count, rest.mask + part.count,
                         rest.lane + part.count};
        }
    }
    return true;
}

#if defined(__x86_64__)
__attribute__((target("avx2"), flatten)) static bool look_avx2(races_view *v) { return look_at_runs(v); }
#endif

bool observe_races_look_at_runs(races_view *v) {
    uint32_t bytes = v->access->bytes;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || v->self->has_clusters) return false;
    if (v->access->space != SIM_GLOBAL && v->access->space != SIM_SHARED) return false;
#if defined(__x86_64__)
    if (v->self->has_avx2) return look_avx2(v);
#endif
    return look_at_runs(v);
}
