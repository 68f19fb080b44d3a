// A kernel that scans with an operation of your own, at the speed of a copy: that of scan/08_look_ahead, whose
// README tells the story. sm_90 and up. An operation (scan_tile.cuh) that scans structs needs no more than
//
//     struct product { // of matrices
//         typedef matrix value;
//         static __device__ matrix identity(void) { return {1, 0, 0, 1}; }
//         static __device__ matrix combine(matrix before, matrix after) { ... } // associative
//     };
//
// and KZ_SCAN_ENTRY(scan_matrices, kz_scan_of<product>) makes the kernel, with a shape by kz_scan_shape_of.
// examples/scan_own.cu is a whole program. Tiles send words that live in the module: one launch of its scans
// at a time.
#ifndef KZ_SCAN_CUH
#define KZ_SCAN_CUH

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "kz/device/scan.cuh needs sm_90 or later (bulk copies, barriers that count bytes): nvcc -arch=sm_90"
#endif

#include "kz/device/look_ahead.cuh"
#include "kz/device/scan_shape.h"
#include "kz/device/scan_tile.cuh"

// Words of 4 bytes of the largest value; may be defined before this file is included.
#ifndef KZ_SCAN_WORDS
#define KZ_SCAN_WORDS 4
#endif

static_assert(KZ_SCAN_CHUNKS % KZ_SCAN_REDUCERS == 0, "every reducing warp has as many chunks");

static __device__ unsigned long long kz_scan_words[KZ_SCAN_WORDS * KZ_SCAN_STATUSES];
static __device__ unsigned kz_scan_epoch;   // number of the last launch
static __device__ unsigned kz_scan_counter; // 0 before and after every launch

// What the warps of a block share, by stage. `claimed`: the tile's number is there. `full`: its elements.
// `reduced`: the chunks' totals. `known`: what lies before the tile. `empty`: the stage may be loaded again.
template <typename Op> struct kz_scan_pipeline {
    uint64_t claimed[KZ_SCAN_STAGES], full[KZ_SCAN_STAGES], reduced[KZ_SCAN_STAGES], known[KZ_SCAN_STAGES],
        empty[KZ_SCAN_STAGES];
    int tile[KZ_SCAN_STAGES];
    typename Op::value prefix[KZ_SCAN_STAGES], chunk[KZ_SCAN_STAGES][KZ_SCAN_CHUNKS];
};

template <typename Op> struct kz_scan_ring {
    static const int SIZE = sizeof(typename Op::element);
    static const int DEPTH = KZ_SCAN_DEPTH(SIZE, Op::SEGMENTED), BYTES = KZ_SCAN_STAGE(SIZE, Op::SEGMENTED);
    static_assert(kz_words_of<typename Op::value>::COUNT <= KZ_SCAN_WORDS,
                  "a value is larger than the module's words: define KZ_SCAN_WORDS as its size / 4");
    typedef kz_pipeline_state<DEPTH> at;
};

// The problem and the block's memory.
template <typename Op> struct kz_scan_job {
    typedef typename Op::element T;
    static const int PACK = kz_scan_view<Op>::PACK, CHUNK = KZ_SCAN_CHUNK / sizeof(T),
                     TILE = KZ_SCAN_CHUNKS * CHUNK;
    kz_scan_view<Op> all;
    T *out; // from the same boundary as `in`
    int tiles;
    bool exclusive;
    unsigned last_epoch;
    char *stages;
    kz_scan_pipeline<Op> *pipe;

    __device__ __forceinline__ T *elements(int stage) const {
        return (T *)(stages + stage * kz_scan_ring<Op>::BYTES);
    }
    __device__ __forceinline__ uint8_t *heads(int stage) const {
        return (uint8_t *)(stages + stage * kz_scan_ring<Op>::BYTES + KZ_SCAN_TILE);
    }
    // A warp's rows of a chunk.
    __device__ __forceinline__ void take(int stage, int chunk, kz_scan_row<Op> (&rows)[KZ_SCAN_ROWS]) const {
        int first = chunk * CHUNK + kz_lane() * PACK;
#pragma unroll
        for (int r = 0; r < KZ_SCAN_ROWS; r++) {
            rows[r].pack.raw = *(const uint4 *)(elements(stage) + first + r * KZ_WARP * PACK);
            if (Op::SEGMENTED)
                rows[r].heads = *(const typename kz_scan_row<Op>::heads_type *)(heads(stage) + first +
                                                                                r * KZ_WARP * PACK);
        }
    }
};

