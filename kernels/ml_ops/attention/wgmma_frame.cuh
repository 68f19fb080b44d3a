// attention: the kernels made of wgmma.cuh as a whole: one warpgroup that does everything (05), and producers beside consumers (06 to 09).
#ifndef ATTENTION_WGMMA_FRAME_CUH
#define ATTENTION_WGMMA_FRAME_CUH

#include "wgmma.cuh"

// Named barriers: 1 and up, a consumer's own; TURN and up, whose turn it is to issue products.
enum { ATTENTION_OWN_BARRIER = 1, ATTENTION_TURN_BARRIER = 5 };

// What is added to the parameters of kz/device/attention.cuh for maps, and what is not needed beside them.
#define ATTENTION_WGMMA_PARAMETERS(T)                                                                        \
    const __grid_constant__ kz_tensor_map q_map, const __grid_constant__ kz_tensor_map k_map,                \
        const __grid_constant__ kz_tensor_map v_map, const __grid_constant__ kz_tensor_map out_map, T *out,  \
        float *lse, const int *query_offsets, const int *key_offsets, const T *mask, size_t batch,           \
        size_t heads, size_t kv_heads, size_t queries, size_t keys, size_t dimension, float scale,           \
        size_t reach, size_t out_token, size_t out_head, size_t out_batch, size_t mask_token,                \
        size_t mask_head, size_t mask_batch, unsigned tiles, unsigned columns, unsigned section
#define ATTENTION_WGMMA_PROBLEM(T)                                                                           \
    {                                                                                                        \
        nullptr, nullptr, nullptr, out, lse, query_offsets, key_offsets, mask, batch, heads, kv_heads,       \
            queries, keys, dimension, scale, reach, {0, 0, 0}, {0, 0, 0}, {out_token, out_head, out_batch},  \
        {                                                                                                    \
            mask_token, mask_head, mask_batch                                                                \
        }                                                                                                    \
    }

static __device__ __forceinline__ unsigned attention_uniform(unsigned x) { // the same in all lanes
    return __shfl_sync(KZ_ALL_LANES, x, 0);
}

// ---- one warpgroup ---------------------------------------------------------------------------------------------

template <typename A>
static __device__ __forceinline__ void attention_run_alone(const attention_maps &maps,
                                                           const kz_attention<typename A::T> &p,
                                                           attention_schedule<A> schedule) {
    extern __shared__ char attention_bytes[];
    attention_memory<A> memory(attention_bytes);
    if (threadIdx.x == 0) memory.init();
    __syncthreads();
    attention_work work;
    if (!schedule.next(p, work)) return;
    attention_view<A> view(p, work, 0);
    attention_state<A> state;
    attention_begin(state);
    float scale = p.scale * 1.44269504f;
    if (threadIdx.x == 0) attention_load_q<A>(maps, memory, p, work, 0, 0);
    kz_barrier_wait(memory.q_full(0, 0), 0);
    for (unsigned i = 0; i < work.tiles; i++) {
        unsigned tile = work.last - i, rows = attention_own_rows<A>(p, work, tile);
        if (threadIdx.x == 0) {
            attention_load_kv<A>(memory.k, maps.k, p, work, tile, memory.k_full(0));
            attention_load_kv<A>(memory.v, maps.v, p, work, tile, memory.v_full(0));
        }
        kz_barrier_wait(memory.k_full(0), i & 1);
        attention_multiply_keys(state, memory.q, memory.k);
        kz_wgmma_wait<0>();
        kz_wgmma_pin(state.scores);
        attention_weigh(state, p, work, view, tile, scale);
        attention_rescale(state);
        attention_round(state);
        kz_barrier_wait(memory.v_full(0), i & 1);
        if (rows < A::KEYS) {
            attention_clear_rows<A>(memory.v, rows, threadIdx.x, KZ_WARPGROUP);
            __syncthreads();
        }
        attention_multiply_values(state, memory.v, true);
        kz_wgmma_wait<0>();
        kz_wgmma_pin(state.sums);
        __syncthreads(); // all have read: the next tile may land
    }
    attention_finish(state, p, work, view, scale);
    attention_store(state, p, work, view);
}

