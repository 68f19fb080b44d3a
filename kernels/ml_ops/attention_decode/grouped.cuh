// Rows of queries that share keys, on CUDA cores: what 02 to 04 do with a block's share of a cache.
//
// A lane holds eight numbers of every row, so 8, 16 or 32 lanes hold a key, by the dimension, and a warp four, two or one of them.
// Several keys are in flight for each lane before the first is used. Rows that do not begin at multiples of 16 bytes, and
// dimensions that are no multiple of 8, are loaded number by number.
#ifndef ATTENTION_DECODE_GROUPED_CUH
#define ATTENTION_DECODE_GROUPED_CUH

#include "decode.cuh"

template <int R> struct row_sums { float greatest[R], sum[R], out[R][EIGHT]; };

template <typename C> union eight {
    C at[EIGHT];
    uint4 raw[(sizeof(C) + 1) / 2]; // of floats two, of halves one
    uint2 half;                     // of bytes
};

// Which number of a row is a lane's e'th: neighbouring lanes hold neighbouring packs, of floats two apart.
template <typename C>
static __device__ __forceinline__ unsigned column_of(unsigned lane, unsigned lanes, unsigned e) {
    return sizeof(C) == 4 ? e / 4 * 4 * lanes + 4 * lane + e % 4 : lane * EIGHT + e;
}

static __device__ __forceinline__ void load_packs(eight<float> &to, const float *row, unsigned lane,
                                                  unsigned lanes, size_t dimension) {
    unsigned first = 4 * lane, second = first + 4 * lanes;
    to.raw[0] = to.raw[1] = make_uint4(0, 0, 0, 0);
    if (first < dimension) to.raw[0] = kz_load<KZ_STREAM>((const uint4 *)(row + first));
    if (second < dimension) to.raw[1] = kz_load<KZ_STREAM>((const uint4 *)(row + second));
}
template <typename C>
static __device__ __forceinline__ void load_packs(eight<C> &to, const C *row, unsigned lane, unsigned,
                                                  size_t dimension) {
    to.raw[0] = make_uint4(0, 0, 0, 0);
    if (lane * EIGHT < dimension) to.raw[0] = kz_load<KZ_STREAM>((const uint4 *)(row + lane * EIGHT));
}
static __device__ __forceinline__ void load_packs(eight<kz_e4m3> &to, const kz_e4m3 *row, unsigned lane,
                                                  unsigned, size_t dimension) {
    to.half = make_uint2(0, 0);
    if (lane * EIGHT < dimension) to.half = kz_load<KZ_STREAM>((const uint2 *)(row + lane * EIGHT));
}

// Zeros where the row has no more numbers.
template <typename C>
static __device__ __forceinline__ eight<C> load_eight(const C *row, unsigned lanes, size_t dimension,
                                                      bool packs) {
    eight<C> x;
    unsigned lane = kz_lane() % lanes;
    if (packs) {
        load_packs(x, row, lane, lanes, dimension);
    } else {
#pragma unroll
        for (int e = 0; e < EIGHT; e++) {
            unsigned d = column_of<C>(lane, lanes, e);
            x.at[e] = d < dimension ? row[d] : C{};
        }
    }
    return x;
}

template <typename T, typename C> static __device__ __forceinline__ bool has_packs(const decode<T, C> &p) {
    const size_t bytes = sizeof(C) == 1 ? 8 : 16;
    return (p.dimension | p.kv_at.token | p.kv_at.head | p.kv_at.batch) % EIGHT == 0 &&
           kz_aligned(p.k, bytes) && kz_aligned(p.v, bytes);
}

// Each of the numbers becomes its sum over the lanes that hold a key.
template <int N> static __device__ __forceinline__ void sum_lanes(float (&x)[N], unsigned lanes) {
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2) {
        if (step >= (int)lanes) continue;
#pragma unroll
        for (int i = 0; i < N; i++) x[i] += __shfl_xor_sync(KZ_ALL_LANES, x[i], step);
    }
}

static __device__ __forceinline__ unsigned lanes_of(size_t dimension) {
    return dimension <= 64 ? 8 : dimension <= 128 ? 16 : 32;
}

// Keys base + own, and so many more at distances of `step`. Scores become weights in place.
template <int R, int FLIGHT>
static __device__ __forceinline__ void weigh(row_sums<R> &s, float (&score)[FLIGHT * R],
                                             const unsigned (&seen)[R], unsigned key, unsigned step,
                                             float scale) {
#pragma unroll
    for (int r = 0; r < R; r++) {
        float greatest = s.greatest[r];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            float &x = score[f * R + r];
            x = key + f * step < seen[r] ? x * scale : MINUS_INFINITY;
            greatest = fmaxf(greatest, x);
        }
        float base = base_of(greatest), before = power_of_two(s.greatest[r] - base), sum = 0.0f;
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) sum += score[f * R + r] = power_of_two(score[f * R + r] - base);
        s.greatest[r] = greatest;
        s.sum[r] = s.sum[r] * before + sum;
