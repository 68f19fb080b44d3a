// Counts sectors, wavefronts and different addresses of one request. The frequent patterns are recognised
// before anything is compared lane by lane: a constant stride between active lanes covers uniform, contiguous
// and strided accesses alike. The rules are in request.h.
#include "observe/request.h"

#include <string.h>

enum { LANES = OBSERVE_LANES, SECTOR_SHIFT = 5, BANKS = 32 };

// The addresses of the active lanes (at least one), in lane order, with gaps closed.
typedef struct lane_set {
    uint32_t count;
    uint64_t packed[LANES];
    const uint64_t *address; // `count` of them
} lane_set;

static void collect(lane_set *set, const uint64_t *addresses, uint32_t mask) {
    if (mask == UINT32_MAX) {
        set->address = addresses;
        set->count = LANES;
        return;
    }
    uint32_t count = 0;
    do set->packed[count++] = addresses[__builtin_ctz(mask)];
    while (mask &= mask - 1);
    set->address = set->packed;
    set->count = count;
}

// Whether address[i] == address[0] + i * stride for all. The last lane alone tells most of those apart that
// are not; after it the loop has no early exit, so that it becomes vector code.
static bool has_stride(const uint64_t *address, uint32_t count, int64_t *stride) {
    *stride = count > 1 ? (int64_t)(address[1] - address[0]) : 0;
    uint64_t first = address[0], step = (uint64_t)*stride, different = 0;
    if (address[count - 1] != first + (count - 1) * step) return false;
    if (count == LANES) {
        for (uint32_t i = 0; i < LANES; i++) different |= address[i] ^ (first + i * step);
    } else {
        for (uint32_t i = 0; i < count; i++) different |= address[i] ^ (first + i * step);
    }
    return different == 0;
}

// ---- sets of numbers -------------------------------------------------------------------------------------

// Open addressing, marked by one bit per slot; as many as a request of 32 lanes can have.
enum { SET_BITS = 8, SET_PLACES = 1 << SET_BITS };
typedef struct number_set {
    uint64_t used[SET_PLACES / 64];
    uint64_t number[SET_PLACES];
    uint32_t count;
} number_set;

static void set_clear(number_set *set) {
    memset(set->used, 0, sizeof set->used);
    set->count = 0;
}

static void set_add(number_set *set, uint64_t number) {
    if (set->count >= SET_PLACES - 1) return; // no access of 32 lanes is that wide
    uint32_t at = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SET_BITS));
    for (;; at = (at + 1) & (SET_PLACES - 1)) {
        if (!(set->used[at >> 6] >> (at & 63) & 1)) break;
        if (set->number[at] == number) return;
    }
    set->used[at >> 6] |= UINT64_C(1) << (at & 63);
    set->number[at] = number;
    set->count++;
}

// ---- sectors ----------------------------------------------------------------------------------------

static uint32_t sectors_any(const uint64_t *address, uint32_t count, uint32_t bytes) {
    number_set set;
    set_clear(&set);
    uint64_t last = UINT64_MAX; // neighbours mostly share a sector
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = address[i] >> SECTOR_SHIFT, to = (address[i] + bytes - 1) >> SECTOR_SHIFT;
        if (from == last && to == last) continue;
        for (uint64_t sector = from; sector <= to; sector++) set_add(&set, sector);
        last = to;
    }
    return set.count;
}

uint32_t observe_count_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
    lane_set set;
    collect(&set, addresses, mask);
    const uint64_t *address = set.address;
    uint32_t count = set.count;
    int64_t stride;
    if (!has_stride(address, count, &stride)) return sectors_any(address, count, bytes);
    uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    uint64_t low = stride < 0 ? address[count - 1] : address[0];
    uint64_t high = (stride < 0 ? address[0] : address[count - 1]) + bytes - 1;
    // Steps of at most a sector leave none out in between.
    if (step <= OBSERVE_SECTOR) return (uint32_t)((high >> SECTOR_SHIFT) - (low >> SECTOR_SHIFT) + 1);
    // Longer ones give every aligned access a sector of its own.
    if (low % bytes == 0 && step % bytes == 0 && bytes <= OBSERVE_SECTOR && OBSERVE_SECTOR % bytes == 0)
        return count;
    return sectors_any(address, count, bytes);
}

uint32_t observe_ideal_sectors(uint32_t lanes, uint32_t bytes, uint32_t sectors) {
    uint64_t ideal = ((uint64_t)lanes * bytes + OBSERVE_SECTOR - 1) / OBSERVE_SECTOR;
    return ideal < sectors ? (uint32_t)ideal : sectors;
}

