// Counts what kz_counters says: sums over all launches. What each request costs is in request.c; lines.c has
// the instrument that tells kernels and source lines apart.
#include "observe/observe.h"

#include <stdlib.h>

#include "observe/request.h"

struct observe_counters {
    sim_listener listener; // first: the simulator hands this back
    kz_counters sums;
};

static observe_counters *self_of(sim_listener *listener) { return (observe_counters *)listener; }

// ---- the listener ------------------------------------------------------------------------------------

static void on_access(sim_listener *listener, const sim_access *access) {
    if (!access->at.mask || !access->bytes || access->agent == SIM_PRODUCT) return;
    if (access->space != SIM_GLOBAL && access->space != SIM_SHARED) return;
    kz_counters *sums = &self_of(listener)->sums;
    uint32_t mask = access->at.mask, lanes = observe_lane_count(mask);
    bool atomic = access->kind == SIM_ATOMIC;
    if (access->space == SIM_GLOBAL) {
        uint32_t sectors = observe_count_sectors(access->addresses, mask, access->bytes);
        sums->global_requests++;
        sums->global_sectors +=
            atomic ? observe_count_atomic_sectors(access->addresses, mask, access->bytes) : sectors;
        sums->global_ideal_sectors += observe_ideal_sectors(lanes, access->bytes, sectors);
    } else {
        uint32_t wavefronts, ideal;
        if (atomic)
            observe_count_atomic_wavefronts(access->addresses, mask, observe_is_swap(access->at.inst),
                                            &wavefronts, &ideal);
        else
            observe_count_wavefronts(access->addresses, mask, access->bytes, observe_pairs_groups(access),
                                     &wavefronts, &ideal);
        sums->shared_requests++;
        sums->shared_wavefronts += wavefronts;
        sums->shared_ideal_wavefronts += ideal;
    }
    if (!atomic) return;
    sums->atomic_requests++;
    sums->atomic_lane_conflicts += lanes - observe_count_distinct(access->addresses, mask);
}

static void on_run(sim_listener *listener, const ptx_inst *first, uint32_t count, uint32_t block,
                   uint32_t warp, uint32_t mask) {
    kz_counters *sums = &self_of(listener)->sums;
    sums->warp_instructions += count;
    sums->thread_instructions += (uint64_t)count * observe_lane_count(mask);
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
