// attention: tiles of queries by mma.sync, for 03 and 04: four warps with 16 or 32 queries each, which share tiles of keys and
// values in shared memory. Scores stay in the registers in which the tensor cores leave them, and are the left operand of the
// second product there: a lane's sums of 16 columns are its part of a fragment of a.
//
// Largest scores and their differences are in base 2, multiplied by the scale; scores of masks that only hide are multiplied
// within the power, by one instruction. A negative scale turns the queries' signs instead, so that the largest stays the largest.
#ifndef ATTENTION_MMA_CUH
#define ATTENTION_MMA_CUH

#include "kz/device/bulk.cuh"
#include "kz/device/mma.cuh"
#include "tile.cuh"

template <int D> struct shape {
    enum {
        BLOCKS = ATTENTION_MMA_BLOCKS(D), // of 16 queries, of a warp
        WARP_QUERIES = 16 * BLOCKS,
        QUERIES = ATTENTION_MMA_QUERIES(D),
        KEYS = ATTENTION_MMA_KEYS(D),
        UNITS = D / 8, // of 16 bytes, of a row
        QUERY_BYTES = QUERIES * D * 2,
        TILE_BYTES = KEYS * D * 2
    };
};

// A lane's scores of a tile: by block, 8 keys, and as in kz/device/mma.cuh.
template <int D> struct tile_scores { float at[shape<D>::BLOCKS][shape<D>::KEYS / 8][4]; };

// What a lane keeps of its queries, of which it has 2 of each block: the largest score so far, its own share of the sum of powers
// and of the results.
template <int D> struct state {
    float most[shape<D>::BLOCKS][2], sum[shape<D>::BLOCKS][2], out[shape<D>::BLOCKS][D / 8][4];
};

// The keys that any of a warp's queries sees, and those that all see.
struct warp_span {
    unsigned first, end, all_first, all_end;
};

// What a block works on. `scale` is positive, and takes scores to base 2.
template <typename T> struct job {
    kz_attention<T> p;
    query_tile t;
    head_rows<T> q, k, v;
    warp_span seen;
    float scale;
};

template <int D> static __device__ __forceinline__ unsigned warp_row(void) {
    return kz_warp() * shape<D>::WARP_QUERIES;
}

template <int D, typename T> static __device__ __forceinline__ bool begin(job<T> &j) {
    const kz_attention<T> &p = j.p;
    if (!find_queries(p, shape<D>::QUERIES, &j.t)) return false;
    const query_tile &t = j.t;
    j.q = queries_of(p, t), j.k = keys_of(p, t, p.k), j.v = keys_of(p, t, p.v);
    size_t row = t.row + warp_row<D>(), end = row + shape<D>::WARP_QUERIES;
    if (end > t.s.queries) end = t.s.queries;
    j.seen = {0, 0, 0, 0}; // of a warp without queries
    if (row < end)
        j.seen = {(unsigned)kz_attention_first(p, t.s, row), (unsigned)kz_attention_end(p, t.s, end - 1),
                  (unsigned)kz_attention_first(p, t.s, end - 1), (unsigned)kz_attention_end(p, t.s, row)};
    j.scale = fabsf(p.scale) * LOG2_E;
    return true;
}

// ---- shared memory -------------------------------------------------------------------------------------------------

// Where a unit of a row lies, in bytes: the 8 rows that ldmatrix reads together lie in 8 different groups of banks. Rows of 96
// elements begin in two groups by turns, others all in one.
template <int D> static __device__ __forceinline__ unsigned unit_at(unsigned row, unsigned unit) {
    return row * (D * 2) + (unit ^ (D % 64 == 0 ? row & 7 : row >> 1 & 3)) * 16;
}

