// embedding 03: several rows in flight
//
// Idea     every row costs two latencies, its id's and its own: wait for those of several rows together.
// Change   gather: a thread moves the same pack of EMBEDDING_ROWS tokens. These are a whole share of the tokens apart, so that
//          neighbouring threads still write neighbouring bytes, however short a row is.
// Expect   one division per 64 bytes, and 64 bytes in flight per thread: a copy's speed where rows are not found in L2, and
//          more where they are.
// Limit    rows of less than 64 bytes read parts of lines.

#include "embedding.cuh"

template <int N, typename T>
static __device__ __forceinline__ void gather_packs(const T *table, embedding_ids ids, T *rows, size_t tokens,
                                                    size_t dim) {
    const size_t packs = dim / N, share = (tokens + EMBEDDING_ROWS - 1) / EMBEDDING_ROWS;
    for (size_t i = kz_thread(); i < share * packs; i += kz_threads()) {
        size_t first = embedding_divide(i, packs), column = (i - first * packs) * N;
        unsigned long long id[EMBEDDING_ROWS];
        embedding_access<T, N> access[EMBEDDING_ROWS] = {};
#pragma unroll
        for (int r = 0; r < EMBEDDING_ROWS; r++)
            id[r] = first + r * share < tokens ? ids.at(first + r * share) : ~0ull;
#pragma unroll
        for (int r = 0; r < EMBEDDING_ROWS; r++)
            if (ids.names_row(id[r])) access[r] = embedding_load<T, N>(table + id[r] * dim + column);
#pragma unroll
        for (int r = 0; r < EMBEDDING_ROWS; r++)
            if (first + r * share < tokens)
                embedding_store(rows + (first + r * share) * dim + column, access[r]);
    }
}

template <typename T>
static __device__ __forceinline__ void gather(const T *table, embedding_ids ids, T *rows, size_t tokens,
                                              size_t dim) {
    if (embedding_has_packs(table, rows, dim))
        gather_packs<16 / sizeof(T)>(table, ids, rows, tokens, dim);
    else
        gather_packs<1>(table, ids, rows, tokens, dim);
}
EMBEDDING_GATHER(rows_in_flight, gather)
