// Tiles of keys against tiles of queries on CUDA cores: p and ds of a tile are made again from q, k and the log-sum-exps, in shared
// memory, and nothing of queries x keys goes to memory. For 02 and 03.
#ifndef ATTENTION_BACKWARD_RECOMPUTE_CUH
#define ATTENTION_BACKWARD_RECOMPUTE_CUH

#include "attention_backward.cuh"
#include "tune.h"

// D: columns, of which those past the dimension are zeros. KEYS x QUERIES pairs at a time. Rows are an element longer than they
// hold: then neighbouring rows lie in different banks.
template <int D, int KEYS, int QUERIES> struct tiles {
    enum { THREADS = RECOMPUTE_THREADS, ROW = D + 1, PAIR_ROW = KEYS + 1 };
    float *k, *v, *q, *dout, *weights, *slopes;
    float2 *rows;
    __device__ __forceinline__ tiles(float *shared) {
        k = shared;
        v = k + KEYS * ROW;
        q = v + KEYS * ROW;
        dout = q + QUERIES * ROW;
        weights = dout + QUERIES * ROW;
        slopes = weights + QUERIES * PAIR_ROW;
        rows = (float2 *)(slopes + QUERIES * PAIR_ROW);
    }
};

// Rows [first, first + ROWS) of a sequence that has `count`: those past it are zeros, whatever lies there.
template <int D, int ROWS, typename T>
static __device__ __forceinline__ void load_rows(float *to, const T *from, const kz_attention_strides &at,
                                                 size_t b, size_t head, size_t base, size_t first,
                                                 size_t count, size_t dimension) {
    for (unsigned x = threadIdx.x; x < ROWS * D; x += RECOMPUTE_THREADS) {
        unsigned row = x / D, d = x % D;
        bool inside = first + row < count && d < dimension;
        to[row * (D + 1) + d] =
            inside ? kz_widen(from[kz_attention_row(at, b, head, base + first + row) + d]) : 0.0f;
    }
}

template <int D, int KEYS, int QUERIES, typename T, typename A>
static __device__ __forceinline__ void load_keys(const tiles<D, KEYS, QUERIES> &t, const backward<T, A> &g,
                                                 size_t b, size_t kv_head, const kz_attention_sequence &s,
                                                 size_t key) {
    const kz_attention<T> &p = g.p;
    load_rows<D, KEYS>(t.k, p.k, p.kv_at, b, kv_head, s.key, key, s.keys, p.dimension);
    load_rows<D, KEYS>(t.v, p.v, p.kv_at, b, kv_head, s.key, key, s.keys, p.dimension);
}

template <int D, int KEYS, int QUERIES, typename T, typename A>
static __device__ __forceinline__ void load_queries(const tiles<D, KEYS, QUERIES> &t, const backward<T, A> &g,
                                                    size_t b, size_t head, const kz_attention_sequence &s,
                                                    size_t row) {
    const kz_attention<T> &p = g.p;
    load_rows<D, QUERIES>(t.q, p.q, p.q_at, b, head, s.query, row, s.queries, p.dimension);
    load_rows<D, QUERIES>(t.dout, g.dout, p.out_at, b, head, s.query, row, s.queries, p.dimension);
    if (threadIdx.x < QUERIES)
        t.rows[threadIdx.x] = row + threadIdx.x < s.queries
                                  ? g.rows[row_index(p, b, head, s.query + row + threadIdx.x)]
                                  : make_float2(INFINITE, 0.0f);
}

// p and ds of the tile; 0 for pairs that the mask hides.
template <int D, int KEYS, int QUERIES, typename T>
static __device__ __forceinline__ void weigh_tile(const tiles<D, KEYS, QUERIES> &t, const kz_attention<T> &p,
                                                  size_t b, size_t head, const kz_attention_sequence &s,
                                                  size_t row, size_t key) {
    typedef tiles<D, KEYS, QUERIES> frame;
    enum { EACH = (KEYS * QUERIES + frame::THREADS - 1) / frame::THREADS, STEP = frame::THREADS / KEYS };
    unsigned j = threadIdx.x % KEYS, i0 = threadIdx.x / KEYS;
    if (i0 >= QUERIES) return;
    float scores[EACH] = {}, slopes[EACH] = {};
    for (int d = 0; d < D; d++) {
        float k = t.k[j * frame::ROW + d], v = t.v[j * frame::ROW + d];
#pragma unroll
        for (int x = 0; x < EACH; x++) {
            scores[x] += t.q[(i0 + x * STEP) * frame::ROW + d] * k;
            slopes[x] += t.dout[(i0 + x * STEP) * frame::ROW + d] * v;
        }
    }
    bool whole = is_whole(p, s, row, QUERIES, key, KEYS);
#pragma unroll
    for (int x = 0; x < EACH; x++) {
        unsigned i = i0 + x * STEP;
        bool seen = whole || sees(p, s, row + i, key + j);
        float score = scores[x] * p.scale;
        if (p.mask && seen)
            score += kz_widen(p.mask[kz_attention_row(p.mask_at, b, head, row + i) + key + j]);
        float weight = seen ? power_of_2(score * LOG2_E - t.rows[i].x) : 0.0f;
        t.weights[i * frame::PAIR_ROW + j] = weight;
        t.slopes[i * frame::PAIR_ROW + j] = seen ? weight * (slopes[x] - t.rows[i].y) : 0.0f;
    }
}

