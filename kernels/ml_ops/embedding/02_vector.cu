// embedding 02: 16 bytes per access
//
// Idea     the elements of a row are neighbours on both sides: move 16 bytes at a time.
// Change   gather: a thread per pack of a row; single elements where rows do not begin at 16 bytes.
// Expect   a fourth or an eighth of the look-ups and divisions.
// Limit    a thread's one load waits for its id, and nothing else is in flight meanwhile (see 03).

#include "embedding.cuh"

template <int N, typename T>
static __device__ __forceinline__ void gather_packs(const T *table, embedding_ids ids, T *rows, size_t tokens,
                                                    size_t dim) {
    const size_t packs = dim / N; // of a row
    for (size_t i = kz_thread(); i < tokens * packs; i += kz_threads()) {
        size_t token = embedding_divide(i, packs), column = (i - token * packs) * N;
        unsigned long long id = ids.at(token);
        embedding_access<T, N> access = {};
        if (ids.names_row(id)) access = embedding_load<T, N>(table + id * dim + column);
        embedding_store(rows + token * dim + column, access);
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
EMBEDDING_GATHER(vector, gather)
