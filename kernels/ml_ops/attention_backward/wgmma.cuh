// A tile of 128 keys against tiles of queries by wgmma, for 06 to 08: a producer that copies, two warpgroups of 64 keys each.
//
// As in mma.cuh scores and dp are made transposed, and p^T and ds^T are left operands out of registers. For dq ds^T goes through
// shared memory, where both warpgroups' lie: each makes 64 x 64 of dq of all 128 keys, and a bulk copy adds it to the workspace.
// There dq lies in chunks of 64 queries x 64 columns, each as the threads of a warpgroup have it: four sums of a thread, all threads,
// the next four. The queries' numbers are copied into chunks of 64 too, so that a bulk copy may begin at each.
#ifndef ATTENTION_BACKWARD_WGMMA_CUH
#define ATTENTION_BACKWARD_WGMMA_CUH

#include "kz/device/tensor_copy.cuh"
#include "kz/device/wgmma.cuh"
#include "tensor_tile.cuh"

// D: 64 or 128 columns. OVERLAP: p is made under dp, dq leaves under dk, and ds has two places.
template <typename T_, int D_, int QUERIES_, bool OVERLAP_ = false> struct frame {
    typedef T_ T;
    enum {
        OVERLAP = OVERLAP_,
        D = D_,
        KEYS = BACKWARD_WGMMA_KEYS,
        QUERIES = QUERIES_,
        CHUNK = BACKWARD_WGMMA_CHUNK,
        STAGES = BACKWARD_WGMMA_STAGES,
        CONSUMERS = 2, // warpgroups
        THREADS = CONSUMERS * KZ_WARPGROUP,
        SLABS = D / 64,        // of 64 columns
        KEY_SLAB = KEYS * 128, // bytes
        QUERY_SLAB = QUERIES * 128,
        KEY_TILE = SLABS * KEY_SLAB, // of k, and of v
        QUERY_TILE = SLABS * QUERY_SLAB,
        ROWS_BYTES = QUERIES * 8,
        CHUNK_BYTES = CHUNK * 64 * 4, // of dq
        PAIR_SLABS = QUERIES / 64,    // of ds^T: a row of 128 bytes for each key
        SLOPES = PAIR_SLABS * KEY_SLAB,
    };
    static_assert(PAIR_SLABS * SLABS == CONSUMERS, "a warpgroup makes 64 queries and 64 columns of dq");
};

// Addresses in shared memory, in bytes: tiles at multiples of 1024.
template <typename F> struct memory {
    unsigned k, v, slopes, sums, stages, rows, barriers;
    __device__ __forceinline__ memory(const void *shared) {
        k = (kz_shared_address(shared) + 1023) / 1024 * 1024;
        v = k + F::KEY_TILE;
        slopes = v + F::KEY_TILE;
        sums = slopes + (1 + F::OVERLAP) * F::SLOPES;
        stages = sums + F::CONSUMERS * F::CHUNK_BYTES;
        rows = stages + F::STAGES * 2 * F::QUERY_TILE;
        barriers = rows + F::STAGES * F::ROWS_BYTES;
    }
    __device__ __forceinline__ unsigned q(unsigned stage) const { return stages + stage * 2 * F::QUERY_TILE; }
    __device__ __forceinline__ unsigned dout(unsigned stage) const { return q(stage) + F::QUERY_TILE; }
    __device__ __forceinline__ unsigned rows_of(unsigned stage) const { return rows + stage * F::ROWS_BYTES; }
    __device__ __forceinline__ unsigned keys_full(void) const { return barriers; }
    __device__ __forceinline__ unsigned full(unsigned stage) const { return barriers + 8 + stage * 8; }
    __device__ __forceinline__ unsigned empty(unsigned stage) const { return full(F::STAGES + stage); }
    __device__ __forceinline__ void init(void) const {
        kz_barrier_init(keys_full(), 1);
        for (unsigned stage = 0; stage < F::STAGES; stage++) {
            kz_barrier_init(full(stage), 1);
            kz_barrier_init(empty(stage), F::THREADS / KZ_WARP);
        }
        kz_barrier_init_fence();
    }
};

