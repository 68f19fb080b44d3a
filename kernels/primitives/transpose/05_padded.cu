// transpose 05: a padded tile
//
// Idea     04 reads columns whose elements all lie in one bank or two; shift each row by one.
// Change   rows of the tile are 33 elements long, so that a column goes through all 32 banks.
// Expect   no conflicts, in f32 and in the half types.
// Limit    3% of the tile is wasted, and its rows are no longer aligned for wider accesses (see 06, 07).

#include "transpose.cuh"

enum { SIDE = KZ_WARP, STEP = 8 }; // a block of 8 warps goes over the tile in 4 steps

template <typename T>
static __device__ __forceinline__ void padded(const T *in, T *out, size_t rows, size_t columns) {
    __shared__ T tile[SIDE][SIDE + 1];
    corner from = find_tile(columns, SIDE, SIDE);
    size_t column = from.column + kz_lane();
#pragma unroll
    for (int step = 0; step < SIDE / STEP; step++) {
        unsigned r = kz_warp() + step * STEP;
        if (from.row + r < rows && column < columns)
            tile[r][kz_lane()] = in[(from.row + r) * columns + column];
    }
    __syncthreads();

    size_t row = from.row + kz_lane(); // now the lanes go down the column that was read across
#pragma unroll
    for (int step = 0; step < SIDE / STEP; step++) {
        unsigned c = kz_warp() + step * STEP;
        if (row < rows && from.column + c < columns) out[(from.column + c) * rows + row] = tile[kz_lane()][c];
    }
}

TRANSPOSE_ENTRIES(padded, padded)
