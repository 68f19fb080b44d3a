// The cache model. It says what the caches of such a GPU could do for the addresses of a program, not what a
// GPU did: every figure made from it is labelled so.
//
// L1     one per multiprocessor, what the carve-out for shared memory leaves; lines of 128 bytes, four sectors
//        each with its own validity. Loads allocate; stores go through and change only what is there. Local
//        memory is kept here and written back. Empty when a launch begins.
// L2     the same lines, written back. Stores of whole sectors allocate without reading, atomics happen here. It
//        keeps from launch to launch what kernels, copies and fills left; empty when a session begins. An A100 and
//        a Hopper GPU have two halves: each keeps what its multiprocessors read, so that a line which all of them
//        read is there twice; what is written has one place.
// Both   16 ways, the set by a hash of the line's address, least recently used goes.
// Blocks go to multiprocessors in turn. They run one after the other, on one core, so that the figures do not
// depend on the machine. On a GPU the resident blocks take turns, and each fills L1 as the others do: a line
// that one block alone uses is gone when so many fills of its own, times the resident blocks, went by.
#include "observe/caches.h"

#include <stdlib.h>
#include <string.h>

#include "observe/contention.h"
#include "observe/padding.h"
#include "observe/scoreboard.h"
#include "sim/inspect.h"

enum { HALVES = 2, WAYS = 16, LINE_SHIFT = 7, SECTORS = 4, LANES = OBSERVE_LANES };
// DRAM moves two sectors at once. A sector that comes alone costs twice that (tests/truth/times.cu, read_stride_32 and
// store_stride_32). Of what a large fill left in L2, half still has to be written back (copy4_16Mi, cold).
enum { GRANULE = 64, ALONE = 64, LEFT_BY_FILL = 3 };
enum { LOCAL_BYTES_SHIFT = 24 }; // room for the local memory of one warp, in the model's addresses

typedef struct cache_way {
    uint64_t line;
    uint64_t used;  // when; not after `born`: empty
    uint32_t fills; // of the cache, when it was used last
    uint32_t block; // that used it last
    uint8_t valid, dirty;
} cache_way;

typedef struct sector_cache {
    cache_way *ways;
    uint32_t sets, fills;
    uint64_t clock, born;
    bool
        is_overwritten; // what is in empty ways is somebody's dirty data: a fill larger than the cache went by
} sector_cache;

// Sectors of one line that a request touches, and those it covers with bytes of its own, all of them.
typedef struct touched {
    uint64_t line;
    uint8_t sectors, covered;
} touched;

// A basic block of the launch.
typedef struct basic_block {
    uint64_t executions; // by warps
    uint32_t length;     // instructions
} basic_block;

// Where the slowest sector of a request came from.
typedef enum level { FROM_L1, FROM_L2, FROM_DRAM } level;

