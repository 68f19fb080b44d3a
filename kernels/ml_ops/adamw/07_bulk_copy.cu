// kz: sm 90
// adamw 07: bulk copies into a ring
//
// Idea     06's loads in flight are what its registers hold. A copy engine needs none: it writes to shared memory.
// Change   one warp walks over the list and asks for tiles of all four arrays, four stages ahead, by bulk copies that an mbarrier
//          counts. Eight warps take a tile from shared memory into registers, free its stage, and store the results directly.
// Expect   up to 192 kB of loads in flight on a multiprocessor, twice 06's; nobody who computes waits for the list or the table.
// Limit    sm_90; a pass through shared memory. A tensor whose arrays begin unlike each other, or whose half types begin between two
//          multiples of 16 bytes where its floats do not, goes as in 03.

#include "chunk.cuh"
#include "kz/device/bulk.cuh"

enum { STAGES = ADAMW_STAGES, CONSUMERS = ADAMW_THREADS };

// A tile: a pack for each thread that computes.
template <typename W> static constexpr int TILE = ADAMW_THREADS *ADAMW_LANES<W>;
template <typename W, typename G> struct __align__(128) adamw_stage {
    W weights[TILE<W>], m[TILE<W>], v[TILE<W>];
    G gradients[TILE<W>];
};

// The ring: a stage is full when all its bytes have landed, and empty when every thread that computes has its pack.
template <typename W, typename G> struct adamw_ring {
    adamw_stage<W, G> *stages;
    uint64_t *full, *empty;
};

// Where the tiles of a chunk end, which begin at its head: a copy has multiples of 16 bytes, of every array. At the head itself
// where there are none.
template <typename W, typename G>
static __device__ __forceinline__ unsigned tiles_end(const adamw_chunk<W, G> &c) {
    const unsigned GRAIN = 16 / sizeof(G);
    bool fits = kz_aligned(c.gradients + c.head, 16);
    return c.head + (fits ? (c.count - c.head) / GRAIN * GRAIN : 0);
}

// By one thread: all tiles of the block, in order.
template <bool has_copy, typename W, typename G>
static __device__ __forceinline__ void load_tiles(const adamw_run<W, G> &run, const adamw_terms &t,
                                                  const adamw_ring<W, G> &ring) {
    unsigned tile = 0;
#pragma unroll 1
    for (size_t at = blockIdx.x; at < run.chunks; at += gridDim.x) {
        adamw_chunk<W, G> c = adamw_find_chunk<W, G, has_copy>(run, t, run.list[at]);
        unsigned end = tiles_end(c);
#pragma unroll 1
        for (unsigned i = c.head; i < end; i += TILE<W>, tile++) {
            unsigned stage = tile % STAGES, count = end - i < TILE<W> ? end - i : TILE<W>;
            adamw_stage<W, G> *to = &ring.stages[stage];
            kz_barrier_wait(&ring.empty[stage], (tile / STAGES & 1) ^ 1); // the first round waits for nobody
            kz_barrier_arrive_expect(&ring.full[stage], count * (3 * sizeof(W) + sizeof(G)));
            kz_bulk_load(to->gradients, c.gradients + i, count * sizeof(G), &ring.full[stage]);
            kz_bulk_load(to->m, c.m + i, count * sizeof(W), &ring.full[stage]);
            kz_bulk_load(to->v, c.v + i, count * sizeof(W), &ring.full[stage]);
            kz_bulk_load(to->weights, c.weights + i, count * sizeof(W), &ring.full[stage]);
        }
    }
}

template <typename T, int lanes>
static __device__ __forceinline__ void take(adamw_lanes<T, lanes> *to, const T *tile) {
    to->raw = *(const decltype(to->raw) *)(tile + threadIdx.x * lanes);
}

// By all who compute: a chunk's tiles, of which `tile` is the first in the block's count; then what lies before and after them.
template <bool has_copy, typename W, typename G>
static __device__ __forceinline__ unsigned do_tiles(const adamw_terms &t, const adamw_ring<W, G> &ring,
                                                    const adamw_chunk<W, G> &c, unsigned end, unsigned tile) {
#pragma unroll 1
    for (unsigned i = c.head; i < end; i += TILE<W>, tile++) {
        unsigned stage = tile % STAGES, own = i + threadIdx.x * ADAMW_LANES<W>;
        const adamw_stage<W, G> *from = &ring.stages[stage];
        adamw_pack<W, G> p;
        kz_barrier_wait(&ring.full[stage], tile / STAGES & 1);
        take(&p.gradients, from->gradients); // past the tile's end whatever was there, which is not used
        take(&p.m, from->m);
        take(&p.v, from->v);
        take(&p.weights, from->weights);
        kz_barrier_arrive(&ring.empty[stage]);
        if (own < end) adamw_step_pack<true, has_copy>(t, c, p, own);
    }
    if (threadIdx.x < c.head) adamw_element<true, has_copy>(t, c, threadIdx.x);
    if (threadIdx.x < c.count - end) adamw_element<true, has_copy>(t, c, end + threadIdx.x);
    return tile;
}

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void bulk_copy(const adamw_run<W, G> &run) {
    extern __shared__ __align__(128) char memory[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    adamw_ring<W, G> ring = {(adamw_stage<W, G> *)memory, full, empty};
    adamw_read read = adamw_read_control(run);
    if (read.skips) return;
    adamw_terms t = adamw_prepare(run, read);
    if (threadIdx.x < STAGES) {
        kz_barrier_init(&full[threadIdx.x], 1);
        kz_barrier_init(&empty[threadIdx.x], CONSUMERS);
    }
    kz_bulk_fence();
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (kz_lane() == 0) load_tiles<has_copy>(run, t, ring);
        return;
    }
    unsigned tile = 0;
#pragma unroll 1
    for (size_t at = blockIdx.x; at < run.chunks; at += gridDim.x) {
        adamw_chunk<W, G> c = adamw_find_chunk<W, G, has_copy>(run, t, run.list[at]);
        unsigned end = tiles_end(c);
        if (end > c.head)
            tile = do_tiles<has_copy>(t, ring, c, end, tile);
        else
            adamw_do_chunk<true, 1, has_copy>(t, c);
    }
}
ADAMW_ENTRIES_OF(bulk_copy, ADAMW_THREADS + KZ_WARP, ADAMW_BLOCKS, bulk_copy)
