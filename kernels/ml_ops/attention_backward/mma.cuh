// A tile of keys against tiles of queries by mma.sync, for 04 and 05: dk and dv are sums in registers, dq is added up in the workspace.
//
// Scores and dp are made transposed, keys down and queries across. So a lane's sums of two times 8 queries are its fragment of
// the left operand, p^T or ds^T, of the products with dout and q: they stay in registers. Only dq needs ds itself, which goes
// through shared memory. Fragments are those of kz/device/mma.cuh.
//
// Rows in shared memory are 16 bytes longer than they hold: 8 rows that ldmatrix reads together lie in 8 groups of banks.
#ifndef ATTENTION_BACKWARD_MMA_CUH
#define ATTENTION_BACKWARD_MMA_CUH

#include "kz/device/bulk.cuh"
#include "tensor_tile.cuh"

// D columns, of which those past the dimension are zeros; KEYS x QUERIES pairs at a time.
template <int D_, int KEYS_, int QUERIES_> struct shape {
    enum {
        D = D_,
        KEYS = KEYS_,
        QUERIES = QUERIES_,
        THREADS = BACKWARD_MMA_THREADS,
        WARPS = THREADS / KZ_WARP,
        ROW = D + 8,            // of q, k, v, dout, in elements
        PAIR_ROW = QUERIES + 8, // of ds^T
        SLABS = KEYS / 16,
        PARTS = WARPS / SLABS, // warps that share 16 keys, each with some of the columns
        COLUMNS = D / PARTS,
        QUERY_SLABS = QUERIES / 16,
        DQ_COLUMNS = D / (WARPS / QUERY_SLABS), // of the 16 queries of a warp, for dq
    };
    static_assert(DQ_COLUMNS % 16 == 0 && COLUMNS % 16 == 0, "fragments of b come in pairs");
};

// Addresses in shared memory, in bytes.
template <typename S> struct layout {
    unsigned k, v, slopes, stages;
    enum { TILE = S::QUERIES * S::ROW * 2, STAGE = 2 * TILE + S::QUERIES * 8 };
    __device__ __forceinline__ layout(const void *shared) {
        k = kz_shared_address(shared);
        v = k + S::KEYS * S::ROW * 2;
        slopes = v + S::KEYS * S::ROW * 2;
        stages = slopes + S::KEYS * S::PAIR_ROW * 2;
    }
    __device__ __forceinline__ unsigned q(unsigned stage) const { return stages + stage * STAGE; }
    __device__ __forceinline__ unsigned dout(unsigned stage) const { return q(stage) + TILE; }
    __device__ __forceinline__ unsigned rows(unsigned stage) const { return q(stage) + 2 * TILE; }
};

// ---- from memory -----------------------------------------------------------------------------------------------

// Copies 16 or 8 bytes, or writes as many zeros.
static __device__ __forceinline__ void copy_16(unsigned to, const void *from, bool inside) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
}
static __device__ __forceinline__ void copy_8(unsigned to, const void *from, bool inside) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(inside ? 8 : 0)
                 : "memory");
}
static __device__ __forceinline__ void copies_commit(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
static __device__ __forceinline__ void copies_wait(void) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

static __device__ __forceinline__ bool whole_units(const void *at, const kz_attention_strides &strides) {
    return kz_aligned(at, 16) && (strides.token | strides.head | strides.batch) % 8 == 0;
}

// Rows [first, first + ROWS) of a sequence that has `count`: those past it are zeros, whatever lies there.
template <typename S, int ROWS, typename T>
static __device__ __forceinline__ void copy_rows(unsigned to, const T *from, const kz_attention_strides &at,
                                                 size_t b, size_t head, size_t base, size_t first,
                                                 size_t count, size_t dimension, bool units) {
    for (unsigned x = threadIdx.x; x < ROWS * (S::D / 8); x += S::THREADS) {
        unsigned row = x / (S::D / 8), d = x % (S::D / 8) * 8, address = to + (row * S::ROW + d) * 2;
        bool inside = first + row < count;
        const T *source = from + (inside ? kz_attention_row(at, b, head, base + first + row) : 0);
        if (units) {
            bool there = inside && d < dimension;
            copy_16(address, there ? source + d : from, there);
            continue;
        }
        kz_pack<T> pack;
        pack.raw = make_uint4(0, 0, 0, 0);
        for (int e = 0; e < 8; e++)
            if (inside && d + e < dimension) pack.at[e] = source[d + e];
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(pack.raw.x),
                     "r"(pack.raw.y), "r"(pack.raw.z), "r"(pack.raw.w)
                     : "memory");
    }
}