struct maps {
    const kz_tensor_map *q, *k, *v, *dout;
};

// ---- chunks of the workspace -----------------------------------------------------------------------------------------

// Chunks of a head's queries; packed sequences begin at one each and leave room.
template <typename T> static __device__ __forceinline__ size_t query_chunks(const kz_attention<T> &p) {
    const size_t CHUNK = BACKWARD_WGMMA_CHUNK;
    return p.query_offsets ? p.queries / CHUNK + p.batch + 1 : (p.queries + CHUNK - 1) / CHUNK;
}
template <typename T>
static __device__ __forceinline__ size_t chunk_index(const kz_attention<T> &p, const kz_attention_sequence &s,
                                                     size_t b, size_t head, size_t row) {
    const size_t CHUNK = BACKWARD_WGMMA_CHUNK;
    return (p.query_offsets ? head : b * p.heads + head) * query_chunks(p) +
           (p.query_offsets ? s.query / CHUNK + b : 0) + row / CHUNK;
}

// The queries' numbers (attention_backward.cuh) into chunks, a thread each; of no query those of one that sees nothing.
template <typename T>
static __device__ __forceinline__ void chunk_rows(const backward<T, float> &g, float2 *to) {
    const kz_attention<T> &p = g.p;
    const size_t CHUNK = BACKWARD_WGMMA_CHUNK;
    size_t at = kz_thread(), chunks = query_chunks(p), arrays = p.query_offsets ? 1 : p.batch;
    if (at >= arrays * p.heads * chunks * CHUNK) return;
    size_t head = at / CHUNK / chunks % p.heads, b = p.query_offsets ? 0 : at / CHUNK / chunks / p.heads;
    size_t chunk = at / CHUNK % chunks;
    bool inside = true;
    kz_attention_sequence s = kz_attention_sequence_of(p, b);
    if (p.query_offsets) {
        while (b + 1 < p.batch && chunk >= s.query / CHUNK + b + (s.queries + CHUNK - 1) / CHUNK)
            s = kz_attention_sequence_of(p, ++b);
        inside = chunk >= s.query / CHUNK + b;
        chunk -= s.query / CHUNK + b;
    }
    size_t i = chunk * CHUNK + at % CHUNK;
    to[at] =
        inside && i < s.queries ? g.rows[row_index(p, b, head, s.query + i)] : make_float2(INFINITE, 0.0f);
}

// A thread for each element of the queries that belong to a sequence.
template <typename T>
static __device__ __forceinline__ void convert_chunks(const backward<T, float> &g, T *dq, unsigned slabs) {
    const kz_attention<T> &p = g.p;
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch, d = at % p.dimension;
    if (at >= arrays * p.heads * p.queries * p.dimension) return;
    size_t row = at / p.dimension, token = row % p.queries, head = row / p.queries % p.heads;
    size_t b = p.query_offsets ? 0 : row / (p.queries * p.heads);
    kz_attention_sequence s = kz_attention_sequence_of(p, b);
    while (p.query_offsets && b + 1 < p.batch && token >= s.query + s.queries)
        s = kz_attention_sequence_of(p, ++b);
    if (token < s.query || token >= s.query + s.queries) return;
    unsigned i = (token - s.query) % BACKWARD_WGMMA_CHUNK, c = d % 64;
    unsigned element = c / 8 * 4 + i / 8 % 2 * 2 + c % 2, thread = i / 16 * 32 + i % 8 * 4 + c % 8 / 2;
    size_t chunk = chunk_index(p, s, b, head, token - s.query) * slabs + d / 64;
    float sum = g.dq[chunk * (BACKWARD_WGMMA_CHUNK * 64) + (element / 4 * 128 + thread) * 4 + element % 4];
    kz_narrow(&dq[kz_attention_row(p.q_at, b, head, token) + d], p.scale * sum);
}

