// sgemm: blocks that stay, a warp group that fetches and others that multiply, from 09 on. A schedule says what a block
// does: of which tiles, which chunks.
#ifndef SGEMM_PRODUCER_CUH
#define SGEMM_PRODUCER_CUH

#include "fetch.cuh"
#include "tune.h"

enum { STAGES = SGEMM_PRODUCER_STAGES, PRODUCERS = SGEMM_PRODUCER_THREADS };

// A ring of stages in shared memory, behind two barrier objects for each.
template <typename S> struct ring {
    unsigned full, empty; // the addresses of the first barriers
    float *stages;
    unsigned first; // the first stage's address
    unsigned stage = 0, parity = 0;
    __device__ __forceinline__ ring(char *memory) {
        full = kz_shared_address(memory);
        empty = full + 8 * STAGES;
        stages = (float *)(memory + SGEMM_BARRIER_BYTES);
        first = full + SGEMM_BARRIER_BYTES;
        asm volatile(""
                     : "+r"(full), "+r"(empty), "+r"(first)); // kept, not worked out anew (see thread_tile)
    }
    __device__ __forceinline__ float *now(void) const { return stages + stage * S::STAGE_FLOATS; }
    __device__ __forceinline__ unsigned address(void) const { return first + 4 * stage * S::STAGE_FLOATS; }
    __device__ __forceinline__ void advance(void) {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
};
static_assert(16 * STAGES <= SGEMM_BARRIER_BYTES, "two barriers of 8 bytes per stage");

template <typename S> static __device__ __forceinline__ unsigned count_tiles(const problem &p) {
    return (unsigned)((p.m + S::HEIGHT - 1) / S::HEIGHT) * (unsigned)((p.n + S::WIDTH - 1) / S::WIDTH);
}

// ---- the producers -----------------------------------------------------------------------------------

static __device__ __forceinline__ unsigned producer(void) { return threadIdx.x % PRODUCERS; }

// A row of b's tile with one copy, by a quarter of each warp: a copy takes eight instructions for every lane
// that asks for one. The last chunk may have less than DEPTH of k: the rows that are missing are zero, and
// the fence orders that before this thread's next copy.
template <typename S>
static __device__ __forceinline__ void fetch_row(const problem &p, corner tile, size_t at, float *chunk,
                                                 unsigned barrier) {
    static_assert(S::DEPTH <= PRODUCERS, "a thread has one row at most");
    const unsigned each = S::DEPTH / (PRODUCERS / KZ_WARP); // rows of a warp
    if (kz_lane() >= each) return;
    unsigned row = producer() / KZ_WARP * each + kz_lane();
    float *to = chunk + S::A_FLOATS + row * S::WIDTH;
    unsigned width = p.b_line - tile.column < S::WIDTH ? (unsigned)(p.b_line - tile.column) : S::WIDTH;
    if (at + row < p.k) {
        kz_barrier_arrive_expect(barrier, 4 * width);
        kz_bulk_load(kz_shared_address(to), p.b + (at + row) * p.b_line + tile.column, 4 * width, barrier);
    } else {
        for (unsigned i = 0; i < S::WIDTH; i++) to[i] = 0.0f;
        kz_bulk_fence();
        kz_barrier_arrive(barrier);
    }
}

// QUADS: a by 16 bytes, b by whole rows.
template <typename S, bool QUADS, typename schedule>
static __device__ __forceinline__ void produce(const problem &p, ring<S> r, schedule now, bool rows) {
    for (; now.some(); now.advance()) {
        corner tile = find_grouped_tile(now.tile(), p.m, p.n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
        size_t at = (size_t)now.first() * S::DEPTH;
        fetcher<S, PRODUCERS, QUADS> pieces(p, tile, at, p.k, producer());
        for (unsigned left = now.count(); left > 0; left--, at += S::DEPTH, r.advance()) {
            kz_barrier_wait(r.empty + 8 * r.stage, r.parity ^ 1); // the first round passes: all is empty
            unsigned barrier = r.full + 8 * r.stage;
            if (QUADS || rows) fetch_row<S>(p, tile, at, r.now(), barrier);
            pieces.copy_a(kz_shared_address(r.now()));
            if (!QUADS && !rows) pieces.copy_b(kz_shared_address(r.now()));
            pieces.advance();
            barrier_arrive_after_copies(barrier);
        }
    }
}

// ---- the consumers ---------------------------------------------------------------------------------

template <typename S, typename schedule>
static __device__ __forceinline__ void consume(const problem &p, ring<S> r, schedule now) {
    thread_tile<S> at;
    registers<S> values;
    if (now.some() && now.count() > 0) {
        kz_barrier_wait(r.full, 0);
        read_first<S>(values, at.a(r.address()), at.b(r.address()));
    }
    for (; now.some(); now.advance()) {
        bool is_last = now.is_last();
        clear(values);
        for (unsigned left = now.count(); left > 0; left--) {
            unsigned chunk = r.address(), a = at.a(chunk), b = at.b(chunk);
            unsigned empty = r.empty + 8 * r.stage;
            multiply_inner<S, S::QUADS == 4 ? SGEMM_PRODUCER_UNROLL : SGEMM_SMALL_UNROLL>(values, a, b);
            multiply_three<S>(values, b);
            r.advance();
            // What the very last step reads ahead, nobody uses.
            if (left > 1 || !is_last) {
                kz_barrier_wait(r.full + 8 * r.stage, r.parity);
                chunk = r.address();
            }
            multiply_fourth<S>(values, at.a(chunk), at.b(chunk));
            kz_barrier_arrive(empty);
        }
        if (!now.template add_others<S>(values)) continue; // another block writes this tile
        corner tile = find_grouped_tile(now.tile(), p.m, p.n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
        write_tile<S>(values, p.c, p.m, p.n, tile, at);
    }
}

// ---- the whole --------------------------------------------------------------------------------------

template <typename S>
static __device__ __forceinline__ void start(const problem &p, const ring<S> &r, bool rows) {
    if (threadIdx.x < STAGES) {
        kz_barrier_init(r.full + 8 * threadIdx.x, PRODUCERS + (rows ? S::DEPTH : 0));
        kz_barrier_init(r.empty + 8 * threadIdx.x, S::THREADS);
    }
    // Columns right of b's last are multiplied, though never written to c: something must be there.
    if (p.b_line % S::WIDTH != 0)
        for (unsigned i = threadIdx.x; i < STAGES * S::STAGE_FLOATS; i += blockDim.x) r.stages[i] = 0.0f;
    kz_bulk_fence();
    __syncthreads();
}

template <typename S, typename schedule>
static __device__ __forceinline__ void run(const problem &p, schedule work) {
    extern __shared__ __align__(128) char memory[];
    ring<S> r(memory);
    bool rows = has_quads(p.b, p.b_line) && SGEMM_PRODUCER_BULK;
    start<S>(p, r, rows);
    // Registers are dealt out evenly, 168 to each of 12 warps, 128 to each of 16: those that fetch give away what
    // the others need.
    if (threadIdx.x >= S::THREADS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
        if (rows && has_quads(p.a, p.a_line))
            produce<S, true>(p, r, work, true);
        else
            produce<S, false>(p, r, work, rows);
    } else {
        if (S::THREADS == 256)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
        else
            asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
        consume<S>(p, r, work);
    }
}

// ---- a schedule: whole tiles, block after block ------------------------------------------------------

struct whole_tiles {
    unsigned next, tiles, chunks;
    template <typename S> static __device__ __forceinline__ whole_tiles make(const problem &p) {
        return {blockIdx.x, count_tiles<S>(p), (unsigned)((p.k + S::DEPTH - 1) / S::DEPTH)};
    }
    __device__ __forceinline__ bool some(void) const { return next < tiles; }
    __device__ __forceinline__ unsigned tile(void) const { return next; }
    __device__ __forceinline__ unsigned first(void) const { return 0; } // of the chunks
    __device__ __forceinline__ unsigned count(void) const { return chunks; }
    __device__ __forceinline__ bool is_last(void) const { return tiles - next <= gridDim.x; }
    __device__ __forceinline__ void advance(void) { next += gridDim.x; }
    template <typename S> __device__ __forceinline__ bool add_others(registers<S> &) const { return true; }
};
template <typename S> static __device__ __forceinline__ void run(const problem &p) {
    run<S>(p, whole_tiles::make<S>(p));
}

#endif
