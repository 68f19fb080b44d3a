// scan: what 04 and 05 put into the frame: tiles of several elements per thread, and the scan of their sums.
#ifndef SCAN_ROWS_CUH
#define SCAN_ROWS_CUH

#include "frame.cuh"

enum { ROWS = SCAN_ROWS };

template <typename Op>
static __device__ typename Op::value scan_block(typename Op::value own, typename Op::value *total) {
    typename Op::value inclusive = kz_scan_warp<Op>(own);
    typename Op::value before = kz_scan_warp_totals<Op, WARPS>(kz_shuffle(inclusive, KZ_WARP - 1), total);
    __syncthreads(); // the next call writes
    return Op::combine(before, kz_before_lane<Op>(inclusive));
}

// Elements of a warp's part, and of a tile.
template <typename Op> struct part {
    static const unsigned WARP = ROWS * KZ_WARP * kz_scan_view<Op>::PACK, TILE = WARPS * WARP;
    static __device__ __forceinline__ size_t first(size_t tile) { return tile * TILE + kz_warp() * WARP; }
};

#endif
