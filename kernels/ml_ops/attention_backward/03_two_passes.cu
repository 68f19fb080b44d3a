// attention_backward 03: a pass for keys and one for queries
//
// Idea     who owns a result adds it up alone: then its terms have one order, and all runs give the same bits.
// Change   02's kernel makes dk and dv only; a second one, with a block for each tile of queries, goes along the keys for dq.
// Expect   scores and dp are made twice, seven products in the place of five; no atomics, no workspace for dq, no conversion.
// Limit    those two products more.

#include "recompute.cuh"

template <int D, int KEYS, int QUERIES, typename T>
static __device__ __forceinline__ void key_pass(const backward<T, T> &g) {
    extern __shared__ float shared[];
    run_keys<D, KEYS, QUERIES>(g, shared,
                               [](auto &, size_t, size_t, const kz_attention_sequence &, size_t) {});
}

template <int D, int KEYS, int QUERIES, typename T>
static __device__ __forceinline__ void query_pass(const backward<T, T> &g) {
    extern __shared__ float shared[];
    typedef query_sums<D, QUERIES> part;
    const kz_attention<T> &p = g.p;
    size_t b, row, head = blockIdx.x % p.heads;
    kz_attention_sequence s;
    if (!kz_attention_tile(p, blockIdx.x / p.heads, QUERIES, &b, &s, &row)) return;
    tiles<D, KEYS, QUERIES> t(shared);
    part sums;
    load_queries(t, g, b, head, s, row);
    size_t last = row + QUERIES < s.queries ? row + QUERIES : s.queries;
    size_t end = kz_attention_end(p, s, last - 1);
    for (size_t key = kz_attention_first(p, s, row) / KEYS * KEYS; key < end; key += KEYS) {
        load_keys(t, g, b, head / (p.heads / p.kv_heads), s, key);
        __syncthreads();
        weigh_tile(t, p, b, head, s, row, key);
        __syncthreads();
        add_to_queries(t, sums);
        __syncthreads();
    }
    unsigned i = threadIdx.x / part::LANES;
    if (row + i >= s.queries) return;
    T *to = g.dq + kz_attention_row(p.q_at, b, head, s.query + row + i);
    for (int x = 0; x < part::EACH; x++) {
        unsigned d = threadIdx.x % part::LANES + x * part::LANES;
        if (d < p.dimension) kz_narrow(&to[d], p.scale * sums.dq[x]);
    }
}

#define ENTRY(D, KEYS, QUERIES, type, T)                                                                     \
    KZ_ENTRY_BOUNDS(attention_backward_two_passes_k##D##_any_##type, RECOMPUTE_THREADS, 1)                   \
    (BACKWARD_PARAMETERS(T, T)) {                                                                            \
        backward<T, T> g = BACKWARD_OF(T);                                                                   \
        key_pass<D, KEYS, QUERIES>(g);                                                                       \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(attention_backward_two_passes_q##D##_any_##type, RECOMPUTE_THREADS, 1)                   \
    (BACKWARD_PARAMETERS(T, T)) {                                                                            \
        backward<T, T> g = BACKWARD_OF(T);                                                                   \
        query_pass<D, KEYS, QUERIES>(g);                                                                     \
    }
#define ENTRIES(type, T)                                                                                     \
    BACKWARD_ROWS(two_passes, type, T)                                                                       \
    RECOMPUTE_TILES(ENTRY, type, T)
ENTRIES(f32, float)
ENTRIES(f16, kz_f16)
ENTRIES(bf16, kz_bf16)
