// attention 02: tiles and an online softmax
//
// Idea     of a row of scores the softmax needs the largest and a sum, and both can be put right when a larger score comes
//          (Milakov and Gimelshein, 2018). So a tile of scores can be used and forgotten (Dao et al., 2022: FlashAttention).
// Change   one kernel. A block keeps 64 queries and their results, and goes along its keys in tiles: scores, weights, weights
//          times values. A thread has 8 queries x 4 keys of the scores, and 8 queries x 8 columns of the results in registers.
//          Tiles that no query of the block sees are skipped; only tiles on the mask's edge look at it.
// Expect   nothing in the square of the length is written. Keys and values are read once for every 64 queries: 32 flops and
//          more per byte, so multiply-adds are the limit, at three float4 loads of shared memory for 32 of them.
// Limit    CUDA cores, an eighth or less of what tensor cores do in half types (see 03). Keys and values take turns in one piece
//          of shared memory, so nothing is loaded while anything is multiplied.

#include "tile.cuh"

// Threads are 8 rows of 16: thread (y, x) has queries y + 8 r, keys x + 16 j, columns 4 x + 64 c and the three next.
template <int D> struct shape {
    enum {
        QUERIES = ATTENTION_TILED_QUERIES(D),
        KEYS = ATTENTION_TILED_KEYS(D),
        PITCH = ATTENTION_TILED_PITCH(D),
        WEIGHTS = ATTENTION_TILED_WEIGHTS(D),
        R = QUERIES / 8,
        J = KEYS / 16,
        C = D / 64
    };
};

static __device__ __forceinline__ unsigned x_of(void) { return threadIdx.x % 16; }
static __device__ __forceinline__ unsigned y_of(void) { return threadIdx.x / 16; }
static __device__ __forceinline__ float4 four(const float *at) { return *(const float4 *)at; }

// What a thread keeps of its queries: the largest score so far, its own share of the sum of powers, and of the results.
template <int D> struct state {
    float most[shape<D>::R], sum[shape<D>::R], out[shape<D>::R][shape<D>::C][4];
};

// Four elements, which one access moves.
template <typename T> union quad {
    T at[4];
    uint2 raw;
};
template <> union quad<float> {
    float at[4];
    uint4 raw;
};

template <typename T> static __device__ __forceinline__ void put(float *to, const quad<T> &x) {
    *(float4 *)to = make_float4(kz_widen(x.at[0]), kz_widen(x.at[1]), kz_widen(x.at[2]), kz_widen(x.at[3]));
}

// `count` rows from `row` on, as floats. Of 8 halves every other four lanes store the last ones first: then 8 lanes, a wavefront,
// have 8 groups of banks.
template <int D, typename T>
static __device__ __forceinline__ void stage(float *to, const head_rows<T> &rows, size_t row, int count) {
    const int UNIT = 16 / sizeof(T);
    for (int i = threadIdx.x; i < count * (D / UNIT); i += ATTENTION_TILED_THREADS) {
        int at = i / (D / UNIT), first = i % (D / UNIT) * UNIT;
        kz_pack<T> pack = load_unit(rows, row + at, first);
        float *own = to + at * shape<D>::PITCH + first;
        quad<T> x;
        if constexpr (UNIT == 4) {
            x.raw = pack.raw;
            put(own, x);
        } else {
            bool last = threadIdx.x & 4;
            x.raw = last ? make_uint2(pack.raw.z, pack.raw.w) : make_uint2(pack.raw.x, pack.raw.y);
            put(own + (last ? 4 : 0), x);
            x.raw = last ? make_uint2(pack.raw.x, pack.raw.y) : make_uint2(pack.raw.z, pack.raw.w);
            put(own + (last ? 0 : 4), x);
        }
    }
}