struct observe_caches {
    sim_listener listener; // first
    observe_profiles *profiles;
    observe_scoreboard *board;
    observe_contention *contention; // of atomics
    observe_paddings *paddings;     // of shared memory
    basic_block *blocks;            // by serial of the first instruction
    uint32_t block_capacity;
    sector_cache l2[HALVES], *l1; // l1: one per multiprocessor
    uint32_t halves;
    uint32_t half; // of L2: of the access under way
    uint32_t multiprocessors, l1_sets, resident, warps;
    observe_cache_sums sums; // of the launch
    observe_sums *line;      // of the access under way
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
    cache->fills = 0;
    cache->is_overwritten = false;
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

static uint32_t count_of(uint8_t sectors) { return (uint32_t)__builtin_popcount(sectors); }

// Makes room for a line; what was there before.
static cache_way replace(sector_cache *cache, cache_way *way, uint64_t line) {
    cache_way gone = *way;
    if (way->used <= cache->born) gone = (cache_way){.dirty = cache->is_overwritten ? LEFT_BY_FILL : 0};
    *way = (cache_way){.line = line};
    cache->fills++;
    return gone;
}

// ---- requests ---------------------------------------------------------------------------------------

// Counts for the launch, and for the line of the source.
static void add(observe_caches *self, uint64_t *sum, observe_sum_index index, uint64_t value) {
    if (sum) *sum += value;
    if (self->line) self->line->value[index] += value;
}

// The halves of a line, of two sectors each, that these touch.
static uint32_t halves_of(uint8_t sectors) { return ((sectors & 3) != 0) + ((sectors & 12) != 0); }
static bool is_alone(uint8_t sectors) { return sectors && !(sectors & (sectors - 1)); }

static void write_back(observe_caches *self, const cache_way *gone) {
    if (!gone->dirty) return;
    add(self, NULL, OBSERVE_SUM_WRITTEN_BACK, (uint64_t)OBSERVE_SECTOR * count_of(gone->dirty));
    if (is_alone(gone->dirty)) add(self, NULL, OBSERVE_SUM_DRAM_ISOLATED, GRANULE);
}

// Which half of L2 a line is written to.
static uint32_t home_of(const observe_caches *self, uint64_t line) {
    return (uint32_t)((line * UINT64_C(0xd1342543de82ef95)) >> 63) % self->halves;
}

// The sectors of a line that the other half has.
static uint8_t held_elsewhere(observe_caches *self, uint32_t half, uint64_t line) {
    cache_way *oldest, *way = self->halves > 1 ? find(&self->l2[!half], line, &oldest) : NULL;
    return way ? way->valid : 0;
}

// A sector that is written in part is fetched, where it is not there.
static level use_l2(observe_caches *self, uint64_t line, uint8_t sectors, uint8_t covered,
                    sim_access_kind kind) {
    uint32_t half = kind == SIM_LOAD ? self->half : home_of(self, line);
    sector_cache *cache = &self->l2[half];
    cache_way *oldest, *way = find(cache, line, &oldest);
    if (!way) {
        cache_way gone = replace(cache, way = oldest, line);
        write_back(self, &gone);
    }
    uint8_t hits = way->valid & sectors, missing = sectors & (uint8_t)~hits;
    if (missing) {
        hits |= held_elsewhere(self, half, line) & sectors;
        missing &= (uint8_t)~hits;
    }
    self->sums.l2_sectors += count_of(sectors);
    self->sums.l2_hits += count_of(hits);
    if (kind != SIM_LOAD) { // it goes to DRAM once, however often it is written
        uint64_t changed = count_of(sectors & (uint8_t)~way->dirty);
        add(self, &self->sums.dram_write_bytes, OBSERVE_SUM_DRAM_WRITE, OBSERVE_SECTOR * changed);
        way->dirty |= sectors;
    }
    if (kind == SIM_STORE) missing &= (uint8_t)~covered;
    if (missing) {
        add(self, &self->sums.dram_read_bytes, OBSERVE_SUM_DRAM_READ, (uint64_t)GRANULE * halves_of(missing));
        if (is_alone(missing)) add(self, NULL, OBSERVE_SUM_DRAM_ISOLATED, ALONE);
        way->valid |= (missing & 3 ? 3 : 0) | (missing & 12 ? 12 : 0);
    }
    way->valid |= sectors;
    way->used = ++cache->clock;
    return missing ? FROM_DRAM : FROM_L2;
}

// Whether a line that only this block uses would still be there if the resident blocks took turns.
static bool is_pushed_out(const observe_caches *self, const sector_cache *cache, const cache_way *way,
                          uint32_t block) {
    uint64_t fills = (uint64_t)(cache->fills - way->fills) * self->resident;
    return way->block == block && fills > (uint64_t)cache->sets * WAYS;
}

// The sectors that L1 does not have.
static uint8_t use_l1(observe_caches *self, sector_cache *cache, uint64_t line, uint8_t sectors,
                      uint32_t block, bool write) {
    cache_way *oldest, *way = find(cache, line, &oldest);
    if (way && is_pushed_out(self, cache, way, block)) {
        if (way->dirty) use_l2(self, line, way->dirty, way->dirty, SIM_STORE);
        replace(cache, way, line);
    } else if (!way) {
        cache_way gone = replace(cache, way = oldest, line);
        if (gone.dirty) use_l2(self, gone.line, gone.dirty, gone.dirty, SIM_STORE);
    }
    uint8_t hits = way->valid & sectors;
    if (!write) {
        self->sums.l1_sectors += count_of(sectors);
        self->sums.l1_hits += count_of(hits);
    }
    way->valid |= sectors;
    if (write) way->dirty |= sectors;
    way->used = ++cache->clock;
    way->fills = cache->fills;
    way->block = block;
    return write ? 0 : sectors & (uint8_t)~hits;
}

static bool skips_l1(const ptx_inst *inst) {
    uint16_t cache = inst->by_category[PTX_CAT_CACHE], order = inst->by_category[PTX_CAT_ORDER];
    if (cache == PTX_MOD_CG || cache == PTX_MOD_CV) return true;
    return order != PTX_MOD_NONE && order != PTX_MOD_WEAK;
}

// ---- the lines of a request -------------------------------------------------------------------------

// At most 16 words of 32 lanes, or 32 bytes that lie across two lines.
enum { MAX_TOUCHED = LANES * 8 };

typedef struct request {
    touched list[MAX_TOUCHED + 2];
    uint32_t bytes[MAX_TOUCHED + 2][SECTORS]; // a bit for each byte
    uint32_t count;
} request;

static void add_bytes(request *r, uint64_t first, uint64_t bytes) {
    for (uint64_t sector = first >> 5; sector <= (first + bytes - 1) >> 5; sector++) {
        uint64_t line = sector / SECTORS, from = sector << 5, end = first + bytes;
        uint32_t i = r->count;
        while (i > 0 && r->list[i - 1].line != line) i--;
        if (i == 0) {
            r->list[r->count] = (touched){.line = line};
            memset(r->bytes[r->count], 0, sizeof r->bytes[0]);
            i = ++r->count;
        }
        uint32_t low = first > from ? (uint32_t)(first - from) : 0,
                 high = end < from + OBSERVE_SECTOR ? (uint32_t)(end - from) : OBSERVE_SECTOR;
        uint32_t mask = (high - low == OBSERVE_SECTOR ? UINT32_MAX : (UINT32_C(1) << (high - low)) - 1)
                        << low;
        uint32_t *covered = &r->bytes[i - 1][sector % SECTORS];
        *covered |= mask;
        r->list[i - 1].sectors |= (uint8_t)(1u << sector % SECTORS);
        if (*covered == UINT32_MAX) r->list[i - 1].covered |= (uint8_t)(1u << sector % SECTORS);
    }
}

// Whether all lanes lie one behind the other, as most do.
static bool is_contiguous(const sim_access *access) {
    uint64_t different = 0;
    if (access->at.mask != UINT32_MAX) return false;
    for (uint32_t i = 0; i < LANES; i++)
        different |= access->addresses[i] ^ (access->addresses[0] + (uint64_t)i * access->bytes);
    return different == 0;
}

static void add_local(request *r, const observe_caches *self, const sim_access *access, uint32_t bytes) {
    // A warp's local memory: by multiprocessor and by which of the resident warps it is.
    uint32_t sm = access->at.block % self->multiprocessors, turn = access->at.block / self->multiprocessors;
    uint64_t slot = (uint64_t)sm * 4096 + (uint64_t)(turn % self->resident) * self->warps + access->at.warp;
    uint64_t stack = UINT64_C(1) << 62 | slot << LOCAL_BYTES_SHIFT;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        for (uint32_t k = 0; k < bytes; k += 4)
            add_bytes(r, stack + observe_local_offset(access->addresses[lane] + k, lane), 4);
    }
}