#pragma unroll
        for (int e = 0; e < EIGHT; e++) s.out[r][e] *= before;
    }
}

template <int R, typename T, typename C>
static __device__ __forceinline__ void fold_keys(const decode<T, C> &p, const tile &t, unsigned lanes,
                                                 row_sums<R> &s) {
    const int FLIGHT = R > 4 ? DECODE_IN_FLIGHT / 2 : DECODE_IN_FLIGHT; // registers for eight rows are few
    const bool packs = has_packs(p);
    unsigned step = WARPS * (KZ_WARP / lanes), seen[R];
    float q[R][EIGHT], scale = score_scale(p, t.kv_head);
#pragma unroll
    for (int r = 0; r < R; r++) {
        bool is_row = r < (int)t.rows;
        const T *row = p.q + (is_row ? row_at(p.q_at, t.b, head_of(t, r), query_of(t, r)) : 0);
        seen[r] = min(seen_by(t, r), t.end);
        s.greatest[r] = MINUS_INFINITY, s.sum[r] = 0.0f;
#pragma unroll
        for (int e = 0; e < EIGHT; e++) {
            unsigned d = column_of<C>(kz_lane() % lanes, lanes, e);
            q[r][e] = is_row && d < p.dimension ? kz_widen(row[d]) : 0.0f;
            s.out[r][e] = 0.0f;
        }
    }
    for (unsigned base = t.first; base < t.end; base += FLIGHT * step) {
        unsigned key = base + kz_warp() * (KZ_WARP / lanes) + kz_lane() / lanes;
        eight<C> k[FLIGHT], v[FLIGHT];
        float score[FLIGHT * R];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            bool inside = key + f * step < t.end; // else nothing is loaded
            size_t at = inside ? cache_row(p, t.b, t.kv_head, key + f * step) : 0;
            k[f] = load_eight(p.k + at, lanes, inside ? p.dimension : 0, packs);
            v[f] = load_eight(p.v + at, lanes, inside ? p.dimension : 0, packs);
        }
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
#pragma unroll
            for (int r = 0; r < R; r++) score[f * R + r] = 0.0f;
#pragma unroll
            for (int e = 0; e < EIGHT; e++) {
                float x = kz_widen(k[f].at[e]);
#pragma unroll
                for (int r = 0; r < R; r++) score[f * R + r] += q[r][e] * x;
            }
        }
        sum_lanes(score, lanes);
        weigh<R, FLIGHT>(s, score, seen, key, step, scale);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
#pragma unroll
            for (int e = 0; e < EIGHT; e++) {
                float x = kz_widen(v[f].at[e]);
#pragma unroll
                for (int r = 0; r < R; r++) s.out[r][e] += score[f * R + r] * x;
            }
    }
}

// The lanes of a warp that hold other keys add up what they have.
template <int R> static __device__ __forceinline__ void merge_lanes(row_sums<R> &s, unsigned lanes) {
    for (unsigned step = lanes; step < KZ_WARP; step *= 2)
#pragma unroll
        for (int r = 0; r < R; r++) {
            float other = __shfl_xor_sync(KZ_ALL_LANES, s.greatest[r], step);
            float greatest = fmaxf(s.greatest[r], other), base = base_of(greatest);
            float mine = power_of_two(s.greatest[r] - base), theirs = power_of_two(other - base);
            s.greatest[r] = greatest;
            s.sum[r] = s.sum[r] * mine + __shfl_xor_sync(KZ_ALL_LANES, s.sum[r], step) * theirs;
#pragma unroll
            for (int e = 0; e < EIGHT; e++)
                s.out[r][e] = s.out[r][e] * mine + __shfl_xor_sync(KZ_ALL_LANES, s.out[r][e], step) * theirs;
        }
}

// The block's share, as a part of each warp in shared memory.
template <int R, typename T, typename C>
static __device__ __forceinline__ parts<R> fold_share(const decode<T, C> &p, const tile &t) {
    extern __shared__ __align__(16) float shared[];
    const parts<R> warps(shared, p.dimension);
    unsigned lanes = lanes_of(p.dimension), warp = kz_warp();
    row_sums<R> s;
    fold_keys<R>(p, t, lanes, s);
    merge_lanes(s, lanes);
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (kz_lane() == 0) warps.greatest(warp, r) = s.greatest[r], warps.sum(warp, r) = s.sum[r];
#pragma unroll
        for (int e = 0; e < EIGHT; e++) {
            unsigned d = column_of<C>(kz_lane(), lanes, e);
            if (kz_lane() < lanes && d < p.dimension) warps.out(warp, r)[d] = s.out[r][e];
        }
    }
    __syncthreads();
    return warps;
}

// Entry points for 1, 4 and 8 rows: X(rows, operation, type, T, C).
#define DECODE_ROWS(X, operation, type, T, C)                                                                \
    X(1, operation, type, T, C) X(4, operation, type, T, C) X(8, operation, type, T, C)

#endif
