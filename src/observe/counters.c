// Counts what kz_counters says. It sees every access of every warp, so the frequent patterns are recognised
// before anything is compared lane by lane: a constant stride between active lanes covers uniform,
// contiguous and strided accesses alike.
#include "observe/observe.h"

#include <stdlib.h>

enum { LANES = 32, SECTOR_SHIFT = 5, BANKS = 32 };

struct observe_counters {
    sim_listener listener; // first: the simulator hands this back
    kz_counters sums;
};

static observe_counters *self_of(sim_listener *listener) { return (observe_counters *)listener; }

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

// ---- global memory: sectors ------------------------------------------------------------------------

// A set of sectors, at most two per lane: open addressing, marked by one bit per place.
typedef struct sector_set {
    uint64_t used[2];
    uint64_t sector[128];
    uint32_t count;
} sector_set;

static void add_sector(sector_set *set, uint64_t sector) {
    if (set->count == BASE_COUNT(set->sector)) return; // no PTX access is that wide
    uint32_t at = (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 57);
    for (;; at = (at + 1) & 127) {
        if (!(set->used[at >> 6] >> (at & 63) & 1)) break;
        if (set->sector[at] == sector) return;
    }
    set->used[at >> 6] |= UINT64_C(1) << (at & 63);
    set->sector[at] = sector;
    set->count++;
}

static uint32_t sectors_any(const uint64_t *address, uint32_t count, uint32_t bytes) {
    sector_set set;
    set.used[0] = set.used[1] = 0;
    set.count = 0;
    uint64_t last = UINT64_MAX; // neighbours mostly share a sector
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = address[i] >> SECTOR_SHIFT, to = (address[i] + bytes - 1) >> SECTOR_SHIFT;
        if (from == last && to == last) continue;
        for (uint64_t sector = from; sector <= to; sector++) add_sector(&set, sector);
        last = to;
    }
    return set.count;
}

static uint32_t sectors_of(const uint64_t *address, uint32_t count, uint32_t bytes) {
    int64_t stride;
    if (!has_stride(address, count, &stride)) return sectors_any(address, count, bytes);
    uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    uint64_t low = stride < 0 ? address[count - 1] : address[0];
    uint64_t high = (stride < 0 ? address[0] : address[count - 1]) + bytes - 1;
    // Steps of at most a sector leave none out in between.
    if (step <= 32) return (uint32_t)((high >> SECTOR_SHIFT) - (low >> SECTOR_SHIFT) + 1);
    // Longer ones give every aligned access a sector of its own.
    if (low % bytes == 0 && step % bytes == 0 && bytes <= 32 && 32 % bytes == 0) return count;
    return sectors_any(address, count, bytes);
}

static void count_global(kz_counters *sums, const lane_set *set, uint32_t bytes) {
    uint32_t sectors = sectors_of(set->address, set->count, bytes);
    uint32_t ideal = (set->count * bytes + 31) / 32;
    sums->global_requests++;
    sums->global_sectors += sectors;
    sums->global_ideal_sectors += ideal < sectors ? ideal : sectors;
}

// ---- shared memory: wavefronts -----------------------------------------------------------------------

// How many passes the banks need for these lanes: the most different words in any one bank.
static uint32_t passes_any(const uint64_t *address, uint32_t count, uint32_t bytes) {
    uint32_t words = bytes > 4 ? bytes / 4 : 1;
    uint8_t held[BANKS] = {0};
    uint64_t word[BANKS][LANES * 2];
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < words; k++) {
            uint64_t w = (address[i] >> 2) + k;
            uint32_t bank = w % BANKS, j = 0;
            while (j < held[bank] && word[bank][j] != w) j++;
            if (j < held[bank]) continue;
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
        if (count == LANES && is_free_by_halves(address)) return 1;
        if (bytes <= 4 && is_free_of_conflicts(address, count)) return 1;
        return passes_any(address, count, bytes);
    }
    uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    if (step == 0 || (step == bytes && address[0] % bytes == 0)) return 1;
    if (bytes != 4 || step % 4 != 0) return passes_any(address, count, bytes);
    // Word strides: lanes i and j share a bank where (i - j) * step is a multiple of 32 words.
    uint32_t words = (uint32_t)(step / 4 % BANKS);
    uint32_t power = words ? words & -words : BANKS; // gcd with 32
    uint32_t apart = BANKS / power;                  // lanes that share a bank are this far apart
    return (count + apart - 1) / apart;
}