// `count` rows from `row` on, through registers; zero where there are none. `flip` is exclusive-ored with each pair.
template <int D, typename T>
static __device__ __forceinline__ void stage(char *to, const head_rows<T> &rows, size_t row, int count,
                                             unsigned flip) {
    const int UNITS = shape<D>::UNITS;
#pragma unroll
    for (int i = threadIdx.x; i < count * UNITS; i += ATTENTION_MMA_THREADS) {
        unsigned at = i / UNITS, unit = i % UNITS;
        uint4 raw = load_unit(rows, row + at, unit * 8).raw;
        *(uint4 *)(to + unit_at<D>(at, unit)) =
            make_uint4(raw.x ^ flip, raw.y ^ flip, raw.z ^ flip, raw.w ^ flip);
    }
}

template <int D, typename T> static __device__ __forceinline__ void stage_queries(char *to, const job<T> &j) {
    stage<D>(to, j.q, 0, shape<D>::QUERIES, j.p.scale < 0.0f ? 0x80008000u : 0u);
}

// ---- products --------------------------------------------------------------------------------------------------------

// Scores of the warp's queries: fragments by ldmatrix from the block's queries and a tile of keys.
template <int D, typename T>
static __device__ __forceinline__ void multiply_keys(tile_scores<D> &scores, unsigned q, unsigned k) {
    typedef shape<D> S;
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++)
#pragma unroll
        for (int n = 0; n < S::KEYS / 8; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) scores.at[i][n][e] = 0.0f;
#pragma unroll
    for (int unit = 0; unit < S::UNITS; unit += 2) {
        uint32_t left[S::BLOCKS][4], right[4];
#pragma unroll
        for (int i = 0; i < S::BLOCKS; i++)
            kz_ldmatrix(left[i],
                        q + unit_at<D>(warp_row<D>() + 16 * i + in + block % 2 * 8, unit + block / 2), false);
#pragma unroll
        for (int n = 0; n < S::KEYS / 8; n += 2) {
            kz_ldmatrix(right, k + unit_at<D>(8 * n + in + block / 2 * 8, unit + block % 2), false);
#pragma unroll
            for (int i = 0; i < S::BLOCKS; i++) {
                kz_mma(T(), scores.at[i][n], left[i], right);
                kz_mma(T(), scores.at[i][n + 1], left[i], right + 2);
            }
        }
    }
}

// Adds weights times values: weights are rounded to the type, values come transposed.
template <int D, typename T>
static __device__ __forceinline__ void multiply_values(state<D> &own, const tile_scores<D> &weights,
                                                       unsigned v) {
    typedef shape<D> S;
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
#pragma unroll
    for (int n = 0; n < S::KEYS / 8; n += 2) {
        uint32_t left[S::BLOCKS][4], right[4];
#pragma unroll
        for (int i = 0; i < S::BLOCKS; i++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const float *pair = &weights.at[i][n + e / 2][e % 2 * 2];
                left[i][e] = kz_pack_halves(T(), pair[0], pair[1]);
            }
#pragma unroll
        for (int unit = 0; unit < S::UNITS; unit += 2) {
            kz_ldmatrix(right, v + unit_at<D>(8 * n + in + block % 2 * 8, unit + block / 2), true);
#pragma unroll
            for (int i = 0; i < S::BLOCKS; i++) {
                kz_mma(T(), own.out[i][unit], left[i], right);
                kz_mma(T(), own.out[i][unit + 1], left[i], right + 2);
            }
        }
    }
}

// ---- softmax ---------------------------------------------------------------------------------------------------------

// The query that a lane has in half h of block i, within the sequence.
template <int D> static __device__ __forceinline__ size_t query_of(const query_tile &t, int i, int h) {
    return t.row + warp_row<D>() + 16 * i + 8 * h + kz_lane() / 4;
}

// Two elements, of which there are `left`; what is missing is 0.
template <typename T>
static __device__ __forceinline__ kz_halves<T> load_pair(const T *from, int left, bool aligned) {
    kz_halves<T> pair;
    pair.raw = 0;
    if (aligned && left > 1)
        pair.raw = *(const uint32_t *)from;
    else {
        if (left > 0) pair.at[0] = from[0];
        if (left > 1) pair.at[1] = from[1];
    }
    return pair;
}

