// scan 08: look-ahead
// kz: sm 90
//
// Idea     in 07 a block waits with its registers full and no load in flight. Split the work among warps that
//          never wait for each other's reasons, and keep many tiles of a multiprocessor under way at once
//          (NVIDIA's CCCL does so on Blackwell: "decoupled look-ahead").
// Change   one block per multiprocessor, tiles of 32 KB in six stages of shared memory. One warp loads by
//          bulk copies; four reduce a tile and send its total; one walks forwards over all totals, once, with
//          what lies before; eight scan, each its chunk, in place, and store by bulk copies.
// Expect   192 KB in flight or in work on a multiprocessor, and only totals are sent: one word per tile. The
//          order of all additions depends on n alone: the same bits in every run.
// Limit    half of copying's time is writing, and a tile crosses shared memory five times. sm_90. A launch at
//          a time per module, 2^19 tiles.

#include "kz/look_ahead.cuh"
#include "tile.cuh"

enum {
    CHUNKS = SCAN_AHEAD_CHUNKS,
    ROWS = SCAN_AHEAD_ROWS,
    REDUCERS = SCAN_AHEAD_REDUCERS,
    GROUPS = SCAN_AHEAD_GROUPS,
    STAGES = SCAN_AHEAD_STAGES,
    TILE_BYTES = SCAN_AHEAD_TILE,
    CHUNK_BYTES = TILE_BYTES / CHUNKS,
    THREADS = SCAN_AHEAD_THREADS,
};
static_assert(CHUNKS % REDUCERS == 0, "every reducing warp has as many chunks");

static __device__ unsigned long long scan_words[2 * SCAN_MAILS];
static __device__ unsigned scan_launch;  // number of the last launch
static __device__ unsigned scan_counter; // 0 before and after every launch

// What the warps of a block share, by stage. `claimed`: the tile's number is there. `full`: its elements.
// `reduced`: the chunks' totals. `known`: what lies before the tile. `empty`: the stage may be loaded again.
template <typename Op> struct pipeline {
    uint64_t claimed[STAGES], full[STAGES], reduced[STAGES], known[STAGES], empty[STAGES];
    int tile[STAGES];
    typename Op::value prefix[STAGES], chunk[STAGES][CHUNKS];
};

template <typename Op> struct ring {
    static const int DEPTH = SCAN_AHEAD_DEPTH(Op::SEGMENTED), BYTES = SCAN_AHEAD_STAGE(Op::SEGMENTED);
    typedef kz_turn<DEPTH> at;
};

// The problem and the block's memory.
template <typename Op> struct job {
    typedef typename Op::element T;
    static const int PACK = view<Op>::PACK, CHUNK = CHUNK_BYTES / sizeof(T), TILE = CHUNKS * CHUNK;
    view<Op> all;
    T *out; // from the same boundary as `in`
    int tiles;
    bool exclusive;
    unsigned launch;
    char *stages;
    pipeline<Op> *line;

    __device__ __forceinline__ T *elements(int stage) const {
        return (T *)(stages + stage * ring<Op>::BYTES);
    }
    __device__ __forceinline__ uint8_t *heads(int stage) const {
        return (uint8_t *)(stages + stage * ring<Op>::BYTES + TILE_BYTES);
    }
    // A warp's rows of a chunk.
    __device__ __forceinline__ void take(int stage, int chunk, row<Op> (&rows)[ROWS]) const {
        int first = chunk * CHUNK + kz_lane() * PACK;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            rows[r].pack.raw = *(const uint4 *)(elements(stage) + first + r * KZ_WARP * PACK);
            if (Op::SEGMENTED) rows[r].heads = *(const unsigned *)(heads(stage) + first + r * KZ_WARP * PACK);
        }
    }
};

// ---- the loading warp -----------------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ void load_tile(const job<Op> &j, int stage, int tile) {
    typedef typename Op::element T;
    const int TILE = job<Op>::TILE;
    size_t first = (size_t)tile * TILE;
    int lo = first < j.all.begin ? (int)(j.all.begin - first) : 0;
    int hi = first + TILE > j.all.end ? (int)(j.all.end - first) : TILE;
    uint64_t *full = &j.line->full[stage];
    kz_tile_array<T, SCAN_AHEAD_EVICT_LOADS> elements(j.elements(stage), j.all.in + first, lo, hi, TILE,
                                                      Op::lower(Op::identity()));
    if (Op::SEGMENTED) {
        kz_tile_array<uint8_t, SCAN_AHEAD_EVICT_LOADS> heads(j.heads(stage), j.all.heads + first, lo, hi,
                                                             TILE, 0);
        __syncwarp();
        if (kz_lane() != 0) return;
        kz_barrier_arrive_expect(full, elements.bytes() + heads.bytes());
        heads.start(full);
        elements.start(full);
        return;
    }
    __syncwarp();
    if (kz_lane() != 0) return;
    kz_barrier_arrive_expect(full, elements.bytes());
    elements.start(full);
}

// ---- the reducing warps ---------------------------------------------------------------------------------

template <typename Op> static __device__ __forceinline__ void reduce_tiles(const job<Op> &j, int warp) {
    for (typename ring<Op>::at at;; at.next()) {
        kz_barrier_wait(&j.line->claimed[at.stage], at.parity);
        int tile = j.line->tile[at.stage];
        if (tile == KZ_NO_TILE) return;
        kz_barrier_wait(&j.line->full[at.stage], at.parity);
#pragma unroll
        for (int c = 0; c < CHUNKS / REDUCERS; c++) {
            int chunk = c * REDUCERS + warp;
            row<Op> rows[ROWS];
            j.take(at.stage, chunk, rows);
            typename Op::value total = fold_rows(rows);
            if (kz_lane() == 0) j.line->chunk[at.stage][chunk] = total;
        }
        if (kz_lane() == 0) kz_barrier_arrive(&j.line->reduced[at.stage]);
        if (warp != 0) continue;
        kz_barrier_wait(&j.line->reduced[at.stage], at.parity);
        if (kz_lane() == 0) {
            typename Op::value total = Op::identity();
            for (int c = 0; c < CHUNKS; c++) total = Op::combine(total, j.line->chunk[at.stage][c]);
            kz_mailbox{scan_words, SCAN_MAILS}.send(tile, j.launch, total);
        }
        __syncwarp();
    }
}