static void collect(const observe_caches *self, const sim_access *access, request *r) {
    uint32_t bytes = access->bytes > 32 ? 32 : access->bytes;
    r->count = 0;
    if (access->space == SIM_LOCAL)
        add_local(r, self, access, bytes);
    else if (is_contiguous(access))
        add_bytes(r, access->addresses[0], (uint64_t)LANES * bytes);
    else
        for (uint32_t m = access->at.mask; m; m &= m - 1)
            add_bytes(r, access->addresses[__builtin_ctz(m)], bytes);
}

static level on_bulk(observe_caches *self, const sim_access *access) {
    level slowest = FROM_L2;
    uint64_t first = access->addresses[__builtin_ctz(access->at.mask)], end = first + access->bytes;
    bool write = access->kind != SIM_LOAD;
    for (uint64_t line = first >> LINE_SHIFT; line <= (end - 1) >> LINE_SHIFT; line++) {
        uint8_t sectors = 0;
        for (uint32_t s = 0; s < SECTORS; s++) {
            uint64_t from = (line << LINE_SHIFT) + 32 * s;
            if (from + 32 > first && from < end) sectors |= (uint8_t)(1u << s);
        }
        level from = use_l2(self, line, sectors, sectors, access->kind);
        if (from > slowest) slowest = from;
        add(self, NULL, write ? OBSERVE_SUM_L2_WRITES : OBSERVE_SUM_L2_READS, count_of(sectors));
    }
    return slowest;
}

