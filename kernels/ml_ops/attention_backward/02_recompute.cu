// attention_backward 02: p and ds made again
//
// Idea     a block keeps a tile of keys and values and goes along the queries that see it. From the log-sum-exps it makes p and ds
//          again, tile by tile: nothing of queries x keys goes to memory (FlashAttention, arXiv 2205.14135 and 2307.08691).
// Change   one kernel for all five products. dk and dv of the tile are sums in registers; what the tile adds to dq is added in
//          the workspace, in float, by atomics, and a last kernel converts it.
// Expect   memory in the length, not its square. q and dout are read once for each tile of keys, and dq is added to as often.
// Limit    products on CUDA cores, with a load from shared memory for almost each; the order in which blocks add to dq, and so
//          dq's last bits, change from run to run (see 03).

#include "recompute.cuh"

template <int D, int KEYS, int QUERIES, typename T>
static __device__ __forceinline__ void recompute(const backward<T, float> &g) {
    extern __shared__ float shared[];
    run_keys<D, KEYS, QUERIES>(
        g, shared, [&](auto &t, size_t b, size_t head, const kz_attention_sequence &s, size_t row) {
            typedef query_sums<D, QUERIES> part;
            part sums;
            add_to_queries(t, sums);
            unsigned i = threadIdx.x / part::LANES;
            if (row + i >= s.queries) return;
            float *to = g.dq + row_index(g.p, b, head, s.query + row + i) * g.p.dimension;
            for (int x = 0; x < part::EACH; x++) {
                unsigned d = threadIdx.x % part::LANES + x * part::LANES;
                if (d < g.p.dimension) atomicAdd(&to[d], sums.dq[x]);
            }
        });
}

// Element by element, of the queries that belong to a sequence.
template <typename T> static __device__ __forceinline__ void convert(const backward<T, float> &g, T *dq) {
    const kz_attention<T> &p = g.p;
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch, d = at % p.dimension;
    if (at >= arrays * p.heads * p.queries * p.dimension) return;
    size_t row = at / p.dimension, token = row % p.queries, head = row / p.queries % p.heads, b = 0;
    if (p.query_offsets) {
        kz_attention_sequence s = kz_attention_sequence_of(p, b);
        while (b + 1 < p.batch && token >= s.query + s.queries) s = kz_attention_sequence_of(p, ++b);
        if (token < s.query || token >= s.query + s.queries) return;
    } else
        b = row / (p.queries * p.heads);
    kz_narrow(&dq[kz_attention_row(p.q_at, b, head, token) + d], p.scale * g.dq[at]);
}

#define ENTRY(D, KEYS, QUERIES, type, T)                                                                     \
    KZ_ENTRY_BOUNDS(attention_backward_recompute_d##D##_any_##type, RECOMPUTE_THREADS, 1)                    \
    (BACKWARD_PARAMETERS(T, float)) {                                                                        \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        recompute<D, KEYS, QUERIES>(g);                                                                      \
    }
#define ENTRIES(type, T)                                                                                     \
    BACKWARD_ROWS(recompute, type, T)                                                                        \
    RECOMPUTE_TILES(ENTRY, type, T)                                                                          \
    KZ_ENTRY(attention_backward_recompute_convert_any_##type)(BACKWARD_PARAMETERS(T, float), T * to) {       \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        convert<T>(g, to);                                                                                   \
    }
ENTRIES(f32, float)
ENTRIES(f16, kz_f16)
ENTRIES(bf16, kz_bf16)
