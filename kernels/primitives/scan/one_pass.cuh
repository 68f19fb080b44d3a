// scan: one tile of a scan in one pass, as 06 and 07 do it.
#ifndef SCAN_ONE_PASS_CUH
#define SCAN_ONE_PASS_CUH

#include "kz/device/tile_status.cuh"
#include "scan.cuh"
#include "tune.h"

// A block of `WARPS` warps reads a tile once, sends its total, looks back, and writes the tile once.
template <typename Op, int WARPS, int ROWS>
static __device__ __forceinline__ void one_pass(const kz_scan_view<Op> &all, typename Op::element *out,
                                                size_t tile, const kz_tile_states &states, unsigned flag,
                                                bool exclusive) {
    typedef typename Op::value A;
    const int PART = ROWS * KZ_WARP * kz_scan_view<Op>::PACK;
    __shared__ A before_tile;
    size_t first = (tile * WARPS + kz_warp()) * PART;
    kz_scan_row<Op> rows[ROWS];
    A before[ROWS], total;
    if (kz_warp() == 0 && kz_lane() < tile) states.prefetch<A>(tile - 1 - kz_lane());
    kz_load_rows(all, first, rows);
    A before_warp = kz_scan_warp_totals<Op, WARPS>(kz_scan_rows(rows, before), &total);
    if (kz_warp() == 0) {
        A prefix = Op::identity();
        if (tile > 0) {
            if (kz_lane() == 0) states.publish(tile, flag, total);
            prefix = kz_look_back<Op>(states, tile, flag);
        }
        if (kz_lane() == 0) {
            states.publish(tile, flag + 1, Op::combine(prefix, total));
            before_tile = prefix;
        }
    }
    __syncthreads();
    kz_store_rows(all, first, out, rows, before, Op::combine(before_tile, before_warp), exclusive);
}

#endif