// ---- consumers -------------------------------------------------------------------------------------------------

template <typename A> struct attention_consumer {
    attention_memory<A> memory;
    unsigned own; // its number
    attention_place<A::Q_STAGES> q;
    attention_place<A::STAGES> k, v;
    float scale;
    bool leaving; // this thread's copy of the last tile's results is under way

    __device__ __forceinline__ explicit attention_consumer(const attention_memory<A> &all, float log2_scale)
        : memory(all), q(0), k(0), v(0), scale(log2_scale), leaving(false) {
        own = attention_uniform(threadIdx.x / KZ_WARPGROUP);
    }
    __device__ __forceinline__ void take_turn(void) const {
        if (A::PING_PONG) kz_named_sync(ATTENTION_TURN_BARRIER + own, 2 * KZ_WARPGROUP);
    }
    __device__ __forceinline__ void end_turn(void) const {
        if (A::PING_PONG)
            kz_named_arrive(ATTENTION_TURN_BARRIER + (own + 1) % A::CONSUMERS, 2 * KZ_WARPGROUP);
    }
    __device__ __forceinline__ void wait_keys(void) const {
        kz_barrier_wait(memory.k_full(k.stage), k.parity);
    }
    __device__ __forceinline__ void wait_values(void) const {
        kz_barrier_wait(memory.v_full(v.stage), v.parity);
    }
    __device__ __forceinline__ void wait_queries(void) const {
        kz_barrier_wait(memory.q_full(own, q.stage), q.parity);
    }
    __device__ __forceinline__ unsigned query_tile(void) const { return memory.queries(own, q.stage); }
    // What the last tile's results were copied from is free when it has been read: with two stages that is the other one.
    __device__ __forceinline__ void release_queries(void) {
        if (!leaving) return;
        kz_bulk_wait_read();
        kz_barrier_arrive(memory.q_empty(own, (q.stage + A::Q_STAGES - 1) % A::Q_STAGES));
        leaving = false;
    }
    __device__ __forceinline__ unsigned key_tile(void) const {
        return memory.k + k.stage * attention_sizes<A>::TILE;
    }
    __device__ __forceinline__ unsigned value_tile(void) const {
        return memory.v + v.stage * attention_sizes<A>::TILE;
    }
    __device__ __forceinline__ void release_keys(void) {
        if (kz_lane() == 0) kz_barrier_arrive(memory.k_empty(k.stage));
        k.advance();
    }
    __device__ __forceinline__ void release_values(void) {
        if (kz_lane() == 0) kz_barrier_arrive(memory.v_empty(v.stage));
        v.advance();
    }
};

// One product after the other.
template <typename A>
static __device__ __forceinline__ void
attention_in_order(attention_consumer<A> &c, attention_state<A> &state, const kz_attention<typename A::T> &p,
                   const attention_work &work, const attention_view<A> &view) {
    unsigned tiles = attention_uniform(work.tiles), last = attention_uniform(work.last);
    for (unsigned i = 0; i < tiles; i++) {
        c.wait_keys();
        attention_multiply_keys(state, c.query_tile(), c.key_tile());
        kz_wgmma_wait<0>();
        kz_wgmma_pin(state.scores);
        c.release_keys();
        attention_weigh(state, p, work, view, last - i, c.scale);
        attention_rescale(state);
        attention_round(state);
        c.wait_values();
        attention_multiply_values(state, c.value_tile(), true);
        kz_wgmma_wait<0>();
        kz_wgmma_pin(state.sums);
        c.release_values();
    }
}

