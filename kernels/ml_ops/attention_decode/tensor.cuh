// Rows of queries that share keys, on tensor cores: what 05 and 06 do with tiles of keys and values in shared memory.
//
// Sixteen rows are one side of mma.m16n8k16; rows that there are not are zeros. Each of four warps takes 16 keys of a tile of 64 and
// keeps its own greatest scores, sums and weighted values; they are added at the end, as parts. A row of shared memory is padded
// so that ldmatrix, or the loads of bytes, find different banks.
//
// Bytes become f16 in registers, exactly, whatever q's type; rows of bf16 are scaled by a power of 2 such that f16 holds them: what is
// lost is below 2^-39 of a row's largest number. Weights of f16 are kept times 2^15, so that those of a long cache's many small ones
// are normal numbers. Which numbers of a row a lane multiplies is free as long as q and k agree, and v's columns may be
// computed in any order, so that a lane loads neighbours: of k eight numbers, 32 c + 8 t and those behind it, for two products;
// of v four columns, 32 c + 4 g and those behind it, of four keys.
#ifndef ATTENTION_DECODE_TENSOR_CUH
#define ATTENTION_DECODE_TENSOR_CUH

#include "decode.cuh"
#include "kz/device/bulk.cuh"

enum { ROWS = DECODE_TENSOR_ROWS, WARP_KEYS = DECODE_TILE / WARPS };

// What tensor cores multiply, and what f16 weights are multiplied by, as a power of 2.
template <typename T, typename C> struct factors { typedef T type; };
template <typename T> struct factors<T, kz_e4m3> { typedef kz_f16 type; };
static __device__ __forceinline__ constexpr float weight_exponent(kz_f16) { return 15.0f; }
static __device__ __forceinline__ constexpr float weight_exponent(kz_bf16) { return 0.0f; }
static __device__ __forceinline__ constexpr bool needs_scale(kz_f16, kz_bf16) { return true; } // of q, for it
template <typename M> static __device__ __forceinline__ constexpr bool needs_scale(M, M) { return false; }

// Where things lie in shared memory, in bytes: D numbers per row, of T in q and of C in k and v.
template <typename T, typename C, int D> struct layout {
    enum {
        BYTES = sizeof(C) == 1,
        ROW = D * sizeof(C),
        Q_ROW = DECODE_Q_ROW(D),
        K_ROW = DECODE_K_ROW(ROW, BYTES),
        V_ROW = DECODE_V_ROW(ROW),
        K_TILE = DECODE_TILE * K_ROW,
        STAGE = DECODE_STAGE(ROW, BYTES),
        STAGES = DECODE_STAGES(STAGE),
        Q = ROWS * Q_ROW,
    };
};

// ---- instructions --------------------------------------------------------------------------------------------

template <bool transpose>
static __device__ __forceinline__ void load_matrices(uint32_t (&to)[4], unsigned address) {
    if (transpose)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
}
static __device__ __forceinline__ void multiply(kz_bf16, float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                                uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ void multiply(kz_f16, float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                                uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ uint32_t pair_of(kz_bf16, float low, float high) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
static __device__ __forceinline__ uint32_t pair_of(kz_f16, float low, float high) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
static __device__ __forceinline__ uint4 shared_16(unsigned at) {
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(at)
                 : "memory");
    return x;
}
static __device__ __forceinline__ uint2 shared_8(unsigned at) {
    uint2 x;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(at) : "memory");
    return x;
}
static __device__ __forceinline__ uint32_t shared_4(unsigned at) {
    uint32_t x;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}

// ---- the cache that asynchronous copies cannot read ------------------------------------------------------------

template <typename T, typename C> static __device__ __forceinline__ bool has_units(const decode<T, C> &p) {
    return (p.kv_at.token | p.kv_at.head | p.kv_at.batch) * sizeof(C) % 16 == 0 && kz_aligned(p.k, 16) &&
           kz_aligned(p.v, 16);
}