template <typename S, typename T>
static __device__ __forceinline__ void copy_queries(const job<T> &j, const layout<S> &at, unsigned stage,
                                                    size_t head, size_t row) {
    const kz_attention<T> &p = j.g.p;
    copy_rows<S, S::QUERIES>(at.q(stage), p.q, p.q_at, j.b, head, j.s.query, row, j.s.queries, p.dimension,
                             j.units);
    copy_rows<S, S::QUERIES>(at.dout(stage), j.g.dout, p.out_at, j.b, head, j.s.query, row, j.s.queries,
                             p.dimension, j.units);
    if (threadIdx.x < S::QUERIES) { // of a query that is not there 0, which the mask hides
        bool inside = row + threadIdx.x < j.s.queries;
        size_t i = inside ? row_index(p, j.b, head, j.s.query + row + threadIdx.x) : 0;
        copy_8(at.rows(stage) + threadIdx.x * 8, j.g.rows + i, inside);
    }
    copies_commit();
}

// ---- fragments ---------------------------------------------------------------------------------------------------

// 16 rows x 16 of k, of the left operand, from rows along k.
static __device__ __forceinline__ void left_fragment(uint32_t (&to)[4], unsigned tile, unsigned bytes,
                                                     unsigned row, unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    kz_ldmatrix(to, tile + (row + in + block % 2 * 8) * bytes + (k + block / 2 * 8) * 2, false);
}
// The same from rows along m, one for each k.
static __device__ __forceinline__ void left_transposed(uint32_t (&to)[4], unsigned tile, unsigned bytes,
                                                       unsigned row, unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    kz_ldmatrix(to, tile + (k + in + block / 2 * 8) * bytes + (row + block % 2 * 8) * 2, true);
}
// 16 columns x 16 of k, of the right operand: two fragments, from rows along k, one for each column.
static __device__ __forceinline__ void right_fragments(uint32_t (&to)[4], unsigned tile, unsigned bytes,
                                                       unsigned column, unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    kz_ldmatrix(to, tile + (column + in + block / 2 * 8) * bytes + (k + block % 2 * 8) * 2, false);
}
// The same from rows along the columns, one for each k.
static __device__ __forceinline__ void right_transposed(uint32_t (&to)[4], unsigned tile, unsigned bytes,
                                                        unsigned column, unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    kz_ldmatrix(to, tile + (k + in + block % 2 * 8) * bytes + (column + block / 2 * 8) * 2, true);
}

// ---- products ----------------------------------------------------------------------------------------------------

// 16 keys of `left` times all queries of `right`, both along d.
template <typename S, typename T>
static __device__ __forceinline__ void multiply_pairs(T, float (&sums)[S::QUERIES / 8][4], unsigned left,
                                                      unsigned slab, unsigned right) {
#pragma unroll
    for (int n = 0; n < S::QUERIES / 8; n++)
#pragma unroll
        for (int e = 0; e < 4; e++) sums[n][e] = 0.0f;
#pragma unroll
    for (int d = 0; d < S::D; d += 16) {
        uint32_t a[4], b[4];
        left_fragment(a, left, S::ROW * 2, slab * 16, d);
#pragma unroll
        for (int n = 0; n < S::QUERIES / 8; n += 2) {
            right_fragments(b, right, S::ROW * 2, n * 8, d);
            kz_mma(T(), sums[n], a, b);
            kz_mma(T(), sums[n + 1], a, b + 2);
        }
    }
}

// sums += the fragments times rows of q or dout: 16 keys, the warp's columns.
template <typename S, typename T>
static __device__ __forceinline__ void multiply_keys(T, float (&sums)[S::COLUMNS / 8][4],
                                                     const uint32_t (&left)[S::QUERIES / 16][4],
                                                     unsigned right, unsigned column) {
#pragma unroll
    for (int i = 0; i < S::QUERIES / 16; i++)
#pragma unroll
        for (int n = 0; n < S::COLUMNS / 8; n += 2) {
            uint32_t b[4];
            right_transposed(b, right, S::ROW * 2, column + n * 8, i * 16);
            kz_mma(T(), sums[n], left[i], b);
            kz_mma(T(), sums[n + 1], left[i], b + 2);
        }
}

