// permute: what the tiles of 05, 06 and 09 share.
//
// Where the last axis changes, two axes matter: the input's last, `columns`, contiguous there, and the one
// that becomes the last, `rows`, contiguous in the output. A tile is a piece of those two; the other axes,
// two at most, are batches with strides of their own on either side. Blocks take the tiles of a batch down
// its columns, so that those which run together write neighbouring pieces.
#ifndef PERMUTE_TILE_CUH
#define PERMUTE_TILE_CUH

#include "permute.cuh"

// The kernel's arguments behind in and out. sides: rows, and columns in the upper half. Strides are in
// elements: of a row in the input, of a column in the output, and of the batch axes on either side.
#define TILE_PARAMETERS                                                                                      \
    uint64_t sides, uint64_t in_pitch, uint64_t out_pitch, uint64_t across, uint64_t down, uint64_t batches, \
        uint64_t in_outer, uint64_t in_inner, uint64_t out_outer, uint64_t out_inner
#define TILE_ARGUMENTS                                                                                       \
    sides, in_pitch, out_pitch, across, down, batches, in_outer, in_inner, out_outer, out_inner

// This block's tile: its first elements' offsets, and how many rows and columns are left from there on.
struct tile_origin {
    size_t in, out;
    uint32_t height, width;
};
static __device__ __forceinline__ tile_origin find_tile(unsigned side, TILE_PARAMETERS) {
    uint32_t column, row, inner;
    uint32_t rest = divide(blockIdx.x, divider_unpack(down), &row);
    rest = divide(rest, divider_unpack(across), &column);
    uint32_t outer = divide(rest, divider_unpack(batches), &inner);
    tile_origin origin = {outer * in_outer + inner * in_inner + row * side * in_pitch + column * side,
                          outer * out_outer + inner * out_inner + column * side * out_pitch + row * side,
                          (uint32_t)sides - row * side, (uint32_t)(sides >> 32) - column * side};
    if (origin.height > side) origin.height = side;
    if (origin.width > side) origin.width = side;
    return origin;
}

#endif
