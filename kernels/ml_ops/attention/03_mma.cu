// kz: sm 80
// attention 03: mma.sync
//
// Idea     both products on tensor cores. The sums of the first lie in a warp's registers as the second wants its left operand:
//          rounded to the type they are used where they are (Dao, 2023: FlashAttention-2).
// Change   a warp has 32 queries (of 256 elements 16) and all keys of a tile, so a query's scores are with four lanes: two shuffles
//          find the largest. Fragments come by ldmatrix from swizzled rows, values transposed. The scale is part of the
//          power of 2, and sums are added up over the lanes once, at the end.
// Expect   16 or more times the multiply-adds of 02 in the same time; an ldmatrix of keys or values serves 4 mma.
// Limit    a tile is loaded, waited for, multiplied, waited for (see 04). Half types alone.

#include "mma.cuh"

template <int D, bool ADDITIVE, typename T>
static __device__ __forceinline__ void attend(const kz_attention<T> &p) {
    typedef shape<D> S;
    extern __shared__ __align__(128) char memory[];
    char *keys = memory + S::QUERY_BYTES, *values = keys + S::TILE_BYTES;
    unsigned q = kz_shared_address(memory), k = q + S::QUERY_BYTES, v = k + S::TILE_BYTES;
    job<T> j = {p};
    if (!begin<D>(j)) return; // the whole block
    state<D> own;
    clear(own);
    stage_queries<D>(memory, j);
    for (size_t at = j.t.first; at < j.t.end; at += S::KEYS) {
        stage<D>(keys, j.k, at, S::KEYS, 0);
        stage<D>(values, j.v, at, S::KEYS, 0);
        __syncthreads();
        attend_tile<D, ADDITIVE>(own, j, at, q, k, v);
        __syncthreads();
    }
    if (j.t.end <= j.t.first) __syncthreads(); // finish() overwrites queries that other warps stored
    finish<D>(own, j, memory);
}

#define ENTRY(name, D, additive, type, T)                                                                    \
    KZ_ENTRY_BOUNDS(attention_mma_##name##_##type, ATTENTION_MMA_THREADS, 2)                                 \
    (KZ_ATTENTION_PARAMETERS(T)) { attend<D, additive, T>(KZ_ATTENTION_OF(T)); }
ATTENTION_MMA_ENTRIES(ENTRY)
