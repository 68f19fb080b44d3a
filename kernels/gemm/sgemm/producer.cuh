// sgemm: blocks that stay, a warp group that fetches and others that multiply, for 09 and 10.
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
        full = shared_address(memory);
        empty = full + 8 * STAGES;
        stages = (float *)(memory + SGEMM_BARRIER_BYTES);
        first = full + SGEMM_BARRIER_BYTES;
        asm volatile("" : "+r"(full), "+r"(empty), "+r"(first)); // kept, not worked out anew (see place)
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

// The last chunk may have less than DEPTH of k: what is missing is zero. A place is filled by the thread whose
// copies go there at other times, and its fence orders the two.
template <typename S> static __device__ void fill_short(float *chunk, unsigned depth) {
    for (unsigned row = producer(); row < S::HEIGHT; row += PRODUCERS)
        for (unsigned x = depth; x < S::DEPTH; x++) chunk[row * S::PITCH + x] = 0.0f;
    if (producer() >= depth && producer() < S::DEPTH)
        for (unsigned i = 0; i < S::WIDTH; i++) chunk[S::A_FLOATS + producer() * S::WIDTH + i] = 0.0f;
    fence_before_bulk();
}

// A copy per row of the tiles. Rows below a's last are never written to c: any row does for them.
template <typename S>
static __device__ __forceinline__ void fetch_rows(const problem &p, corner tile, size_t at, float *chunk,
                                                  unsigned barrier) {
    static_assert(S::DEPTH <= PRODUCERS && S::HEIGHT % PRODUCERS == 0, "a thread has one row of b at most");
    const unsigned a_rows = S::HEIGHT / PRODUCERS;
    unsigned depth = p.k - at < S::DEPTH ? (unsigned)(p.k - at) : S::DEPTH;
    unsigned width = p.n - tile.column < S::WIDTH ? (unsigned)(p.n - tile.column) : S::WIDTH;
    bool has_b = producer() < depth;
    if (depth < S::DEPTH) fill_short<S>(chunk, depth);
    barrier_arrive_expecting(barrier, 4 * (a_rows * depth + (has_b ? width : 0)));
    if (has_b)
        copy_bulk(shared_address(chunk + S::A_FLOATS + producer() * S::WIDTH),
                  p.b + (at + producer()) * p.n + tile.column, 4 * width, barrier);
#pragma unroll
    for (unsigned i = 0; i < a_rows; i++) {
        unsigned row = i * PRODUCERS + producer();
        size_t from = tile.row + row < p.m ? tile.row + row : p.m - 1;
        copy_bulk(shared_address(chunk + row * S::PITCH), p.a + from * p.k + at, 4 * depth, barrier);
    }
}

// BY: floats in a copy, 0 for whole rows.
template <typename S, int BY>
static __device__ __forceinline__ void produce(const problem &p, ring<S> r, unsigned tiles) {
    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
        corner tile = find_grouped_tile(t, p.m, p.n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
        fetcher<S, BY ? BY : 4, PRODUCERS> pieces(p, tile, producer());
        for (size_t at = 0; at < p.k; at += S::DEPTH, r.advance()) {
            barrier_wait(r.empty + 8 * r.stage, r.parity ^ 1); // the first round passes: all is empty
            if (BY == 0) {
                fetch_rows<S>(p, tile, at, r.now(), r.full + 8 * r.stage);
            } else {
                pieces.next(r.now());
                barrier_arrive_after_copies(r.full + 8 * r.stage);
            }
        }
    }
}

// ---- the consumers ---------------------------------------------------------------------------------

template <typename S>
static __device__ __forceinline__ void consume(const problem &p, ring<S> r, unsigned tiles) {
    place<S> at;
    registers<S> values;
    unsigned chunks = (unsigned)((p.k + S::DEPTH - 1) / S::DEPTH);
    if (chunks > 0) {
        barrier_wait(r.full, 0);
        read_first<S>(values, at.a(r.address()), at.b(r.address()));
    }
    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
        bool last_tile = tiles - t <= gridDim.x;
        clear(values);
        for (unsigned left = chunks; left > 0; left--) {
            unsigned chunk = r.address(), a = at.a(chunk), b = at.b(chunk);
            unsigned empty = r.empty + 8 * r.stage;
            multiply_inner<S, SGEMM_PRODUCER_UNROLL>(values, a, b);
            multiply_three<S>(values, b);
            r.advance();
            // What the very last step reads ahead, nobody uses.
            if (left > 1 || !last_tile) {
                barrier_wait(r.full + 8 * r.stage, r.parity);
                chunk = r.address();
            }
            multiply_fourth<S>(values, at.a(chunk), at.b(chunk));
            __syncwarp();
            if (kz_lane() == 0) barrier_arrive(empty);
        }
        corner tile = find_grouped_tile(t, p.m, p.n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
        write_tile<S>(values, p.c, p.m, p.n, tile, at);
    }
}

// ---- the whole --------------------------------------------------------------------------------------

template <typename S> static __device__ __forceinline__ void start(const problem &p, const ring<S> &r) {
    if (threadIdx.x < STAGES) {
        barrier_init(r.full + 8 * threadIdx.x, PRODUCERS);
        barrier_init(r.empty + 8 * threadIdx.x, S::THREADS / KZ_WARP);
    }
    // Columns right of b's last are multiplied, though never written to c: something must be there.
    if (p.n % S::WIDTH != 0)
        for (unsigned i = threadIdx.x; i < STAGES * S::STAGE_FLOATS; i += blockDim.x) r.stages[i] = 0.0f;
    fence_before_bulk();
    __syncthreads();
}

template <typename S> static __device__ __forceinline__ void run(const problem &p) {
    extern __shared__ __align__(128) char memory[];
    ring<S> r(memory);
    unsigned tiles = count_tiles<S>(p);
    start<S>(p, r);
    // Registers are dealt out evenly, 168 to each of 12 warps: those that fetch give away what the others need.
    if (threadIdx.x >= S::THREADS) {
        if (S::THREADS == 256) asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
        if (!has_quads(p.a, p.k) || !has_quads(p.b, p.n))
            produce<S, 1>(p, r, tiles);
        else
            produce<S, SGEMM_PRODUCER_BULK ? 0 : 4>(p, r, tiles);
    } else {
        if (S::THREADS == 256) asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
        consume<S>(p, r, tiles);
    }
}

#endif
