// embedding: tokens sorted by id, for the gradient. A radix sort from the last digit to the first, so tokens of one id keep
// their order: the sums that follow have the same bits in every run.
//
// Three launches for each digit: count (how often a tile has each digit), offset (where in its digit's range a tile
// begins), place. `counts` is digits x tiles; a digit's totals follow from its last tile. The key of a token whose id
// names no row, or the padding row, is `vocabulary`: it ends up past all others.
#ifndef EMBEDDING_SORT_CUH
#define EMBEDDING_SORT_CUH

#include "embedding.cuh"

struct embedding_digit {
    unsigned shift, bits;
    __device__ __forceinline__ unsigned of(unsigned key) const { return key >> shift & ((1u << bits) - 1); }
};

// Where a pass reads: ids, which are the first pass's, or what the pass before wrote.
struct embedding_source {
    embedding_ids ids;
    size_t padding;
    const unsigned *keys, *tokens; // NULL in the first pass

    __device__ __forceinline__ unsigned key(size_t i) const {
        if (keys) return keys[i];
        unsigned long long id = ids.at(i);
        return (unsigned)(ids.names_row(id) && id + 1 != padding ? id : ids.vocabulary);
    }
    __device__ __forceinline__ unsigned token(size_t i) const { return keys ? tokens[i] : (unsigned)i; }
};

static __device__ __forceinline__ void embedding_count(const embedding_source &from, embedding_digit digit,
                                                       unsigned *counts, size_t n) {
    __shared__ unsigned counter[EMBEDDING_DIGITS];
    for (unsigned d = threadIdx.x; d < EMBEDDING_DIGITS; d += blockDim.x) counter[d] = 0;
    __syncthreads();
    size_t tile = (size_t)blockIdx.x * EMBEDDING_SORT_TILE;
    for (size_t i = tile + threadIdx.x; i < tile + EMBEDDING_SORT_TILE && i < n; i += blockDim.x)
        atomicAdd(&counter[digit.of(from.key(i))], 1u);
    __syncthreads();
    for (unsigned d = threadIdx.x; d < 1u << digit.bits; d += blockDim.x)
        counts[(size_t)d * gridDim.x + blockIdx.x] = counter[d];
}

static __device__ __forceinline__ unsigned embedding_scan_lanes(unsigned value) { // inclusive
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        unsigned before = __shfl_up_sync(KZ_ALL_LANES, value, step);
        if (kz_lane() >= step) value += before;
    }
    return value;
}

// A warp for each digit: its counts become what lies before each tile, and its total goes to totals[digit].
static __device__ __forceinline__ void embedding_offset(unsigned *counts, unsigned *totals, unsigned digits,
                                                        size_t tiles) {
    unsigned digit = blockIdx.x * kz_warps() + kz_warp(), sum = 0;
    if (digit >= digits) return;
    counts += digit * tiles;
    for (size_t first = 0; first < tiles; first += KZ_WARP) {
        size_t tile = first + kz_lane();
        unsigned count = tile < tiles ? counts[tile] : 0, scanned = embedding_scan_lanes(count);
        if (tile < tiles) counts[tile] = sum + scanned - count;
        sum += __shfl_sync(KZ_ALL_LANES, scanned, KZ_WARP - 1);
    }
    if (kz_lane() == 0) totals[digit] = sum;
}

enum { EMBEDDING_WARPS = EMBEDDING_THREADS / KZ_WARP };

// What lies before each digit, by the first warp: totals are few.
static __device__ __forceinline__ void embedding_scan_totals(const unsigned *totals, unsigned digits,
                                                             unsigned *before) {
    if (kz_warp() != 0) return;
    unsigned sum = 0;
    for (unsigned first = 0; first < digits; first += KZ_WARP) {
        unsigned digit = first + kz_lane(), total = digit < digits ? totals[digit] : 0;
        unsigned scanned = embedding_scan_lanes(total);
        if (digit < digits) before[digit] = sum + scanned - total;
        sum += __shfl_sync(KZ_ALL_LANES, scanned, KZ_WARP - 1);
    }
}

