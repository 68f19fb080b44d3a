// transpose 04: a tile in shared memory
//
// Idea     transpose the tile inside the multiprocessor, where a scattered access costs no DRAM.
// Change   a block reads a 32 x 32 tile row by row and writes it column by column: both coalesced.
// Expect   every sector moves once, whole.
// Limit    the 32 lanes that read a column of the f32 tile are 32 words apart: all in one of the 32 banks,
//          a 32-way bank conflict. Half types are 16 words apart: two banks, 16-way (see 05).

#include "transpose.cuh"

enum { SIDE = KZ_WARP, STEP = 8 }; // a block of 8 warps goes over the tile in 4 steps

template <typename T>
static __device__ __forceinline__ void shared_tile(const T *in, T *out, size_t rows, size_t columns) {
    __shared__ T tile[SIDE][SIDE];
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

TRANSPOSE_ENTRIES(shared_tile, shared_tile)
