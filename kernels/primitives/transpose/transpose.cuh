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

// The same for square tiles that go down the columns: consecutive blocks write neighbouring pieces of out's
// rows.
static __device__ __forceinline__ corner find_tile_down(size_t rows, unsigned side) {
    unsigned down = (unsigned)((rows + side - 1) / side);
    return {(size_t)(blockIdx.x % down) * side, (size_t)(blockIdx.x / down) * side};
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
