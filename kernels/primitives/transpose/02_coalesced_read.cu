// transpose 02: coalesced reads
//
// Idea     a warp that reads 32 neighbours of a row reads them in one request.
// Change   a block is 8 x 32 elements: each warp has one piece of a row.
// Expect   reads are perfect; each lane's write goes to a row of its own: 32 sectors for 32 elements.
// Limit    a sector of 32 bytes is written for 4 (or 2) of them; L2 must merge what other warps add to it.

#include "transpose.cuh"

enum { HEIGHT = 8, WIDTH = KZ_WARP };

template <typename T>
static __device__ __forceinline__ void coalesced_read(const T *in, T *out, size_t rows, size_t columns) {
    corner tile = find_tile(columns, HEIGHT, WIDTH);
    size_t row = tile.row + kz_warp();
    size_t column = tile.column + kz_lane();
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

TRANSPOSE_ENTRIES(coalesced_read, coalesced_read)
