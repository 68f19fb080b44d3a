// The cache model. It says what the caches of such a GPU could do for the addresses of a program, not what a
// GPU did: every figure made from it is labelled so.
//
// L1     one per multiprocessor, what the carve-out for shared memory leaves; lines of 128 bytes, four
// sectors
//        each with its own validity. Loads allocate; stores go through and change only what is there.
// L2     one for all; the same lines, written back. Stores allocate without reading, atomics happen here.
// Both   16 ways, the set by a hash of the line's address, least recently used goes; empty when a launch
//        begins, as Nsight Compute has them by default.
// Blocks go to multiprocessors in turn. They run one after the other, on one core, so that the figures do not
// depend on the machine: what blocks do to each other's L1 by running at once is not modelled.
#include "observe/caches.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 16, LINE_SHIFT = 7, SECTORS = 4, LANES = OBSERVE_LANES };
enum { LOCAL_BYTES_SHIFT = 24 }; // room for the local memory of one warp, in the model's addresses

typedef struct cache_way {
    uint64_t line;
    uint64_t used; // when; not after `born`: empty
    uint8_t valid, dirty;
} cache_way;

typedef struct sector_cache {
    cache_way *ways;
    uint32_t sets;
    uint64_t clock, born;
    uint64_t dirty_sectors;
} sector_cache;

// Sectors of one line that a request touches.
typedef struct touched {
    uint64_t line;
    uint8_t sectors;
} touched;

struct observe_caches {
    sim_listener listener; // first
    observe_profiles *profiles;
    sector_cache l2, *l1; // l1: one per multiprocessor
    uint32_t multiprocessors, l1_sets;
    observe_cache_sums sums; // of the launch
    bool failed;             // out of memory: the launch has no figures
};

// ---- one cache --------------------------------------------------------------------------------------

static uint32_t sets_for(uint64_t bytes) {
    uint64_t sets = bytes >> LINE_SHIFT;
    sets /= WAYS;
    return sets ? (uint32_t)sets : 1;
}

// Empties it; false when out of memory. Memory of the same size serves again.
static bool start(sector_cache *cache, uint32_t sets) {
    if (cache->sets != sets || !cache->ways) {
        free(cache->ways);
        cache->ways = calloc((size_t)sets * WAYS, sizeof *cache->ways);
        cache->sets = cache->ways ? sets : 0;
        cache->clock = 0;
    }
    cache->born = cache->clock;
    cache->dirty_sectors = 0;
    return cache->ways != NULL;
}

static cache_way *find(sector_cache *cache, uint64_t line, cache_way **oldest) {
    uint64_t mixed = line * UINT64_C(0x9e3779b97f4a7c15);
    cache_way *ways = &cache->ways[(size_t)(((mixed >> 32) * cache->sets) >> 32) * WAYS];
    *oldest = ways;
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].line == line && ways[i].used > cache->born) return &ways[i];
        if (ways[i].used < (*oldest)->used) *oldest = &ways[i];
    }
    return NULL;
}

// Makes room for a line; `written` has the sectors that had to be written back for it.
static cache_way *replace(sector_cache *cache, cache_way *way, uint64_t line, uint32_t *written) {
    if (way->used > cache->born && way->dirty) {
        uint32_t dirty = (uint32_t)__builtin_popcount(way->dirty);
        *written += dirty;
        cache->dirty_sectors -= dirty;
    }
    *way = (cache_way){.line = line};
    return way;
}

// ---- requests ---------------------------------------------------------------------------------------

static uint32_t count_of(uint8_t sectors) { return (uint32_t)__builtin_popcount(sectors); }

