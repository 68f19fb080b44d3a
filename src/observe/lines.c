// Counts what each instruction does, at the speed of the simulator.
//
// Executions are counted per straight run of instructions, and spread over its instructions when the launch
// has ended. A memory instruction keeps a few memos: the addresses of a request relative to its first lane,
// and what such a request costs. The next one usually lies alike, only elsewhere; then one comparison and one
// increment count it. A memo holds for every place whose distance is a multiple of a sector (global memory)
// or of a word (shared and local memory).
#include "observe/lines.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { MEMOS = 8, MEMO_BITS = 3, LANES = OBSERVE_LANES, NARROW = 4 };

typedef struct memo {
    uint64_t key; // lanes, alignment, space, width and kind; 0: empty
    uint64_t hits;
    uint64_t offsets[LANES]; // from the first active lane's address
    observe_request cost;
    observe_pattern pattern;
    observe_access_sums *sums;
} memo;

// One memory instruction of a worker.
typedef struct memory_state {
    const ptx_inst *inst;
    observe_access_sums *sums;
    struct memory_state *next; // of those that were touched
    bool touched;
    uint64_t tensor_copies; // by the maps that they read
    memo memos[MEMOS];
} memory_state;

typedef struct run_state {
    uint64_t full, partial, lanes; // executions by all lanes, by some; lanes of the latter
    const ptx_inst *first;
    uint32_t count;
    uint32_t next; // 1 + serial of the next that was touched, or UINT32_MAX at the end; 0: not touched
} run_state;

typedef struct branch_state {
    uint64_t count, divergent;
    bool open; // a table: its last execution has not been seen to diverge
} branch_state;

typedef struct worker worker;
struct worker {
    sim_listener listener; // first: the simulator hands this back
    observe_lines *owner;
    worker *next_spare;
    observe_module *module; // whose serials the tables below are indexed by
    uint64_t blocks, warps;
    run_state *runs;
    uint32_t first_run;
    branch_state *branches;
    const ptx_inst *ran; // the end of the latest run, until a branch is told of
    memory_state **memory, *first_memory;
    uint64_t *guarded_lanes; // of instructions with flops and a guard; NULL where the module has none
    bool failed;             // out of memory: this worker counts no more
};

struct observe_lines {
    sim_listener listener; // first
    observe_profiles *profiles;
    worker *spare;
    bool has_avx2;
};

static worker *self_of(sim_listener *listener) { return (worker *)listener; }

// ---- requests ---------------------------------------------------------------------------------------

static bool lanes_agree(const uint64_t *addresses, uint32_t mask, uint64_t base, const uint64_t *offsets) {
    uint64_t different = 0;
    if (mask == UINT32_MAX) {
        for (int i = 0; i < LANES; i++) different |= (addresses[i] - base) ^ offsets[i];
    } else {
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            different |= (addresses[i] - base) ^ offsets[i];
        }
    }
    return different == 0;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static inline bool lanes_agree_avx2(const uint64_t *addresses, uint32_t mask,
                                                                    uint64_t base, const uint64_t *offsets) {
    const __m256i from = _mm256_set1_epi64x((long long)base);
    __m256i different = _mm256_setzero_si256();
    if (mask == UINT32_MAX) {
        for (int i = 0; i < LANES; i += 4) {
            __m256i at = _mm256_loadu_si256((const __m256i *)(addresses + i));
            __m256i was = _mm256_loadu_si256((const __m256i *)(offsets + i));
            different = _mm256_or_si256(different, _mm256_xor_si256(_mm256_sub_epi64(at, from), was));
        }
    } else {
        __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8), lanes = _mm256_set1_epi64x(mask);
        for (int i = 0; i < LANES; i += 4, bit = _mm256_slli_epi64(bit, 4)) {
            __m256i at = _mm256_loadu_si256((const __m256i *)(addresses + i));
            __m256i was = _mm256_loadu_si256((const __m256i *)(offsets + i));
            __m256i on = _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bit), bit);
            __m256i here = _mm256_and_si256(on, _mm256_xor_si256(_mm256_sub_epi64(at, from), was));
            different = _mm256_or_si256(different, here);
        }
    }
    return _mm256_testz_si256(different, different);
}
#endif