// A warp takes EMBEDDING_ROUNDS * 32 tokens that follow each other, so that order is kept: by round, then by lane.
static __device__ __forceinline__ void embedding_place(const embedding_source &from, embedding_digit digit,
                                                       const unsigned *counts, const unsigned *totals,
                                                       unsigned *keys, unsigned *tokens, size_t n) {
    __shared__ unsigned counter[EMBEDDING_WARPS][EMBEDDING_DIGITS], before[EMBEDDING_DIGITS];
    const unsigned digits = 1u << digit.bits, warp = kz_warp(), none = EMBEDDING_DIGITS;
    for (unsigned d = kz_lane(); d < digits; d += KZ_WARP) counter[warp][d] = 0;
    embedding_scan_totals(totals, digits, before);
    __syncwarp();
    size_t first = (size_t)blockIdx.x * EMBEDDING_SORT_TILE + warp * (EMBEDDING_ROUNDS * KZ_WARP) + kz_lane();
    unsigned key[EMBEDDING_ROUNDS], rank[EMBEDDING_ROUNDS];
#pragma unroll
    for (int r = 0; r < EMBEDDING_ROUNDS; r++) {
        size_t i = first + r * KZ_WARP;
        key[r] = i < n ? from.key(i) : 0;
        unsigned d = i < n ? digit.of(key[r]) : none;
        unsigned peers = __match_any_sync(KZ_ALL_LANES, d), below = peers & ((1u << kz_lane()) - 1);
        rank[r] = d != none ? counter[warp][d] + __popc(below) : 0;
        __syncwarp();
        if (below == 0 && d != none) counter[warp][d] += __popc(peers);
        __syncwarp();
    }
    __syncthreads();
    for (unsigned d = threadIdx.x; d < digits; d += blockDim.x) {
        unsigned at = before[d] + counts[(size_t)d * gridDim.x + blockIdx.x];
        for (int w = 0; w < EMBEDDING_WARPS; w++) {
            unsigned count = counter[w][d];
            counter[w][d] = at;
            at += count;
        }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < EMBEDDING_ROUNDS; r++) {
        size_t i = first + r * KZ_WARP;
        if (i >= n) continue;
        unsigned to = counter[warp][digit.of(key[r])] + rank[r];
        keys[to] = key[r];
        tokens[to] = from.token(i);
    }
}

// Where each id's tokens begin and end in sorted order. Ids without tokens keep the zeros that the plan fills in.
static __device__ __forceinline__ void embedding_bounds(const unsigned *keys, unsigned *begins,
                                                        unsigned *ends, size_t n, size_t vocabulary) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        unsigned key = keys[i];
        if (key >= vocabulary) continue;
        if (i == 0 || keys[i - 1] != key) begins[key] = (unsigned)i;
        if (i == n - 1 || keys[i + 1] != key) ends[key] = (unsigned)i + 1;
    }
}

// The launches that the variant `idea` sorts by.
#define EMBEDDING_SORT_ENTRIES(idea)                                                                         \
    KZ_ENTRY(embedding_##idea##_count)                                                                       \
    (const void *ids, const unsigned *keys, const unsigned *tokens, unsigned *counts, size_t n,              \
     size_t vocabulary, size_t wide, size_t padding, size_t shift, size_t bits, size_t first) {              \
        embedding_source from = {{ids, vocabulary, wide != 0}, padding, first ? NULL : keys, tokens};        \
        embedding_count(from, embedding_digit{(unsigned)shift, (unsigned)bits}, counts, n);                  \
    }                                                                                                        \
    KZ_ENTRY(embedding_##idea##_offset)                                                                      \
    (unsigned *counts, unsigned *totals, size_t digits, size_t tiles) {                                      \
        embedding_offset(counts, totals, (unsigned)digits, tiles);                                           \
    }                                                                                                        \
    KZ_ENTRY(embedding_##idea##_place)                                                                       \
    (const void *ids, const unsigned *keys, const unsigned *tokens, const unsigned *counts, size_t n,        \
     size_t vocabulary, size_t wide, size_t padding, size_t shift, size_t bits, size_t first,                \
     const unsigned *totals, unsigned *keys_out, unsigned *tokens_out) {                                     \
        embedding_source from = {{ids, vocabulary, wide != 0}, padding, first ? NULL : keys, tokens};        \
        embedding_place(from, embedding_digit{(unsigned)shift, (unsigned)bits}, counts, totals, keys_out,    \
                        tokens_out, n);                                                                      \
    }                                                                                                        \
    KZ_ENTRY(embedding_##idea##_bounds)                                                                      \
    (const unsigned *keys, unsigned *begins, unsigned *ends, size_t n, size_t vocabulary) {                  \
        embedding_bounds(keys, begins, ends, n, vocabulary);                                                 \
    }

#endif
