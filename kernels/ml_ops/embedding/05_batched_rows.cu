// embedding 05: batches of rows, 16 bytes per access
// kz: sm 80
//
// Idea     additions have an order, loads need none: start several before the first is added.
// Change   gradient: a thread owns 16 bytes of a row of the table, and its tokens' rows come in batches of 4, 2 and 1.
// Expect   an eighth of the instructions per element, four times the bytes in flight. Bound by DRAM where ids are spread.
//          sm_80 is for bf16, which one instruction rounds there; before, five do.
// Limit    a row of the table still has one owner for each 16 bytes: an id with many tokens takes as long as all of its
//          batches in turn (see 06).

#include "segments.cuh"
#include "sort.cuh"

template <int N, typename T>
static __device__ __forceinline__ void add_packs(embedding_sorted<T> rows, const unsigned *begins,
                                                 const unsigned *ends, T *d_table, size_t vocabulary) {
    const size_t packs = rows.dim / N;
    for (size_t at = kz_thread(); at < vocabulary * packs; at += kz_threads()) {
        size_t id = embedding_divide(at, packs), column = (at - id * packs) * N;
        float sum[N] = {};
        embedding_add_rows(sum, rows, begins[id], ends[id], column);
        embedding_store_sum(d_table + id * rows.dim + column, sum);
    }
}

EMBEDDING_SORT_ENTRIES(batched_rows)
#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(embedding_batched_rows_gradient_##type)                                                         \
    (const T *d_rows, const unsigned *order, const unsigned *begins, const unsigned *ends, T *d_table,       \
     size_t vocabulary, size_t dim) {                                                                        \
        const embedding_sorted<T> rows = {{d_rows, order, dim}};                                             \
        if (embedding_has_packs(d_rows, (const T *)d_table, dim))                                            \
            add_packs<16 / sizeof(T)>(rows, begins, ends, d_table, vocabulary);                              \
        else                                                                                                 \
            add_packs<1>(rows, begins, ends, d_table, vocabulary);                                           \
    }
EMBEDDING_TYPES(ENTRY)