static observe_request cost_of(const sim_access *access) {
    uint32_t mask = access->at.mask, bytes = access->bytes;
    observe_request cost = {.lanes = observe_lane_count(mask)};
    cost.distinct = observe_count_distinct(access->addresses, mask);
    bool atomic = access->kind == SIM_ATOMIC;
    if (access->space == SIM_GLOBAL) {
        cost.sectors = observe_count_sectors(access->addresses, mask, bytes);
        cost.ideal_sectors = observe_ideal_sectors(cost.lanes, bytes, cost.sectors);
        if (atomic) cost.sectors = observe_count_atomic_sectors(access->addresses, mask, bytes);
    } else if (access->space == SIM_LOCAL) {
        cost.sectors = observe_count_local_sectors(access->addresses, mask, bytes);
        cost.ideal_sectors = observe_ideal_sectors(cost.lanes, bytes, cost.sectors);
        cost.distinct = cost.lanes; // each lane has a stack of its own
    } else if (access->space == SIM_SHARED && atomic) {
        observe_count_atomic_wavefronts(access->addresses, mask, observe_is_swap(access->at.inst),
                                        &cost.wavefronts, &cost.ideal_wavefronts);
    } else if (access->space == SIM_SHARED) {
        observe_count_wavefronts(access->addresses, mask, bytes, observe_pairs_groups(access),
                                 &cost.wavefronts, &cost.ideal_wavefronts);
    }
    return cost;
}

static void fold_memo(memo *m) {
    observe_access_sums *sums = m->sums;
    if (m->hits && sums) {
        sums->requests += m->hits;
        sums->lanes += m->hits * m->cost.lanes;
        if (m->cost.lanes < NARROW) sums->narrow += m->hits * m->cost.lanes;
        sums->distinct += m->hits * m->cost.distinct;
        sums->sectors += m->hits * m->cost.sectors;
        sums->ideal_sectors += m->hits * m->cost.ideal_sectors;
        sums->wavefronts += m->hits * m->cost.wavefronts;
        sums->ideal_wavefronts += m->hits * m->cost.ideal_wavefronts;
        observe_access_pattern(sums, &m->pattern, m->hits);
    }
    m->hits = 0;
}

static memory_state *open_memory(worker *self, const ptx_inst *inst) {
    if (inst->serial >= self->module->inst_count || !self->module->memory_of[inst->serial]) return NULL;
    memory_state *state = self->memory[inst->serial];
    if (!state) state = self->memory[inst->serial] = calloc(1, sizeof *state);
    if (!state) {
        self->failed = true;
        return NULL;
    }
    state->inst = inst;
    state->touched = true;
    state->next = self->first_memory;
    return self->first_memory = state;
}

static void replace_memo(worker *self, memory_state *state, memo *m, const sim_access *access, uint64_t key) {
    fold_memo(m);
    observe_access_sums like = {.space = access->space,
                                .agent = access->agent,
                                .kind = access->kind,
                                .returns = self->module->infos[access->at.inst->serial].returns,
                                .bytes = access->bytes};
    m->sums = observe_access_find(&state->sums, &like);
    m->key = m->sums ? key : 0;
    self->failed |= !m->sums;
    uint64_t base = access->addresses[__builtin_ctz(access->at.mask)];
    for (int i = 0; i < LANES; i++) m->offsets[i] = access->addresses[i] - base;
    m->cost = cost_of(access);
    m->pattern = observe_find_pattern(access->addresses, access->at.mask, access->bytes);
    m->hits = 1;
}

// Bulk copies are as long as they like, and there is one per instruction: nothing to compare. A tensor copy is told of
// row by row, and its map is no part of it.
static void count_bulk(worker *self, memory_state *state, const sim_access *access) {
    if (access->part == SIM_PART_MAP) {
        state->tensor_copies++;
        return;
    }
    observe_access_sums like = {.space = access->space, .agent = access->agent, .kind = access->kind};
    observe_access_sums *sums = observe_access_find(&state->sums, &like);
    if (!sums) {
        self->failed = true;
        return;
    }
    uint64_t first = access->addresses[__builtin_ctz(access->at.mask)], end = first + access->bytes;
    sums->requests += access->part != SIM_PART_MORE;
    sums->lanes += access->bytes; // of such a copy: its bytes
    if (access->space == SIM_GLOBAL) {
        sums->sectors += (end + 31) / 32 - first / 32;
        sums->ideal_sectors += ((uint64_t)access->bytes + 31) / 32;
    }
}

