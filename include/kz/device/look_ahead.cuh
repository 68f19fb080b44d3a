// Decoupled look-ahead: one block per multiprocessor, a ring buffer of tiles in shared memory, specialized warps
// (scan/08_look_ahead explains it). Here is what every such kernel has: the pipeline state, the warp that schedules
// tiles and loads them, and the warp that looks ahead.
//
// A block's `Pipeline` has, by stage, the barriers claimed (the tile's number is there), full (its elements are),
// known (what lies before it is) and empty (the stage may be loaded again), tile[] and prefix[].
#ifndef KZ_LOOK_AHEAD_CUH
#define KZ_LOOK_AHEAD_CUH

#include "bulk.cuh"
#include "tile_status.cuh"

enum { KZ_NO_TILE = -1 };

// Where a warp is in the ring of stages (CUTLASS: PipelineState).
template <int DEPTH> struct kz_pipeline_state {
    int stage = 0;
    unsigned parity = 0; // of the phases that this round ends
    __device__ __forceinline__ void next(void) {
        if (++stage < DEPTH) return;
        stage = 0;
        parity ^= 1;
    }
};

// By all threads, before anything else: initialises the pipeline's barriers. `work` is the kernel's own barrier, which `workers`
// warps arrive at for each tile; `emptiers` warps give a stage back.
template <int DEPTH, typename Pipeline>
static __device__ __forceinline__ void kz_init_pipeline(Pipeline *pipe, uint64_t *work, unsigned workers,
                                                        unsigned emptiers) {
    unsigned s = threadIdx.x;
    if (s < DEPTH) {
        kz_barrier_init(&pipe->claimed[s], 1);
        kz_barrier_init(&pipe->full[s], KZ_WARP);
        kz_barrier_init(&work[s], workers * KZ_WARP);
        kz_barrier_init(&pipe->known[s], KZ_WARP);
        kz_barrier_init(&pipe->empty[s], emptiers * KZ_WARP);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
}

// ---- loading --------------------------------------------------------------------------------------------

// One array of a tile: `count` positions at `to`, of which [lo, hi) hold something, from[lo] to from[hi - 1].
// Whole packs of those are left to the copy engine; the rest is made by hand, `nothing` where a position holds
// nothing, so that nobody else has to ask. EVICT: lines that are read are the first to leave L2.
template <typename E, bool EVICT> struct kz_tile_array {
    static const int PACK = 16 / sizeof(E);
    E *to;
    const E *from;
    int bulk, bulk_end; // the copy engine's positions

    __device__ __forceinline__ kz_tile_array(E *to, const E *from, int lo, int hi, int count, E nothing) {
        this->to = to;
        this->from = from;
        bulk = (lo + PACK - 1) / PACK * PACK;
        bulk_end = hi / PACK * PACK;
        if (bulk >= bulk_end || !kz_aligned(from, 16)) bulk = bulk_end = count;
        if (bulk == 0 && bulk_end == count) return;
        for (int p = kz_lane() * PACK; p < count; p += KZ_WARP * PACK) {
            if (p >= bulk && p < bulk_end) continue;
            kz_pack<E> pack;
#pragma unroll
            for (int e = 0; e < PACK; e++) pack.at[e] = p + e >= lo && p + e < hi ? from[p + e] : nothing;
            *(uint4 *)(to + p) = pack.raw;
        }
    }
    __device__ __forceinline__ unsigned bytes(void) const { return (bulk_end - bulk) * sizeof(E); }
    __device__ __forceinline__ void start(uint64_t *barrier) const {
        if (bytes() == 0) return;
        if (EVICT)
            kz_bulk_load(to + bulk, from + bulk, bytes(), barrier, kz_evict_first());
        else
            kz_bulk_load(to + bulk, from + bulk, bytes(), barrier);
    }
};

// By the warp that has made a tile's arrays: starts their copies. `full` waits for the bytes of all.
template <typename E, bool EVICT>
static __device__ __forceinline__ void kz_start_tile(uint64_t *full,
                                                     const kz_tile_array<E, EVICT> &elements) {
    kz_barrier_arrive_expect_warp(full, elements.bytes());
    if (kz_lane() == 0) elements.start(full);
}
template <typename E, bool EVICT>
static __device__ __forceinline__ void kz_start_tile(uint64_t *full, const kz_tile_array<E, EVICT> &elements,
                                                     const kz_tile_array<uint8_t, EVICT> &bytes) {
    kz_barrier_arrive_expect_warp(full, elements.bytes() + bytes.bytes());
    if (kz_lane() != 0) return;
    bytes.start(full);
    elements.start(full);
}

// By one warp; `load(stage, tile)` starts a tile's copies. The first tile is that of the block's number, later
// ones are drawn: a tile has a block that runs before any tile after it does, so whoever waits for totals
// waits for blocks that get on. `counter` is 0 before and after every launch.
template <int DEPTH, typename Pipeline, typename Load>
static __device__ __forceinline__ void kz_schedule_tiles(Pipeline *pipe, int tiles, unsigned *counter,
                                                         Load load) {
    int tile = blockIdx.x, drawn = 0;
    kz_pipeline_state<DEPTH> at;
    for (int round = 0;; round++, at.next()) {
        if (round >= DEPTH) kz_barrier_wait(&pipe->empty[at.stage], at.parity ^ 1);
        if (kz_lane() == 0) {
            pipe->tile[at.stage] = tile < tiles ? tile : KZ_NO_TILE;
            kz_barrier_arrive(&pipe->claimed[at.stage]);
        }
        if (tile >= tiles) break;
        load(at.stage, tile);
        if (kz_lane() == 0) {
            drawn = (int)atomicAdd(counter, 1);
            if (drawn == tiles - 1) *counter = 0; // as many draws as tiles: this was the last
        }
        tile = gridDim.x + __shfl_sync(KZ_ALL_LANES, drawn, 0);
    }
}

// The last launch's epoch. A kernel loads it first of all and derives its own (kz_next_epoch) only where it needs it,
// so that the first tile's load does not wait for the answer.
static __device__ __forceinline__ unsigned kz_load_epoch(const unsigned *last) {
    return *(const volatile unsigned *)last;
}

// Never 0, which is what a warp begins with when it has seen no status yet.
static __device__ __forceinline__ unsigned kz_next_epoch(unsigned last) { return last + 1 ? last + 1 : 1; }

// ---- looking ahead --------------------------------------------------------------------------------------

// What lies before `tile`, for lane 0. `base` and `before` are the warp's memory of its walk: all tiles
// before `base`, whole groups of 32, are in `before`. Groups are combined one after the other and each in one
// way, so the result depends on the tile alone, not on when its totals came.
template <typename Op, int GROUPS>
static __device__ __forceinline__ typename Op::value
kz_walk(const kz_tile_states &states, unsigned epoch, int tile, int *base, typename Op::value *before) {
    typedef typename Op::value A;
    while (*base < tile) {
        kz_tile_status<A> statuses[GROUPS] = {}; // 0 is no epoch
        bool all;
        do { // all are asked for before the first is looked at: a question at a time costs a trip to L2 each
            all = true;
#pragma unroll
            for (int g = 0; g < GROUPS; g++) {
                int from = *base + g * KZ_WARP + (int)kz_lane();
                if (from < tile && !statuses[g].has_flag(epoch)) statuses[g] = states.load<A>(from);
            }
#pragma unroll
            for (int g = 0; g < GROUPS; g++)
                all = all && (*base + g * KZ_WARP + (int)kz_lane() >= tile || statuses[g].has_flag(epoch));
        } while (!__all_sync(KZ_ALL_LANES, all));
        int first = *base;
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            int from = first + g * KZ_WARP;
            if (from >= tile) break;
            A value = from + (int)kz_lane() < tile ? statuses[g].value() : Op::identity();
            value = Op::combine(*before, kz_fold_warp<Op>(value));
            if (from + KZ_WARP > tile) return value; // the group is not whole: it is looked at again
            *before = value;
            *base = from + KZ_WARP;
        }
    }
    return *before;
}

// By one warp: prefix[] of every tile that the block claims.
template <typename Op, int DEPTH, int GROUPS, typename Pipeline>
static __device__ __forceinline__ void kz_look_ahead(Pipeline *pipe, int tiles, const kz_tile_states &states,
                                                     unsigned epoch, unsigned *last_epoch) {
    int base = 0;
    typename Op::value before = Op::identity();
    for (kz_pipeline_state<DEPTH> at;; at.next()) {
        kz_barrier_wait(&pipe->claimed[at.stage], at.parity);
        int tile = pipe->tile[at.stage];
        if (tile == KZ_NO_TILE) return;
        typename Op::value prefix = kz_walk<Op, GROUPS>(states, epoch, tile, &base, &before);
        if (kz_lane() == 0) {
            pipe->prefix[at.stage] = prefix;
            // The last tile has heard of all others, so every block has read the old epoch.
            if (tile == tiles - 1) *(volatile unsigned *)last_epoch = epoch;
        }
        kz_barrier_arrive(&pipe->known[at.stage]);
        __syncwarp();
    }
}

#endif