// What the tile of keys adds to dq, of the warp's 16 queries and columns.
template <typename S, typename T>
static __device__ __forceinline__ void multiply_queries(T, float (&sums)[S::DQ_COLUMNS / 8][4],
                                                        const layout<S> &at, unsigned slab, unsigned column) {
#pragma unroll
    for (int n = 0; n < S::DQ_COLUMNS / 8; n++)
#pragma unroll
        for (int e = 0; e < 4; e++) sums[n][e] = 0.0f;
#pragma unroll 2
    for (int j = 0; j < S::KEYS; j += 16) {
        uint32_t a[4], b[4];
        left_transposed(a, at.slopes, S::PAIR_ROW * 2, slab * 16, j);
#pragma unroll
        for (int n = 0; n < S::DQ_COLUMNS / 8; n += 2) {
            right_transposed(b, at.k, S::ROW * 2, column + n * 8, j);
            kz_mma(T(), sums[n], a, b);
            kz_mma(T(), sums[n + 1], a, b + 2);
        }
    }
}

// ---- p and ds as operands ----------------------------------------------------------------------------------------

// A lane's sums of 16 queries are its fragment of the left operand.
template <typename S, typename T>
static __device__ __forceinline__ void to_left(T, uint32_t (&to)[S::QUERIES / 16][4],
                                               const float (&from)[S::QUERIES / 8][4]) {
#pragma unroll
    for (int i = 0; i < S::QUERIES / 16; i++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float *pair = &from[2 * i + r / 2][r % 2 * 2];
            to[i][r] = kz_pack_halves(T(), pair[0], pair[1]);
        }
}

// ds^T into shared memory: a row for each key.
template <typename S>
static __device__ __forceinline__ void
store_slopes(const layout<S> &at, const uint32_t (&slopes)[S::QUERIES / 16][4], unsigned slab) {
#pragma unroll
    for (int i = 0; i < S::QUERIES / 16; i++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
            unsigned key = slab * 16 + kz_lane() / 4 + r % 2 * 8;
            unsigned query = i * 16 + r / 2 * 8 + kz_lane() % 4 * 2;
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(at.slopes + (key * S::PAIR_ROW + query) * 2),
                         "r"(slopes[i][r])
                         : "memory");
        }
}

// ---- dq in the workspace ---------------------------------------------------------------------------------------------

// Sums of 16 queries x 8 columns lie as the lanes of a warp have them, element by element: 32 floats that follow one another are
// one instruction's. Sequences begin at 16 queries each; packed ones that have less leave room.
template <typename T> static __device__ __forceinline__ size_t query_slabs(const kz_attention<T> &p) {
    return p.query_offsets ? p.queries / 16 + p.batch + 1 : (p.queries + 15) / 16;
}
// Of 16 queries from `row` of the sequence on, which is a multiple of 16.
template <typename T>
static __device__ __forceinline__ size_t slab_index(const kz_attention<T> &p, const kz_attention_sequence &s,
                                                    size_t b, size_t head, size_t row) {
    size_t of_head = p.query_offsets ? head : b * p.heads + head;
    return of_head * query_slabs(p) + (p.query_offsets ? s.query / 16 + b : 0) + row / 16;
}

template <typename S, typename T>
static __device__ __forceinline__ void add_to_queries(const job<T> &j, const layout<S> &at, size_t head,
                                                      size_t row) {
    const kz_attention<T> &p = j.g.p;
    unsigned slab = kz_warp() % S::QUERY_SLABS, column = kz_warp() / S::QUERY_SLABS * S::DQ_COLUMNS;
    if (row + slab * 16 >= j.s.queries) return; // what follows may be another head's
    float sums[S::DQ_COLUMNS / 8][4];
    multiply_queries<S>(T(), sums, at, slab, column);
    size_t blocks = (p.dimension + 7) / 8;
    float *to = j.g.dq + slab_index(p, j.s, j.b, head, row + slab * 16) * blocks * 128 + kz_lane();
#pragma unroll
    for (int n = 0; n < S::DQ_COLUMNS / 8; n++)
        if (column / 8 + n < blocks)
#pragma unroll
            for (int e = 0; e < 4; e++)
                asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to + (column / 8 + n) * 128 + e * 32),
                             "f"(sums[n][e])
                             : "memory");
}

