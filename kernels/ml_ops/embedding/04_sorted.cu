// embedding 04: tokens sorted by id
//
// Idea     where the tokens of an id are known, its row of the gradient has one owner: no atomics, and one order.
// Change   gradient: a radix sort of the tokens by id (sort.cuh), then a thread for each element of the table adds its id's
//          tokens in order, in a register. Every element is written once, rows without tokens too: nothing is filled before.
// Expect   the same bits in every run; reads and writes are the least there can be, and the sort's few bytes per token.
// Limit    accesses of one element, and the rows of an id one after the other (see 05).

#include "segments.cuh"
#include "sort.cuh"

template <typename T>
static __device__ __forceinline__ void add_all(embedding_rows<T> rows, const unsigned *begins,
                                               const unsigned *ends, T *d_table, size_t vocabulary) {
    for (size_t at = kz_thread(); at < vocabulary * rows.dim; at += kz_threads()) {
        size_t id = embedding_divide(at, rows.dim), column = at - id * rows.dim;
        float sum = 0.0f;
        for (size_t i = begins[id]; i < ends[id]; i++) sum += kz_widen(*rows.at(i, column));
        kz_narrow(&d_table[at], sum);
    }
}

EMBEDDING_SORT_ENTRIES(sorted)
#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(embedding_sorted_gradient_##type)                                                               \
    (const T *d_rows, const unsigned *order, const unsigned *begins, const unsigned *ends, T *d_table,       \
     size_t vocabulary, size_t dim) {                                                                        \
        add_all(embedding_rows<T>{d_rows, order, dim}, begins, ends, d_table, vocabulary);                   \
    }
EMBEDDING_TYPES(ENTRY)