// ---- the producer ----------------------------------------------------------------------------------------------------

template <typename F>
static __device__ __forceinline__ void produce(const job<typename F::T> &j, const memory<F> &at,
                                               const maps &m, const float2 *rows, tile_walk walk) {
    const kz_attention<typename F::T> &p = j.g.p;
    int array = p.query_offsets ? 0 : (int)j.b, key = (int)(j.s.key + j.key);
    if (walk.left == 0) return;
    kz_barrier_arrive_expect(at.keys_full(), 2 * F::KEY_TILE);
    for (int s = 0; s < F::SLABS; s++) {
        kz_tensor_load_4d(at.k + s * F::KEY_SLAB, m.k, s * 64, key, (int)j.kv_head, array, at.keys_full());
        kz_tensor_load_4d(at.v + s * F::KEY_SLAB, m.v, s * 64, key, (int)j.kv_head, array, at.keys_full());
    }
    for (unsigned i = 0; walk.left > 0; i++, walk.template next<F>()) {
        unsigned stage = i % F::STAGES, full = at.full(stage), head = walk.head, row = walk.row;
        kz_barrier_wait(at.empty(stage), (i / F::STAGES + 1) % 2);
        kz_barrier_arrive_expect(full, 2 * F::QUERY_TILE + F::ROWS_BYTES);
        for (int s = 0; s < F::SLABS; s++) {
            kz_tensor_load_4d(at.q(stage) + s * F::QUERY_SLAB, m.q, s * 64, (int)(j.s.query + row), (int)head,
                              array, full);
            kz_tensor_load_4d(at.dout(stage) + s * F::QUERY_SLAB, m.dout, s * 64, (int)(j.s.query + row),
                              (int)head, array, full);
        }
        kz_bulk_load(at.rows_of(stage), rows + chunk_index(p, j.s, j.b, head, row) * F::CHUNK, F::ROWS_BYTES,
                     full);
    }
}

// ---- consumers -------------------------------------------------------------------------------------------------------

enum { ALL_CONSUMERS = 1, ONE_CONSUMER = 2 }; // named barriers; the second one and up, a warpgroup's own

// Rows from `first` on of a tile in shared memory, swizzled or not, become zeros. By all consumers, who meet behind it.
template <typename F, int ROWS, int SLABS>
static __device__ __forceinline__ void clear_rows(unsigned tile, size_t first) {
    for (unsigned x = threadIdx.x; x < ROWS * 8 * SLABS; x += F::THREADS)
        if (x / 8 % ROWS >= first)
            asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(tile + x * 16), "r"(0) : "memory");
}

// What a copy brought from behind a sequence's end, other sequences' or anything.
template <typename F>
static __device__ __forceinline__ void clear_keys(const job<typename F::T> &j, const memory<F> &at) {
    if (!j.g.p.key_offsets || j.key + F::KEYS <= j.s.keys) return;
    clear_rows<F, F::KEYS, F::SLABS>(at.k, j.s.keys - j.key);
    kz_bulk_fence();
    kz_named_sync(ALL_CONSUMERS, F::THREADS);
}
template <typename F>
static __device__ __forceinline__ void clear_queries(const job<typename F::T> &j, const memory<F> &at,
                                                     unsigned stage, size_t row) {
    if (!j.g.p.query_offsets || row + F::QUERIES <= j.s.queries) return;
    clear_rows<F, F::QUERIES, F::SLABS>(at.q(stage), j.s.queries - row);
    clear_rows<F, F::QUERIES, F::SLABS>(at.dout(stage), j.s.queries - row);
    kz_bulk_fence();
    kz_named_sync(ALL_CONSUMERS, F::THREADS);
}

