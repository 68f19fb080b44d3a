// attention: the frame of Hopper's rungs, 05 to 09. Tensor maps bring tiles of q, k and v into shared memory, warpgroups multiply
// them.
//
// A consumer, a warpgroup, has 64 queries. Scores are sums of wgmma in registers; a thread has some of two rows, four lanes a whole
// one. Rounded pair by pair they are the next product's first operand where they lie: weights never leave the registers.
//
// A kernel says what it wants by a struct A, derived from attention_shape:
//
//     PING_PONG    consumers take turns: one's products are issued, then the next one's; its softmax is under the others' products
//     OVERLAP      a consumer issues the next tile's scores before the products with values, and does their softmax under those
//     PERSISTENT   blocks stay and take tile after tile of queries; out leaves by shared memory
//     Q_STAGES     2: the next tile's queries land while this one's are still needed
//     ADDITIVE     a mask is added
//
// From 06 on one warp copies keys and values into a ring of stages, a second one queries. Every stage has four barriers: keys
// and values have landed (full), all consumers are done with them (empty). Tiles of keys go from a query's last to its first: the
// edges of a causal mask or of a length come first.
#ifndef ATTENTION_WGMMA_CUH
#define ATTENTION_WGMMA_CUH

#include "kz/device/attention.cuh"
#include "kz/device/gemm_store.cuh"
#include "kz/device/online_softmax.cuh"
#include "kz/device/tensor_copy.cuh"
#include "kz/device/wgmma.cuh"
#include "tune.h"
#include "wgmma_order.h"
#include "wgmma_shape.h"

template <typename T_, int dimension, int keys, int consumers, int stages> struct attention_shape {
    typedef T_ T;
    enum {
        D = dimension,
        KEYS = keys, // of a tile
        CONSUMERS = consumers,
        STAGES = stages,
        PING_PONG = false,
        OVERLAP = false,
        PERSISTENT = false,
        Q_STAGES = 1,
        ADDITIVE = false,
    };
};

template <typename A> struct attention_sizes {
    enum {
        SLABS = ATTENTION_SLABS(A::D),
        QUERIES = ATTENTION_ROWS * A::CONSUMERS,
        Q_SLAB = ATTENTION_TILE(ATTENTION_ROWS, ATTENTION_SLAB),
        Q_BYTES = SLABS * Q_SLAB, // of a consumer
        SLAB = ATTENTION_TILE(A::KEYS, ATTENTION_SLAB),
        TILE = SLABS * SLAB,
        THREADS = KZ_WARPGROUP * (A::CONSUMERS + 1),
        PRODUCER_REGISTERS = A::CONSUMERS == 2 ? 40 : 32,
        CONSUMER_REGISTERS = A::CONSUMERS == 2 ? 232 : 160,
    };
    static_assert(A::KEYS % 16 == 0 && A::KEYS <= 256 && A::D % 16 == 0 && A::D <= 256, "wgmma's shapes");
};

// ---- shared memory ---------------------------------------------------------------------------------------------