template <int D>
static __device__ __forceinline__ void multiply_keys(float (&scores)[shape<D>::R][shape<D>::J],
                                                     const float *q, const float *k) {
    typedef shape<D> S;
#pragma unroll
    for (int r = 0; r < S::R; r++)
#pragma unroll
        for (int j = 0; j < S::J; j++) scores[r][j] = 0.0f;
#pragma unroll 2
    for (int d = 0; d < D; d += 4) {
        float4 right[S::J];
#pragma unroll
        for (int j = 0; j < S::J; j++) right[j] = four(k + (x_of() + 16 * j) * S::PITCH + d);
#pragma unroll
        for (int r = 0; r < S::R; r++) {
            float4 left = four(q + (y_of() + 8 * r) * S::PITCH + d);
#pragma unroll
            for (int j = 0; j < S::J; j++)
                scores[r][j] +=
                    left.x * right[j].x + left.y * right[j].y + left.z * right[j].z + left.w * right[j].w;
        }
    }
}

// What is added to a score; the mask has nothing past the last query or key.
template <typename T>
static __device__ __forceinline__ float added(const kz_attention<T> &p, const query_tile &t, size_t row,
                                              size_t key) {
    return row < t.s.queries && key < t.s.keys
               ? kz_widen(p.mask[kz_attention_row(p.mask_at, t.b, t.head, row) + key])
               : 0.0f;
}

// Scores in base 2; -Inf where a query does not see a key.
template <int D, typename T>
static __device__ __forceinline__ void mask(float (&scores)[shape<D>::R][shape<D>::J],
                                            const kz_attention<T> &p, const query_tile &t, size_t at) {
    typedef shape<D> S;
    bool whole = all_see(p, t.s, t.row, S::QUERIES, at, S::KEYS);
    float scale = p.scale * LOG2_E;
#pragma unroll
    for (int r = 0; r < S::R; r++) {
        size_t row = t.row + y_of() + 8 * r, first = 0, end = SIZE_MAX;
        if (!whole) first = kz_attention_first(p, t.s, row), end = kz_attention_end(p, t.s, row);
#pragma unroll
        for (int j = 0; j < S::J; j++) {
            size_t key = at + x_of() + 16 * j;
            scores[r][j] *= scale;
            if (p.mask) scores[r][j] += LOG2_E * added(p, t, row, key);
            if (key < first || key >= end) scores[r][j] = KZ_MINUS_INFINITY;
        }
    }
}

// A new tile of scores: its weights go to shared memory, what is known so far is scaled to the new largest score.
template <int D>
static __device__ __forceinline__ void soften(state<D> &own, const float (&scores)[shape<D>::R][shape<D>::J],
                                              float *weights) {
    typedef shape<D> S;
#pragma unroll
    for (int r = 0; r < S::R; r++) {
        float most = own.most[r];
#pragma unroll
        for (int j = 0; j < S::J; j++) most = fmaxf(most, scores[r][j]);
#pragma unroll
        for (int lanes = 8; lanes > 0; lanes /= 2)
            most = fmaxf(most, __shfl_xor_sync(KZ_ALL_LANES, most, lanes));
        float base = kz_softmax_base(most), factor = power_of_2(own.most[r] - base);
        own.most[r] = most;
        own.sum[r] *= factor;
#pragma unroll
        for (int j = 0; j < S::J; j++) {
            float weight = power_of_2(scores[r][j] - base);
            own.sum[r] += weight;
            weights[(y_of() + 8 * r) * S::WEIGHTS + x_of() + 16 * j] = weight;
        }
#pragma unroll
        for (int c = 0; c < S::C; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) own.out[r][c][e] *= factor;
    }
}