// 64 keys of `left` times the queries of `right`, both along d.
template <typename F>
static __device__ __forceinline__ void multiply_pairs(float (&sums)[F::QUERIES / 2], unsigned left,
                                                      unsigned right) {
#pragma unroll
    for (int d = 0; d < F::D; d += 16)
        kz_wgmma<F::QUERIES, 0, 0>(typename F::T(), sums,
                                   kz_wgmma_tile(left + d / 64 * F::KEY_SLAB + d % 64 * 2, 0),
                                   kz_wgmma_tile(right + d / 64 * F::QUERY_SLAB + d % 64 * 2, 0), d > 0);
}
// sums += the fragments times rows of q or dout.
template <typename F>
static __device__ __forceinline__ void
multiply_keys(float (&sums)[F::D / 2], const uint32_t (&left)[F::QUERIES / 16][4], unsigned right) {
#pragma unroll
    for (int i = 0; i < F::QUERIES / 16; i++)
        kz_wgmma<F::D, 1>(typename F::T(), sums, left[i], kz_wgmma_tile(right + i * 2048, F::QUERY_SLAB), 1);
}
// 64 queries and 64 columns of dq, of all keys.
template <typename F>
static __device__ __forceinline__ void multiply_queries(float (&sums)[32], unsigned slopes, unsigned k) {
#pragma unroll
    for (int i = 0; i < F::KEYS / 16; i++)
        kz_wgmma<64, 1, 1>(typename F::T(), sums, kz_wgmma_tile(slopes + i * 2048, F::KEY_SLAB),
                           kz_wgmma_tile(k + i * 2048, F::KEY_SLAB), i > 0);
}

template <typename F>
static __device__ __forceinline__ void to_left(uint32_t (&to)[F::QUERIES / 16][4],
                                               const float (&from)[F::QUERIES / 2]) {
#pragma unroll
    for (int i = 0; i < F::QUERIES / 16; i++)
#pragma unroll
        for (int r = 0; r < 4; r++)
            to[i][r] = kz_pack_halves(typename F::T(), from[8 * i + 2 * r], from[8 * i + 2 * r + 1]);
}
template <int count> static __device__ __forceinline__ void pin(uint32_t (&left)[count][4]) {
#pragma unroll
    for (int i = 0; i < count; i++) kz_wgmma_pin(left[i]);
}

// ds^T, a row for each key, swizzled as a tensor map would.
template <typename F>
static __device__ __forceinline__ void store_slopes(unsigned to, const uint32_t (&slopes)[F::QUERIES / 16][4],
                                                    unsigned key) {
#pragma unroll
    for (int i = 0; i < F::QUERIES / 16; i++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
            unsigned row = key + kz_lane() / 4 + r % 2 * 8, unit = (i * 2 + r / 2) % 8 ^ row % 8;
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + i / 4 * F::KEY_SLAB + row * 128 + unit * 16 +
                                                         kz_lane() % 4 * 4),
                         "r"(slopes[i][r])
                         : "memory");
        }
}

// Adds a chunk of dq: through the warpgroup's own memory, once the copy before has read it.
template <typename F, typename Turn>
static __device__ __forceinline__ void add_chunk(const float (&sums)[32], unsigned own, unsigned shared,
                                                 float *to, Turn turn) {
    unsigned thread = threadIdx.x % KZ_WARPGROUP;
    if (thread == 0) kz_bulk_wait_read();
    __syncwarp();
    kz_named_sync(ONE_CONSUMER + own, KZ_WARPGROUP);
#pragma unroll
    for (int i = 0; i < 32; i += 4)
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared + (i / 4 * 128 + thread) * 16),
                     "f"(sums[i]), "f"(sums[i + 1]), "f"(sums[i + 2]), "f"(sums[i + 3])
                     : "memory");
    kz_bulk_fence();
    kz_named_sync(ONE_CONSUMER + own, KZ_WARPGROUP);
    if (thread == 0) {
        turn.begin();
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
                     "r"(shared), "r"((unsigned)F::CHUNK_BYTES)
                     : "memory");
        kz_bulk_commit();
        turn.end();
    }
    __syncwarp(); // the next product is the whole warp's
}