// A tile number by number, by threads [0, DECODE_THREADS): rows that do not begin at multiples of 16 bytes.
template <int D, typename T, typename C>
static __device__ __forceinline__ void load_tile(const decode<T, C> &p, const tile &t, char *stage,
                                                 unsigned key) {
    typedef layout<T, C, D> L;
    for (unsigned i = threadIdx.x; i < DECODE_TILE * D; i += DECODE_THREADS) {
        unsigned row = i / D, d = i % D;
        bool there = key + row < t.end;
        size_t at = there ? cache_row(p, t.b, t.kv_head, key + row) + d : 0;
        *(C *)(stage + row * L::K_ROW + d * sizeof(C)) = there ? p.k[at] : C{};
        *(C *)(stage + L::K_TILE + row * L::V_ROW + d * sizeof(C)) = there ? p.v[at] : C{};
    }
}

// ---- q ---------------------------------------------------------------------------------------------------------

// The power of 2 that brings the row's largest finite number near 2^15.
template <int D, typename T> static __device__ __forceinline__ float scale_for(const T *row, bool is_row) {
    float largest = 0.0f;
    for (unsigned d = kz_lane(); d < D && is_row; d += KZ_WARP) {
        float size = fabsf(kz_widen(row[d]));
        if (size < __uint_as_float(0x7f800000u)) largest = fmaxf(largest, size);
    }
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(KZ_ALL_LANES, largest, step));
    int exponent = min(14 + 127 - (int)(__float_as_uint(largest) >> 23), 126);
    return largest == 0.0f ? 1.0f : __uint_as_float((unsigned)(exponent + 127) << 23);
}

// By all warps, into shared memory; rows that there are not are zeros. `inverse` gets what each row's scores are multiplied by. A
// barrier is the caller's.
template <int D, typename T, typename C>
static __device__ __forceinline__ void stage_q(const decode<T, C> &p, const tile &t, char *to,
                                               float *inverse) {
    typedef typename factors<T, C>::type M;
    for (unsigned row = kz_warp(); row < ROWS; row += kz_warps()) {
        bool is_row = row < t.rows;
        const T *from = p.q + (is_row ? row_at(p.q_at, t.b, head_of(t, row), query_of(t, row)) : 0);
        float scale = needs_scale(M(), T()) ? scale_for<D>(from, is_row) : 1.0f;
        M *q = (M *)(to + row * layout<T, C, D>::Q_ROW);
        for (unsigned d = kz_lane(); d < D; d += KZ_WARP)
            kz_narrow(&q[d], is_row ? kz_widen(from[d]) * scale : 0.0f);
        if (kz_lane() == 0) inverse[row] = 1.0f / scale;
    }
}

// The 16 x 32 numbers from column 32 c on, for two products: in the order that k's are loaded in.
template <typename T, typename C, int D>
static __device__ __forceinline__ void load_q(uint32_t (&low)[4], uint32_t (&high)[4], unsigned q, int c) {
    typedef layout<T, C, D> L;
    unsigned lane = kz_lane();
    if constexpr (L::BYTES) {
        uint4 upper = shared_16(q + lane / 4 * L::Q_ROW + (32 * c + lane % 4 * 8) * 2);
        uint4 lower = shared_16(q + (lane / 4 + 8) * L::Q_ROW + (32 * c + lane % 4 * 8) * 2);
        low[0] = upper.x, low[1] = lower.x, low[2] = upper.y, low[3] = lower.y;
        high[0] = upper.z, high[1] = lower.z, high[2] = upper.w, high[3] = lower.w;
    } else {
        unsigned at = q + (lane % 8 + lane / 8 % 2 * 8) * L::Q_ROW + (32 * c + lane / 16 * 8) * 2;
        load_matrices<false>(low, at);
        load_matrices<false>(high, at + 32);
    }
}

// ---- a warp's state ----------------------------------------------------------------------------------------------

// Of rows lane / 4 and that + 8, as mma leaves them.
template <int D> struct warp_sums {
    float greatest[2], sum[2], out[D / 8][4];
    float scale[2]; // of scores
    unsigned seen[2];
};

