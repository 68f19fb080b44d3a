// kz: sm 80
// attention 04: asynchronous copies
//
// Idea     cp.async brings 16 bytes from global to shared memory without registers, and nobody waits for it.
// Change   two stages of keys and values: while one tile is multiplied, the next one is on its way. One barrier per tile. What lies
//          past the last key is filled with zeros by the copy itself.
// Expect   03 less the time in which it waits for memory.
// Limit    mma.sync reads its operands from registers, which reaches some 60% of what Hopper's tensor cores can. While a warp
//          computes powers, its tensor core has nothing to do but what other warps bring.

#include "mma.cuh"

enum { STAGES = ATTENTION_MMA_STAGES };

template <int D, typename T>
static __device__ __forceinline__ void copy(char *to, const head_rows<T> &rows, size_t row) {
    const int UNITS = shape<D>::UNITS;
    if (!rows.units) return stage<D>(to, rows, row, shape<D>::KEYS, 0);
#pragma unroll
    for (int i = threadIdx.x; i < shape<D>::KEYS * UNITS; i += ATTENTION_MMA_THREADS) {
        unsigned at = i / UNITS, unit = i % UNITS;
        bool inside = row + at < rows.count && unit * 8 < rows.dimension;
        const T *from = inside ? rows.at + (row + at) * rows.token + unit * 8 : rows.at;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(kz_shared_address(to) +
                                                                           unit_at<D>(at, unit)),
                     "l"(from), "r"(inside ? 16 : 0) // the rest is filled with zeros
                     : "memory");
    }
}

template <int D, bool ADDITIVE, typename T>
static __device__ __forceinline__ void attend(const kz_attention<T> &p) {
    typedef shape<D> S;
    extern __shared__ __align__(128) char memory[];
    char *stages = memory + S::QUERY_BYTES;
    unsigned q = kz_shared_address(memory);
    job<T> j = {p};
    if (!begin<D>(j)) return; // the whole block
    // A group is closed for every tile, there or not: then waiting for all but STAGES - 2 is right to the end.
    size_t tiles = j.t.end > j.t.first ? (j.t.end - j.t.first + S::KEYS - 1) / S::KEYS : 0;
    auto fetch = [&](size_t tile) {
        char *to = stages + tile % STAGES * (2 * S::TILE_BYTES);
        if (tile < tiles) {
            copy<D>(to, j.k, j.t.first + tile * S::KEYS);
            copy<D>(to + S::TILE_BYTES, j.v, j.t.first + tile * S::KEYS);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    state<D> own;
    clear(own);
    for (size_t tile = 0; tile < STAGES - 1; tile++) fetch(tile);
    stage_queries<D>(memory, j);
    for (size_t tile = 0; tile < tiles; tile++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); // the tile is there for all, and the one before it is done by all
        fetch(tile + STAGES - 1);
        unsigned k = q + S::QUERY_BYTES + tile % STAGES * (2 * S::TILE_BYTES);
        attend_tile<D, ADDITIVE>(own, j, j.t.first + tile * S::KEYS, q, k, k + S::TILE_BYTES);
    }
    if (tiles == 0) __syncthreads(); // finish() overwrites queries that other warps stored
    finish<D>(own, j, memory);
}

#define ENTRY(name, D, additive, type, T)                                                                    \
    KZ_ENTRY_BOUNDS(attention_async_copy_##name##_##type, ATTENTION_MMA_THREADS, 2)                          \
    (KZ_ATTENTION_PARAMETERS(T)) { attend<D, additive, T>(KZ_ATTENTION_OF(T)); }
ATTENTION_MMA_ENTRIES(ENTRY)