// ---- the loading warp -----------------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ void kz_scan_load_tile(const kz_scan_job<Op> &j, int stage, int tile) {
    typedef typename Op::element T;
    const int TILE = kz_scan_job<Op>::TILE;
    size_t first = (size_t)tile * TILE;
    int lo = first < j.all.begin ? (int)(j.all.begin - first) : 0;
    int hi = first + TILE > j.all.end ? (int)(j.all.end - first) : TILE;
    uint64_t *full = &j.pipe->full[stage];
    kz_tile_array<T, KZ_SCAN_EVICT_LOADS> elements(j.elements(stage), j.all.in + first, lo, hi, TILE,
                                                   Op::lower(Op::identity()));
    if (Op::SEGMENTED) {
        kz_tile_array<uint8_t, KZ_SCAN_EVICT_LOADS> heads(j.heads(stage), j.all.heads + first, lo, hi, TILE,
                                                          0);
        kz_start_tile(full, elements, heads);
    } else {
        kz_start_tile(full, elements);
    }
}

// ---- the reducing warps ---------------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ void kz_scan_reduce_tiles(const kz_scan_job<Op> &j, int warp) {
    for (typename kz_scan_ring<Op>::at at;; at.next()) {
        kz_barrier_wait(&j.pipe->claimed[at.stage], at.parity);
        int tile = j.pipe->tile[at.stage];
        if (tile == KZ_NO_TILE) return;
        kz_barrier_wait(&j.pipe->full[at.stage], at.parity);
#pragma unroll
        for (int c = 0; c < KZ_SCAN_CHUNKS / KZ_SCAN_REDUCERS; c++) {
            int chunk = c * KZ_SCAN_REDUCERS + warp;
            kz_scan_row<Op> rows[KZ_SCAN_ROWS];
            j.take(at.stage, chunk, rows);
            typename Op::value total = kz_fold_rows(rows);
            if (kz_lane() == 0) j.pipe->chunk[at.stage][chunk] = total;
        }
        kz_barrier_arrive(&j.pipe->reduced[at.stage]);
        if (warp != 0) continue;
        kz_barrier_wait(&j.pipe->reduced[at.stage], at.parity);
        if (kz_lane() == 0) {
            typename Op::value total = Op::identity();
            for (int c = 0; c < KZ_SCAN_CHUNKS; c++) total = Op::combine(total, j.pipe->chunk[at.stage][c]);
            kz_tile_states{kz_scan_words, KZ_SCAN_STATUSES}.publish(tile, kz_next_epoch(j.last_epoch), total);
        }
        __syncwarp();
    }
}

// ---- the scanning warps ---------------------------------------------------------------------------------

// Rows that are scanned, back in order; then the chunk to `out`, or what of it there is.
template <typename Op>
static __device__ __forceinline__ void
kz_scan_put_chunk(const kz_scan_job<Op> &j, int stage, int chunk, int tile,
                  const kz_scan_row<Op> (&rows)[KZ_SCAN_ROWS],
                  const typename Op::value (&before)[KZ_SCAN_ROWS], typename Op::value prefix) {
    typedef typename Op::element T;
    const int PACK = kz_scan_job<Op>::PACK;
    size_t first = (size_t)tile * kz_scan_job<Op>::TILE + chunk * kz_scan_job<Op>::CHUNK;
    bool whole = j.all.holds_all(first, kz_scan_job<Op>::CHUNK) && kz_aligned(j.out, 16);
    T *to = j.elements(stage) + chunk * kz_scan_job<Op>::CHUNK;
#pragma unroll
    for (int r = 0; r < KZ_SCAN_ROWS; r++) {
        kz_pack<T> results;
        int position = (r * KZ_WARP + kz_lane()) * PACK;
        kz_finish_pack<Op, T>(rows[r], Op::combine(prefix, before[r]), j.exclusive, results.at);
        *(uint4 *)(to + position) = results.raw;
    }
    kz_bulk_fence();
    __syncwarp();
    if (whole) {
        if (kz_lane() != 0) return;
#if KZ_SCAN_EVICT_STORES
        kz_bulk_store(j.out + first, to, KZ_SCAN_CHUNK, kz_evict_first());
#else
        kz_bulk_store(j.out + first, to, KZ_SCAN_CHUNK);
#endif
        return;
    }
    for (int i = kz_lane(); i < kz_scan_job<Op>::CHUNK; i += KZ_WARP)
        if (j.all.holds(first + i)) j.out[first + i] = to[i];
    __syncwarp();
}

