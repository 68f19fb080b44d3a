// kz: sm 80
// attention_backward 04: tensor cores
//
// Idea     all five products by mma.sync. Scores and dp are made transposed, so that p^T and ds^T are left operands where they are, in
//          registers: only ds, for dq, goes through shared memory (FlashAttention-2, arXiv 2307.08691, has the loops).
// Change   02 with tiles of halves: 128 keys of a block, 16 of a warp; queries and dout come by cp.async while the tile before
//          is worked on. What is added to dq lies in the workspace as lanes have it: an instruction adds 128 bytes in a row.
// Expect   bound by shared memory: each fragment of q and dout that a warp reads serves 16 keys alone.
// Limit    that; and the order of additions to dq, which is any (see 05). At 256 columns two warps make the same scores.

#include "mma.cuh"

struct any_order {
    template <typename T> __device__ __forceinline__ void begin(const job<T> &, size_t, size_t) {}
    template <typename T> __device__ __forceinline__ void end(const job<T> &, size_t, size_t) {}
};

template <typename S, typename T> static __device__ __forceinline__ void run(const backward<T, float> &g) {
    extern __shared__ __align__(128) char shared[];
    job<T> j = {g};
    any_order turn;
    j.kv_head = blockIdx.x % g.p.kv_heads;
    if (!key_tile(g.p, blockIdx.x / g.p.kv_heads, S::KEYS, &j.b, &j.s, &j.key)) return;
    run_tile<S>(j, shared, turn);
}

#define ENTRY(D, KEYS, QUERIES, type, T)                                                                     \
    KZ_ENTRY_BOUNDS(attention_backward_mma_d##D##_any_##type, BACKWARD_MMA_THREADS, 1)                       \
    (BACKWARD_PARAMETERS(T, float)) {                                                                        \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        run<shape<D, KEYS, QUERIES>>(g);                                                                     \
    }
#define ENTRIES(type, T)                                                                                     \
    BACKWARD_ROWS(mma, type, T)                                                                              \
    BACKWARD_MMA_TILES(ENTRY, type, T)                                                                       \
    KZ_ENTRY(attention_backward_mma_convert_any_##type)(BACKWARD_PARAMETERS(T, float), T * to) {             \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        convert<T>(g, to);                                                                                   \
    }
ENTRIES(f16, kz_f16)
ENTRIES(bf16, kz_bf16)