// A tile's scores and the products of the values before it are issued together. Without OVERLAP both are waited for; with it
// the scores alone, which are first then, and their softmax runs under the other product.
template <typename A>
static __device__ __forceinline__ void
attention_pipelined(attention_consumer<A> &c, attention_state<A> &state, const kz_attention<typename A::T> &p,
                    const attention_work &work, const attention_view<A> &view) {
    unsigned tiles = attention_uniform(work.tiles), last = attention_uniform(work.last);
    if (tiles == 0) return;
    c.wait_keys();
    c.take_turn();
    attention_multiply_keys(state, c.query_tile(), c.key_tile());
    c.end_turn();
    if (A::PERSISTENT) c.release_queries();
    kz_wgmma_wait<0>();
    kz_wgmma_pin(state.scores);
    c.release_keys();
    attention_weigh(state, p, work, view, last, c.scale);
    attention_round(state);
    for (unsigned i = 1; i < tiles; i++) {
        c.wait_keys();
        if (!A::OVERLAP) c.wait_values();
        c.take_turn();
        if (!A::OVERLAP) attention_multiply_values(state, c.value_tile(), i > 1);
        attention_multiply_keys(state, c.query_tile(), c.key_tile());
        if (A::OVERLAP) {
            c.wait_values();
            attention_multiply_values(state, c.value_tile(), i > 1);
        }
        c.end_turn();
        kz_wgmma_wait<A::OVERLAP>();
        kz_wgmma_pin(state.scores);
        c.release_keys();
        if (!A::OVERLAP) c.release_values();
        attention_weigh(state, p, work, view, last - i, c.scale);
        if (A::OVERLAP) {
            kz_wgmma_wait_behind<0>(fminf(state.total[0], state.total[1]), c.memory.barriers);
            c.release_values();
        }
        kz_wgmma_pin(state.sums);
        attention_rescale(state);
        attention_round(state);
    }
    c.wait_values();
    attention_multiply_values(state, c.value_tile(), tiles > 1);
    kz_wgmma_wait<0>();
    kz_wgmma_pin(state.sums);
    c.release_values();
}

// ---- out by way of shared memory -----------------------------------------------------------------------------

// Rows of the results that lie in shared memory, swizzled: those that the sequence has.
template <typename A>
static __device__ __forceinline__ void attention_store_rows(const kz_attention<typename A::T> &p,
                                                            const attention_work &work, unsigned from,
                                                            unsigned first, unsigned rows) {
    typedef attention_sizes<A> sizes;
    for (unsigned at = threadIdx.x % KZ_WARPGROUP; at < rows * 8; at += KZ_WARPGROUP) {
        unsigned row = at / 8, unit = at % 8;
        typename A::T *out =
            p.out + kz_attention_row(p.out_at, 0, work.head, work.query + first + row) + unit * 8;
#pragma unroll
        for (int s = 0; s < sizes::SLABS; s++) {
            if (s * ATTENTION_SLAB + unit * 8 >= p.dimension) continue;
            uint4 value;
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                         : "r"(from + s * sizes::Q_SLAB + row * 128 + (unit ^ row % 8) * 16)
                         : "memory");
            kz_store<KZ_CACHE>((uint4 *)(out + s * ATTENTION_SLAB), value);
        }
    }
}

// Into the place of the queries, which are no longer needed, and by a tensor map to where they belong: it leaves out what is past
// the last query, but not what belongs to a next sequence. The producer hears when the place is free.
template <typename A>
static __device__ __forceinline__ void
attention_store_tile(attention_consumer<A> &c, const attention_state<A> &state, const attention_maps &maps,
                     const kz_attention<typename A::T> &p, const attention_work &work) {
    typedef attention_sizes<A> sizes;
    typename A::T type;
    bool first = threadIdx.x % KZ_WARPGROUP == 0;
    unsigned row = work.row + c.own * ATTENTION_ROWS, from = c.query_tile(),
             left = row < work.queries ? work.queries - row : 0;
    c.release_queries(); // where there was no key
    kz_named_sync(ATTENTION_OWN_BARRIER + c.own, KZ_WARPGROUP);
#pragma unroll
    for (int k = 0; k < A::D / 16; k++) {
        const float *e = state.sums + 8 * k;
        uint32_t units[] = {kz_pack_pair(type, e[0], e[1]), kz_pack_pair(type, e[2], e[3]),
                            kz_pack_pair(type, e[4], e[5]), kz_pack_pair(type, e[6], e[7])};
        kz_gemm_stage_units(from + k / 4 * sizes::Q_SLAB, k % 4 * 16, units);
    }
    kz_bulk_fence();
    kz_named_sync(ATTENTION_OWN_BARRIER + c.own, KZ_WARPGROUP);
    if (p.query_offsets && left < ATTENTION_ROWS) {
        attention_store_rows<A>(p, work, from, row, left);
        kz_bulk_fence();
        kz_named_sync(ATTENTION_OWN_BARRIER + c.own, KZ_WARPGROUP);
    } else if (first && left > 0) {
#pragma unroll
        for (int s = 0; s < sizes::SLABS; s++)
            if (s * ATTENTION_SLAB < (int)p.dimension)
                kz_tensor_store_4d(maps.out, s * ATTENTION_SLAB, (int)(work.query + row), (int)work.head,
                                   p.query_offsets ? 0 : (int)work.b, from + s * sizes::Q_SLAB);
        kz_bulk_commit();
    }
    c.leaving = first;
    c.q.advance();
    if (A::Q_STAGES == 1) c.release_queries();
}

