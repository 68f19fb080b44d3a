// compact 06: look-ahead
// kz: sm 90
//
// Idea     in 05 a block waits with its registers full and no load in flight. Split the work among warps that
//          never wait for each other's reasons (scan 08), and note that a tile can be compacted before it is
//          known where it goes: only the warps that store have to wait for that.
// Change   one block per multiprocessor, tiles of 32 KB in six stages of shared memory. One warp loads by bulk
//          copies; eight compact a tile in place and publish its count; one walks forwards over all counts;
//          four write the compacted runs in whole lines.
// Expect   192 KB in flight or in work on a multiprocessor; each element crosses shared memory once each way
//          and a selected one once more; a count leaves as soon as its tile has landed, whatever waits.
// Limit    writing half of what is read costs half of reading's time. A run begins anywhere, where the copy engine
//          wants multiples of 16 bytes, so warps do the stores. sm_90. One launch at a time per module.

#include "kz/device/look_ahead.cuh"
#include "tile.cuh"

enum {
    CHUNKS = COMPACT_AHEAD_CHUNKS,
    ROWS = COMPACT_AHEAD_ROWS,
    STORERS = COMPACT_AHEAD_STORERS,
    STAGES = COMPACT_AHEAD_STAGES,
    GROUPS = COMPACT_AHEAD_GROUPS,
    TILE_BYTES = COMPACT_AHEAD_TILE,
    THREADS = COMPACT_AHEAD_THREADS,
};

static __device__ unsigned long long compact_words[COMPACT_STATUSES];
static __device__ unsigned compact_epoch;   // of the last launch
static __device__ unsigned compact_counter; // 0 before and after every launch

// What the warps of a block share, by stage (look_ahead.cuh). `ready`: the tile is compacted, `total` is there.
struct pipeline {
    uint64_t claimed[STAGES], full[STAGES], ready[STAGES], known[STAGES], empty[STAGES];
    int tile[STAGES];
    unsigned prefix[STAGES], total[STAGES], chunk[STAGES][CHUNKS];
};

// The problem and the block's memory.
template <typename R> struct job {
    typedef typename R::element T;
    static const int PACK = R::PACK, CHUNK = TILE_BYTES / CHUNKS / sizeof(T), TILE = CHUNKS * CHUNK;
    static const int HALO = R::BY == RUN ? PACK : 0; // positions before the tile that are loaded with it
    static const int STAGE = COMPACT_AHEAD_STAGE((int)sizeof(T), R::BY == FLAG, R::BY == RUN);
    static const int DEPTH = COMPACT_AHEAD_DEPTH(STAGE);
    view<R> all;
    T *out;
    unsigned *selected;
    int tiles;
    unsigned last_epoch;
    char *stages;
    pipeline *pipe;

    __device__ __forceinline__ T *elements(int stage) const { return (T *)(stages + stage * STAGE) + HALO; }
    __device__ __forceinline__ uint8_t *flags(int stage) const {
        return (uint8_t *)(stages + stage * STAGE + TILE_BYTES);
    }
};

// ---- the loading warp -----------------------------------------------------------------------------------

template <typename R> static __device__ __forceinline__ void load_tile(const job<R> &j, int stage, int tile) {
    typedef typename R::element T;
    const int TILE = job<R>::TILE, HALO = job<R>::HALO;
    const bool EVICT = COMPACT_AHEAD_EVICT_LOADS;
    size_t first = (size_t)tile * TILE;
    int lo = j.all.lo(first), hi = j.all.hi(first, TILE);
    uint64_t *full = &j.pipe->full[stage];
    // Before the first tile lies no halo.
    kz_tile_array<T, EVICT> elements(j.elements(stage) - HALO, j.all.in + first - HALO,
                                     tile == 0 ? HALO + lo : 0, HALO + hi, HALO + TILE, T());
    if (R::BY == FLAG) {
        kz_tile_array<uint8_t, EVICT> flags(j.flags(stage), j.all.flags + first, lo, hi, TILE, 0);
        kz_start_tile(full, elements, flags);
    } else {
        kz_start_tile(full, elements);
    }
}

// ---- the compacting warps ---------------------------------------------------------------------------------

// A barrier of the compacting warps alone: all have read their chunks, and their counts are there.
static __device__ __forceinline__ void sync_compacting_warps(void) {
    __syncwarp();
    asm volatile("bar.sync 1, %0;" ::"n"(CHUNKS * KZ_WARP) : "memory");
}

// A warp's rows of a chunk, and which of their elements are selected.
template <typename R>
static __device__ __forceinline__ void take_rows(const job<R> &j, int stage, int chunk, size_t tile_first,
                                                 rows_of<R, ROWS> *rows) {
    const int PACK = R::PACK, ROW = KZ_WARP * PACK;
    const typename R::element *elements = j.elements(stage);
    int first = chunk * job<R>::CHUNK + kz_lane() * PACK;
    bool plain = j.all.is_plain(tile_first, job<R>::TILE);
#pragma unroll
    for (int r = 0; r < ROWS; r++) rows->pack[r].raw = *(const uint4 *)(elements + first + r * ROW);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int at = first + r * ROW;
        flag_pack<PACK> flags;
        typename R::element before = typename R::element();
        if (R::BY == FLAG) flags.whole = *(const typename flags_of<PACK>::whole *)(j.flags(stage) + at);
        if (R::BY == RUN) {
            before = last_of_lane_before<R>(rows->pack[r]);
            if (kz_lane() == 0) before = elements[at - 1];
        }
        rows->bits[r] = select_pack<R>(rows->pack[r], flags, before);
    }
    if (!plain) rows->mend(j.all, tile_first + first);
}