// A thread for each element of the queries that belong to a sequence.
template <typename T> static __device__ __forceinline__ void convert(const backward<T, float> &g, T *dq) {
    const kz_attention<T> &p = g.p;
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch, d = at % p.dimension;
    if (at >= arrays * p.heads * p.queries * p.dimension) return;
    size_t row = at / p.dimension, token = row % p.queries, head = row / p.queries % p.heads;
    size_t b = p.query_offsets ? 0 : row / (p.queries * p.heads);
    kz_attention_sequence s = kz_attention_sequence_of(p, b);
    while (p.query_offsets && b + 1 < p.batch && token >= s.query + s.queries)
        s = kz_attention_sequence_of(p, ++b);
    if (token < s.query || token >= s.query + s.queries) return;
    size_t i = token - s.query, block = slab_index(p, s, b, head, i) * ((p.dimension + 7) / 8) + d / 8;
    size_t element = i % 16 / 8 * 2 + d % 2, lane = i % 8 * 4 + d % 8 / 2;
    kz_narrow(&dq[kz_attention_row(p.q_at, b, head, token) + d],
              p.scale * g.dq[block * 128 + element * 32 + lane]);
}

// ---- a block's work ----------------------------------------------------------------------------------------------------

// Turn: begin(head, row) before what the tile of keys adds to dq of a tile of queries, and end(head, row) behind.
template <typename S, typename T, typename Turn>
static __device__ __forceinline__ void run_tile(job<T> &j, void *shared, Turn &turn) {
    const kz_attention<T> &p = j.g.p;
    layout<S> at(shared);
    unsigned slab = kz_warp() % S::SLABS, part = kz_warp() / S::SLABS, column = part * S::COLUMNS;
    float dk[S::COLUMNS / 8][4] = {}, dv[S::COLUMNS / 8][4] = {};
    tile_walk walk = walk_of<S>(j);
    size_t key = j.key + slab * 16;
    j.units = p.dimension % 8 == 0 && whole_units(p.q, p.q_at) && whole_units(p.k, p.kv_at) &&
              whole_units(p.v, p.kv_at) && whole_units(j.g.dout, p.out_at);
    if (walk.left > 0) {
        copy_rows<S, S::KEYS>(at.k, p.k, p.kv_at, j.b, j.kv_head, j.s.key, j.key, j.s.keys, p.dimension,
                              j.units);
        copy_rows<S, S::KEYS>(at.v, p.v, p.kv_at, j.b, j.kv_head, j.s.key, j.key, j.s.keys, p.dimension,
                              j.units);
        copy_queries(j, at, 0, walk.head, walk.row);
    }
    for (unsigned stage = 0; walk.left > 0; stage ^= 1) {
        size_t head = walk.head, row = walk.row;
        copies_wait();
        __syncthreads(); // the tile is there for all, and the one before it is done by all
        walk.template next<S>();
        if (walk.left > 0) copy_queries(j, at, stage ^ 1, walk.head, walk.row);
        float weights[S::QUERIES / 8][4], slopes[S::QUERIES / 8][4];
        uint32_t left[S::QUERIES / 16][4];
        multiply_pairs<S>(T(), weights, at.k, slab, at.q(stage));
        multiply_pairs<S>(T(), slopes, at.v, slab, at.dout(stage));
        if (is_plain<S>(j, row))
            weigh<S, true>(j, weights[0], slopes[0], at.rows(stage), head, row, key);
        else
            weigh<S, false>(j, weights[0], slopes[0], at.rows(stage), head, row, key);
        to_left<S>(T(), left, weights);
        multiply_keys<S>(T(), dv, left, at.dout(stage), column);
        to_left<S>(T(), left, slopes);
        if (part == 0) store_slopes(at, left, slab);
        multiply_keys<S>(T(), dk, left, at.q(stage), column);
        turn.begin(j, head, row);
        __syncthreads(); // ds is there
        add_to_queries(j, at, head, row);
        turn.end(j, head, row);
    }
    store_keys<S::COLUMNS>(j, j.g.dk, dk[0], p.scale, key, column);
    store_keys<S::COLUMNS>(j, j.g.dv, dv[0], 1.0f, key, column);
}

#endif
