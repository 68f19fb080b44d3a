// embedding 06: heavy ids split into pieces
// kz: sm 80
//
// Idea     cut the tokens of an id into pieces of 32, counted from its first: anybody may add a piece, and the order of all
//          additions stays fixed.
// Change   gradient: before the owners, a launch adds each whole piece, into a row of floats in the workspace, and a second one adds
//          32 pieces of an id each. An owner then adds large pieces, the pieces after them, and the rows after these.
// Expect   no thread adds more than 62 rows and a 1024th of the tokens, whatever the skew. What an id's row comes to
//          depends on its own tokens alone, to the last bit.
// Limit    two launches more, which end at once where no id is heavy; a piece is written and read once as floats, 1/32 of the
//          rows' bytes or 1/16 each way.

#include "pieces.cuh"

template <int N, typename T>
static __device__ __forceinline__ void add_packs(const embedding_sorted<T> &rows, const piece_rows &pieces,
                                                 const piece_rows &large, const unsigned *begins,
                                                 const unsigned *ends, T *d_table, size_t vocabulary) {
    const size_t packs = rows.dim / N;
    for (size_t at = kz_thread(); at < vocabulary * packs; at += kz_threads()) {
        size_t id = embedding_divide(at, packs), column = (at - id * packs) * N;
        float sum[N] = {};
        add_segment(sum, rows, pieces, large, begins[id], ends[id], column);
        embedding_store_sum(d_table + id * rows.dim + column, sum);
    }
}

EMBEDDING_SORT_ENTRIES(split_heavy)
EMBEDDING_LARGE_PIECES(split_heavy)
#define ENTRY(type, T)                                                                                       \
    EMBEDDING_PIECES(split_heavy, type, T)                                                                   \
    EMBEDDING_OWNERS(split_heavy, type, T)
EMBEDDING_TYPES(ENTRY)
