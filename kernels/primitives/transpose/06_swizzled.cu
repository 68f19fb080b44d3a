// transpose 06: a swizzled tile
//
// Idea     what 05 does with space can be done by permuting: no two elements of a column in one bank.
// Change   element (r, c) is kept at column c ^ r. For each r that is a permutation of the row, and for
//          each c the 32 rows have 32 different places.
// Expect   no conflicts and no padding; as fast as 05.
// Limit    one element per lane and instruction: four times the requests that are needed (see 07).

#include "transpose.cuh"

enum { SIDE = KZ_WARP, STEP = 8 }; // a block of 8 warps goes over the tile in 4 steps

template <typename T>
static __device__ __forceinline__ void swizzled(const T *in, T *out, size_t rows, size_t columns) {
    __shared__ T tile[SIDE][SIDE];
    corner from = find_tile(columns, SIDE, SIDE);
    size_t column = from.column + kz_lane();
#pragma unroll
    for (int step = 0; step < SIDE / STEP; step++) {
        unsigned r = kz_warp() + step * STEP;
        if (from.row + r < rows && column < columns)
            tile[r][kz_lane() ^ r] = in[(from.row + r) * columns + column];
    }
    __syncthreads();

    size_t row = from.row + kz_lane(); // now the lanes go down the column that was read across
#pragma unroll
    for (int step = 0; step < SIDE / STEP; step++) {
        unsigned c = kz_warp() + step * STEP;
        if (row < rows && from.column + c < columns)
            out[(from.column + c) * rows + row] = tile[kz_lane()][c ^ kz_lane()];
    }
}

TRANSPOSE_ENTRIES(swizzled, swizzled)
