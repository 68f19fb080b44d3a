// What the kernels on tensor cores share: a tile of keys, the tiles of queries that it meets, and what becomes of a lane's sums.
#ifndef ATTENTION_BACKWARD_TENSOR_TILE_CUH
#define ATTENTION_BACKWARD_TENSOR_TILE_CUH

#include "attention_backward.cuh"
#include "kz/device/mma.cuh"
#include "tune.h"

// What a block works on.
template <typename T> struct job {
    backward<T, float> g;
    kz_attention_sequence s;
    size_t b, kv_head, key;
    bool units; // rows are whole units of 16 bytes at multiples of 16
};

// ---- a block's work ----------------------------------------------------------------------------------------------------

// The tiles of queries that a block goes along, of all heads that share its keys: `left` of them from (head, row) on.
struct tile_walk {
    unsigned left, head, row, first, end;
    template <typename S> __device__ __forceinline__ void next(void) {
        left--;
        row += S::QUERIES;
        if (row >= end) row = first, head++;
    }
};
template <typename S, typename T> static __device__ __forceinline__ tile_walk walk_of(const job<T> &j) {
    const kz_attention<T> &p = j.g.p;
    unsigned group = p.heads / p.kv_heads, head = j.kv_head * group;
    if (j.key >= j.s.keys) return {0, head, 0, 0, 0};
    size_t last = j.key + S::KEYS < j.s.keys ? j.key + S::KEYS : j.s.keys;
    unsigned first = first_query(p, j.s, j.key) / S::QUERIES * S::QUERIES;
    unsigned end = end_query(p, j.s, last - 1);
    unsigned each = end > first ? (end - first + S::QUERIES - 1) / S::QUERIES : 0;
    return {each * group, head, first, first, end};
}

// ---- p and ds ------------------------------------------------------------------------------------------------------

// Which keys query `i` sees, counted from `key`: from the first on, before the end. Either may be negative. A sequence has less than 2^31
// tokens, so that words of 32 bits are enough.
struct key_span {
    int first, end;
};
template <typename T>
static __device__ __forceinline__ key_span span_of(const job<T> &j, unsigned i, unsigned key) {
    unsigned queries = j.s.queries, keys = j.s.keys;
    size_t reach = j.g.p.reach;
    if (i >= queries) return {0, 0};
    if (reach == 0) return {-(int)key, (int)(keys - key)};
    unsigned end = i + 1 - queries + keys - key; // negative where all of them lie before `key`
    return {(int)(end - (reach < 0x7fffffff ? (unsigned)reach : 0x7fffffffu)), (int)end};
}

// Scores become p, dp becomes ds, of 16 keys from `key` on and a tile of queries; 0 where the mask hides a pair.
template <typename S, bool whole, typename T>
static __device__ __forceinline__ void weigh(const job<T> &j, float *weights, float *slopes, unsigned rows,
                                             size_t head, size_t row, size_t key) {
    const kz_attention<T> &p = j.g.p;
    float scale = p.scale * LOG2_E;
#pragma unroll
    for (int n = 0; n < S::QUERIES / 8; n++) {
        unsigned query = n * 8 + kz_lane() % 4 * 2;
        float base[2], delta[2];
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(base[0]), "=f"(delta[0]), "=f"(base[1]), "=f"(delta[1])
                     : "r"(rows + query * 8)
                     : "memory");
#pragma unroll
        for (int x = 0; x < 2; x++) {
            key_span span = {0, 16};
            if (!whole) span = span_of(j, row + query + x, key);
#pragma unroll
            for (int e = x; e < 4; e += 2) {
                int k = kz_lane() / 4 + e / 2 * 8;
                bool seen = whole || (k >= span.first && k < span.end);
                float below = weights[4 * n + e] * scale - base[x];
                if (p.mask && seen)
                    below +=
                        LOG2_E *
                        kz_widen(p.mask[kz_attention_row(p.mask_at, j.b, head, row + query + x) + key + k]);
                float weight = seen ? power_of_2(below) : 0.0f;
                weights[4 * n + e] = weight;
                slopes[4 * n + e] = seen ? weight * (slopes[4 * n + e] - delta[x]) : 0.0f;
            }
        }
    }
}

// ---- dk and dv ---------------------------------------------------------------------------------------------------------

// A lane's sums of 16 keys from `key` on and COLUMNS columns.
template <int COLUMNS, typename T>
static __device__ __forceinline__ void store_keys(const job<T> &j, T *to, const float *sums, float scale,
                                                  size_t key, unsigned column) {
    const kz_attention<T> &p = j.g.p;
    bool pairs = kz_aligned(to, 4) && (p.kv_at.token | p.kv_at.head | p.kv_at.batch | p.dimension) % 2 == 0;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        size_t k = key + kz_lane() / 4 + r * 8;
        if (k >= keys_written(p, j.s)) continue;
        T *row = to + kz_attention_row(p.kv_at, j.b, j.kv_head, j.s.key + k);
#pragma unroll
        for (int n = 0; n < COLUMNS / 8; n++) {
            unsigned d = column + n * 8 + kz_lane() % 4 * 2;
            // Behind a padded length sums are 0 times a number, which may be NaN.
            float low = k < j.s.keys ? scale * sums[4 * n + 2 * r] : 0.0f;
            float high = k < j.s.keys ? scale * sums[4 * n + 2 * r + 1] : 0.0f;
            if (pairs && d < p.dimension)
                *(uint32_t *)(row + d) = kz_pack_halves(T(), low, high);
            else {
                if (d < p.dimension) kz_narrow(&row[d], low);
                if (d + 1 < p.dimension) kz_narrow(&row[d + 1], high);
            }
        }
    }
}

#endif
