// permute 05: a tile of two axes
//
// Idea     where the last axis changes, it is a transpose of two axes, whatever the others do: transpose tiles of
//          these two in shared memory, as `transpose` does.
// Change   the plan finds the two axes and their strides; the others are batches. A block transposes a padded tile
//          of 32 x 32 elements. The divisions are paid once per block.
// Expect   both sides coalesced, no bank conflicts.
// Limit    32 elements are 128 bytes in f32, but 32 in u8; one element per lane and access (see 06). Axes
//          shorter than 32 leave lanes without work (see 07). Rows that stay whole belong to 04.

#include "tile.cuh"

enum { SIDE = KZ_WARP, STEP = 8, THREADS = SIDE * STEP };

template <typename T> static __device__ __forceinline__ void tile(const T *in, T *out, TILE_PARAMETERS) {
    __shared__ T transposed[SIDE][SIDE + 1];
    tile_origin at = find_tile(SIDE, TILE_ARGUMENTS);
    in += at.in;
    out += at.out;
#pragma unroll
    for (unsigned r = kz_warp(); r < SIDE; r += STEP)
        if (r < at.height && kz_lane() < at.width) transposed[r][kz_lane()] = in[r * in_pitch + kz_lane()];
    __syncthreads();
#pragma unroll
    for (unsigned c = kz_warp(); c < SIDE; c += STEP)
        if (c < at.width && kz_lane() < at.height) out[c * out_pitch + kz_lane()] = transposed[kz_lane()][c];
}

#define TILE(type, T)                                                                                        \
    KZ_ENTRY_BOUNDS(permute_shared_tile_permute_##type, THREADS, 1)(const T *in, T *out, TILE_PARAMETERS) {  \
        tile(in, out, TILE_ARGUMENTS);                                                                       \
    }
PERMUTE_SIZES(TILE)
