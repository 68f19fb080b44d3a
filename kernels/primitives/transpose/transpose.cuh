// transpose: what the variants share. out[c][r] = in[r][c]; in is rows x columns, row-major.
//
// The grid is one-dimensional (its x alone may pass 65535 blocks): a block finds its tile by its number.
#ifndef TRANSPOSE_CUH
#define TRANSPOSE_CUH

#include "kz/kernel.cuh"

// The first row and column of this block's tile, where tiles are `height` x `width` and go along the rows.
struct corner {
    size_t row, column;
};
static __device__ __forceinline__ corner find_tile(size_t columns, unsigned height, unsigned width) {
    unsigned across = (unsigned)((columns + width - 1) / width);
    return {(size_t)(blockIdx.x / across) * height, (size_t)(blockIdx.x % across) * width};
}

// The corner of tile `number`, where consecutive ones go down `most` rows of square tiles, then to the next column of tiles.
static __device__ __forceinline__ corner find_grouped_tile(size_t rows, size_t columns, unsigned side,
                                                           unsigned most, unsigned number) {
    unsigned down = (unsigned)((rows + side - 1) / side), across = (unsigned)((columns + side - 1) / side);
    unsigned group = down < most ? down : most;
    unsigned first = number / (group * across) * group;
    unsigned local = number % (group * across);
    unsigned height = down - first < group ? down - first : group; // the last group may be lower
    return {(size_t)(first + local % height) * side, (size_t)(local / height) * side};
}

// Entries for every size of element, named by one type of that size: KERNEL is a template over the element.
#define TRANSPOSE_ENTRY(idea, KERNEL, type, T)                                                               \
    KZ_ENTRY(transpose_##idea##_transpose_##type)(const T *in, T *out, size_t rows, size_t columns) {        \
        KERNEL(in, out, rows, columns);                                                                      \
    }
#define TRANSPOSE_ENTRIES(idea, KERNEL)                                                                      \
    TRANSPOSE_ENTRY(idea, KERNEL, u8, uint8_t)                                                               \
    TRANSPOSE_ENTRY(idea, KERNEL, u16, uint16_t)                                                             \
    TRANSPOSE_ENTRY(idea, KERNEL, u32, uint32_t)                                                             \
    TRANSPOSE_ENTRY(idea, KERNEL, i64, int64_t)

#endif