// What a consumer keeps over all tiles: dk and dv of its 64 keys. Of dq of a tile it makes 64 queries x 64 columns.
template <typename F> struct key_sums {
    unsigned own, key; // which consumer; the warp's first key, in the tile
    unsigned query_chunk, column_slab;
    float dk[F::D / 2], dv[F::D / 2];

    __device__ __forceinline__ key_sums(const job<typename F::T> &j, const memory<F> &at,
                                        const tile_walk &walk) {
        own = __shfl_sync(KZ_ALL_LANES, threadIdx.x / KZ_WARPGROUP, 0);
        key = own * 64 + kz_warp() % 4 * 16;
        query_chunk = own % F::PAIR_SLABS, column_slab = own / F::PAIR_SLABS;
#pragma unroll
        for (int i = 0; i < F::D / 2; i++) dk[i] = dv[i] = 0.0f;
        if (walk.left == 0) return;
        kz_barrier_wait(at.keys_full(), 0);
        __syncwarp();
        clear_keys(j, at);
    }
    // Begun: scores, and dp.
    __device__ __forceinline__ void multiply_scores(const memory<F> &at, unsigned stage,
                                                    float (&scores)[F::QUERIES / 2]) const {
        multiply_pairs<F>(scores, at.k + own * 8192, at.q(stage));
    }
    __device__ __forceinline__ void multiply_slopes(const memory<F> &at, unsigned stage,
                                                    float (&slopes)[F::QUERIES / 2]) const {
        multiply_pairs<F>(slopes, at.v + own * 8192, at.dout(stage));
    }
    // Begun: dq out of the tile's ds.
    __device__ __forceinline__ void multiply_dq(const memory<F> &at, unsigned slopes, float (&dq)[32]) const {
        multiply_queries<F>(dq, slopes + query_chunk * F::KEY_SLAB, at.k + column_slab * F::KEY_SLAB);
        kz_wgmma_commit();
    }
    template <typename Turns>
    __device__ __forceinline__ void add_dq(const job<typename F::T> &j, const memory<F> &at,
                                           const float (&dq)[32], unsigned head, unsigned row,
                                           const Turns &turns) const {
        size_t first = row + query_chunk * F::CHUNK;
        if (first < j.s.queries) // what follows may be another head's
            add_chunk<F>(dq, own, at.sums + own * F::CHUNK_BYTES,
                         j.g.dq + (chunk_index(j.g.p, j.s, j.b, head, first) * F::SLABS + column_slab) *
                                      (F::CHUNK * 64),
                         turns.template of<F>(j, head, row, own));
    }
    __device__ __forceinline__ void store(const job<typename F::T> &j) const {
        store_keys<F::D>(j, j.g.dk, dk, j.g.p.scale, j.key + key, 0);
        store_keys<F::D>(j, j.g.dv, dv, 1.0f, j.key + key, 0);
        if (threadIdx.x % KZ_WARPGROUP == 0) kz_bulk_wait_read(); // the block's memory is free then
    }
};