// The lanes that are served together; `group` is a power of two.
static void count_shared(kz_counters *sums, const sim_access *access) {
    uint32_t bytes = access->bytes, group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4;
    sums->shared_requests++;
    for (uint32_t first = 0; first < LANES; first += group) {
        uint32_t lanes = group == 32 ? UINT32_MAX : ((UINT32_C(1) << group) - 1) << first;
        if (!(access->at.mask & lanes)) continue;
        lane_set set;
        if ((access->at.mask & lanes) == lanes) {
            set.address = access->addresses + first;
            set.count = group;
        } else {
            collect(&set, access->addresses, access->at.mask & lanes);
        }
        sums->shared_wavefronts += passes_of(set.address, set.count, bytes);
        sums->shared_ideal_wavefronts++;
    }
}

// ---- atomics -----------------------------------------------------------------------------------------

// Lanes beyond the first on one address.
static uint32_t conflicts_of(const lane_set *set) {
    int64_t stride;
    if (has_stride(set->address, set->count, &stride)) return stride == 0 ? set->count - 1 : 0;
    sector_set distinct;
    distinct.used[0] = distinct.used[1] = 0;
    distinct.count = 0;
    for (uint32_t i = 0; i < set->count; i++) add_sector(&distinct, set->address[i]);
    return set->count - distinct.count;
}

// ---- the listener ------------------------------------------------------------------------------------

static void on_access(sim_listener *listener, const sim_access *access) {
    if (!access->at.mask || !access->bytes) return;
    if (access->space != SIM_GLOBAL && access->space != SIM_SHARED) return;
    kz_counters *sums = &self_of(listener)->sums;
    lane_set set;
    collect(&set, access->addresses, access->at.mask);
    if (access->space == SIM_GLOBAL)
        count_global(sums, &set, access->bytes);
    else
        count_shared(sums, access);
    if (access->kind != SIM_ATOMIC) return;
    sums->atomic_requests++;
    sums->atomic_lane_conflicts += conflicts_of(&set);
}

static void on_run(sim_listener *listener, const ptx_inst *first, uint32_t count, uint32_t block,
                   uint32_t warp, uint32_t mask) {
    kz_counters *sums = &self_of(listener)->sums;
    sums->warp_instructions += count;
    sums->thread_instructions +=
        (uint64_t)count * (mask == UINT32_MAX ? LANES : (uint32_t)__builtin_popcount(mask));
}

static void on_block_begin(sim_listener *listener, uint32_t block, uint32_t warps) {
    self_of(listener)->sums.blocks++;
    self_of(listener)->sums.warps += warps;
}

static void on_sync(sim_listener *listener, const sim_sync *sync) {
    if (sync->kind == SIM_ARRIVE && sync->is_barrier) self_of(listener)->sums.barriers++;
}

static sim_listener *on_fork(sim_listener *listener) {
    observe_counters *child = observe_counters_open();
    return child ? &child->listener : NULL;
}

static void add(kz_counters *to, const kz_counters *from) {
    to->blocks += from->blocks;
    to->warps += from->warps;
    to->warp_instructions += from->warp_instructions;
    to->thread_instructions += from->thread_instructions;
    to->global_requests += from->global_requests;
    to->global_sectors += from->global_sectors;
    to->global_ideal_sectors += from->global_ideal_sectors;
    to->shared_requests += from->shared_requests;
    to->shared_wavefronts += from->shared_wavefronts;
    to->shared_ideal_wavefronts += from->shared_ideal_wavefronts;
    to->atomic_requests += from->atomic_requests;
    to->atomic_lane_conflicts += from->atomic_lane_conflicts;
    to->barriers += from->barriers;
}

// Folds the child in and ends it.
static void on_join(sim_listener *listener, sim_listener *child) {
    if (!child) return;
    add(&self_of(listener)->sums, &self_of(child)->sums);
    observe_counters_close(self_of(child));
}

observe_counters *observe_counters_open(void) {
    observe_counters *counters = calloc(1, sizeof *counters);
    if (!counters) return NULL;
    counters->listener = (sim_listener){
        .fork = on_fork,
        .join = on_join,
        .block_begin = on_block_begin,
        .run = on_run,
        .access = on_access,
        .sync = on_sync,
    };
    return counters;
}

void observe_counters_close(observe_counters *counters) { free(counters); }

sim_listener *observe_counters_listener(observe_counters *counters) { return &counters->listener; }

void observe_counters_read(const observe_counters *counters, kz_counters *sums) {
    kz_counters kept = *sums;
    *sums = counters->sums;
    sums->valid = kept.valid;
    sums->launches = kept.launches;
}

void observe_counters_reset(observe_counters *counters) { counters->sums = (kz_counters){0}; }