static level on_memory(observe_caches *self, const sim_access *access) {
    static const level nearest = FROM_L1;
    request r;
    collect(self, access, &r);
    bool load = access->kind == SIM_LOAD, local = access->space == SIM_LOCAL;
    bool direct = !local && (!load || skips_l1(access->at.inst));
    sector_cache *l1 = &self->l1[access->at.block % self->multiprocessors];
    if (!direct && !l1->ways && !start(l1, self->l1_sets)) {
        self->failed = true;
        return nearest;
    }
    level slowest = nearest;
    add(self, NULL, OBSERVE_SUM_L1_WAVEFRONTS, r.count);
    for (uint32_t i = 0; i < r.count; i++) {
        uint8_t sectors = r.list[i].sectors, covered = r.list[i].covered;
        if (!direct) sectors = use_l1(self, l1, r.list[i].line, sectors, access->at.block, !load);
        if (!sectors) continue;
        level from = use_l2(self, r.list[i].line, sectors, covered, access->kind);
        if (from > slowest) slowest = from;
        if (access->kind == SIM_ATOMIC) continue; // by contention.h
        add(self, NULL, load ? OBSERVE_SUM_L2_READS : OBSERVE_SUM_L2_WRITES, count_of(sectors));
        if (!load) add(self, NULL, OBSERVE_SUM_L2_PARTIAL, count_of(sectors & (uint8_t)~covered));
    }
    return slowest;
}

// ---- how long a warp waits for it -------------------------------------------------------------------

static uint32_t clocks_of(const sim_access *access, level from) {
    static const uint16_t clocks[] = {OBSERVE_LATENCY_L1, OBSERVE_LATENCY_L2, OBSERVE_LATENCY_DRAM};
    uint32_t wavefronts, ideal;
    switch (access->space) {
    case SIM_SHARED:
        if (access->kind == SIM_ATOMIC)
            return OBSERVE_LATENCY_SHARED +
                   observe_contention_shared(access->at.inst, access->addresses, access->at.mask);
        observe_count_wavefronts(access->addresses, access->at.mask, access->bytes,
                                 observe_pairs_groups(access), &wavefronts, &ideal);
        return OBSERVE_LATENCY_SHARED + wavefronts - 1;
    case SIM_DISTRIBUTED: return OBSERVE_LATENCY_DISTRIBUTED;
    case SIM_CONST: return OBSERVE_LATENCY_CONST * observe_count_distinct(access->addresses, access->at.mask);
    case SIM_GLOBAL:
    case SIM_LOCAL:
        return access->kind == SIM_ATOMIC && from < FROM_DRAM ? OBSERVE_LATENCY_ATOMIC : clocks[from];
    default: return OBSERVE_LATENCY_L2;
    }
}