template <typename F, typename Turns>
static __device__ __forceinline__ void consume(const job<typename F::T> &j, const memory<F> &at,
                                               tile_walk walk, const Turns &turns) {
    key_sums<F> c(j, at, walk);
    for (unsigned i = 0; walk.left > 0; i++, walk.template next<F>()) {
        unsigned stage = i % F::STAGES, head = walk.head, row = walk.row;
        float weights[F::QUERIES / 2], slopes[F::QUERIES / 2], dq[32];
        uint32_t p_left[F::QUERIES / 16][4], ds_left[F::QUERIES / 16][4];
        kz_barrier_wait(at.full(stage), i / F::STAGES % 2);
        __syncwarp();
        clear_queries(j, at, stage, row);
        kz_wgmma_fence();
        c.multiply_scores(at, stage, weights);
        c.multiply_slopes(at, stage, slopes);
        kz_wgmma_commit();
        kz_wgmma_wait<0>();
        kz_wgmma_pin(weights), kz_wgmma_pin(slopes);
        if (is_plain<F>(j, row))
            weigh<F, true>(j, weights, slopes, at.rows_of(stage), head, row, j.key + c.key);
        else
            weigh<F, false>(j, weights, slopes, at.rows_of(stage), head, row, j.key + c.key);
        to_left<F>(p_left, weights);
        to_left<F>(ds_left, slopes);
        kz_named_sync(ALL_CONSUMERS, F::THREADS); // both have read the ds before
        store_slopes<F>(at.slopes, ds_left, c.key);
        kz_bulk_fence();
        pin(p_left), pin(ds_left);
        kz_wgmma_fence();
        multiply_keys<F>(c.dv, p_left, at.dout(stage));
        multiply_keys<F>(c.dk, ds_left, at.q(stage));
        kz_wgmma_commit();
        kz_named_sync(ALL_CONSUMERS, F::THREADS); // ds of both is there
        c.multiply_dq(at, at.slopes, dq);
        kz_wgmma_wait<1>();
        kz_wgmma_pin(c.dv), kz_wgmma_pin(c.dk);
        pin(p_left), pin(ds_left);
        if (kz_lane() == 0) kz_barrier_arrive(at.empty(stage));
        __syncwarp();
        kz_wgmma_wait<0>();
        kz_wgmma_pin(dq);
        c.add_dq(j, at, dq, head, row, turns);
    }
    c.store(j);
}

// A number that needs all of p, and is not negative either.
template <typename F> static __device__ __forceinline__ float all_of(const float (&weights)[F::QUERIES / 2]) {
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < F::QUERIES / 2; i++) bits |= __float_as_uint(weights[i]);
    return __uint_as_float(bits);
}

// The same with products under arithmetic: p is made while dp is, and dq leaves while dk is multiplied. ds has two places, so that one
// barrier for a tile is enough.
template <typename F, typename Turns>
static __device__ __forceinline__ void consume_overlapped(const job<typename F::T> &j, const memory<F> &at,
                                                          tile_walk walk, const Turns &turns) {
    key_sums<F> c(j, at, walk);
    for (unsigned i = 0; walk.left > 0; i++, walk.template next<F>()) {
        unsigned stage = i % F::STAGES, head = walk.head, row = walk.row;
        unsigned place = at.slopes + i % 2 * F::SLOPES;
        float weights[F::QUERIES / 2], slopes[F::QUERIES / 2], dq[32];
        uint32_t p_left[F::QUERIES / 16][4], ds_left[F::QUERIES / 16][4];
        kz_barrier_wait(at.full(stage), i / F::STAGES % 2);
        __syncwarp();
        clear_queries(j, at, stage, row);
        bool plain = is_plain<F>(j, row);
        kz_wgmma_fence();
        c.multiply_scores(at, stage, weights);
        kz_wgmma_commit();
        c.multiply_slopes(at, stage, slopes);
        kz_wgmma_commit();
        if (plain) {
            kz_wgmma_wait<1>();
            kz_wgmma_pin(weights);
            weigh_plain<F>(j.g.p.scale * LOG2_E, weights, at.rows_of(stage));
            kz_wgmma_wait_behind<0>(all_of<F>(weights), at.barriers);
            kz_wgmma_pin(slopes);
            slope_plain<F>(weights, slopes, at.rows_of(stage));
        } else {
            kz_wgmma_wait<0>();
            kz_wgmma_pin(weights), kz_wgmma_pin(slopes);
            weigh<F, false>(j, weights, slopes, at.rows_of(stage), head, row, j.key + c.key);
        }
        to_left<F>(p_left, weights);
        to_left<F>(ds_left, slopes);
        store_slopes<F>(place, ds_left, c.key);
        kz_bulk_fence();
        pin(p_left), pin(ds_left);
        kz_wgmma_fence();
        multiply_keys<F>(c.dv, p_left, at.dout(stage));
        kz_wgmma_commit();
        kz_named_sync(ALL_CONSUMERS,
                      F::THREADS); // ds of both is there, and nobody reads that of the tile before
        c.multiply_dq(at, place, dq);
        multiply_keys<F>(c.dk, ds_left, at.q(stage));
        kz_wgmma_commit();
        kz_wgmma_wait<1>();
        kz_wgmma_pin(c.dv), kz_wgmma_pin(dq);
        pin(p_left);
        c.add_dq(j, at, dq, head, row, turns);
        kz_wgmma_wait<0>();
        kz_wgmma_pin(c.dk);
        pin(ds_left);
        if (kz_lane() == 0) kz_barrier_arrive(at.empty(stage));
        __syncwarp();
    }
    c.store(j);
}