template <typename Op>
static __device__ __forceinline__ void kz_scan_tiles(const kz_scan_job<Op> &j, int chunk) {
    int stored = -1; // the stage whose results are on their way out
    for (typename kz_scan_ring<Op>::at at;; at.next()) {
        kz_barrier_wait(&j.pipe->claimed[at.stage], at.parity);
        int tile = j.pipe->tile[at.stage];
        if (tile == KZ_NO_TILE) break;
        kz_barrier_wait(&j.pipe->full[at.stage], at.parity);
        kz_scan_row<Op> rows[KZ_SCAN_ROWS];
        typename Op::value before[KZ_SCAN_ROWS];
        j.take(at.stage, chunk, rows);
        kz_scan_rows(rows, before);
        kz_barrier_wait(&j.pipe->reduced[at.stage], at.parity);
        kz_barrier_wait(&j.pipe->known[at.stage], at.parity);
        typename Op::value prefix = j.pipe->prefix[at.stage];
        for (int c = 0; c < chunk; c++) prefix = Op::combine(prefix, j.pipe->chunk[at.stage][c]);
        if (stored >= 0) {
            if (kz_lane() == 0) kz_bulk_wait_read(); // by now it has been read
            kz_barrier_arrive(&j.pipe->empty[stored]);
        }
        kz_scan_put_chunk(j, at.stage, chunk, tile, rows, before, prefix);
        if (kz_lane() == 0) kz_bulk_commit();
        stored = at.stage;
    }
    if (kz_lane() == 0) kz_bulk_wait();
}

// ---- the block ------------------------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ void kz_scan_run(const typename Op::element *in, const uint8_t *heads,
                                                   typename Op::element *out, size_t n, size_t exclusive) {
    extern __shared__ __align__(128) char stages[];
    __shared__ kz_scan_pipeline<Op> pipe;
    unsigned last_epoch = kz_load_epoch(&kz_scan_epoch);
    kz_init_pipeline<kz_scan_ring<Op>::DEPTH>(&pipe, pipe.reduced, KZ_SCAN_REDUCERS, KZ_SCAN_CHUNKS);
    kz_scan_view<Op> all(in, heads, n);
    int tiles = (int)((all.end + kz_scan_job<Op>::TILE - 1) / kz_scan_job<Op>::TILE);
    const kz_scan_job<Op> j = {all, out - all.begin, tiles, exclusive != 0, last_epoch, stages, &pipe};
    int warp = __shfl_sync(KZ_ALL_LANES, kz_warp(), 0); // the compiler knows it is one for all lanes
    if (warp == 0)
        kz_schedule_tiles<kz_scan_ring<Op>::DEPTH>(
            &pipe, tiles, &kz_scan_counter, [&](int stage, int tile) { kz_scan_load_tile(j, stage, tile); });
    else if (warp == 1)
        kz_look_ahead<Op, kz_scan_ring<Op>::DEPTH, KZ_SCAN_GROUPS>(
            &pipe, tiles, kz_tile_states{kz_scan_words, KZ_SCAN_STATUSES}, kz_next_epoch(last_epoch),
            &kz_scan_epoch);
    else if (warp < 2 + KZ_SCAN_REDUCERS)
        kz_scan_reduce_tiles(j, warp - 2);
    else
        kz_scan_tiles(j, warp - 2 - KZ_SCAN_REDUCERS);
}

// name(in, heads, out, n, exclusive): out[i] is the combination of in[0] to in[i], or of those before in[i]. `heads` is
// NULL but for an operation by heads; the arrays must not overlap. The operation may have commas.
#define KZ_SCAN_ENTRY(name, ...)                                                                             \
    KZ_ENTRY_BOUNDS(name, KZ_SCAN_THREADS, KZ_SCAN_BLOCKS)                                                   \
    (const __VA_ARGS__::element *in, const uint8_t *heads, __VA_ARGS__::element *out, size_t n,              \
     size_t exclusive) {                                                                                     \
        kz_scan_run<__VA_ARGS__>(in, heads, out, n, exclusive);                                              \
    }

#endif