template <int D>
static __device__ __forceinline__ void clear(warp_sums<D> &s, const tile &t, float scale,
                                             const float *inverse) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        s.scale[i] = scale * inverse[kz_lane() / 4 + 8 * i];
        s.greatest[i] = MINUS_INFINITY, s.sum[i] = 0.0f;
        s.seen[i] = min(seen_by(t, kz_lane() / 4 + 8 * i), t.end);
    }
#pragma unroll
    for (int j = 0; j < D / 8; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) s.out[j][e] = 0.0f;
}

// ---- scores ------------------------------------------------------------------------------------------------------

// Of 16 rows and 16 keys: score[j][e] is of row lane / 4 + e / 2 * 8 and key 8 j + lane % 4 * 2 + e % 2.
template <typename T, typename C, int D>
static __device__ __forceinline__ void compute_scores(float (&score)[2][4], unsigned q, unsigned k) {
    typedef layout<T, C, D> L;
    typedef typename factors<T, C>::type M;
    unsigned lane = kz_lane();
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) score[j][e] = 0.0f;
#pragma unroll
    for (int c = 0; c < D / 32; c++) {
        uint32_t low[4], high[4];
        load_q<T, C, D>(low, high, q, c);
        if constexpr (L::BYTES) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                uint2 bytes = shared_8(k + (8 * j + lane / 4) * L::K_ROW + 32 * c + lane % 4 * 8);
                uint32_t first[2], second[2];
                kz_widen_four(kz_e4m3(), bytes.x, first);
                kz_widen_four(kz_e4m3(), bytes.y, second);
                multiply(M(), score[j], low, first[0], first[1]);
                multiply(M(), score[j], high, second[0], second[1]);
            }
        } else {
            uint32_t first[4], second[4]; // (keys 0 to 7, 8 to 15) x (k 0 to 7, 8 to 15)
            unsigned at = k + (lane % 8 + lane / 16 * 8) * L::K_ROW + (32 * c + lane / 8 % 2 * 8) * 2;
            load_matrices<false>(first, at);
            load_matrices<false>(second, at + 32);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                multiply(M(), score[j], low, first[2 * j], first[2 * j + 1]);
                multiply(M(), score[j], high, second[2 * j], second[2 * j + 1]);
            }
        }
    }
}

// Scores become weights times 2^exponent, and what was summed before is brought to the same base. `key` is the first of the 16.
template <int D>
static __device__ __forceinline__ void weigh(warp_sums<D> &s, float (&score)[2][4], unsigned key,
                                             float exponent) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float greatest = s.greatest[i];
#pragma unroll
        for (int j = 0; j < 2; j++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float &x = score[j][2 * i + e];
                x = key + 8 * j + kz_lane() % 4 * 2 + e < s.seen[i] ? x * s.scale[i] : MINUS_INFINITY;
                greatest = fmaxf(greatest, x);
            }
        greatest = fmaxf(greatest, __shfl_xor_sync(KZ_ALL_LANES, greatest, 1));
        greatest = fmaxf(greatest, __shfl_xor_sync(KZ_ALL_LANES, greatest, 2));
        float base = base_of(greatest), before = power_of_two(s.greatest[i] - base), sum = 0.0f;
#pragma unroll
        for (int j = 0; j < 2; j++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                sum += score[j][2 * i + e] = power_of_two(score[j][2 * i + e] - (base - exponent));
        s.greatest[i] = greatest;
        s.sum[i] = s.sum[i] * before + sum; // of this lane's keys; lanes add up at the end
#pragma unroll
        for (int j = 0; j < D / 8; j++) s.out[j][2 * i] *= before, s.out[j][2 * i + 1] *= before;
    }
}

// ---- values ------------------------------------------------------------------------------------------------------

