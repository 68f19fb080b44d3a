// embedding: an id's tokens in pieces, for the gradient.
//
// Pieces of 32 tokens are counted from an id's first token, in sorted order; 32 pieces are a large one. Their sums are rows of
// floats in the workspace.
#ifndef EMBEDDING_PIECES_CUH
#define EMBEDDING_PIECES_CUH

#include "segments.cuh"
#include "sort.cuh"

enum { PIECE = EMBEDDING_PIECE, LARGE = EMBEDDING_PIECE * EMBEDDING_PIECE };

// Sums of pieces: rows of floats, in order. N of them are one access or two.
template <int N> struct piece_sum { float at[N]; };
struct piece_rows {
    const float *sums;
    size_t dim;
    template <int N> __device__ __forceinline__ piece_sum<N> load(size_t i, size_t column) const {
        piece_sum<N> piece;
        const float *from = sums + i * dim + column;
        if constexpr (N > 1) {
#pragma unroll
            for (int e = 0; e < N; e += 4) {
                kz_pack<float> pack = kz_load_pack<KZ_CACHE>(from + e);
#pragma unroll
                for (int k = 0; k < 4; k++) piece.at[e + k] = pack.at[k];
            }
        } else {
            piece.at[0] = *from;
        }
        return piece;
    }
};
template <int N>
static __device__ __forceinline__ void embedding_add(float (&sum)[N], const piece_sum<N> &piece) {
#pragma unroll
    for (int e = 0; e < N; e++) sum[e] += piece.at[e];
}

template <int N> static __device__ __forceinline__ void store_sum(float *to, const float (&sum)[N]) {
    if constexpr (N > 1) {
#pragma unroll
        for (int e = 0; e < N; e += 4) {
            kz_pack<float> pack;
#pragma unroll
            for (int k = 0; k < 4; k++) pack.at[k] = sum[e + k];
            kz_store_pack<KZ_CACHE>(to + e, pack);
        }
    } else {
        *to = sum[0];
    }
}

// Pieces of `tokens` tokens each, in which `rows` has PIECE rows. A piece that begins in a chunk of as many tokens covers the
// last of them: so the chunk's last token tells the id, and there is one piece at most. It goes to the chunk's row of `sums`;
// an id's pieces are in rows that follow each other.
template <int N, typename Rows>
static __device__ __forceinline__ void add_pieces(const Rows &rows, const unsigned *keys,
                                                  const unsigned *begins, const unsigned *ends, float *sums,
                                                  size_t n, size_t tokens, size_t vocabulary, size_t dim) {
    const size_t packs = dim / N;
    for (size_t at = kz_thread(); at < n / tokens * packs; at += kz_threads()) {
        size_t chunk = embedding_divide(at, packs), column = (at - chunk * packs) * N;
        size_t first = chunk * tokens, key = keys[first + tokens - 1];
        if (key >= vocabulary) continue;
        size_t begin = begins[key];
        if (begin < first) begin += (first - begin + tokens - 1) / tokens * tokens;
        if (begin + tokens > ends[key]) continue;
        float sum[N] = {};
        size_t row = begin / (tokens / PIECE);
        embedding_add_rows(sum, rows, row, row + PIECE, column);
        store_sum(sums + chunk * dim + column, sum);
    }
}

// Tokens [begin, end), which are all of an id: large pieces, pieces, rows.
template <int N, typename T>
static __device__ __forceinline__ void add_segment(float (&sum)[N], const embedding_sorted<T> &rows,
                                                   const piece_rows &pieces, const piece_rows &large,
                                                   size_t begin, size_t end, size_t column) {
    size_t at = begin;
    if (end - begin >= PIECE) {
        size_t large_count = (end - begin) / LARGE, count = (end - begin) / PIECE;
        embedding_add_rows(sum, large, begin / LARGE, begin / LARGE + large_count, column);
        embedding_add_rows(sum, pieces, begin / PIECE + large_count * PIECE, begin / PIECE + count, column);
        at += count * PIECE;
    }
    embedding_add_rows(sum, rows, at, end, column);
}

// ---- entries -------------------------------------------------------------------------------------------------

// The launches of the variant `idea` before its owners': pieces, for each type, and large pieces.
#define EMBEDDING_PIECES(idea, type, T)                                                                      \
    KZ_ENTRY(embedding_##idea##_pieces_gradient_##type)                                                      \
    (const T *d_rows, const unsigned *order, const unsigned *keys, const unsigned *begins,                   \
     const unsigned *ends, float *sums, size_t n, size_t vocabulary, size_t dim) {                           \
        const embedding_sorted<T> rows = {{d_rows, order, dim}};                                             \
        if (embedding_has_packs(d_rows, d_rows, dim))                                                        \
            add_pieces<16 / sizeof(T)>(rows, keys, begins, ends, sums, n, PIECE, vocabulary, dim);           \
        else                                                                                                 \
            add_pieces<1>(rows, keys, begins, ends, sums, n, PIECE, vocabulary, dim);                        \
    }
#define EMBEDDING_LARGE_PIECES(idea)                                                                         \
    KZ_ENTRY(embedding_##idea##_large)                                                                       \
    (const float *pieces, const unsigned *keys, const unsigned *begins, const unsigned *ends, float *sums,   \
     size_t n, size_t vocabulary, size_t dim) {                                                              \
        const piece_rows rows = {pieces, dim};                                                               \
        if (dim % 4 == 0)                                                                                    \
            add_pieces<4>(rows, keys, begins, ends, sums, n, LARGE, vocabulary, dim);                        \
        else                                                                                                 \
            add_pieces<1>(rows, keys, begins, ends, sums, n, LARGE, vocabulary, dim);                        \
    }
// And its owners', by add_packs<N>(rows, pieces, large pieces, begins, ends, d_table, vocabulary).
#define EMBEDDING_OWNERS(idea, type, T)                                                                      \
    KZ_ENTRY(embedding_##idea##_gradient_##type)                                                             \
    (const T *d_rows, const unsigned *order, const unsigned *begins, const unsigned *ends, T *d_table,       \
     size_t vocabulary, size_t dim, const float *pieces, const float *large) {                               \
        const embedding_sorted<T> rows = {{d_rows, order, dim}};                                             \
        const piece_rows of_piece = {pieces, dim}, of_large = {large, dim};                                  \
        if (embedding_has_packs(d_rows, (const T *)d_table, dim))                                            \
            add_packs<16 / sizeof(T)>(rows, of_piece, of_large, begins, ends, d_table, vocabulary);          \
        else                                                                                                 \
            add_packs<1>(rows, of_piece, of_large, begins, ends, d_table, vocabulary);                       \
    }

#endif