template <typename A> struct attention_memory {
    unsigned barriers, q, k, v; // addresses
    __device__ __forceinline__ explicit attention_memory(char *memory) {
        barriers = (kz_shared_address(memory) + 1023) / 1024 * 1024; // the swizzle repeats every 1024 bytes
        q = barriers + ATTENTION_BARRIERS;
        k = q + A::Q_STAGES * A::CONSUMERS * attention_sizes<A>::Q_BYTES;
        v = k + A::STAGES * attention_sizes<A>::TILE;
    }
    __device__ __forceinline__ unsigned queries(unsigned consumer, unsigned stage) const {
        return q + (stage * A::CONSUMERS + consumer) * attention_sizes<A>::Q_BYTES;
    }
    __device__ __forceinline__ unsigned q_full(unsigned consumer, unsigned stage) const {
        return barriers + 8 * consumer + 32 * stage;
    }
    __device__ __forceinline__ unsigned q_empty(unsigned consumer, unsigned stage) const {
        return barriers + 64 + 8 * consumer + 32 * stage;
    }
    __device__ __forceinline__ unsigned v_edge(void) const { return barriers + 24; }
    __device__ __forceinline__ unsigned k_full(unsigned stage) const { return barriers + 128 + 8 * stage; }
    __device__ __forceinline__ unsigned k_empty(unsigned stage) const { return barriers + 192 + 8 * stage; }
    __device__ __forceinline__ unsigned v_full(unsigned stage) const { return barriers + 256 + 8 * stage; }
    __device__ __forceinline__ unsigned v_empty(unsigned stage) const { return barriers + 320 + 8 * stage; }

    __device__ __forceinline__ void init(void) const {
        for (unsigned i = 0; i < A::CONSUMERS * A::Q_STAGES; i++) {
            kz_barrier_init(q_full(i / A::Q_STAGES, i % A::Q_STAGES), 1);
            kz_barrier_init(q_empty(i / A::Q_STAGES, i % A::Q_STAGES), 1);
        }
        for (unsigned i = 0; i < A::STAGES; i++) {
            kz_barrier_init(k_full(i), 1), kz_barrier_init(v_full(i), 1);
            kz_barrier_init(k_empty(i), 4 * A::CONSUMERS), kz_barrier_init(v_empty(i), 4 * A::CONSUMERS);
        }
        kz_barrier_init(v_edge(), 1);
        kz_barrier_init_fence();
    }
};

// The place of a tile in a ring of stages, and the parity of its phase there.
template <int stages> struct attention_place {
    unsigned stage, parity;
    __device__ __forceinline__ explicit attention_place(unsigned tile)
        : stage(tile % stages), parity(tile / stages & 1) {}
    __device__ __forceinline__ void advance(void) {
        if (++stage == stages) stage = 0, parity ^= 1;
    }
};

// ---- which tiles -----------------------------------------------------------------------------------------------

struct attention_maps {
    const kz_tensor_map *q, *k, *v, *out;
};

// A block's queries of one head, from `row` of the sequence on, and the tiles of keys that they see: `tiles`, the last one `last`.
// All of it in 32 bits: the warps that copy have few registers.
struct attention_work {
    unsigned b, head, kv_head;
    unsigned query, queries, key, keys; // as in kz_attention_sequence
    unsigned row, last, tiles;
    __device__ __forceinline__ kz_attention_sequence sequence(void) const {
        return {query, queries, key, keys};
    }
};

// By whole warps. A column is a head of all sequences if they are packed, and then `tile` counts through them; else it is a head
// of one sequence. False: there is no such tile of queries.
template <typename A, typename T>
static __device__ __forceinline__ bool attention_locate(const kz_attention<T> &p, unsigned tile,
                                                        unsigned column, attention_work &work) {
    const unsigned rows = attention_sizes<A>::QUERIES;
    kz_attention_sequence s;
    if (p.query_offsets) {
        size_t b, row;
        if (!kz_attention_tile_by_warp(p, tile, rows, &b, &s, &row)) return false;
        work.b = (unsigned)b;
        tile = (unsigned)row / rows;
        work.head = column;
    } else {
        work.b = column / (unsigned)p.heads;
        work.head = column - work.b * (unsigned)p.heads;
        s = kz_attention_sequence_of(p, work.b);
    }
    work.kv_head = work.head / ((unsigned)p.heads / (unsigned)p.kv_heads);
    work.query = (unsigned)s.query, work.queries = (unsigned)s.queries;
    work.key = (unsigned)s.key, work.keys = (unsigned)s.keys;
    work.row = tile * rows;
    unsigned last = work.row + rows < work.queries ? work.row + rows : work.queries;
    unsigned end = (unsigned)kz_attention_end(p, s, last - 1);
    unsigned first = (unsigned)kz_attention_first(p, s, work.row) / A::KEYS;
    end = (end + A::KEYS - 1) / A::KEYS;
    work.tiles = end > first ? end - first : 0;
    work.last = end - 1;
    return true;
}