static void use_l2(observe_caches *self, uint64_t line, uint8_t sectors, bool write) {
    sector_cache *cache = &self->l2;
    uint32_t written = 0;
    cache_way *oldest, *way = find(cache, line, &oldest);
    if (!way) way = replace(cache, oldest, line, &written);
    uint8_t hits = way->valid & sectors, missing = sectors & (uint8_t)~hits;
    self->sums.l2_sectors += count_of(sectors);
    self->sums.l2_hits += count_of(hits);
    if (!write) self->sums.dram_read_bytes += OBSERVE_SECTOR * count_of(missing);
    self->sums.dram_write_bytes += OBSERVE_SECTOR * (uint64_t)written;
    way->valid |= sectors;
    if (write) {
        cache->dirty_sectors += count_of(sectors & (uint8_t)~way->dirty);
        way->dirty |= sectors;
    }
    way->used = ++cache->clock;
}

// The sectors that L1 does not have.
static uint8_t load_l1(observe_caches *self, sector_cache *cache, uint64_t line, uint8_t sectors) {
    uint32_t written = 0;
    cache_way *oldest, *way = find(cache, line, &oldest);
    if (!way) way = replace(cache, oldest, line, &written);
    uint8_t hits = way->valid & sectors;
    self->sums.l1_sectors += count_of(sectors);
    self->sums.l1_hits += count_of(hits);
    way->valid |= sectors;
    way->used = ++cache->clock;
    return sectors & (uint8_t)~hits;
}

static bool skips_l1(const ptx_inst *inst) {
    uint16_t cache = inst->by_category[PTX_CAT_CACHE], order = inst->by_category[PTX_CAT_ORDER];
    if (cache == PTX_MOD_CG || cache == PTX_MOD_CV) return true;
    return order != PTX_MOD_NONE && order != PTX_MOD_WEAK;
}

static uint32_t add_bytes(touched *list, uint32_t count, uint64_t first, uint64_t bytes) {
    for (uint64_t sector = first >> 5; sector <= (first + bytes - 1) >> 5; sector++) {
        uint64_t line = sector / SECTORS;
        uint32_t i = count;
        while (i > 0 && list[i - 1].line != line) i--;
        if (i == 0) {
            list[count] = (touched){.line = line};
            i = ++count;
        }
        list[i - 1].sectors |= (uint8_t)(1u << sector % SECTORS);
    }
    return count;
}

// The lines that a request touches. At most 16 words of 32 lanes, or 32 bytes that lie across two lines.
enum { MAX_TOUCHED = LANES * 8 };

static uint32_t collect(const observe_caches *self, const sim_access *access, touched *list) {
    uint32_t count = 0;
    bool local = access->space == SIM_LOCAL;
    uint32_t bytes = access->bytes > 32 ? 32 : access->bytes;
    // A warp's local memory: by multiprocessor and warp, for blocks that follow each other use the same.
    uint64_t slot = (uint64_t)(access->at.block % self->multiprocessors) * 64 + access->at.warp;
    uint64_t stack = UINT64_C(1) << 62 | slot << LOCAL_BYTES_SHIFT;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = access->addresses[lane];
        if (!local) {
            count = add_bytes(list, count, address, bytes);
            continue;
        }
        for (uint32_t k = 0; k < bytes; k += 4)
            count = add_bytes(list, count, stack + observe_local_offset(address + k, lane), 1);
    }
    return count;
}

static void on_bulk(observe_caches *self, const sim_access *access) {
    uint64_t first = access->addresses[__builtin_ctz(access->at.mask)], end = first + access->bytes;
    for (uint64_t line = first >> LINE_SHIFT; line <= (end - 1) >> LINE_SHIFT; line++) {
        uint8_t sectors = 0;
        for (uint32_t s = 0; s < SECTORS; s++) {
            uint64_t from = (line << LINE_SHIFT) + 32 * s;
            if (from + 32 > first && from < end) sectors |= (uint8_t)(1u << s);
        }
        use_l2(self, line, sectors, access->kind != SIM_LOAD);
    }
}