// Dynamic shared memory is taken for one array.
static void note_shared(observe_caches *self, const sim_access *access) {
    uint32_t begin = 0;
    uint32_t offset = (uint32_t)access->addresses[__builtin_ctz(access->at.mask)];
    if (access->at.self) sim_inspect_shared_variable(access->at.self, offset, &begin);
    observe_paddings_note(self->paddings, access, begin);
}

static void on_access(sim_listener *listener, const sim_access *access) {
    observe_caches *self = (observe_caches *)listener;
    observe_profile *profile = self->profiles->current;
    const observe_module *module = profile ? profile->module : NULL;
    if (self->failed || !access->at.mask || !access->bytes || access->part == SIM_PART_MAP) return;
    uint32_t serial = access->at.inst->serial;
    bool memory = access->space == SIM_GLOBAL || access->space == SIM_LOCAL;
    self->line = memory && module && serial < module->inst_count
                     ? observe_profile_line(self->profiles, profile, module->line_of[serial])
                     : NULL;
    level from = FROM_L1;
    self->half = access->at.block % self->multiprocessors % self->halves;
    if (memory && access->agent == SIM_ASYNC_PROXY)
        from = on_bulk(self, access);
    else if (memory)
        from = on_memory(self, access);
    if (access->space == SIM_GLOBAL && access->kind == SIM_ATOMIC) {
        bool gathered = module && serial < module->inst_count && module->infos[serial].gathered;
        uint64_t clocks = observe_contention_add(self->contention, access, gathered);
        add(self, NULL, OBSERVE_SUM_ATOMIC_CLOCKS, clocks);
    }
    if (access->agent == SIM_PRODUCT || !observe_scoreboard_samples(self->board, access->at.block)) return;
    if (access->agent == SIM_ASYNC_PROXY) {
        // What follows the first line comes at 128 bytes a clock.
        observe_scoreboard_bulk(self->board, access, clocks_of(access, from) + access->bytes / 128);
        return;
    }
    observe_scoreboard_access(self->board, access, clocks_of(access, from));
    if (access->space == SIM_SHARED && access->kind != SIM_ATOMIC) note_shared(self, access);
}

// L2 with all that is in it lives on from launch to launch; `anew` empties it.
static bool start_l2(observe_caches *self, bool anew) {
    uint32_t sets = sets_for(self->profiles->gpu.l2_bytes / self->halves);
    for (uint32_t i = 0; i < self->halves; i++)
        if ((anew || self->l2[i].sets != sets) && !start(&self->l2[i], sets)) return false;
    return true;
}

// The host, or an engine that copies, wrote there: it is in L2.
static void on_host_write(sim_listener *listener, const sim_memory_event *event) {
    observe_caches *self = (observe_caches *)listener;
    uint64_t size = self->profiles->gpu.l2_bytes;
    if (event->kind != SIM_MEMORY_HOST_WRITE && event->kind != SIM_MEMORY_COPY) return;
    if (!event->bytes || !start_l2(self, event->bytes >= 2 * size)) return;
    if (event->bytes >= 2 * size) { // nothing else is left
        for (uint32_t i = 0; i < self->halves; i++) self->l2[i].is_overwritten = true;
        return;
    }
    uint64_t first = event->address >> LINE_SHIFT, last = (event->address + event->bytes - 1) >> LINE_SHIFT;
    if (last - first > size >> LINE_SHIFT) first = last - (size >> LINE_SHIFT);
    for (uint64_t line = first; line <= last; line++) {
        sector_cache *cache = &self->l2[home_of(self, line)];
        cache_way *oldest, *way = find(cache, line, &oldest);
        if (!way) replace(cache, way = oldest, line);
        way->valid = way->dirty = (1u << SECTORS) - 1;
        way->used = ++cache->clock;
    }
}