uint32_t observe_count_distinct(const uint64_t *addresses, uint32_t mask) {
    lane_set set;
    collect(&set, addresses, mask);
    int64_t stride;
    if (has_stride(set.address, set.count, &stride)) return stride == 0 ? 1 : set.count;
    number_set distinct;
    set_clear(&distinct);
    for (uint32_t i = 0; i < set.count; i++) set_add(&distinct, set.address[i]);
    return distinct.count;
}

uint32_t observe_count_local_sectors(const uint64_t *offsets, uint32_t mask, uint32_t bytes) {
    uint32_t words = (bytes + 3) / 4;
    uint64_t first = offsets[__builtin_ctz(mask)], different = 0;
    for (uint32_t m = mask; m; m &= m - 1) different |= offsets[__builtin_ctz(m)] ^ first;
    if (!different) { // all at the same place in their stacks: whole rows of words, as the lanes are
        uint32_t groups = 0;
        for (uint32_t i = 0; i < LANES; i += 8) groups += (mask >> i & 0xff) != 0;
        return groups * words;
    }
    number_set set;
    set_clear(&set);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        for (uint32_t k = 0; k < words; k++)
            set_add(&set, observe_local_offset(offsets[lane] + 4 * k, lane) >> SECTOR_SHIFT);
    }
    return set.count;
}

// ---- wavefronts -------------------------------------------------------------------------------------

// How many wavefronts the banks need for these lanes: the most different words in any one bank.
static uint32_t passes_any(const uint64_t *address, uint32_t count, uint32_t bytes) {
    uint32_t words = bytes > 4 ? bytes / 4 : 1;
    uint8_t held[BANKS] = {0};
    uint64_t word[BANKS][LANES];
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < words; k++) {
            uint64_t w = (address[i] >> 2) + k;
            uint32_t bank = w % BANKS, j = 0;
            while (j < held[bank] && word[bank][j] != w) j++;
            if (j < held[bank] || j == LANES) continue;
            word[bank][held[bank]++] = w;
            if (held[bank] > most) most = held[bank];
        }
    }
    return most;
}

// Tiles 16 wide make two regular half warps: the same word for each half (a row's element), or 16 words in a
// row for each half. Says whether it is such a pattern without conflicts.
static bool is_free_by_halves(const uint64_t *address) {
    enum { HALF = LANES / 2 };
    const uint64_t *second = address + HALF;
    uint64_t step = address[1] - address[0], different = 0;
    if (step != 0 && step != 4) return false;
    if (address[HALF - 1] != address[0] + (HALF - 1) * step) return false;
    for (uint32_t i = 0; i < HALF; i++)
        different |= (address[i] ^ (address[0] + i * step)) | (second[i] ^ (second[0] + i * step));
    if (different) return false;
    int64_t apart = (int64_t)(second[0] >> 2) - (int64_t)(address[0] >> 2);
    if (step == 0) return apart == 0 || apart % BANKS != 0;
    return (apart >= -HALF && apart <= HALF) || (apart & (BANKS - 1)) == HALF;
}

// Whether no bank is asked for two words: each lane leaves its word at the bank, and all must find it again.
static bool is_free_of_conflicts(const uint64_t *address, uint32_t count) {
    uint32_t word[LANES], at_bank[BANKS], different = 0;
    for (uint32_t i = 0; i < count; i++) word[i] = (uint32_t)(address[i] >> 2);
    for (uint32_t i = 0; i < count; i++) at_bank[word[i] % BANKS] = word[i];
    for (uint32_t i = 0; i < count; i++) different |= at_bank[word[i] % BANKS] ^ word[i];
    return different == 0;
}

static uint32_t passes_of(const uint64_t *address, uint32_t count, uint32_t bytes) {
    int64_t stride;
    if (!has_stride(address, count, &stride)) {
        if (count == LANES && bytes <= 4 && is_free_by_halves(address)) return 1;
        if (bytes <= 4 && is_free_of_conflicts(address, count)) return 1;
        return passes_any(address, count, bytes);
    }
    uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    if (step == 0) return 1;
    if (step == bytes && address[0] % bytes == 0 && count * bytes <= 4 * BANKS) return 1;
    if (bytes != 4 || step % 4 != 0) return passes_any(address, count, bytes);
    // Word strides: lanes i and j share a bank where (i - j) * step is a multiple of 32 words.
    uint32_t words = (uint32_t)(step / 4 % BANKS);
    uint32_t power = words ? words & -words : BANKS; // gcd with 32
    uint32_t apart = BANKS / power;                  // lanes that share a bank are this far apart
    return (count + apart - 1) / apart;
}