// Tiles of queries in the order in which blocks take them: a block that stays has many, any other one.
template <typename A> struct attention_schedule {
    attention_order order;
    unsigned round;

    template <typename T>
    __device__ __forceinline__ bool next(const kz_attention<T> &p, attention_work &work) {
        for (;;) {
            if (!A::PERSISTENT) {
                if (round++) return false;
                return attention_locate<A>(p, blockIdx.x % order.tiles, blockIdx.x / order.tiles, work);
            }
            unsigned all = order.tiles * order.columns;
            if (round * gridDim.x >= all) return false;
            unsigned number = attention_turn_number(round++, blockIdx.x, gridDim.x);
            if (number >= all) continue;
            attention_turn turn = attention_turn_of(&order, number);
            if (attention_locate<A>(p, turn.tile, turn.column, work)) return true;
        }
    }
};

// ---- copies ----------------------------------------------------------------------------------------------------

template <typename A>
static __device__ __forceinline__ void
attention_load_q(const attention_maps &maps, const attention_memory<A> &memory,
                 const kz_attention<typename A::T> &p, const attention_work &work, unsigned consumer,
                 unsigned stage) {
    typedef attention_sizes<A> sizes;
    unsigned barrier = memory.q_full(consumer, stage), to = memory.queries(consumer, stage);
    int token = (int)(work.query + work.row + consumer * ATTENTION_ROWS);
    kz_barrier_arrive_expect(barrier, sizes::Q_BYTES);
#pragma unroll
    for (int s = 0; s < sizes::SLABS; s++)
        kz_tensor_load_4d(to + s * sizes::Q_SLAB, maps.q, s * ATTENTION_SLAB, token, (int)work.head,
                          p.query_offsets ? 0 : (int)work.b, barrier);
}

// Tile `tile` of keys or of values.
template <typename A>
static __device__ __forceinline__ void
attention_load_kv(unsigned to, const kz_tensor_map *map, const kz_attention<typename A::T> &p,
                  const attention_work &work, unsigned tile, unsigned barrier) {
    typedef attention_sizes<A> sizes;
    kz_barrier_arrive_expect(barrier, sizes::TILE);
#pragma unroll
    for (int s = 0; s < sizes::SLABS; s++)
        kz_tensor_load_4d(to + s * sizes::SLAB, map, s * ATTENTION_SLAB, (int)(work.key + tile * A::KEYS),
                          (int)work.kv_head, p.query_offsets ? 0 : (int)work.b, barrier);
}

// How many rows of a tile are the sequence's. What lies behind them may be anything where an array goes on: 0 times NaN is NaN.
template <typename A>
static __device__ __forceinline__ unsigned attention_own_rows(const kz_attention<typename A::T> &p,
                                                              const attention_work &work, unsigned tile) {
    unsigned left = work.keys - tile * A::KEYS;
    return p.key_offsets && left < A::KEYS ? left : A::KEYS;
}
// Zeros in the rows behind: by `threads` threads, of which this is `thread`. Products read them behind the fence and a barrier.
template <typename A>
static __device__ __forceinline__ void attention_clear_rows(unsigned tile, unsigned rows, unsigned thread,
                                                            unsigned threads) {
    for (unsigned at = rows * 128 + thread * 16; at < attention_sizes<A>::SLAB; at += threads * 16)
#pragma unroll
        for (int s = 0; s < attention_sizes<A>::SLABS; s++)
            asm volatile(
                "st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(tile + s * attention_sizes<A>::SLAB + at),
                "r"(0)
                : "memory");
    kz_bulk_fence();
}