// ---- the whole -------------------------------------------------------------------------------------------------

template <typename A>
static __device__ __forceinline__ void
attention_consume(const attention_maps &maps, const attention_memory<A> &memory,
                  const kz_attention<typename A::T> &p, attention_schedule<A> schedule) {
    attention_consumer<A> c(memory, p.scale * 1.44269504f);
    attention_state<A> state;
    attention_work work;
    if (A::PING_PONG && c.own == A::CONSUMERS - 1) c.end_turn(); // the first one's turn
    while (schedule.next(p, work)) {
        attention_view<A> view(p, work, c.own);
        attention_begin(state);
        c.wait_queries();
        if constexpr (A::PING_PONG || A::OVERLAP)
            attention_pipelined(c, state, p, work, view);
        else
            attention_in_order(c, state, p, work, view);
        attention_finish(state, p, work, view, c.scale);
        if constexpr (A::PERSISTENT)
            attention_store_tile(c, state, maps, p, work);
        else
            attention_store(state, p, work, view);
    }
    if (A::PING_PONG && c.own == 0) c.take_turn(); // nobody's: no arrival is left over
    if (A::PERSISTENT && threadIdx.x % KZ_WARPGROUP == 0) kz_bulk_wait();
}

template <typename A>
static __device__ __forceinline__ void attention_run(const attention_maps &maps,
                                                     const kz_attention<typename A::T> &p,
                                                     const attention_schedule<A> &schedule) {
    typedef attention_sizes<A> sizes;
    extern __shared__ char attention_bytes[];
    attention_memory<A> memory(attention_bytes);
    if (threadIdx.x == 0) {
        memory.init();
        kz_tensor_prefetch(maps.q), kz_tensor_prefetch(maps.k), kz_tensor_prefetch(maps.v);
        if (A::PERSISTENT) kz_tensor_prefetch(maps.out);
    }
    __syncthreads();
    // What came before in the stream is done from here on; what comes behind may begin when blocks leave.
    kz_wait_for_predecessor();
    kz_let_successor_begin();
    if (threadIdx.x >= KZ_WARPGROUP * A::CONSUMERS) {
        kz_registers_give<sizes::PRODUCER_REGISTERS>();
        unsigned warp = kz_warp() % 4;
        if (warp == 0) attention_produce<A>(maps, memory, p, schedule);
        if (warp == 1) attention_produce_q<A>(maps, memory, p, schedule);
    } else {
        kz_registers_take<sizes::CONSUMER_REGISTERS>();
        attention_consume<A>(maps, memory, p, schedule);
    }
}

// A kernel; `run` is attention_run or attention_run_alone, the block's threads and the multiprocessor's blocks are its bounds.
#define ATTENTION_WGMMA_ENTRY(name, A, run, threads, blocks)                                                 \
    KZ_ENTRY_BOUNDS(name, threads, blocks)(ATTENTION_WGMMA_PARAMETERS(A::T)) {                               \
        const kz_attention<A::T> problem = ATTENTION_WGMMA_PROBLEM(A::T);                                    \
        run<A>({&q_map, &k_map, &v_map, &out_map}, problem,                                                  \
               attention_schedule<A>{{tiles, columns, section}, 0});                                         \
    }

#endif