// A thread's part of dk and dv: one key, every LANESth column.
template <int D, int KEYS> struct key_sums {
    enum { LANES = RECOMPUTE_THREADS / KEYS, EACH = D / LANES };
    float dk[EACH] = {}, dv[EACH] = {};
};

template <int D, int KEYS, int QUERIES>
static __device__ __forceinline__ void add_to_keys(const tiles<D, KEYS, QUERIES> &t,
                                                   key_sums<D, KEYS> &sums) {
    typedef tiles<D, KEYS, QUERIES> frame;
    typedef key_sums<D, KEYS> part;
    unsigned j = threadIdx.x / part::LANES, c = threadIdx.x % part::LANES;
    for (int i = 0; i < QUERIES; i++) {
        float weight = t.weights[i * frame::PAIR_ROW + j], slope = t.slopes[i * frame::PAIR_ROW + j];
#pragma unroll
        for (int x = 0; x < part::EACH; x++) {
            sums.dv[x] += weight * t.dout[i * frame::ROW + c + x * part::LANES];
            sums.dk[x] += slope * t.q[i * frame::ROW + c + x * part::LANES];
        }
    }
}

template <int D, int KEYS, typename T, typename A>
static __device__ __forceinline__ void store_keys(const backward<T, A> &g, const key_sums<D, KEYS> &sums,
                                                  size_t b, size_t kv_head, const kz_attention_sequence &s,
                                                  size_t key) {
    typedef key_sums<D, KEYS> part;
    const kz_attention<T> &p = g.p;
    size_t j = key + threadIdx.x / part::LANES;
    if (j >= keys_written(p, s)) return;
    size_t to = kz_attention_row(p.kv_at, b, kv_head, s.key + j);
    for (int x = 0; x < part::EACH; x++) {
        unsigned d = threadIdx.x % part::LANES + x * part::LANES;
        if (d >= p.dimension) continue;
        // Behind a padded length sums are 0 times a number, which may be NaN.
        kz_narrow(&g.dk[to + d], j < s.keys ? p.scale * sums.dk[x] : 0.0f);
        kz_narrow(&g.dv[to + d], j < s.keys ? sums.dv[x] : 0.0f);
    }
}

// A thread's part of dq, the same of queries: what the tile of keys adds.
template <int D, int QUERIES> struct query_sums {
    enum { LANES = RECOMPUTE_THREADS / QUERIES, EACH = (D + LANES - 1) / LANES };
    float dq[EACH] = {};
};

template <int D, int KEYS, int QUERIES>
static __device__ __forceinline__ void add_to_queries(const tiles<D, KEYS, QUERIES> &t,
                                                      query_sums<D, QUERIES> &sums) {
    typedef tiles<D, KEYS, QUERIES> frame;
    typedef query_sums<D, QUERIES> part;
    unsigned i = threadIdx.x / part::LANES, c = threadIdx.x % part::LANES;
    for (int j = 0; j < KEYS; j++) {
        float slope = t.slopes[i * frame::PAIR_ROW + j];
#pragma unroll
        for (int x = 0; x < part::EACH; x++) sums.dq[x] += slope * t.k[j * frame::ROW + c + x * part::LANES];
    }
}

// ---- a block's work ----------------------------------------------------------------------------------------

// A tile of keys: dk and dv over all queries that see it, of all heads that share it. `each` is called with a tile of queries'
// head and first row, once its p and ds are there.
template <int D, int KEYS, int QUERIES, typename T, typename A, typename Each>
static __device__ __forceinline__ void run_keys(const backward<T, A> &g, float *shared, Each each) {
    const kz_attention<T> &p = g.p;
    size_t b, key, kv_head = blockIdx.x % p.kv_heads, group = p.heads / p.kv_heads;
    kz_attention_sequence s;
    if (!key_tile(p, blockIdx.x / p.kv_heads, KEYS, &b, &s, &key)) return;
    tiles<D, KEYS, QUERIES> t(shared);
    key_sums<D, KEYS> sums;
    load_keys(t, g, b, kv_head, s, key);
    size_t first = 0, end = 0;
    if (key < s.keys) {
        size_t last = key + KEYS < s.keys ? key + KEYS : s.keys;
        first = first_query(p, s, key) / QUERIES * QUERIES, end = end_query(p, s, last - 1);
    }
    for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
        for (size_t row = first; row < end; row += QUERIES) {
            load_queries(t, g, b, head, s, row);
            __syncthreads();
            weigh_tile(t, p, b, head, s, row, key);
            __syncthreads();
            add_to_keys(t, sums);
            each(t, b, head, s, row);
            __syncthreads();
        }
    store_keys(g, sums, b, kv_head, s, key);
}

#endif