typedef bool (*agree)(const uint64_t *addresses, uint32_t mask, uint64_t base, const uint64_t *offsets);

static inline __attribute__((always_inline)) void count_access(worker *self, const sim_access *access,
                                                               agree lanes_do) {
    uint32_t mask = access->at.mask, serial = access->at.inst->serial;
    if (!mask || !access->bytes || (access->space == SIM_PARAM && access->part != SIM_PART_MAP)) return;
    if (self->failed || serial >= self->module->inst_count) return;
    if (access->agent == SIM_PRODUCT) return; // no copy; tensor.h counts its bytes
    memory_state *state = self->memory[serial];
    if (!state || !state->touched) {
        state = open_memory(self, access->at.inst);
        if (!state) return;
    }
    if (access->agent == SIM_ASYNC_PROXY) {
        count_bulk(self, state, access);
        return;
    }
    uint64_t base = access->addresses[__builtin_ctz(mask)];
    uint64_t spread = access->addresses[31 - __builtin_clz(mask)] - base;
    uint64_t align = base & (access->space == SIM_GLOBAL ? OBSERVE_SECTOR - 1 : 3);
    uint64_t key = mask | align << 32 | (uint64_t)(access->bytes & 0xffff) << 37 |
                   (uint64_t)(access->space & 7) << 53 | (uint64_t)(access->kind & 3) << 56 |
                   (uint64_t)(access->agent & 3) << 58 | UINT64_C(1) << 63;
    uint64_t mixed = (key ^ spread * 5) * UINT64_C(0x9e3779b97f4a7c15);
    memo *m = &state->memos[mixed >> (64 - MEMO_BITS)];
    if (__builtin_expect(m->key == key && lanes_do(access->addresses, mask, base, m->offsets), 1))
        m->hits++;
    else
        replace_memo(self, state, m, access, key);
}

static void on_access(sim_listener *listener, const sim_access *access) {
    count_access(self_of(listener), access, lanes_agree);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void on_access_avx2(sim_listener *listener, const sim_access *access) {
    count_access(self_of(listener), access, lanes_agree_avx2);
}
#endif

// ---- instructions -----------------------------------------------------------------------------------

static void touch_run(worker *self, run_state *run, const ptx_inst *first, uint32_t count) {
    run->next = self->first_run;
    run->first = first;
    run->count = count;
    self->first_run = first->serial + 1;
}

static void on_run(sim_listener *listener, const ptx_inst *first, uint32_t count, uint32_t block,
                   uint32_t warp, uint32_t mask) {
    worker *self = self_of(listener);
    if (self->failed || first->serial >= self->module->inst_count) return;
    run_state *run = &self->runs[first->serial];
    if (__builtin_expect(!run->next, 0)) touch_run(self, run, first, count);
    self->ran = &first[count - 1];
    if (mask == UINT32_MAX) {
        run->full++;
    } else {
        run->partial++;
        run->lanes += (uint32_t)__builtin_popcount(mask);
    }
}

static void on_branch(sim_listener *listener, const sim_event *event, uint32_t taken) {
    worker *self = self_of(listener);
    if (self->failed || event->inst->serial >= self->module->inst_count) return;
    branch_state *branch = &self->branches[event->inst->serial];
    if (event->inst->op != PTX_OP_BRX_IDX) {
        branch->count++;
        branch->divergent += taken != 0 && taken != event->mask;
        return;
    }
    // A table's branch is told of once for each of the ways that its lanes go.
    bool again = self->ran != event->inst;
    branch->count += !again;
    branch->divergent += again && branch->open;
    branch->open = !again;
    self->ran = NULL;
}

static void on_done(sim_listener *listener, const sim_event *event) {
    worker *self = self_of(listener);
    if (!self->guarded_lanes || event->inst->serial >= self->module->inst_count) return;
    if (self->module->infos[event->inst->serial].guarded_flops)
        self->guarded_lanes[event->inst->serial] += observe_lane_count(event->mask);
}

// Products are done where lanes of a warp meet.
static void on_exchange(sim_listener *listener, const sim_exchange_event *event) {
    on_done(listener, &event->at);
}

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    const observe_module *module = self_of(listener)->module;
    bool guarded = inst->serial < module->inst_count && module->infos[inst->serial].guarded_flops;
    return SIM_WANT_ACCESS | (guarded ? SIM_WANT_DONE : 0);
}

