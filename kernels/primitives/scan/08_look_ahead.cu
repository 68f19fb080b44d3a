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

#include "bulk.cuh"
#include "mail.cuh"
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
    NO_TILE = -1,
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

// Where a warp is in the ring of stages.
template <typename Op> struct turn {
    static const int DEPTH = SCAN_AHEAD_DEPTH(Op::SEGMENTED), BYTES = SCAN_AHEAD_STAGE(Op::SEGMENTED);
    int stage = 0;
    unsigned parity = 0; // of the phases that this round ends
    __device__ __forceinline__ void next(void) {
        if (++stage < DEPTH) return;
        stage = 0;
        parity ^= 1;
    }
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
        return (T *)(stages + stage * turn<Op>::BYTES);
    }
    __device__ __forceinline__ uint8_t *heads(int stage) const {
        return (uint8_t *)(stages + stage * turn<Op>::BYTES + TILE_BYTES);
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

static __device__ __forceinline__ void load_by_bulk(void *to, const void *from, unsigned bytes,
                                                    uint64_t *barrier) {
#if SCAN_AHEAD_EVICT_LOADS
    bulk_load(to, from, bytes, barrier, evict_first());
#else
    bulk_load(to, from, bytes, barrier);
#endif
}

// One array of a tile: `count` places at `to`, of which [lo, hi) hold something, from[lo] to from[hi - 1].
// Whole packs of those are left to the copy engine; the rest is made by hand, `nothing` where a place holds
// nothing, so that nobody else has to ask.
template <typename E> struct tile_array {
    static const int PACK = 16 / sizeof(E);
    E *to;
    const E *from;
    int bulk, bulk_end; // the copy engine's places

    __device__ __forceinline__ tile_array(E *to, const E *from, int lo, int hi, int count, E nothing) {
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
        if (bytes() > 0) load_by_bulk(to + bulk, from + bulk, bytes(), barrier);
    }
};

template <typename Op>
static __device__ __forceinline__ void load_tile(const job<Op> &j, int stage, int tile) {
    typedef typename Op::element T;
    const int TILE = job<Op>::TILE;
    size_t first = (size_t)tile * TILE;
    int lo = first < j.all.begin ? (int)(j.all.begin - first) : 0;
    int hi = first + TILE > j.all.end ? (int)(j.all.end - first) : TILE;
    uint64_t *full = &j.line->full[stage];
    tile_array<T> elements(j.elements(stage), j.all.in + first, lo, hi, TILE, Op::lower(Op::identity()));
    if (Op::SEGMENTED) {
        tile_array<uint8_t> heads(j.heads(stage), j.all.heads + first, lo, hi, TILE, 0);
        __syncwarp();
        if (kz_lane() != 0) return;
        barrier_arrive_expect(full, elements.bytes() + heads.bytes());
        heads.start(full);
        elements.start(full);
        return;
    }
    __syncwarp();
    if (kz_lane() != 0) return;
    barrier_arrive_expect(full, elements.bytes());
    elements.start(full);
}

// The first tile is that of the block's number, later ones are drawn: a tile has a block that runs before
// any tile after it does, so whoever waits for totals waits for blocks that get on.
template <typename Op> static __device__ __forceinline__ void load_tiles(const job<Op> &j) {
    int tile = blockIdx.x, drawn = 0;
    turn<Op> at;
    for (int round = 0;; round++, at.next()) {
        if (round >= turn<Op>::DEPTH) barrier_wait(&j.line->empty[at.stage], at.parity ^ 1);
        if (kz_lane() == 0) {
            j.line->tile[at.stage] = tile < j.tiles ? tile : NO_TILE;
            barrier_arrive(&j.line->claimed[at.stage]);
        }
        if (tile >= j.tiles) break;
        load_tile(j, at.stage, tile);
        if (kz_lane() == 0) {
            drawn = (int)atomicAdd(&scan_counter, 1);
            if (drawn == j.tiles - 1) scan_counter = 0; // as many draws as tiles: this was the last
        }
        tile = gridDim.x + __shfl_sync(KZ_ALL_LANES, drawn, 0);
    }
}

// ---- the reducing warps ---------------------------------------------------------------------------------

template <typename Op> static __device__ __forceinline__ void reduce_tiles(const job<Op> &j, int warp) {
    for (turn<Op> at;; at.next()) {
        barrier_wait(&j.line->claimed[at.stage], at.parity);
        int tile = j.line->tile[at.stage];
        if (tile == NO_TILE) return;
        barrier_wait(&j.line->full[at.stage], at.parity);
#pragma unroll
        for (int c = 0; c < CHUNKS / REDUCERS; c++) {
            int chunk = c * REDUCERS + warp;
            row<Op> rows[ROWS];
            j.take(at.stage, chunk, rows);
            typename Op::value total = fold_rows(rows);
            if (kz_lane() == 0) j.line->chunk[at.stage][chunk] = total;
        }
        if (kz_lane() == 0) barrier_arrive(&j.line->reduced[at.stage]);
        if (warp != 0) continue;
        barrier_wait(&j.line->reduced[at.stage], at.parity);
        if (kz_lane() == 0) {
            typename Op::value total = Op::identity();
            for (int c = 0; c < CHUNKS; c++) total = Op::combine(total, j.line->chunk[at.stage][c]);
            mailbox{scan_words, SCAN_MAILS}.send(tile, j.launch, total);
        }
        __syncwarp();
    }
}

// ---- the warp that looks ahead --------------------------------------------------------------------------

// What lies before `tile`, for lane 0. `base` and `before` are the warp's memory of its walk: all tiles
// before `base`, whole groups of 32, are in `before`. Groups are combined one after the other and each in one way,
// so the result depends on the tile alone, not on when its totals came.
template <typename Op>
static __device__ __forceinline__ typename Op::value walk(unsigned launch, int tile, int *base,
                                                          typename Op::value *before) {
    typedef typename Op::value A;
    const mailbox box = {scan_words, SCAN_MAILS};
    while (*base < tile) {
        mail<A> mails[GROUPS] = {}; // 0 is no launch's number
        bool all;
        do { // all are asked for before the first is looked at: a question at a time costs a trip to L2 each
            all = true;
#pragma unroll
            for (int g = 0; g < GROUPS; g++) {
                int from = *base + g * KZ_WARP + (int)kz_lane();
                if (from < tile && !mails[g].bears(launch)) mails[g] = box.receive<A>(from);
            }
#pragma unroll
            for (int g = 0; g < GROUPS; g++)
                all = all && (*base + g * KZ_WARP + (int)kz_lane() >= tile || mails[g].bears(launch));
        } while (!__all_sync(KZ_ALL_LANES, all));
        int first = *base;
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            int from = first + g * KZ_WARP;
            if (from >= tile) break;
            A value = from + (int)kz_lane() < tile ? mails[g].value() : Op::identity();
            value = Op::combine(*before, fold_warp<Op>(value));
            if (from + KZ_WARP > tile) return value; // the group is not whole: it is looked at again
            *before = value;
            *base = from + KZ_WARP;
        }
    }
    return *before;
}

