// compact: one tile in one pass, as 04 and 05 do it.
#ifndef COMPACT_ONE_PASS_CUH
#define COMPACT_ONE_PASS_CUH

#include "kz/device/tile_status.cuh"
#include "tile.cuh"

// A block of `WARPS` warps reads a tile once, sends its count, looks back, and writes what is selected. The last
// of `tiles` knows the total.
template <typename R, int WARPS, int ROWS>
static __device__ __forceinline__ void one_pass(const view<R> &all, typename R::element *out,
                                                unsigned *selected, size_t number, size_t tiles,
                                                const kz_tile_states &states, unsigned flag) {
    typedef block_tile<R, WARPS, ROWS> tile_type;
    __shared__ __align__(16) typename R::element compacted[tile_type::TILE];
    __shared__ unsigned before_tile;
    if (kz_warp() == 0 && kz_lane() < number) states.prefetch<unsigned>(number - 1 - kz_lane());
    tile_type tile(all, number);
    if (kz_warp() == 0) {
        unsigned prefix = 0;
        if (number > 0) {
            if (kz_lane() == 0) states.publish(number, flag, tile.total);
            prefix = kz_look_back<count>(states, number, flag);
        }
        if (kz_lane() == 0) {
            states.publish(number, flag + 1, prefix + tile.total);
            before_tile = prefix;
            if (number == tiles - 1) *selected = prefix + tile.total;
        }
    }
    __syncthreads();
    tile.write(all, compacted, out, before_tile);
}

#endif
