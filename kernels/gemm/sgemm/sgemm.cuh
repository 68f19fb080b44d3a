// sgemm: what the variants share. c = a * b; a is m x k, b is k x n, c is m x n, all row-major.
//
// The grid is one-dimensional (its x alone may pass 65535 blocks): a block finds its tile by its number.
#ifndef SGEMM_CUH
#define SGEMM_CUH

#include "kz/device/bulk.cuh"

// The first row and column of this block's tile of c, where tiles are `height` x `width` and go along the
// rows.
struct corner {
    size_t row, column;
};
static __device__ __forceinline__ corner find_tile(size_t n, unsigned height, unsigned width) {
    unsigned across = (unsigned)((n + width - 1) / width);
    return {(size_t)(blockIdx.x / across) * height, (size_t)(blockIdx.x % across) * width};
}

// Consecutive tiles go down `group` rows of tiles, then to the next column of tiles.
static __device__ __forceinline__ corner find_grouped_tile(unsigned tile, size_t m, size_t n, unsigned height,
                                                           unsigned width, unsigned group) {
    unsigned down = (unsigned)((m + height - 1) / height), across = (unsigned)((n + width - 1) / width);
    if (group > down) group = down;
    unsigned first = tile / (group * across) * group;
    unsigned local = tile % (group * across);
    unsigned tall = down - first < group ? down - first : group; // the last group may be lower
    return {(size_t)(first + local % tall) * height, (size_t)(local / tall) * width};
}

// An element of a matrix, 0 outside of it: zeros add nothing to a sum. (Not so where the other factor is
// infinite: k runs out for a and b at the same place, so there zeros meet zeros.)
static __device__ __forceinline__ float element(const float *matrix, size_t rows, size_t columns, size_t row,
                                                size_t column) {
    return row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
}

// Whether the rows of a matrix can be accessed by 16 bytes: all begin at such an address.
static __device__ __forceinline__ bool has_quads(const float *matrix, size_t columns) {
    return kz_aligned(matrix, 16) && columns % 4 == 0;
}

#endif