static void on_block_begin(sim_listener *listener, uint32_t block, uint32_t warps) {
    self_of(listener)->blocks++;
    self_of(listener)->warps += warps;
}

// ---- folding: the launch has ended ------------------------------------------------------------------

static void fold_inst(worker *self, observe_profile *profile, const ptx_inst *inst, uint64_t executions,
                      uint64_t lanes) {
    uint32_t serial = inst->serial;
    const observe_inst_info *info = &self->module->infos[serial];
    observe_sums *sums = observe_profile_line(self->owner->profiles, profile, self->module->line_of[serial]);
    if (!sums) return;
    uint64_t *value = sums->value;
    value[OBSERVE_SUM_INST] += executions;
    value[OBSERVE_SUM_THREAD_INST] += lanes;
    value[OBSERVE_SUM_INST_FP32 + info->class] += executions;
    value[OBSERVE_SUM_THREAD_INST_FP32 + info->class] += lanes;
    value[OBSERVE_SUM_ISSUE] += executions * info->cost.issue;
    for (uint32_t i = OBSERVE_PIPE_FMA; i < OBSERVE_PIPES; i++)
        value[OBSERVE_SUM_PIPE_FMA + i - OBSERVE_PIPE_FMA] += executions * info->cost.pipe[i];
    if (info->is_shuffle) value[OBSERVE_SUM_SHUFFLES] += executions;
    if (info->is_vote) value[OBSERVE_SUM_VOTES] += executions;
    if (info->waits) value[OBSERVE_SUM_ASYNC_WAITS] += executions;
    if (info->waits_for_all) value[OBSERVE_SUM_ASYNC_WAITS_ALL] += executions;
    if (info->guarded_flops && self->guarded_lanes) {
        lanes = self->guarded_lanes[serial];
        self->guarded_lanes[serial] = 0;
        executions = lanes / LANES; // of a product, which whole warps do
    }
    observe_tensor_add(&info->tensor, executions, value);
    if (info->flop_lane) value[OBSERVE_SUM_FLOPS_F16 + info->flop_type] += lanes * info->flop_lane;
    branch_state *branch = &self->branches[serial];
    if (!branch->count) return;
    value[OBSERVE_SUM_BRANCHES] += branch->count;
    value[OBSERVE_SUM_BRANCHES_DIVERGENT] += branch->divergent;
    *branch = (branch_state){0};
}

static void fold_runs(worker *self, observe_profile *profile) {
    uint32_t next = self->first_run;
    while (next != UINT32_MAX) {
        run_state *run = &self->runs[next - 1];
        uint64_t executions = run->full + run->partial, lanes = run->full * LANES + run->lanes;
        for (uint32_t i = 0; profile && i < run->count; i++)
            if (run->first[i].serial < self->module->inst_count)
                fold_inst(self, profile, &run->first[i], executions, lanes);
        next = run->next;
        *run = (run_state){0};
    }
    self->first_run = UINT32_MAX;
}

// The metrics of one sort of access: the four in a row that begin with its requests.
static uint32_t first_metric(const observe_access_sums *a) {
    bool copy = a->agent == SIM_ASYNC_COPY;
    switch (a->space) {
    case SIM_GLOBAL:
        if (a->kind == SIM_ATOMIC)
            return a->returns ? OBSERVE_SUM_GLOBAL_ATOM_REQUESTS : OBSERVE_SUM_GLOBAL_RED_REQUESTS;
        if (a->kind == SIM_STORE) return OBSERVE_SUM_GLOBAL_ST_REQUESTS;
        return copy ? OBSERVE_SUM_GLOBAL_LDGSTS_REQUESTS : OBSERVE_SUM_GLOBAL_LD_REQUESTS;
    case SIM_LOCAL:
        return a->kind == SIM_LOAD ? OBSERVE_SUM_LOCAL_LD_REQUESTS : OBSERVE_SUM_LOCAL_ST_REQUESTS;
    case SIM_SHARED:
        if (a->kind == SIM_ATOMIC) return OBSERVE_SUM_SHARED_ATOM_REQUESTS;
        if (a->kind == SIM_LOAD) return OBSERVE_SUM_SHARED_LD_REQUESTS;
        return copy ? OBSERVE_SUM_SHARED_LDGSTS_REQUESTS : OBSERVE_SUM_SHARED_ST_REQUESTS;
    default: return OBSERVE_SUM_COUNT;
    }
}