template <typename R> static __device__ __forceinline__ void compact_tiles(const job<R> &j, int chunk) {
    typedef typename R::element T;
    const int TILE = job<R>::TILE;
    for (kz_pipeline_state<job<R>::DEPTH> at;; at.next()) {
        kz_barrier_wait(&j.pipe->claimed[at.stage], at.parity);
        int tile = j.pipe->tile[at.stage];
        if (tile == KZ_NO_TILE) return;
        kz_barrier_wait(&j.pipe->full[at.stage], at.parity);
        size_t tile_first = (size_t)tile * TILE;
        rows_of<R, ROWS> rows;
        unsigned before_row[ROWS], *counts = j.pipe->chunk[at.stage];
        take_rows(j, at.stage, chunk, tile_first, &rows);
        unsigned own = rank_rows<R::PACK>(rows.bits, before_row);
        if (kz_lane() == 0) counts[chunk] = own;
        sync_compacting_warps();
        unsigned before = 0, total = 0;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            if (c == chunk) before = total;
            total += counts[c];
        }
        if (chunk == 0 && kz_lane() == 0) {
            kz_tile_states{compact_words, COMPACT_STATUSES}.publish(tile, kz_next_epoch(j.last_epoch), total);
            j.pipe->total[at.stage] = total;
        }
        int lo = j.all.lo(tile_first), held = j.all.hi(tile_first, TILE) - lo;
        T *compacted = j.elements(at.stage);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int position = chunk * job<R>::CHUNK + (r * KZ_WARP + kz_lane()) * R::PACK;
            scatter_pack<R>(rows.pack[r], rows.bits[r], before + before_row[r], position - lo, held,
                            compacted);
        }
        kz_bulk_fence(); // the copy engine will write here again
        kz_barrier_arrive(&j.pipe->ready[at.stage]);
    }
}

// ---- the storing warps ------------------------------------------------------------------------------------

template <typename R> static __device__ __forceinline__ void store_tiles(const job<R> &j, unsigned thread) {
    const int TILE = job<R>::TILE;
    for (kz_pipeline_state<job<R>::DEPTH> at;; at.next()) {
        kz_barrier_wait(&j.pipe->claimed[at.stage], at.parity);
        int tile = j.pipe->tile[at.stage];
        if (tile == KZ_NO_TILE) return;
        kz_barrier_wait(&j.pipe->ready[at.stage], at.parity);
        kz_barrier_wait(&j.pipe->known[at.stage], at.parity);
        unsigned prefix = j.pipe->prefix[at.stage], total = j.pipe->total[at.stage];
        size_t first = (size_t)tile * TILE;
        int lo = j.all.lo(first), held = j.all.hi(first, TILE) - lo;
        put_tile<R>(j.elements(at.stage), j.out, j.all.end - j.all.begin, first + lo - j.all.begin, prefix,
                    total, held, thread, STORERS * KZ_WARP);
        if (tile == j.tiles - 1 && thread == 0) *j.selected = prefix + total;
        kz_barrier_arrive(&j.pipe->empty[at.stage]);
    }
}

// ---- the block ------------------------------------------------------------------------------------------

template <typename R>
static __device__ __forceinline__ void run(const typename R::element *in, const uint8_t *flags,
                                           typename R::element *out, unsigned *selected, size_t n) {
    extern __shared__ __align__(128) char stages[];
    __shared__ pipeline pipe;
    const int DEPTH = job<R>::DEPTH;
    unsigned last_epoch = kz_load_epoch(&compact_epoch);
    kz_init_pipeline<DEPTH>(&pipe, pipe.ready, CHUNKS, STORERS);
    view<R> all(in, flags, n);
    int tiles = (int)((all.end + job<R>::TILE - 1) / job<R>::TILE);
    const job<R> j = {all, out, selected, tiles, last_epoch, stages, &pipe};
    int warp = __shfl_sync(KZ_ALL_LANES, kz_warp(), 0); // the compiler knows it is one for all lanes
    if (warp == 0)
        kz_schedule_tiles<DEPTH>(&pipe, tiles, &compact_counter,
                                 [&](int stage, int tile) { load_tile(j, stage, tile); });
    else if (warp == 1)
        kz_look_ahead<count, DEPTH, GROUPS>(&pipe, tiles, kz_tile_states{compact_words, COMPACT_STATUSES},
                                            kz_next_epoch(last_epoch), &compact_epoch);
    else if (warp < 2 + CHUNKS)
        compact_tiles(j, warp - 2);
    else
        store_tiles(j, threadIdx.x - (2 + CHUNKS) * KZ_WARP);
}

#define ENTRY(operation, type, T, rule)                                                                      \
    KZ_ENTRY_BOUNDS(compact_look_ahead_##operation##_##type, THREADS, COMPACT_AHEAD_BLOCKS)                  \
    (const T *in, const uint8_t *flags, T *out, unsigned *selected, size_t n) {                              \
        run<COMPACT_RULE rule>(in, flags, out, selected, n);                                                 \
    }
COMPACT_ALL(ENTRY)