template <typename T, typename C, int D>
static __device__ __forceinline__ void add_values(warp_sums<D> &s, const float (&weight)[2][4], unsigned v) {
    typedef layout<T, C, D> L;
    typedef typename factors<T, C>::type M;
    unsigned lane = kz_lane();
    const uint32_t a[4] = {pair_of(M(), weight[0][0], weight[0][1]), pair_of(M(), weight[0][2], weight[0][3]),
                           pair_of(M(), weight[1][0], weight[1][1]),
                           pair_of(M(), weight[1][2], weight[1][3])};
#pragma unroll
    for (int c = 0; c < D / 32; c++) {
        if constexpr (L::BYTES) {
            uint32_t b[2][4]; // of the keys of the lower and the upper half, of four columns
#pragma unroll
            for (int i = 0; i < 2; i++) {
                unsigned at = v + (8 * i + lane % 4 * 2) * L::V_ROW + 32 * c + lane / 4 * 4;
                uint32_t even = shared_4(at), odd = shared_4(at + L::V_ROW), two[2];
                kz_widen_four(kz_e4m3(), __byte_perm(even, odd, 0x5140), two);
                b[i][0] = two[0], b[i][1] = two[1];
                kz_widen_four(kz_e4m3(), __byte_perm(even, odd, 0x7362), two);
                b[i][2] = two[0], b[i][3] = two[1];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) multiply(M(), s.out[4 * c + j], a, b[0][j], b[1][j]);
        } else {
            unsigned at = v + (lane % 8 + lane / 8 % 2 * 8) * L::V_ROW + (32 * c + lane / 16 * 8) * 2;
#pragma unroll
            for (int h = 0; h < 2; h++) {
                uint32_t b[4]; // (keys 0 to 7, 8 to 15) of eight columns, and of the eight behind them
                load_matrices<true>(b, at + 32 * h);
                multiply(M(), s.out[4 * c + 2 * h], a, b[0], b[1]);
                multiply(M(), s.out[4 * c + 2 * h + 1], a, b[2], b[3]);
            }
        }
    }
}
// The column of out[j][e].
template <typename T, typename C, int D> static __device__ __forceinline__ unsigned column_of(int j, int e) {
    unsigned n = kz_lane() % 4 * 2 + e % 2;
    return layout<T, C, D>::BYTES ? j / 4 * 32 + n * 4 + j % 4 : j * 8 + n;
}

// A tile whose first key is `key`, by one warp: its 16 keys.
template <int D, typename T, typename C>
static __device__ __forceinline__ void fold_tile(const decode<T, C> &p, const tile &t, warp_sums<D> &s,
                                                 unsigned q, unsigned stage, unsigned key) {
    typedef layout<T, C, D> L;
    unsigned own = kz_warp() * WARP_KEYS;
    if (key + own >= t.end) return;
    float score[2][4];
    compute_scores<T, C, D>(score, q, stage + own * L::K_ROW);
    weigh(s, score, key + own, weight_exponent(typename factors<T, C>::type()));
    add_values<T, C, D>(s, score, stage + L::K_TILE + own * L::V_ROW);
}

// What a warp has, as a part in shared memory: where the stages were, so that they must be done with.
template <int D, typename T, typename C>
static __device__ __forceinline__ void store_warp(const decode<T, C> &p, const tile &t, warp_sums<D> &s,
                                                  const parts<ROWS> &warps) {
    const float unit = weight_exponent(typename factors<T, C>::type()) == 0.0f ? 1.0f : 0x1p-15f;
    unsigned warp = kz_warp();
#pragma unroll
    for (int i = 0; i < 2; i++) {
        unsigned row = kz_lane() / 4 + 8 * i;
        s.sum[i] += __shfl_xor_sync(KZ_ALL_LANES, s.sum[i], 1);
        s.sum[i] += __shfl_xor_sync(KZ_ALL_LANES, s.sum[i], 2);
        if (row >= t.rows) continue;
        if (kz_lane() % 4 == 0)
            warps.greatest(warp, row) = s.greatest[i], warps.sum(warp, row) = s.sum[i] * unit;
#pragma unroll
        for (int j = 0; j < D / 8; j++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                warps.out(warp, row)[column_of<T, C, D>(j, e)] = s.out[j][2 * i + e] * unit;
    }
}

// Entry points for four dimensions: X(D, operation, type, T, C).
#define DECODE_DIMENSIONS(X, operation, type, T, C)                                                          \
    X(64, operation, type, T, C)                                                                             \
    X(96, operation, type, T, C) X(128, operation, type, T, C) X(256, operation, type, T, C)

#endif