static bool is_tensor_copy(ptx_op op) {
    return op == PTX_OP_CP_ASYNC_BULK_TENSOR || op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
}

static void fold_access(uint64_t *value, const observe_access_sums *a, ptx_op op) {
    if (a->agent == SIM_ASYNC_PROXY) {
        value[OBSERVE_SUM_BULK_COPIES] += a->requests;
        if (is_tensor_copy(op) && a->space != SIM_GLOBAL) {
            value[OBSERVE_SUM_TENSOR_BOXES] += a->requests;
            value[OBSERVE_SUM_TENSOR_BYTES] += a->lanes;
        }
        if (a->space == SIM_GLOBAL)
            value[a->kind == SIM_LOAD ? OBSERVE_SUM_BULK_GLOBAL_LD_BYTES
                                      : OBSERVE_SUM_BULK_GLOBAL_ST_BYTES] += a->lanes;
        return;
    }
    bool shared = a->space == SIM_SHARED;
    uint32_t first = first_metric(a);
    if (first < OBSERVE_SUM_COUNT) {
        value[first] += a->requests;
        value[first + 1] += shared ? a->wavefronts : a->sectors;
        value[first + 2] += shared ? a->ideal_wavefronts : a->ideal_sectors;
        value[first + 3] += a->distinct * a->bytes;
    } else if (a->space == SIM_DISTRIBUTED) {
        value[OBSERVE_SUM_DISTRIBUTED_REQUESTS] += a->requests;
        value[OBSERVE_SUM_DISTRIBUTED_BYTES] += a->distinct * a->bytes;
    } else if (a->space == SIM_CONST) {
        value[OBSERVE_SUM_CONST_REQUESTS] += a->requests;
        value[OBSERVE_SUM_CONST_DISTINCT] += a->distinct;
    } else if (a->space == SIM_TEXTURE) {
        value[OBSERVE_SUM_TEXTURE_REQUESTS] += a->requests;
    }
    if (a->space == SIM_GLOBAL || shared || a->space == SIM_DISTRIBUTED)
        value[OBSERVE_SUM_NARROW_BYTES] += a->narrow * a->bytes;
    if (a->kind != SIM_ATOMIC) return;
    value[OBSERVE_SUM_ATOMIC_REQUESTS] += a->requests;
    value[OBSERVE_SUM_ATOMIC_LANES] += a->lanes;
    value[OBSERVE_SUM_ATOMIC_DISTINCT] += a->distinct;
}

// ldmatrix and stmatrix by themselves, of what is counted as loads and stores.
static void fold_matrices(uint64_t *value, const ptx_inst *inst, const observe_access_sums *a) {
    bool loads = inst->op == PTX_OP_LDMATRIX;
    if (!loads && inst->op != PTX_OP_STMATRIX) return;
    uint64_t *first = &value[loads ? OBSERVE_SUM_LDSM_REQUESTS : OBSERVE_SUM_STSM_REQUESTS];
    first[0] += a->requests;
    first[1] += a->wavefronts;
    first[2] += a->ideal_wavefronts;
    first[3] += a->distinct * a->bytes;
}

static void fold_memory(worker *self, observe_profile *profile) {
    for (memory_state *state = self->first_memory; state; state = state->next) {
        state->touched = false;
        for (int i = 0; i < MEMOS; i++) {
            fold_memo(&state->memos[i]);
            state->memos[i].key = 0;
        }
        observe_inst_accesses *into = profile ? observe_profile_accesses(profile, state->inst) : NULL;
        observe_sums *line = into ? observe_profile_line(self->owner->profiles, profile, into->line) : NULL;
        for (observe_access_sums *a = state->sums; a && line; a = a->next) {
            fold_access(line->value, a, state->inst->op);
            fold_matrices(line->value, state->inst, a);
            observe_access_sums *to = observe_access_find(&into->sums, a);
            if (to) observe_access_add(to, a);
        }
        if (line) line->value[OBSERVE_SUM_TENSOR_COPIES] += state->tensor_copies;
        state->tensor_copies = 0;
        observe_access_free(state->sums);
        state->sums = NULL;
    }
    self->first_memory = NULL;
}

