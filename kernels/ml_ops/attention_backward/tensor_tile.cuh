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

// ---- one order of additions to dq ------------------------------------------------------------------------------------------

// Of a tile of queries of a head: where its counter is, and how many tiles of keys add to it before the block's own.
template <typename S, typename T>
static __device__ __forceinline__ size_t counter_index(const job<T> &j, size_t head, size_t row) {
    const kz_attention<T> &p = j.g.p;
    const size_t ROWS = S::QUERIES;
    size_t tiles = p.query_offsets ? p.queries / ROWS + p.batch + 1 : (p.queries + ROWS - 1) / ROWS;
    return (p.query_offsets ? head : j.b * p.heads + head) * tiles +
           (p.query_offsets ? j.s.query / ROWS + j.b : 0) + row / ROWS;
}
template <typename S, typename T>
static __device__ __forceinline__ unsigned tiles_before(const job<T> &j, size_t row) {
    return j.key / S::KEYS - kz_attention_first(j.g.p, j.s, row) / S::KEYS;
}
// By one thread: until so many have added, and that one more has.
static __device__ __forceinline__ void wait_for(const unsigned *counter, unsigned count) {
    unsigned added;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(added) : "l"(counter) : "memory");
    } while (added < count);
}
static __device__ __forceinline__ void count_one(unsigned *counter) {
    __threadfence(); // what has been added, before the count
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
// A block's number in the order in which blocks begin. All threads get it.
static __device__ __forceinline__ unsigned take_number(unsigned *blocks) {
    __shared__ unsigned taken;
    if (threadIdx.x == 0) taken = atomicAdd(blocks, 1);
    __syncthreads();
    return taken;
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

// No pair of the tiles is hidden, and nothing is added to a score: pairs need not be looked at one by one.
template <typename S, typename T>
static __device__ __forceinline__ bool is_plain(const job<T> &j, size_t row) {
    return !j.g.p.mask && is_whole(j.g.p, j.s, row, S::QUERIES, j.key, S::KEYS);
}

// The log-sum-exps and deltas of two queries of a tile.
struct row_pair {
    float base[2], delta[2];
    __device__ __forceinline__ row_pair(unsigned rows, unsigned query) {
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(base[0]), "=f"(delta[0]), "=f"(base[1]), "=f"(delta[1])
                     : "r"(rows + query * 8)
                     : "memory");
    }
};

// Scores become p, dp becomes ds, of 16 keys from `key` on and a tile of queries; 0 where the mask hides a pair.
template <typename S, bool plain, typename T>
static __device__ __forceinline__ void weigh(const job<T> &j, float *weights, float *slopes, unsigned rows,
                                             size_t head, size_t row, size_t key) {
    const kz_attention<T> &p = j.g.p;
    float scale = p.scale * LOG2_E;
#pragma unroll
    for (int n = 0; n < S::QUERIES / 8; n++) {
        unsigned query = n * 8 + kz_lane() % 4 * 2;
        row_pair pair(rows, query);
#pragma unroll
        for (int x = 0; x < 2; x++) {
            key_span span = {0, 16};
            if (!plain) span = span_of(j, row + query + x, key);
#pragma unroll
            for (int e = x; e < 4; e += 2) {
                int k = kz_lane() / 4 + e / 2 * 8;
                bool seen = plain || (k >= span.first && k < span.end);
                float below = weights[4 * n + e] * scale - pair.base[x];
                if (!plain && p.mask && seen)
                    below +=
                        LOG2_E *
                        kz_widen(p.mask[kz_attention_row(p.mask_at, j.b, head, row + query + x) + key + k]);
                float weight = seen ? power_of_2(below) : 0.0f;
                weights[4 * n + e] = weight;
                slopes[4 * n + e] = seen ? weight * (slopes[4 * n + e] - pair.delta[x]) : 0.0f;
            }
        }
    }
}

// The same of a plain tile, one after the other: p while dp is being made, then ds.
template <typename S>
static __device__ __forceinline__ void weigh_plain(float scale, float *weights, unsigned rows) {
#pragma unroll
    for (int n = 0; n < S::QUERIES / 8; n++) {
        row_pair pair(rows, n * 8 + kz_lane() % 4 * 2);
#pragma unroll
        for (int e = 0; e < 4; e++)
            weights[4 * n + e] = power_of_2(weights[4 * n + e] * scale - pair.base[e % 2]);
    }
}
template <typename S>
static __device__ __forceinline__ void slope_plain(const float *weights, float *slopes, unsigned rows) {
#pragma unroll
    for (int n = 0; n < S::QUERIES / 8; n++) {
        row_pair pair(rows, n * 8 + kz_lane() % 4 * 2);
#pragma unroll
        for (int e = 0; e < 4; e++)
            slopes[4 * n + e] = weights[4 * n + e] * (slopes[4 * n + e] - pair.delta[e % 2]);
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