// One warp: keys and values, the next tile's keys before a tile's values.
template <typename A>
static __device__ __forceinline__ void
attention_produce(const attention_maps &maps, const attention_memory<A> &memory,
                  const kz_attention<typename A::T> &p, attention_schedule<A> schedule) {
    typedef attention_sizes<A> sizes;
    unsigned done = 0, edge = 0; // tiles of this block before this one's; phase of the barrier of edges
    bool first = kz_lane() == 0;
    attention_work work;
    for (; schedule.next(p, work); done += work.tiles)
        for (unsigned i = 0; i <= work.tiles && work.tiles > 0; i++) {
            if (i < work.tiles && first) {
                attention_place<A::STAGES> k(done + i);
                kz_barrier_wait(memory.k_empty(k.stage), k.parity ^ 1); // the first round passes
                attention_load_kv<A>(memory.k + k.stage * sizes::TILE, maps.k, p, work, work.last - i,
                                     memory.k_full(k.stage));
            }
            if (i == 0) continue;
            attention_place<A::STAGES> v(done + i - 1);
            unsigned tile = work.last - (i - 1), rows = attention_own_rows<A>(p, work, tile),
                     to = memory.v + v.stage * sizes::TILE, full = memory.v_full(v.stage);
            bool whole = rows == A::KEYS;
            if (first) {
                kz_barrier_wait(memory.v_empty(v.stage), v.parity ^ 1);
                attention_load_kv<A>(to, maps.v, p, work, tile, whole ? full : memory.v_edge());
            }
            if (whole) continue;
            __syncwarp(); // consumers get it when it is clean
            kz_barrier_wait(memory.v_edge(), edge);
            edge ^= 1;
            attention_clear_rows<A>(to, rows, kz_lane(), KZ_WARP);
            __syncwarp();
            if (first) kz_barrier_arrive(full);
        }
}

// One warp: the queries of all consumers, as soon as each has done with those before.
template <typename A>
static __device__ __forceinline__ void
attention_produce_q(const attention_maps &maps, const attention_memory<A> &memory,
                    const kz_attention<typename A::T> &p, attention_schedule<A> schedule) {
    attention_work work;
    for (attention_place<A::Q_STAGES> at(0); schedule.next(p, work); at.advance())
        for (unsigned i = 0; i < A::CONSUMERS && kz_lane() == 0; i++) {
            kz_barrier_wait(memory.q_empty(i, at.stage), at.parity ^ 1);
            attention_load_q<A>(maps, memory, p, work, i, at.stage);
        }
}

// ---- products --------------------------------------------------------------------------------------------------

// What a consumer's thread has. Element i of scores and sums is of its row i / 2 % 2.
template <typename A> struct attention_state {
    float sums[A::D / 2], scores[A::KEYS / 2];
    uint32_t weights[A::KEYS / 16][4]; // 16 keys each, as kz_wgmma takes them
    float greatest[2], total[2];       // of a row: what weights are relative to; the sum of this lane's
    bool raised;                       // the first has risen, in some row of the warp,
    float scale[2];                    // so what was summed before is multiplied by this
};

// Begun: scores = q k', of a tile of keys.
template <typename A>
static __device__ __forceinline__ void attention_multiply_keys(attention_state<A> &state, unsigned q,
                                                               unsigned tile) {
    typename A::T type;
    uint64_t a = kz_wgmma_tile(q, 0), b = kz_wgmma_tile(tile, 0);
    kz_wgmma_pin(state.scores);
    kz_wgmma_fence();
#pragma unroll
    for (int k = 0; k < A::D / 16; k++)
        kz_wgmma<A::KEYS, 0, 0>(type, state.scores, a + k / 4 * (attention_sizes<A>::Q_SLAB >> 4) + k % 4 * 2,
                                b + k / 4 * (attention_sizes<A>::SLAB >> 4) + k % 4 * 2, k > 0);
    kz_wgmma_commit();
}

// Begun: sums = weights v, plus sums if `accumulate`.
template <typename A>
static __device__ __forceinline__ void attention_multiply_values(attention_state<A> &state, unsigned tile,
                                                                 bool accumulate) {
    typename A::T type;
    uint64_t b = kz_wgmma_tile(tile, attention_sizes<A>::SLAB);
#pragma unroll
    for (int k = 0; k < A::KEYS / 16; k++) kz_wgmma_pin(state.weights[k]);
    kz_wgmma_pin(state.sums);
    kz_wgmma_fence();
#pragma unroll
    for (int k = 0; k < A::KEYS / 16; k++)
        kz_wgmma<A::D, 1>(type, state.sums, state.weights[k], b + k * (16 * 128 >> 4), accumulate || k > 0);
    kz_wgmma_commit();
}

// ---- masks -----------------------------------------------------------------------------------------------------