// ---- workers ----------------------------------------------------------------------------------------

static void close_worker(worker *self) {
    if (!self) return;
    for (uint32_t i = 0; self->memory && i < self->module->inst_count; i++) {
        if (self->memory[i]) observe_access_free(self->memory[i]->sums);
        free(self->memory[i]);
    }
    free(self->memory);
    free(self->runs);
    free(self->branches);
    free(self->guarded_lanes);
    free(self);
}

static worker *open_worker(observe_lines *lines, observe_module *module) {
    worker *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    size_t count = module->inst_count + 1;
    self->owner = lines;
    self->module = module;
    self->first_run = UINT32_MAX;
    self->runs = calloc(count, sizeof *self->runs);
    self->branches = calloc(count, sizeof *self->branches);
    self->memory = calloc(count, sizeof *self->memory);
    if (module->has_guarded_flops) self->guarded_lanes = calloc(count, sizeof *self->guarded_lanes);
    self->listener = (sim_listener){
        .block_begin = on_block_begin,
        .run = on_run,
        .branch = on_branch,
        .access = on_access,
        .wants = module->has_guarded_flops ? on_wants : NULL,
        .done = module->has_guarded_flops ? on_done : NULL,
        .exchange = module->has_guarded_flops ? on_exchange : NULL,
    };
#if defined(__x86_64__)
    if (lines->has_avx2) self->listener.access = on_access_avx2;
#endif
    if (self->runs && self->branches && self->memory && (self->guarded_lanes || !module->has_guarded_flops))
        return self;
    close_worker(self);
    return NULL;
}

// A worker's tables serve the next launch of the same module.
static worker *take_spare(observe_lines *lines, const observe_module *module) {
    for (worker **at = &lines->spare; *at; at = &(*at)->next_spare) {
        worker *found = *at;
        if (found->module != module) continue;
        *at = found->next_spare;
        return found;
    }
    return NULL;
}

static void drop_spares(observe_lines *lines, const observe_module *except) {
    worker **at = &lines->spare;
    while (*at) {
        worker *spare = *at;
        if (spare->module == except) {
            at = &spare->next_spare;
            continue;
        }
        *at = spare->next_spare;
        close_worker(spare);
    }
}

static sim_listener *on_fork(sim_listener *listener) {
    observe_lines *lines = (observe_lines *)listener;
    observe_profile *profile = lines->profiles->current;
    if (!profile) return NULL; // the launch is dropped: nobody counts
    worker *self = take_spare(lines, profile->module);
    if (!self) {
        drop_spares(lines, profile->module);
        self = open_worker(lines, profile->module);
    }
    return self ? &self->listener : NULL;
}

static void on_join(sim_listener *listener, sim_listener *child) {
    observe_lines *lines = (observe_lines *)listener;
    observe_profile *profile = lines->profiles->current;
    if (!child) return;
    worker *self = self_of(child);
    if (profile && profile->module == self->module) {
        profile->counted = true;
        profile->blocks += self->blocks;
        profile->warps += self->warps;
    } else {
        profile = NULL;
    }
    fold_memory(self, profile);
    fold_runs(self, profile);
    self->blocks = self->warps = 0;
    self->failed = false;
    self->next_spare = lines->spare;
    lines->spare = self;
}

observe_lines *observe_lines_open(observe_profiles *profiles) {
    observe_lines *lines = calloc(1, sizeof *lines);
    if (!lines) return NULL;
    lines->profiles = profiles;
    lines->listener = (sim_listener){.fork = on_fork, .join = on_join};
#if defined(__x86_64__)
    lines->has_avx2 = __builtin_cpu_supports("avx2");
#endif
    return lines;
}

void observe_lines_close(observe_lines *lines) {
    if (!lines) return;
    drop_spares(lines, NULL);
    free(lines);
}

sim_listener *observe_lines_listener(observe_lines *lines) { return &lines->listener; }