template <typename Op> static __device__ __forceinline__ void look_ahead(const job<Op> &j) {
    int base = 0;
    typename Op::value before = Op::identity();
    for (turn<Op> at;; at.next()) {
        barrier_wait(&j.line->claimed[at.stage], at.parity);
        int tile = j.line->tile[at.stage];
        if (tile == NO_TILE) return;
        typename Op::value prefix = walk<Op>(j.launch, tile, &base, &before);
        __syncwarp(); // all lanes have read tile[], which is written anew once the tile is done
        if (kz_lane() == 0) {
            j.line->prefix[at.stage] = prefix;
            barrier_arrive(&j.line->known[at.stage]);
            // The last tile has heard of all others, so every block has read the old number.
            if (tile == j.tiles - 1) *(volatile unsigned *)&scan_launch = j.launch;
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
    bulk_fence();
    __syncwarp();
    if (whole) {
        if (kz_lane() != 0) return;
#if SCAN_AHEAD_EVICT_STORES
        bulk_store(j.out + first, to, CHUNK_BYTES, evict_first());
#else
        bulk_store(j.out + first, to, CHUNK_BYTES);
#endif
        return;
    }
    for (int i = kz_lane(); i < job<Op>::CHUNK; i += KZ_WARP)
        if (j.all.holds(first + i)) j.out[first + i] = to[i];
    __syncwarp();
}

template <typename Op> static __device__ __forceinline__ void scan_tiles(const job<Op> &j, int chunk) {
    int stored = -1; // the stage whose results are on their way out
    for (turn<Op> at;; at.next()) {
        barrier_wait(&j.line->claimed[at.stage], at.parity);
        int tile = j.line->tile[at.stage];
        if (tile == NO_TILE) break;
        barrier_wait(&j.line->full[at.stage], at.parity);
        row<Op> rows[ROWS];
        typename Op::value before[ROWS];
        j.take(at.stage, chunk, rows);
        scan_rows(rows, before);
        barrier_wait(&j.line->reduced[at.stage], at.parity);
        barrier_wait(&j.line->known[at.stage], at.parity);
        typename Op::value prefix = j.line->prefix[at.stage];
        for (int c = 0; c < chunk; c++) prefix = Op::combine(prefix, j.line->chunk[at.stage][c]);
        if (kz_lane() == 0 && stored >= 0) { // by now it has been read
            bulk_wait_read();
            barrier_arrive(&j.line->empty[stored]);
        }
        put_chunk(j, at.stage, chunk, tile, rows, before, prefix);
        if (kz_lane() == 0) bulk_commit();
        stored = at.stage;
    }
    if (kz_lane() == 0) bulk_wait();
}

// ---- the block ------------------------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ void run(const typename Op::element *in, const uint8_t *heads,
                                           typename Op::element *out, size_t n, size_t exclusive) {
    extern __shared__ __align__(128) char stages[];
    __shared__ pipeline<Op> line;
    unsigned launch = *(volatile unsigned *)&scan_launch + 1;
    unsigned s = threadIdx.x;
    if (s < turn<Op>::DEPTH) {
        barrier_open(&line.claimed[s], 1);
        barrier_open(&line.full[s], 1);
        barrier_open(&line.reduced[s], REDUCERS);
        barrier_open(&line.known[s], 1);
        barrier_open(&line.empty[s], CHUNKS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    view<Op> all(in, heads, n);
    int tiles = (int)((all.end + job<Op>::TILE - 1) / job<Op>::TILE);
    const job<Op> j = {all, out - all.begin, tiles, exclusive != 0, launch, stages, &line};
    int warp = __shfl_sync(KZ_ALL_LANES, kz_warp(), 0); // the compiler knows it is one for all lanes
    if (warp == 0)
        load_tiles(j);
    else if (warp == 1)
        look_ahead(j);
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