// Whether every active lane n has the address of lane n ^ by, or that lane is off.
static bool is_paired(const uint64_t *address, uint32_t mask, uint32_t by) {
    uint64_t different = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        bool both = (mask >> i & 1) && (mask >> (i ^ by) & 1);
        different |= both ? address[i] ^ address[i ^ by] : 0;
    }
    return different == 0;
}

void observe_count_wavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes, bool is_load,
                              uint32_t *wavefronts, uint32_t *ideal) {
    uint32_t group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4; // a power of two
    if (is_load && group < 32 && (is_paired(addresses, mask, 1) || is_paired(addresses, mask, 2))) group *= 2;
    *wavefronts = *ideal = 0;
    for (uint32_t first = 0; first < LANES; first += group) {
        uint32_t lanes = group == 32 ? UINT32_MAX : ((UINT32_C(1) << group) - 1) << first;
        if (!(mask & lanes)) continue;
        lane_set set;
        if ((mask & lanes) == lanes) {
            set.address = addresses + first;
            set.count = group;
        } else {
            collect(&set, addresses, mask & lanes);
        }
        *wavefronts += passes_of(set.address, set.count, bytes);
        *ideal += 1;
    }
}

// ---- patterns ---------------------------------------------------------------------------------------

const char *observe_pattern_name(observe_pattern_kind kind) {
    static const char *const names[OBSERVE_PATTERN_KINDS] = {"uniform", "contiguous", "stride", "rows",
                                                             "other"};
    return kind < OBSERVE_PATTERN_KINDS ? names[kind] : "?";
}

bool observe_pattern_equal(const observe_pattern *a, const observe_pattern *b) {
    return a->kind == b->kind && a->run == b->run && a->stride == b->stride && a->jump == b->jump;
}

// Equal runs of a constant stride: at least two of at least two lanes; the last may be cut short.
static bool find_rows(const uint64_t *address, uint32_t count, observe_pattern *pattern) {
    int64_t stride = (int64_t)(address[1] - address[0]);
    uint32_t run = 2;
    while (run < count && (int64_t)(address[run] - address[run - 1]) == stride) run++;
    if (run >= count) return false;
    int64_t jump = (int64_t)(address[run] - address[0]);
    for (uint32_t i = run; i < count; i++) {
        int64_t expected = i % run ? stride : jump;
        uint64_t from = i % run ? address[i - 1] : address[i - run];
        if ((int64_t)(address[i] - from) != expected) return false;
    }
    *pattern = (observe_pattern){.kind = OBSERVE_ROWS, .run = run, .stride = stride, .jump = jump};
    return true;
}

observe_pattern observe_find_pattern(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
    lane_set set;
    collect(&set, addresses, mask);
    int64_t stride;
    if (has_stride(set.address, set.count, &stride)) {
        if (stride == 0) return (observe_pattern){.kind = OBSERVE_UNIFORM};
        if (stride == (int64_t)bytes) return (observe_pattern){.kind = OBSERVE_CONTIGUOUS};
        if (set.count < 3) return (observe_pattern){.kind = OBSERVE_OTHER}; // two lanes always have a stride
        return (observe_pattern){.kind = OBSERVE_STRIDE, .stride = stride};
    }
    observe_pattern pattern = {.kind = OBSERVE_OTHER};
    if (set.count > 3) find_rows(set.address, set.count, &pattern);
    return pattern;
}

// ---- atomics ----------------------------------------------------------------------------------------

uint32_t observe_count_atomic_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
    uint32_t sectors = 0;
    while (mask) { // one turn
        uint32_t turn = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            bool taken = false;
            for (uint32_t t = turn; t && !taken; t &= t - 1)
                taken = addresses[__builtin_ctz(t)] == addresses[lane];
            if (!taken) turn |= UINT32_C(1) << lane;
        }
        sectors += observe_count_sectors(addresses, turn, bytes);
        mask &= ~turn;
    }
    return sectors;
}

void observe_count_atomic_wavefronts(const uint64_t *addresses, uint32_t mask, bool is_swap,
                                     uint32_t *wavefronts, uint32_t *ideal) {
    uint32_t lanes[32] = {0}, most = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t *bank = &lanes[addresses[__builtin_ctz(m)] / 4 % 32];
        if (++*bank > most) most = *bank;
    }
    *wavefronts = (is_swap ? 2 : 1) * most + 1;
    *ideal = is_swap ? 3 : 2;
}
