// embedding 07: rows without tokens
// kz: sm 80
//
// Idea     most rows of a large table have no token in a batch: for these a thread waits for two words and writes zeros.
// Change   gradient: a thread looks up EMBEDDING_TABLE_ROWS rows of the table at once and writes zeros where there is nothing
//          to add; then it adds up the others, one by one, as in 06.
// Expect   a fourth of the blocks, divisions and waits for begins and ends; where rows are empty, 64 bytes of stores per
//          thread follow one latency.
// Limit    rows that do have tokens follow each other in a thread.

#include "pieces.cuh"

template <int N, typename T>
static __device__ __forceinline__ void add_packs(const embedding_sorted<T> &rows, const piece_rows &pieces,
                                                 const piece_rows &large, const unsigned *begins,
                                                 const unsigned *ends, T *d_table, size_t vocabulary) {
    const size_t packs = rows.dim / N, share = (vocabulary + EMBEDDING_TABLE_ROWS - 1) / EMBEDDING_TABLE_ROWS;
    for (size_t at = kz_thread(); at < share * packs; at += kz_threads()) {
        size_t first = embedding_divide(at, packs), column = (at - first * packs) * N;
        unsigned filled = 0;
        bool empty[EMBEDDING_TABLE_ROWS];
#pragma unroll
        for (int r = 0; r < EMBEDDING_TABLE_ROWS; r++) {
            size_t id = first + r * share;
            empty[r] = id < vocabulary && begins[id] == ends[id];
            filled |= id < vocabulary && !empty[r] ? 1u << r : 0;
        }
#pragma unroll
        for (int r = 0; r < EMBEDDING_TABLE_ROWS; r++)
            if (empty[r])
                embedding_store(d_table + (first + r * share) * rows.dim + column, embedding_access<T, N>{});
        for (; filled; filled &= filled - 1) {
            size_t id = first + (__ffs(filled) - 1) * share;
            float sum[N] = {};
            add_segment(sum, rows, pieces, large, begins[id], ends[id], column);
            embedding_store_sum(d_table + id * rows.dim + column, sum);
        }
    }
}

EMBEDDING_SORT_ENTRIES(empty_rows)
EMBEDDING_LARGE_PIECES(empty_rows)
#define ENTRY(type, T)                                                                                       \
    EMBEDDING_PIECES(empty_rows, type, T)                                                                    \
    EMBEDDING_OWNERS(empty_rows, type, T)
EMBEDDING_TYPES(ENTRY)
