// sgemm: a schedule that leaves no multiprocessor without work at the end, from 12 on.
//
// Blocks take the first `count` tiles whole, one after another. The chunks of the tiles that are left are dealt out evenly,
// in the order of tiles and of k, the first to the last block. So a tile may belong to several blocks. The one that has its
// first chunk writes it; the others, which came to it first of all, leave their sums in the workspace. Nobody waits for a
// block of a higher number, which may not run yet.
#ifndef SGEMM_STREAM_CUH
#define SGEMM_STREAM_CUH

#include "parts.cuh"
#include "producer.cuh"

__device__ unsigned
    sgemm_ready[SGEMM_TICKETS]; // by block: its sums are in the workspace; 0 before and after every launch

struct stream_tiles {
    whole_tiles whole; // those of the full rounds
    unsigned tiles;    // all
    unsigned chunks;   // of a tile
    unsigned now, end; // of the chunks of the rest
    float *partials;

    // Where the rank-th share begins. Pieces of less than SGEMM_STREAM_LEAST chunks go to a neighbour.
    static __device__ __forceinline__ unsigned find_begin(unsigned rank, unsigned rest, unsigned chunks) {
        unsigned at = (unsigned)((unsigned long long)rank * rest * chunks / gridDim.x), into = at % chunks;
        if (into < SGEMM_STREAM_LEAST) return at - into;
        if (chunks - into < SGEMM_STREAM_LEAST) return at - into + chunks;
        return at;
    }
    template <typename S>
    static __device__ __forceinline__ stream_tiles make(const problem &p, float *partials, size_t count) {
        stream_tiles s;
        s.whole = whole_tiles::make<S>(p);
        s.tiles = s.whole.tiles, s.chunks = s.whole.chunks, s.partials = partials;
        s.now = s.end = 0;
        if (s.chunks == 0) return s;
        s.whole.tiles = (unsigned)count;
        unsigned rest = s.tiles - s.whole.tiles, rank = gridDim.x - 1 - blockIdx.x;
        s.now = find_begin(rank, rest, s.chunks), s.end = find_begin(rank + 1, rest, s.chunks);
        return s;
    }
    __device__ __forceinline__ bool some(void) const { return whole.some() || now < end; }
    __device__ __forceinline__ unsigned tile(void) const {
        return whole.some() ? whole.tile() : whole.tiles + now / chunks;
    }
    __device__ __forceinline__ unsigned first(void) const { return whole.some() ? 0 : now % chunks; }
    __device__ __forceinline__ unsigned count(void) const {
        if (whole.some()) return chunks;
        unsigned of_tile = chunks - now % chunks;
        return end - now < of_tile ? end - now : of_tile;
    }
    __device__ __forceinline__ bool is_last(void) const {
        return whole.some() ? whole.is_last() && now == end : end - now == count();
    }
    __device__ __forceinline__ void advance(void) {
        if (whole.some())
            whole.advance();
        else
            now += count();
    }

    // A thread's sums, its quads a block apart: loads and stores of a warp are contiguous.
    template <typename S> __device__ __forceinline__ float4 *find_sums(unsigned block) const {
        return (float4 *)(partials + (size_t)block * S::HEIGHT * S::WIDTH) + threadIdx.x;
    }
    template <typename S> __device__ __forceinline__ void leave(const registers<S> &values) const {
        float4 *to = find_sums<S>(blockIdx.x);
        unsigned in_order = make_order();
#pragma unroll
        for (int i = 0; i < S::ROWS; i++)
#pragma unroll
            for (int q = 0; q < S::QUADS; q++)
                kz_store<KZ_CACHE>((uint4 *)to + (i * S::QUADS + q) * S::THREADS,
                                   copy_quad_elsewhere(values.c[i] + 4 * q, in_order));
        consumers_sync<S>();
        if (threadIdx.x == 0) {
            __threadfence(); // the sums before the flag
            atomicExch(&sgemm_ready[blockIdx.x], 1u);
        }
    }
    template <typename S> __device__ __forceinline__ void add(registers<S> &values, unsigned block) const {
        if (threadIdx.x == 0) {
            while (atomicAdd(&sgemm_ready[block], 0u) == 0) __nanosleep(64);
            __threadfence(); // the flag before the sums
            sgemm_ready[block] = 0;
        }
        consumers_sync<S>();
        const float4 *from = find_sums<S>(block);
#pragma unroll
        for (int i = 0; i < S::ROWS; i++)
#pragma unroll
            for (int q = 0; q < S::QUADS; q++) {
                float4 v = __ldcg(from + (i * S::QUADS + q) * S::THREADS);
                values.c[i][4 * q] += v.x, values.c[i][4 * q + 1] += v.y;
                values.c[i][4 * q + 2] += v.z, values.c[i][4 * q + 3] += v.w;
            }
    }
    template <typename S> static __device__ __forceinline__ void consumers_sync(void) {
        asm volatile("bar.sync 1, %0;" ::"r"(S::THREADS) : "memory");
    }
    // Whether this block writes the tile, complete then.
    template <typename S> __device__ __forceinline__ bool add_others(registers<S> &values) const {
        if (whole.some() || count() == chunks) return true;
        if (first() > 0) {
            leave<S>(values);
            return false;
        }
        unsigned last = now / chunks * chunks + chunks, at = end;
        for (unsigned block = blockIdx.x; at < last;) {
            block--;
            unsigned rest = tiles - whole.tiles, next = find_begin(gridDim.x - block, rest, chunks);
            if (next > at) add<S>(values, block); // empty shares leave nothing
            at = next;
        }
        return true;
    }
};

#endif