// What this thread's two queries see, and what all of the consumer's do.
template <typename A> struct attention_view {
    unsigned row; // of the sequence: this thread's first query; the other one is 8 further
    unsigned first[2], end[2];
    unsigned all_first, all_end; // keys between them every query of the consumer sees

    template <typename T>
    __device__ __forceinline__ attention_view(const kz_attention<T> &p, const attention_work &work,
                                              unsigned consumer) {
        kz_attention_sequence s = work.sequence();
        unsigned begin = work.row + consumer * ATTENTION_ROWS;
        row = begin + kz_warp() % 4 * 16 + kz_lane() / 4;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            first[r] = (unsigned)kz_attention_first(p, s, row + 8 * r);
            end[r] = (unsigned)kz_attention_end(p, s, row + 8 * r);
        }
        all_first = (unsigned)kz_attention_first(p, s, begin + ATTENTION_ROWS - 1);
        all_end = (unsigned)kz_attention_end(p, s, begin);
    }
};

// Scores that a query does not see become -Inf: those behind its last key, those before its first.
template <typename A>
static __device__ __forceinline__ void attention_hide(attention_state<A> &state,
                                                      const attention_view<A> &view, unsigned key) {
    unsigned own = key + kz_lane() % 4 * 2;
    if (key + A::KEYS > view.all_end) {
        int end[2] = {(int)(view.end[0] - own), (int)(view.end[1] - own)};
#pragma unroll
        for (int i = 0; i < A::KEYS / 2; i++)
            if (i / 4 * 8 + i % 2 >= end[i / 2 % 2]) state.scores[i] = KZ_MINUS_INFINITY;
    }
    if (key < view.all_first) {
        int first[2] = {(int)(view.first[0] - own), (int)(view.first[1] - own)};
#pragma unroll
        for (int i = 0; i < A::KEYS / 2; i++)
            if (i / 4 * 8 + i % 2 < first[i / 2 % 2]) state.scores[i] = KZ_MINUS_INFINITY;
    }
}

// scores * scale + mask, both in powers of 2.
template <typename A>
static __device__ __forceinline__ void
attention_add_mask(attention_state<A> &state, const kz_attention<typename A::T> &p,
                   const attention_work &work, const attention_view<A> &view, unsigned key, float scale) {
    unsigned own = key + kz_lane() % 4 * 2;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        unsigned row = view.row + 8 * r;
        const typename A::T *mask = p.mask + kz_attention_row(p.mask_at, work.b, work.head, row) + own;
        unsigned end = row < work.queries ? view.end[r] : 0;
#pragma unroll
        for (int i = 0; i < A::KEYS / 4; i++) {
            const int at = i / 2 * 8 + i % 2;
            float &score = state.scores[i / 2 * 4 + 2 * r + i % 2];
            float more = own + at < end ? kz_widen(mask[at]) : 0.0f;
            score = fmaf(more, 1.44269504f, score * scale);
        }
    }
}

// ---- softmax ---------------------------------------------------------------------------------------------------

static __device__ __forceinline__ float attention_power(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// Scores become weights, still floats: powers of 2 of what they are above a base, which is scaled with them in one instruction. The
// base is the greatest score, or was: it is only raised when a weight would pass 2^ATTENTION_LAG, for then all sums have to
// be multiplied. `scale` is above 0.
template <typename A>
static __device__ __forceinline__ void attention_soften(attention_state<A> &state, float scale) {
    float most[2] = {state.greatest[0], state.greatest[1]}, base[2];
#pragma unroll
    for (int i = 0; i < A::KEYS / 2; i++) most[i / 2 % 2] = fmaxf(most[i / 2 % 2], state.scores[i]);
    bool raise = false;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        most[r] = kz_row_swap_lanes<kz_row_max>(most[r], 4);
        raise = raise || (most[r] - state.greatest[r]) * scale > ATTENTION_LAG;
    }
    state.raised = __any_sync(KZ_ALL_LANES, raise);
    if (state.raised)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            state.scale[r] =
                attention_power(fmaf(state.greatest[r], scale, -kz_softmax_base(most[r]) * scale));
            state.greatest[r] = most[r];
            state.total[r] *= state.scale[r];
        }