// Adds the mask to scores, which come to base 2. It has nothing past the last query or key.
template <int D, typename T>
static __device__ __forceinline__ void add_mask(tile_scores<D> &scores, const job<T> &j, size_t at) {
    typedef shape<D> S;
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            size_t query = query_of<D>(j.t, i, h), key = at + kz_lane() % 4 * 2;
            const T *from = j.p.mask + kz_attention_row(j.p.mask_at, j.t.b, j.t.head, query) + key;
            int left = query < j.t.s.queries ? (int)j.t.s.keys - (int)key : 0;
            bool aligned = kz_aligned(from, 4);
#pragma unroll
            for (int n = 0; n < S::KEYS / 8; n++) {
                kz_halves<T> pair = load_pair(from + 8 * n, left - 8 * n, aligned);
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    float &score = scores.at[i][n][2 * h + e];
                    score = score * j.scale + LOG2_E * kz_widen(pair.at[e]);
                }
            }
        }
}

// -Inf where a query does not see a key.
template <int D, typename T>
static __device__ __forceinline__ void hide(tile_scores<D> &scores, const job<T> &j, size_t at) {
    typedef shape<D> S;
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            size_t query = query_of<D>(j.t, i, h), key = at + kz_lane() % 4 * 2;
            int first = (int)kz_attention_first(j.p, j.t.s, query) - (int)key,
                end = (int)kz_attention_end(j.p, j.t.s, query) - (int)key;
#pragma unroll
            for (int n = 0; n < S::KEYS / 8; n++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    if (8 * n + e < first || 8 * n + e >= end) scores.at[i][n][2 * h + e] = KZ_MINUS_INFINITY;
        }
}

// Scores become weights, and what is known so far is scaled to the new largest score. A query's scores are with four lanes.
template <int D>
static __device__ __forceinline__ void soften(state<D> &own, tile_scores<D> &scores, float scale) {
    typedef shape<D> S;
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float most = KZ_MINUS_INFINITY, before = own.most[i][h];
#pragma unroll
            for (int n = 0; n < S::KEYS / 8; n++)
                most = fmaxf(most, fmaxf(scores.at[i][n][2 * h], scores.at[i][n][2 * h + 1]));
            most = fmaxf(most, __shfl_xor_sync(KZ_ALL_LANES, most, 1));
            most = fmaxf(most, __shfl_xor_sync(KZ_ALL_LANES, most, 2));
            most = fmaxf(before, most * scale);
            float base = kz_softmax_base(most), factor = power_of_2(before - base), sum = 0.0f;
            own.most[i][h] = most;
#pragma unroll
            for (int n = 0; n < S::KEYS / 8; n++)
#pragma unroll
                for (int e = 2 * h; e < 2 * h + 2; e++)
                    sum += scores.at[i][n][e] = power_of_2(fmaf(scores.at[i][n][e], scale, -base));
            own.sum[i][h] = own.sum[i][h] * factor + sum;
#pragma unroll
            for (int n = 0; n < D / 8; n++)
                own.out[i][n][2 * h] *= factor, own.out[i][n][2 * h + 1] *= factor;
        }
}

// ---- a tile of keys, and the end -----------------------------------------------------------------------------------

template <int D> static __device__ __forceinline__ void clear(state<D> &own) {
#pragma unroll
    for (int i = 0; i < shape<D>::BLOCKS; i++) {
        own.most[i][0] = own.most[i][1] = KZ_MINUS_INFINITY;
        own.sum[i][0] = own.sum[i][1] = 0.0f;
#pragma unroll
        for (int n = 0; n < D / 8; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) own.out[i][n][e] = 0.0f;
    }
}