// ---- a block's work ----------------------------------------------------------------------------------------------------

// Turns: what happens before and behind the addition of a chunk; by one thread of a warpgroup.
struct any_turn {
    __device__ __forceinline__ void begin(void) const {}
    __device__ __forceinline__ void end(void) const {}
};
struct any_order {
    template <typename F>
    __device__ __forceinline__ any_turn of(const job<typename F::T> &, unsigned, unsigned, unsigned) const {
        return {};
    }
};

// `block`: of the tiles of keys and their heads.
template <typename F, typename Turns>
static __device__ __forceinline__ void run_frame(const backward<typename F::T, float> &g, const maps &m,
                                                 const float2 *rows, unsigned block, const Turns &turns) {
    extern __shared__ char shared[];
    memory<F> at(shared);
    job<typename F::T> j = {g};
    j.kv_head = block % g.p.kv_heads;
    if (!key_tile(g.p, block / g.p.kv_heads, F::KEYS, &j.b, &j.s, &j.key)) return;
    tile_walk walk = walk_of<F>(j);
    if (threadIdx.x == 0) at.init();
    __syncthreads();
    if (threadIdx.x >= F::THREADS) {
        kz_registers_give<BACKWARD_WGMMA_PRODUCER_REGISTERS>();
        if (threadIdx.x == F::THREADS) produce(j, at, m, rows, walk);
    } else {
        kz_registers_take<BACKWARD_WGMMA_CONSUMER_REGISTERS>();
        if constexpr (F::OVERLAP)
            consume_overlapped(j, at, walk, turns);
        else
            consume(j, at, walk, turns);
    }
}

// ---- entries -----------------------------------------------------------------------------------------------------------

#define BACKWARD_WGMMA_PARAMETERS(T)                                                                         \
    const __grid_constant__ kz_tensor_map q_map, const __grid_constant__ kz_tensor_map k_map,                \
        const __grid_constant__ kz_tensor_map v_map, const __grid_constant__ kz_tensor_map dout_map,         \
        const float2 *rows, const int *query_offsets, const int *key_offsets, const T *mask, float *dq,      \
        T *dk, T *dv, size_t batch, size_t heads, size_t kv_heads, size_t queries, size_t keys,              \
        size_t dimension, float scale, size_t reach, size_t kv_token, size_t kv_head, size_t kv_batch,       \
        size_t mask_token, size_t mask_head, size_t mask_batch, unsigned *counters
#define BACKWARD_WGMMA_OF(T, g)                                                                              \
    const T *q = nullptr, *k = nullptr, *v = nullptr, *dout = nullptr;                                       \
    const size_t q_token = 0, q_head = 0, q_batch = 0, out_token = 0, out_head = 0, out_batch = 0;           \
    backward<T, float> g = BACKWARD_OF(T);

// What comes before and behind.
#define BACKWARD_WGMMA_PASSES(idea, type, T)                                                                 \
    BACKWARD_ROWS(idea, type, T)                                                                             \
    KZ_ENTRY(attention_backward_##idea##_chunks_any_##type)(BACKWARD_PARAMETERS(T, float), float2 * to) {    \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        chunk_rows<T>(g, to);                                                                                \
    }                                                                                                        \
    KZ_ENTRY(attention_backward_##idea##_convert_any_##type)(BACKWARD_PARAMETERS(T, float), T * to) {        \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        convert_chunks<T>(g, to, dimension <= 64 ? 1 : 2);                                                   \
    }

#endif