static void on_access(sim_listener *listener, const sim_access *access) {
    observe_caches *self = (observe_caches *)listener;
    if (self->failed || !access->at.mask || !access->bytes) return;
    if (access->space != SIM_GLOBAL && access->space != SIM_LOCAL) return;
    if (access->agent == SIM_ASYNC_PROXY) {
        on_bulk(self, access);
        return;
    }
    touched list[MAX_TOUCHED + 2];
    uint32_t count = collect(self, access, list);
    bool load = access->kind == SIM_LOAD, direct = !load || skips_l1(access->at.inst);
    sector_cache *l1 = &self->l1[access->at.block % self->multiprocessors];
    if (!direct && !l1->ways && !start(l1, self->l1_sets)) {
        self->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t sectors = list[i].sectors;
        if (!direct) sectors = load_l1(self, l1, list[i].line, sectors);
        if (sectors) use_l2(self, list[i].line, sectors, !load);
    }
}

// ---- launches ---------------------------------------------------------------------------------------

// What is set aside for shared memory comes in steps (CUDA Programming Guide, "Compute Capabilities").
static uint64_t carve_out(uint32_t sm, uint64_t bytes) {
    static const uint16_t kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    if (sm < 80) return bytes <= 32768 ? 32768 : 65536;
    for (size_t i = 0; i < BASE_COUNT(kib); i++)
        if (bytes <= kib[i] * UINT64_C(1024)) return kib[i] * UINT64_C(1024);
    return bytes;
}

static uint64_t l1_left(const observe_gpu *gpu, const sim_launch_event *event) {
    const uint32_t *block = event->launch->block, *grid = event->launch->grid;
    observe_occupancy_input input = {.threads = block[0] * block[1] * block[2],
                                     .shared_static = event->shared_bytes - event->reserved_shared_bytes,
                                     .blocks = (uint64_t)grid[0] * grid[1] * grid[2]};
    observe_occupancy_result fits = observe_occupancy(gpu, &input);
    uint64_t resident = fits.blocks, each = (input.blocks + gpu->multiprocessors - 1) / gpu->multiprocessors;
    if (each < resident) resident = each;
    uint64_t shared = input.shared_static ? resident * fits.shared_allocated : 0;
    uint64_t taken = carve_out(gpu->sm, shared);
    return taken < gpu->l1_bytes ? gpu->l1_bytes - taken : 0;
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    observe_caches *self = (observe_caches *)listener;
    const observe_gpu *gpu = &self->profiles->gpu;
    uint64_t l1_bytes = l1_left(gpu, event);
    self->sums = (observe_cache_sums){.l1_bytes = l1_bytes, .l2_bytes = gpu->l2_bytes};
    self->l1_sets = sets_for(l1_bytes);
    self->failed = !start(&self->l2, sets_for(gpu->l2_bytes));
    for (uint32_t i = 0; i < self->multiprocessors && !self->failed; i++)
        if (self->l1[i].ways) self->failed = !start(&self->l1[i], self->l1_sets);
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    observe_caches *self = (observe_caches *)listener;
    observe_profile *profile = self->profiles->current;
    if (!profile || self->failed) return;
    observe_cache_sums *to = &profile->caches;
    const observe_cache_sums *from = &self->sums;
    to->valid = true;
    to->l1_bytes = from->l1_bytes;
    to->l2_bytes = from->l2_bytes;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->dram_read_bytes += from->dram_read_bytes;
    to->dram_write_bytes += from->dram_write_bytes + OBSERVE_SECTOR * self->l2.dirty_sectors;
}

observe_caches *observe_caches_open(observe_profiles *profiles) {
    observe_caches *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->profiles = profiles;
    self->multiprocessors = profiles->gpu.multiprocessors ? profiles->gpu.multiprocessors : 1;
    self->l1 = calloc(self->multiprocessors, sizeof *self->l1);
    self->listener =
        (sim_listener){.launch_begin = on_launch_begin, .launch_end = on_launch_end, .access = on_access};
    if (self->l1) return self;
    observe_caches_close(self);
    return NULL;
}

void observe_caches_close(observe_caches *self) {
    if (!self) return;
    for (uint32_t i = 0; self->l1 && i < self->multiprocessors; i++) free(self->l1[i].ways);
    free(self->l1);
    free(self->l2.ways);
    free(self);
}

sim_listener *observe_caches_listener(observe_caches *self) { return &self->listener; }