// ---- the scanning warps ---------------------------------------------------------------------------------

// Rows that are scanned, back to their places; then the chunk to `out`, or what of it there is.
template <typename Op>
static __device__ __forceinline__ void
put_chunk(const job<Op> &j, int stage, int chunk, int tile, const row<Op> (&rows)[ROWS],
          const typename Op::value (&before)[ROWS], typename Op::value prefix) {
    typedef typename Op::element T;
    const int PACK = job<Op>::PACK;
    size_t first = (size_t)tile * job<Op>::TILE + chunk * job<Op>::CHUNK;
    bool whole = j.all.holds_all(first, job<Op>::CHUNK) && kz_aligned(j.out, 16);
    T *to = j.elements(stage) + chunk * job<Op>::CHUNK;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        kz_pack<T> results;
        int place = (r * KZ_WARP + kz_lane()) * PACK;
        finish_pack<Op, T>(rows[r], Op::combine(prefix, before[r]), j.exclusive, results.at);
        *(uint4 *)(to + place) = results.raw;
    }
    kz_bulk_fence();
    __syncwarp();
    if (whole) {
        if (kz_lane() != 0) return;
#if SCAN_AHEAD_EVICT_STORES
        kz_bulk_store(j.out + first, to, CHUNK_BYTES, kz_evict_first());
#else
        kz_bulk_store(j.out + first, to, CHUNK_BYTES);
#endif
        return;
    }
    for (int i = kz_lane(); i < job<Op>::CHUNK; i += KZ_WARP)
        if (j.all.holds(first + i)) j.out[first + i] = to[i];
    __syncwarp();
}

template <typename Op> static __device__ __forceinline__ void scan_tiles(const job<Op> &j, int chunk) {
    int stored = -1; // the stage whose results are on their way out
    for (typename ring<Op>::at at;; at.next()) {
        kz_barrier_wait(&j.line->claimed[at.stage], at.parity);
        int tile = j.line->tile[at.stage];
        if (tile == KZ_NO_TILE) break;
        kz_barrier_wait(&j.line->full[at.stage], at.parity);
        row<Op> rows[ROWS];
        typename Op::value before[ROWS];
        j.take(at.stage, chunk, rows);
        scan_rows(rows, before);
        kz_barrier_wait(&j.line->reduced[at.stage], at.parity);
        kz_barrier_wait(&j.line->known[at.stage], at.parity);
        typename Op::value prefix = j.line->prefix[at.stage];
        for (int c = 0; c < chunk; c++) prefix = Op::combine(prefix, j.line->chunk[at.stage][c]);
        if (kz_lane() == 0 && stored >= 0) { // by now it has been read
            kz_bulk_wait_read();
            kz_barrier_arrive(&j.line->empty[stored]);
        }
        put_chunk(j, at.stage, chunk, tile, rows, before, prefix);
        if (kz_lane() == 0) kz_bulk_commit();
        stored = at.stage;
    }
    if (kz_lane() == 0) kz_bulk_wait();
}

// ---- the block ------------------------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ void run(const typename Op::element *in, const uint8_t *heads,
                                           typename Op::element *out, size_t n, size_t exclusive) {
    extern __shared__ __align__(128) char stages[];
    __shared__ pipeline<Op> line;
    unsigned launch = *(volatile unsigned *)&scan_launch + 1;
    unsigned s = threadIdx.x;
    if (s < ring<Op>::DEPTH) {
        kz_barrier_open(&line.claimed[s], 1);
        kz_barrier_open(&line.full[s], 1);
        kz_barrier_open(&line.reduced[s], REDUCERS);
        kz_barrier_open(&line.known[s], 1);
        kz_barrier_open(&line.empty[s], CHUNKS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    view<Op> all(in, heads, n);
    int tiles = (int)((all.end + job<Op>::TILE - 1) / job<Op>::TILE);
    const job<Op> j = {all, out - all.begin, tiles, exclusive != 0, launch, stages, &line};
    int warp = __shfl_sync(KZ_ALL_LANES, kz_warp(), 0); // the compiler knows it is one for all lanes
    if (warp == 0)
        kz_deal_tiles<ring<Op>::DEPTH>(&line, tiles, &scan_counter,
                                       [&](int stage, int tile) { load_tile(j, stage, tile); });
    else if (warp == 1)
        kz_look_ahead<Op, ring<Op>::DEPTH, GROUPS>(&line, tiles, kz_mailbox{scan_words, SCAN_MAILS}, launch,
                                                   &scan_launch);
    else if (warp < 2 + REDUCERS)
        reduce_tiles(j, warp - 2);
    else
        scan_tiles(j, warp - 2 - REDUCERS);
}

#define ENTRY(operation, type, op)                                                                           \
    KZ_ENTRY_BOUNDS(scan_look_ahead_##operation##_##type, THREADS, SCAN_AHEAD_BLOCKS)                        \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_ELEMENT(op) * out, size_t n,                    \
     size_t exclusive) {                                                                                     \
        run<SCAN_OP op>(in, heads, out, n, exclusive);                                                       \
    }
SCAN_ALL(ENTRY)