template <int D>
static __device__ __forceinline__ void multiply_values(state<D> &own, const float *weights, const float *v) {
    typedef shape<D> S;
#pragma unroll 1
    for (int key = 0; key < S::KEYS; key += 4) {
        float left[S::R][4];
#pragma unroll
        for (int r = 0; r < S::R; r++)
            *(float4 *)left[r] = four(weights + (y_of() + 8 * r) * S::WEIGHTS + key);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int c = 0; c < S::C; c++) {
                float4 right = four(v + (key + i) * S::PITCH + 4 * x_of() + 64 * c);
#pragma unroll
                for (int r = 0; r < S::R; r++) {
                    own.out[r][c][0] += left[r][i] * right.x;
                    own.out[r][c][1] += left[r][i] * right.y;
                    own.out[r][c][2] += left[r][i] * right.z;
                    own.out[r][c][3] += left[r][i] * right.w;
                }
            }
    }
}

template <int D, typename T>
static __device__ __forceinline__ void finish(const state<D> &own, const kz_attention<T> &p,
                                              const query_tile &t) {
    typedef shape<D> S;
    head_rows<T> out = results_of(p, t);
#pragma unroll
    for (int r = 0; r < S::R; r++) {
        float sum = own.sum[r];
#pragma unroll
        for (int lanes = 8; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(KZ_ALL_LANES, sum, lanes);
        size_t row = t.row + y_of() + 8 * r;
        if (row >= t.s.queries) continue;
        T *to = (T *)out.at + (y_of() + 8 * r) * out.token;
        float over = 1.0f / sum;
#pragma unroll
        for (int c = 0; c < S::C; c++) {
            unsigned d = 4 * x_of() + 64 * c;
            quad<T> x;
#pragma unroll
            for (int e = 0; e < 4; e++) kz_narrow(&x.at[e], sum == 0.0f ? 0.0f : own.out[r][c][e] * over);
            if (out.units) {
                if (d < p.dimension) kz_store<KZ_CACHE>((decltype(x.raw) *)(to + d), x.raw);
            } else
                for (int e = 0; e < 4; e++)
                    if (d + e < p.dimension) to[d + e] = x.at[e];
        }
        float *lse = kz_attention_lse(p, t.b, t.head, t.s.query + row);
        if (lse && x_of() == 0) *lse = sum == 0.0f ? KZ_MINUS_INFINITY : (own.most[r] + log2f(sum)) * LN_2;
    }
}

template <int D, typename T> static __device__ __forceinline__ void attend(const kz_attention<T> &p) {
    typedef shape<D> S;
    extern __shared__ __align__(16) float memory[];
    float *q = memory, *kv = q + S::QUERIES * S::PITCH, *weights = kv + S::KEYS * S::PITCH;
    query_tile t;
    if (!find_queries(p, S::QUERIES, &t)) return; // the whole block
    head_rows<T> k = keys_of(p, t, p.k), v = keys_of(p, t, p.v);
    state<D> own = {};
#pragma unroll
    for (int r = 0; r < S::R; r++) own.most[r] = KZ_MINUS_INFINITY;
    stage<D>(q, queries_of(p, t), 0, S::QUERIES);
    for (size_t at = t.first; at < t.end; at += S::KEYS) {
        float scores[S::R][S::J];
        stage<D>(kv, k, at, S::KEYS);
        __syncthreads();
        multiply_keys<D>(scores, q, kv);
        mask<D>(scores, p, t, at);
        soften<D>(own, scores, weights);
        __syncthreads(); // the keys have been read
        stage<D>(kv, v, at, S::KEYS);
        __syncthreads();
        multiply_values<D>(own, weights, kv);
        __syncthreads(); // and the values
    }
    finish<D>(own, p, t);
}

#define ENTRY(D, type, T)                                                                                    \
    KZ_ENTRY_BOUNDS(attention_tiled_d##D##_##type, ATTENTION_TILED_THREADS, 2)                               \
    (KZ_ATTENTION_PARAMETERS(T)) { attend<D, T>(KZ_ATTENTION_OF(T)); }
#define DIMENSIONS(type, T) ENTRY(64, type, T) ENTRY(128, type, T) ENTRY(256, type, T)
DIMENSIONS(f32, float)
DIMENSIONS(f16, kz_f16)
DIMENSIONS(bf16, kz_bf16)