#pragma unroll
    for (int r = 0; r < 2; r++) base[r] = -kz_softmax_base(state.greatest[r]) * scale;
#pragma unroll
    for (int i = 0; i < A::KEYS / 2; i++) {
        const int r = i / 2 % 2;
        state.scores[i] = attention_power(fmaf(state.scores[i], scale, base[r]));
        state.total[r] += state.scores[i];
    }
    kz_wgmma_pin(state.scores);
    kz_wgmma_pin(state.total);
}

// Weights as the second product takes them.
template <typename A> static __device__ __forceinline__ void attention_round(attention_state<A> &state) {
    typename A::T type;
#pragma unroll
    for (int i = 0; i < A::KEYS / 4; i++)
        state.weights[i / 4][i % 4] = kz_pack_pair(type, state.scores[2 * i], state.scores[2 * i + 1]);
#pragma unroll
    for (int k = 0; k < A::KEYS / 16; k++) kz_wgmma_pin(state.weights[k]);
}

template <typename A> static __device__ __forceinline__ void attention_rescale(attention_state<A> &state) {
    if (!state.raised) return;
#pragma unroll
    for (int i = 0; i < A::D / 2; i++) state.sums[i] *= state.scale[i / 2 % 2];
}

template <typename A> static __device__ __forceinline__ void attention_begin(attention_state<A> &state) {
#pragma unroll
    for (int r = 0; r < 2; r++) state.greatest[r] = KZ_MINUS_INFINITY, state.total[r] = 0.0f;
#pragma unroll
    for (int i = 0; i < A::D / 2; i++) state.sums[i] = 0.0f;
}

// Everything between the two products.
template <typename A>
static __device__ __forceinline__ void
attention_weigh(attention_state<A> &state, const kz_attention<typename A::T> &p, const attention_work &work,
                const attention_view<A> &view, unsigned tile, float scale) {
    if (A::ADDITIVE) attention_add_mask<A>(state, p, work, view, tile * A::KEYS, scale);
    attention_hide<A>(state, view, tile * A::KEYS);
    attention_soften<A>(state, A::ADDITIVE ? 1.0f : scale);
}

// ---- results ---------------------------------------------------------------------------------------------------

// Rows add up, sums are divided, log-sum-exps go out.
template <typename A>
static __device__ __forceinline__ void
attention_finish(attention_state<A> &state, const kz_attention<typename A::T> &p, const attention_work &work,
                 const attention_view<A> &view, float scale) {
    float share[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float total = kz_row_swap_lanes<kz_row_sum>(state.total[r], 4);
        share[r] = total == 0.0f ? 0.0f : 1.0f / total;
        if (!p.lse || kz_lane() % 4 != 0 || view.row + 8 * r >= work.queries) continue;
        float most = kz_softmax_base(state.greatest[r]) * (A::ADDITIVE ? 1.0f : scale);
        *kz_attention_lse(p, work.b, work.head, work.query + view.row + 8 * r) =
            total == 0.0f ? KZ_MINUS_INFINITY : fmaf(most, 0.693147181f, logf(total));
    }
#pragma unroll
    for (int i = 0; i < A::D / 2; i++) state.sums[i] *= share[i / 2 % 2];
}

template <typename A>
static __device__ __forceinline__ void
attention_store(const attention_state<A> &state, const kz_attention<typename A::T> &p,
                const attention_work &work, const attention_view<A> &view) {
    typename A::T type;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        unsigned row = view.row + 8 * r;
        if (row >= work.queries) continue;
        typename A::T *out =
            p.out + kz_lane() % 4 * 2 +
            kz_attention_row(p.out_at, p.query_offsets ? 0 : work.b, work.head, work.query + row);
#pragma unroll
        for (int i = 2 * r; i < A::D / 2; i += 4)
            if ((unsigned)(i / 4 * 8) < p.dimension)
                *(uint32_t *)(out + i / 4 * 8) = kz_pack_pair(type, state.sums[i], state.sums[i + 1]);
    }
}

#endif
