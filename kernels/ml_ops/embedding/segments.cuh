// embedding: sums of rows, in sorted order, for the gradient.
#ifndef EMBEDDING_SEGMENTS_CUH
#define EMBEDDING_SEGMENTS_CUH

#include "embedding.cuh"

// The rows of d_rows in sorted order: row i is that of token order[i].
template <typename T> struct embedding_rows {
    const T *d_rows;
    const unsigned *order;
    size_t dim;
    __device__ __forceinline__ const T *at(size_t i, size_t column) const {
        return d_rows + order[i] * dim + column;
    }
};

template <int N, typename T>
static __device__ __forceinline__ void embedding_add(float (&sum)[N], const embedding_access<T, N> &access) {
#pragma unroll
    for (int e = 0; e < N; e++) sum[e] += kz_widen(access.at[e]);
}

// `count` rows from `from` on: their loads are in flight together, they are added in order.
template <int count, int N, typename Rows>
static __device__ __forceinline__ void embedding_add_batch(float (&sum)[N], const Rows &rows, size_t from,
                                                           size_t column) {
    decltype(rows.template load<N>(0, 0)) access[count];
#pragma unroll
    for (int r = 0; r < count; r++) access[r] = rows.template load<N>(from + r, column);
#pragma unroll
    for (int r = 0; r < count; r++) embedding_add(sum, access[r]);
}

// Rows [from, to): whole batches, then the rest by its binary digits, so that a short segment does not wait row by row.
template <int N, typename Rows>
static __device__ __forceinline__ void embedding_add_rows(float (&sum)[N], const Rows &rows, size_t from,
                                                          size_t to, size_t column) {
    for (; from + EMBEDDING_SEGMENT_ROWS <= to; from += EMBEDDING_SEGMENT_ROWS)
        embedding_add_batch<EMBEDDING_SEGMENT_ROWS>(sum, rows, from, column);
#pragma unroll
    for (int rest = EMBEDDING_SEGMENT_ROWS / 2; rest > 0; rest /= 2)
        if (to - from & rest) {
            if (rest == 1) embedding_add_batch<1>(sum, rows, from, column);
            if (rest == 2) embedding_add_batch<2>(sum, rows, from, column);
            if (rest == 4) embedding_add_batch<4>(sum, rows, from, column);
            from += rest;
        }
}
static_assert(EMBEDDING_SEGMENT_ROWS <= 8, "embedding_add_rows has batches of 1, 2 and 4 for the rest");

// Sources of rows for them.
template <typename T> struct embedding_sorted : embedding_rows<T> {
    template <int N> __device__ __forceinline__ embedding_access<T, N> load(size_t i, size_t column) const {
        return embedding_load<T, N>(this->at(i, column));
    }
};

template <int N, typename T>
static __device__ __forceinline__ void embedding_store_sum(T *to, const float (&sum)[N]) {
    embedding_access<T, N> access;
#pragma unroll
    for (int e = 0; e < N; e++) kz_narrow(&access.at[e], sum[e]);
    embedding_store(to, access);
}

#endif
