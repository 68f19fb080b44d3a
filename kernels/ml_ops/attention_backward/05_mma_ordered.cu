// kz: sm 80
// attention_backward 05: tensor cores, in one order
//
// Idea     tiles of keys may add to a tile of dq one after the other: then all runs give the same bits, without 03's two products
//          more.
// Change   04 with a counter for each tile of queries, which says how many tiles of keys have added to it. A block waits until
//          those before its own have. Blocks take their tile by a counter as well, in the order in which they begin: who waits
//          does so for a block that runs already.
// Expect   04's work. Blocks that begin together go along the same queries and wait for each other in a row at first; from then on
//          each is a tile behind the one before it.
// Limit    that wait: the tiles of keys of a head that run at a time, times the time of one tile.

#include "mma.cuh"

// `counters`: of each head's tiles of queries.
struct one_order {
    unsigned *counters;
    unsigned rows, keys; // of tiles
    template <typename T>
    __device__ __forceinline__ unsigned *counter(const job<T> &j, size_t head, size_t row) const {
        const kz_attention<T> &p = j.g.p;
        size_t tiles = p.query_offsets ? p.queries / rows + p.batch + 1 : (p.queries + rows - 1) / rows;
        size_t of_head = p.query_offsets ? head : j.b * p.heads + head;
        return counters + of_head * tiles + (p.query_offsets ? j.s.query / rows + j.b : 0) + row / rows;
    }
    template <typename T> __device__ __forceinline__ void begin(const job<T> &j, size_t head, size_t row) {
        if (threadIdx.x > 0) return; // the barrier that follows is for all
        size_t before = j.key / keys - kz_attention_first(j.g.p, j.s, row) / keys;
        const unsigned *at = counter(j, head, row);
        unsigned added;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(added) : "l"(at) : "memory");
        } while (added < before);
    }
    template <typename T> __device__ __forceinline__ void end(const job<T> &j, size_t head, size_t row) {
        __syncthreads();
        if (threadIdx.x > 0) return;
        __threadfence(); // what all threads have added, before the count
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter(j, head, row)) : "memory");
    }
};

template <typename S, typename T>
static __device__ __forceinline__ void run(const backward<T, float> &g, unsigned *counters,
                                           unsigned *blocks) {
    extern __shared__ __align__(128) char shared[];
    __shared__ unsigned taken;
    if (threadIdx.x == 0) taken = atomicAdd(blocks, 1);
    __syncthreads();
    job<T> j = {g};
    one_order turn = {counters, S::QUERIES, S::KEYS};
    j.kv_head = taken % g.p.kv_heads;
    if (!key_tile(g.p, taken / g.p.kv_heads, S::KEYS, &j.b, &j.s, &j.key)) return;
    run_tile<S>(j, shared, turn);
}

// The blocks' counter is the first.
#define ENTRY(D, KEYS, QUERIES, type, T)                                                                     \
    KZ_ENTRY_BOUNDS(attention_backward_mma_ordered_d##D##_any_##type, BACKWARD_MMA_THREADS, 1)               \
    (BACKWARD_PARAMETERS(T, float), unsigned *counters) {                                                    \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        run<shape<D, KEYS, QUERIES>>(g, counters + 1, counters);                                             \
    }
#define ENTRIES(type, T)                                                                                     \
    BACKWARD_ROWS(mma_ordered, type, T)                                                                      \
    BACKWARD_MMA_TILES(ENTRY, type, T)                                                                       \
    KZ_ENTRY(attention_backward_mma_ordered_convert_any_##type)(BACKWARD_PARAMETERS(T, float), T * to) {     \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        convert<T>(g, to);                                                                                   \
    }
ENTRIES(f16, kz_f16)
ENTRIES(bf16, kz_bf16)