// The keys from `at` on. A warp that sees none of them has nothing to do.
template <int D, bool ADDITIVE, typename T>
static __device__ __forceinline__ void attend_tile(state<D> &own, const job<T> &j, size_t at, unsigned q,
                                                   unsigned k, unsigned v) {
    const unsigned KEYS = shape<D>::KEYS;
    if (at >= j.seen.end || at + KEYS <= j.seen.first) return;
    tile_scores<D> scores;
    multiply_keys<D, T>(scores, q, k);
    if (ADDITIVE) add_mask<D>(scores, j, at);
    if (at < j.seen.all_first || at + KEYS > j.seen.all_end) hide<D>(scores, j, at);
    soften<D>(own, scores, ADDITIVE ? 1.0f : j.scale);
    multiply_values<D, T>(own, scores, v);
}

// Results go by way of the warp's own queries in shared memory, which nobody needs any more, so that rows are written in units.
template <int D, typename T>
static __device__ __forceinline__ void finish(const state<D> &own, const job<T> &j, char *memory) {
    typedef shape<D> S;
    const kz_attention<T> &p = j.p;
    const query_tile &t = j.t;
    unsigned lane = kz_lane();
    __syncwarp();
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = own.sum[i][h];
            sum += __shfl_xor_sync(KZ_ALL_LANES, sum, 1);
            sum += __shfl_xor_sync(KZ_ALL_LANES, sum, 2);
            float over = 1.0f / sum;
            size_t query = query_of<D>(t, i, h);
#pragma unroll
            for (int n = 0; n < D / 8; n++) {
                const float *pair = &own.out[i][n][2 * h];
                *(uint32_t *)(memory + unit_at<D>(warp_row<D>() + 16 * i + 8 * h + lane / 4, n) +
                              lane % 4 * 4) =
                    sum == 0.0f ? 0u : kz_pack_halves(T(), pair[0] * over, pair[1] * over);
            }
            if (lane % 4 || !p.lse || query >= t.s.queries) continue;
            *kz_attention_lse(p, t.b, t.head, t.s.query + query) =
                sum == 0.0f ? KZ_MINUS_INFINITY : (own.most[i][h] + log2f(sum)) * LN_2;
        }
    __syncwarp();
    head_rows<T> out = results_of(p, t);
#pragma unroll 1
    for (unsigned i = lane; i < S::WARP_QUERIES * S::UNITS; i += KZ_WARP) {
        unsigned row = warp_row<D>() + i / S::UNITS, unit = i % S::UNITS;
        if (row >= out.count) break;
        kz_pack<T> pack;
        pack.raw = *(const uint4 *)(memory + unit_at<D>(row, unit));
        T *to = (T *)out.at + row * out.token + unit * 8;
        if (out.units) {
            if (unit * 8 < p.dimension) kz_store_pack<KZ_CACHE>(to, pack);
        } else
            for (int e = 0; e < 8; e++)
                if (unit * 8 + e < p.dimension) to[e] = pack.at[e];
    }
}

// Entries of both types: ENTRY(name, D, additive, type, T) for each dimension and kind of mask.
#define ATTENTION_MMA_MASKS(ENTRY, D, type, T)                                                               \
    ENTRY(d##D, D, false, type, T)                                                                           \
    ENTRY(d##D##_additive, D, true, type, T)
#define ATTENTION_MMA_DIMENSIONS(ENTRY, type, T)                                                             \
    ATTENTION_MMA_MASKS(ENTRY, 64, type, T)                                                                  \
    ATTENTION_MMA_MASKS(ENTRY, 96, type, T)                                                                  \
    ATTENTION_MMA_MASKS(ENTRY, 128, type, T)                                                                 \
    ATTENTION_MMA_MASKS(ENTRY, 256, type, T)
#define ATTENTION_MMA_ENTRIES(ENTRY)                                                                         \
    ATTENTION_MMA_DIMENSIONS(ENTRY, f16, kz_f16) ATTENTION_MMA_DIMENSIONS(ENTRY, bf16, kz_bf16)

#endif
