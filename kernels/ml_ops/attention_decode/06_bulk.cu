// kz: sm 90
// attention_decode 06: bulk copies
//
// Idea     a copy engine moves whole rows: one instruction for 256 bytes, whose arrival a barrier in shared memory counts.
// Change   a warp of its own looks up pages and sends for rows, a ring of stages ahead of those that multiply; barriers say
//          which stage is full and which is empty, so that warps do not wait for each other at every tile. A row that the share
//          does not have is not sent for; its place is cleared.
// Expect   no instruction of a multiplying warp for what is on its way: those of 05 were a unit of 16 bytes each. The walk through
//          the page table is behind the ring.
// Limit    a row of 64 to 512 bytes per copy: a tensor map would take a tile at once where pages have as many tokens, and
//          one map for each cache.

#include "tensor.cuh"

struct ring {
    uint64_t full[4], empty[4]; // as many as the most stages
};

// A warp sends for tile after tile.
template <int D, typename T, typename C>
static __device__ __forceinline__ void fetch(const decode<T, C> &p, const tile &t, char *stages, ring *r) {
    typedef layout<T, C, D> L;
    uint64_t policy = kz_evict_first();
    for (unsigned n = 0; t.first + n * DECODE_TILE < t.end; n++) {
        unsigned s = n % L::STAGES, key = t.first + n * DECODE_TILE, rows = min(DECODE_TILE, t.end - key);
        char *stage = stages + s * L::STAGE;
        if (n >= L::STAGES) kz_barrier_wait(&r->empty[s], (n / L::STAGES - 1) & 1);
        kz_barrier_arrive_expect_warp(&r->full[s], 2 * rows * L::ROW);
        for (unsigned row = kz_lane(); row < rows; row += KZ_WARP) {
            size_t at = cache_row(p, t.b, t.kv_head, key + row);
            kz_bulk_load(stage + row * L::K_ROW, p.k + at, L::ROW, &r->full[s], policy);
            kz_bulk_load(stage + L::K_TILE + row * L::V_ROW, p.v + at, L::ROW, &r->full[s], policy);
        }
    }
}

// Keys and values that the share does not have, of this warp's: a weight of 0 times what lies there may be NaN.
template <int D, typename T, typename C>
static __device__ __forceinline__ void clear_rest(const tile &t, char *stage, unsigned key) {
    typedef layout<T, C, D> L;
    unsigned own = kz_warp() * WARP_KEYS;
    if (key + own + WARP_KEYS <= t.end || key + own >= t.end) return;
    for (unsigned row = t.end - key; row < own + WARP_KEYS; row++)
        for (unsigned byte = 16 * kz_lane(); byte < L::ROW; byte += 16 * KZ_WARP) {
            *(uint4 *)(stage + row * L::K_ROW + byte) = make_uint4(0, 0, 0, 0);
            *(uint4 *)(stage + L::K_TILE + row * L::V_ROW + byte) = make_uint4(0, 0, 0, 0);
        }
    __syncwarp();
}

template <int D, typename T, typename C>
static __device__ __forceinline__ void consume(const decode<T, C> &p, const tile &t, warp_sums<D> &s,
                                               unsigned q, char *stages, ring *r) {
    typedef layout<T, C, D> L;
    for (unsigned n = 0; t.first + n * DECODE_TILE < t.end; n++) {
        unsigned at = n % L::STAGES, key = t.first + n * DECODE_TILE;
        char *stage = stages + at * L::STAGE;
        kz_barrier_wait(&r->full[at], n / L::STAGES & 1);
        clear_rest<D, T, C>(t, stage, key);
        fold_tile<D>(p, t, s, q, kz_shared_address(stage), key);
        kz_barrier_arrive(&r->empty[at]);
    }
}

// Rows that copies cannot read: every tile by all, one at a time.
template <int D, typename T, typename C>
static __device__ __forceinline__ void consume_odd(const decode<T, C> &p, const tile &t, warp_sums<D> &s,
                                                   unsigned q, char *stage, bool multiplies) {
    for (unsigned key = t.first; key < t.end; key += DECODE_TILE) {
        if (multiplies) load_tile<D>(p, t, stage, key);
        __syncthreads();
        if (multiplies) fold_tile<D>(p, t, s, q, kz_shared_address(stage), key);
        __syncthreads();
    }
}

template <int D, typename T, typename C>
static __device__ __forceinline__ void attend(const decode<T, C> &p, float *workspace, unsigned splits) {
    typedef layout<T, C, D> L;
    extern __shared__ __align__(128) char memory[];
    __shared__ ring r;
    __shared__ float inverse[ROWS];
    const tile t = tile_of<ROWS>(p, blockIdx.x, splits);
    if (t.split >= t.used) return;
    const bool multiplies = kz_warp() < WARPS;
    char *stages = memory + L::Q;
    unsigned q = kz_shared_address(memory);
    warp_sums<D> s;
    if (threadIdx.x < L::STAGES) {
        kz_barrier_init(&r.full[threadIdx.x], KZ_WARP);
        kz_barrier_init(&r.empty[threadIdx.x], DECODE_THREADS);
    }
    kz_bulk_fence();
    stage_q<D>(p, t, memory, inverse);
    __syncthreads();
    clear(s, t, score_scale(p, t.kv_head), inverse);
    if (!has_units(p))
        consume_odd<D>(p, t, s, q, stages, multiplies);
    else if (multiplies)
        consume<D>(p, t, s, q, stages, &r);
    else
        fetch<D>(p, t, stages, &r);
    __syncthreads();
    const parts<ROWS> warps((float *)stages, D);
    if (multiplies) store_warp<D>(p, t, s, warps);
    __syncthreads();
    finish(p, t, warps, workspace, splits);
}

#define ENTRY(D, operation, type, T, C)                                                                      \
    KZ_ENTRY_BOUNDS(attention_decode_bulk_##D##_##operation##_##type, DECODE_THREADS + KZ_WARP,              \
                    D > 128 ? 1 : 3)                                                                         \
    (DECODE_PARAMETERS(T, C), float *workspace, size_t splits) {                                             \
        const decode<T, C> p = DECODE_OF(T, C);                                                              \
        attend<D>(p, workspace, (unsigned)splits);                                                           \
    }
#define ENTRIES(operation, type, T, C) DECODE_DIMENSIONS(ENTRY, operation, type, T, C)
DECODE_HALVES(ENTRIES)
