// kz: sm 80
// attention_decode 05: asynchronous copies and tensor cores
//
// Idea     copies that go past the registers (cp.async) keep tiles of keys on their way while others are multiplied; and 16 rows
//          of mma.m16n8k16 take a group's heads, zeros where there are fewer, in a fraction of the instructions.
// Change   tiles of 64 keys and values in stages of shared memory, filled 16 bytes at a time and marked to leave L2 first. A
//          warp multiplies 16 keys by the rows and the weights by their values. Bytes of e4m3 are copied as they are and
//          become halves in registers.
// Expect   with rows of 128 halves a block has 35 KB on their way, three blocks on a multiprocessor twice the 48 KB that
//          its share of the bandwidth needs. No sums over lanes for each key, no conversions of halves.
// Limit    half types, dimensions 64, 96, 128 and 256. Warps compute addresses and issue copies, look
//          up pages, and wait for each other at every tile.

#include "tensor.cuh"

// 16 bytes, or as many zeros.
static __device__ __forceinline__ void copy_16(unsigned to, const void *from, bool there, uint64_t policy) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(to), "l"(from),
                 "r"(there ? 16 : 0), "l"(policy)
                 : "memory");
}

// The tile whose first key is `key`; keys that the share does not have are zeros.
template <int D, typename T, typename C>
static __device__ __forceinline__ void copy_tile(const decode<T, C> &p, const tile &t, unsigned stage,
                                                 unsigned key, uint64_t policy) {
    typedef layout<T, C, D> L;
    const unsigned UNITS = L::ROW / 16;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < DECODE_TILE * UNITS; i += DECODE_THREADS) {
        unsigned row = i / UNITS, byte = i % UNITS * 16;
        bool there = key + row < t.end;
        size_t at = there ? cache_row(p, t.b, t.kv_head, key + row) * sizeof(C) + byte : 0;
        copy_16(stage + row * L::K_ROW + byte, (const char *)p.k + at, there, policy);
        copy_16(stage + L::K_TILE + row * L::V_ROW + byte, (const char *)p.v + at, there, policy);
    }
}

template <int D, typename T, typename C>
static __device__ __forceinline__ void attend(const decode<T, C> &p, float *workspace, unsigned splits) {
    typedef layout<T, C, D> L;
    extern __shared__ __align__(128) char memory[];
    __shared__ float inverse[ROWS];
    const tile t = tile_of<ROWS>(p, blockIdx.x, splits);
    if (t.split >= t.used) return;
    unsigned q = kz_shared_address(memory), stages = q + L::Q;
    uint64_t policy = kz_evict_first();
    const bool units = has_units(p);
    warp_sums<D> s;
    // A group is closed for every tile, there or not: then waiting for all but STAGES - 2 is right to the end.
    auto copy = [&](unsigned n) {
        unsigned key = t.first + n * DECODE_TILE, at = n % L::STAGES * L::STAGE;
        if (key < t.end && units) copy_tile<D>(p, t, stages + at, key, policy);
        if (key < t.end && !units) load_tile<D>(p, t, memory + L::Q + at, key);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (unsigned n = 0; n < L::STAGES - 1; n++) copy(n);
    stage_q<D>(p, t, memory, inverse);
    __syncthreads();
    clear(s, t, score_scale(p, t.kv_head), inverse);
    for (unsigned n = 0; t.first + n * DECODE_TILE < t.end; n++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(L::STAGES - 2) : "memory");
        __syncthreads(); // the tile is there for all, and the one before it is done by all
        copy(n + L::STAGES - 1);
        fold_tile<D>(p, t, s, q, stages + n % L::STAGES * L::STAGE, t.first + n * DECODE_TILE);
    }
    __syncthreads();
    const parts<ROWS> warps((float *)(memory + L::Q), D);
    store_warp<D>(p, t, s, warps);
    __syncthreads();
    finish(p, t, warps, workspace, splits);
}

#define ENTRY(D, operation, type, T, C)                                                                      \
    KZ_ENTRY_BOUNDS(attention_decode_async_##D##_##operation##_##type, DECODE_THREADS, D > 128 ? 1 : 3)      \
    (DECODE_PARAMETERS(T, C), float *workspace, size_t splits) {                                             \
        const decode<T, C> p = DECODE_OF(T, C);                                                              \
        attend<D>(p, workspace, (unsigned)splits);                                                           \
    }
#define ENTRIES(operation, type, T, C) DECODE_DIMENSIONS(ENTRY, operation, type, T, C)
DECODE_HALVES(ENTRIES)
