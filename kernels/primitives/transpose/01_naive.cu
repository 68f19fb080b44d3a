// transpose 01: one element per thread, square blocks
//
// Idea     every element has its place: give each a thread, in blocks as square as the matrix.
// Change   the first version. A block is 16 x 16 elements, x along the columns.
// Expect   a warp reads two pieces of 16 elements and writes 16 pieces of 2: few bytes of each 32-byte
// sector. Limit    neither side is coalesced (see 02, 03).

#include "transpose.cuh"

enum { SIDE = 16 };

template <typename T>
static __device__ __forceinline__ void naive(const T *in, T *out, size_t rows, size_t columns) {
    corner tile = find_tile(columns, SIDE, SIDE);
    size_t row = tile.row + threadIdx.x / SIDE;
    size_t column = tile.column + threadIdx.x % SIDE;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

TRANSPOSE_ENTRIES(naive, naive)