static void on_block_begin(sim_listener *listener, uint32_t block, uint32_t warps) {
    observe_caches *self = (observe_caches *)listener;
    observe_scoreboard_block(self->board, block, warps);
}

static void on_sync(sim_listener *listener, const sim_sync *sync) {
    observe_scoreboard_sync(((observe_caches *)listener)->board, sync);
}

static void on_run(sim_listener *listener, const ptx_inst *first, uint32_t count, uint32_t block,
                   uint32_t warp, uint32_t mask) {
    observe_caches *self = (observe_caches *)listener;
    if (first->serial < self->block_capacity) {
        self->blocks[first->serial].executions++;
        self->blocks[first->serial].length = count;
    }
    if (observe_scoreboard_samples(self->board, block))
        observe_scoreboard_run(self->board, first, count, block, warp);
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

// What the launch leaves of L1, and how many of its blocks share it.
static uint64_t l1_left(const observe_gpu *gpu, const sim_launch_event *event, uint32_t *together) {
    const uint32_t *block = event->launch->block, *grid = event->launch->grid;
    observe_occupancy_input input = {.threads = block[0] * block[1] * block[2],
                                     .shared_static = event->shared_bytes - event->reserved_shared_bytes,
                                     .blocks = (uint64_t)grid[0] * grid[1] * grid[2]};
    observe_occupancy_result fits = observe_occupancy(gpu, &input);
    uint64_t resident = fits.blocks, each = (input.blocks + gpu->multiprocessors - 1) / gpu->multiprocessors;
    if (each < resident) resident = each;
    *together = resident ? (uint32_t)resident : 1;
    uint64_t shared = input.shared_static ? resident * fits.shared_allocated : 0;
    uint64_t taken = carve_out(gpu->sm, shared);
    return taken < gpu->l1_bytes ? gpu->l1_bytes - taken : 0;
}

static void start_blocks(observe_caches *self, uint32_t count) {
    free(self->blocks);
    self->blocks = calloc(count, sizeof *self->blocks);
    self->block_capacity = self->blocks ? count : 0;
}

static void keep_most(uint64_t *most, uint64_t value) {
    if (value > *most) *most = value;
}

// How often the instruction that ran most did: of each line, and of the kernel.
static void add_executions(observe_caches *self, observe_profile *profile) {
    const observe_module *module = profile->module;
    uint64_t *of_line = module ? calloc(module->line_count + 1, sizeof *of_line) : NULL, of_all = 0;
    for (uint32_t i = 0; of_line && i < self->block_capacity; i++) {
        const basic_block *b = &self->blocks[i];
        keep_most(&of_all, b->executions);
        for (uint32_t k = i; k < i + b->length && k < module->inst_count; k++)
            keep_most(&of_line[module->line_of[k]], b->executions);
    }
    for (uint32_t i = 0; of_line && i < module->line_count; i++) {
        observe_sums *line = of_line[i] ? observe_profile_line(self->profiles, profile, i) : NULL;
        if (line) line->value[OBSERVE_SUM_HOTTEST] += of_line[i];
    }
    profile->hottest += of_all;
    free(of_line);
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    observe_caches *self = (observe_caches *)listener;
    const observe_gpu *gpu = &self->profiles->gpu;
    const observe_profile *profile = self->profiles->current;
    const uint32_t *block = event->launch->block;
    uint64_t l1_bytes = l1_left(gpu, event, &self->resident);
    self->warps = (block[0] * block[1] * block[2] + LANES - 1) / LANES;
    self->sums = (observe_cache_sums){.l1_bytes = l1_bytes, .l2_bytes = gpu->l2_bytes};
    self->l1_sets = sets_for(l1_bytes);
    self->failed = !start_l2(self, self->listener.memory == NULL);
    for (uint32_t i = 0; i < self->multiprocessors && !self->failed; i++)
        if (self->l1[i].ways) self->failed = !start(&self->l1[i], self->l1_sets);
    observe_contention_begin(self->contention);
    observe_paddings_begin(self->paddings);
    if (profile && profile->module) start_blocks(self, profile->module->inst_count);
    if (profile && profile->module)
        observe_scoreboard_begin(self->board, event, profile->module->infos, profile->module->inst_count);
}

static void add_caches(observe_cache_sums *to, const observe_cache_sums *from) {
    to->valid = true;
    to->l1_bytes = from->l1_bytes;
    to->l2_bytes = from->l2_bytes;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->dram_read_bytes += from->dram_read_bytes;
    to->dram_write_bytes += from->dram_write_bytes;
}

// What the sampled warps waited for, by line; their sums are the kernel's.
static void add_waits(observe_caches *self, observe_profile *profile) {
    observe_sampled sampled = observe_scoreboard_end(self->board);
    const observe_module *module = profile->module;
    profile->sampled_blocks += sampled.blocks;
    profile->sampled_clocks += sampled.clocks;
    for (uint32_t i = 0; sampled.waits && module && i < module->inst_count; i++) {
        if (!sampled.waits[i]) continue;
        observe_sums *line = observe_profile_line(self->profiles, profile, module->line_of[i]);
        if (line) line->value[OBSERVE_SUM_WAITS] += sampled.waits[i];
    }
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    observe_caches *self = (observe_caches *)listener;
    observe_profile *profile = self->profiles->current;
    if (!profile || self->failed) return;
    add_caches(&profile->caches, &self->sums);
    profile->atomic_clocks += observe_contention_most(self->contention);
    add_executions(self, profile);
    add_waits(self, profile);
    size_t count = profile->module ? observe_paddings_try(self->paddings) : 0;
    for (size_t i = 0; i < count; i++) {
        observe_padding padding;
        const ptx_inst *inst = observe_paddings_get(self->paddings, i, &padding);
        observe_inst_accesses *accesses = padding.row ? observe_profile_accesses(profile, inst) : NULL;
        if (accesses) accesses->padding = padding;
    }
}

observe_caches *observe_caches_open(observe_profiles *profiles) {
    observe_caches *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->profiles = profiles;
    self->multiprocessors = profiles->gpu.multiprocessors ? profiles->gpu.multiprocessors : 1;
    self->halves = profiles->gpu.sm == 80 || profiles->gpu.sm == 90 ? HALVES : 1;
    self->l1 = calloc(self->multiprocessors, sizeof *self->l1);
    self->board = observe_scoreboard_open();
    self->contention = observe_contention_open();
    self->paddings = observe_paddings_open();
    self->listener = (sim_listener){.launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .block_begin = on_block_begin,
                                    .run = on_run,
                                    .sync = on_sync,
                                    .access = on_access,
                                    .memory = on_host_write};
    if (self->l1 && self->board && self->contention && self->paddings) return self;
    observe_caches_close(self);
    return NULL;
}

void observe_caches_close(observe_caches *self) {
    if (!self) return;
    for (uint32_t i = 0; self->l1 && i < self->multiprocessors; i++) free(self->l1[i].ways);
    free(self->l1);
    for (uint32_t i = 0; i < HALVES; i++) free(self->l2[i].ways);
    observe_scoreboard_close(self->board);
    observe_contention_close(self->contention);
    observe_paddings_close(self->paddings);
    free(self->blocks);
    free(self);
}

void observe_caches_keep_host_out(observe_caches *self) { self->listener.memory = NULL; }

sim_listener *observe_caches_listener(observe_caches *self) { return &self->listener; }
