// transpose 03: coalesced writes
//
// Idea     a scattered read can be served from a cache, a scattered write must be merged: scatter the reads.
// Change   a block is 32 x 8 elements: each warp has one piece of a column, which is a piece of a row of out.
// Expect   writes are perfect; each lane reads a row of its own, but the block's 8 columns of f32 are one
//          sector, so 7 of 8 reads find it in L1.
// Limit    32 requests per read instruction still pass through L1 (see 04).

#include "transpose.cuh"

enum { HEIGHT = KZ_WARP, WIDTH = 8 };

template <typename T>
static __device__ __forceinline__ void coalesced_write(const T *in, T *out, size_t rows, size_t columns) {
    corner tile = find_tile(columns, HEIGHT, WIDTH);
    size_t row = tile.row + kz_lane();
    size_t column = tile.column + kz_warp();
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

TRANSPOSE_ENTRIES(coalesced_write, coalesced_write)
