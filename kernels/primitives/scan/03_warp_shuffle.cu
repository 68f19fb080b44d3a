// scan 03: warp shuffle
//
// Idea     within a warp nobody has to wait, and 01's waste costs nothing: all 32 lanes run anyway.
// Change   01's steps by shuffles, in registers; the warps' totals meet in shared memory, where each warp
//          scans them for itself.
// Expect   one barrier before the totals are read and one before they are written again, no bank conflicts.
// Limit    10 shuffles and 2 barriers for one element per thread (see 04).

#include "frame.cuh"

template <typename Op>
static __device__ typename Op::value scan_block(typename Op::value own, typename Op::value *total) {
    typedef typename Op::value A;
    __shared__ A of_warp[WARPS];
    A inclusive = kz_scan_warp<Op>(own);
    if (kz_lane() == KZ_WARP - 1) of_warp[kz_warp()] = inclusive;
    __syncthreads();
    A sums = kz_scan_warp<Op>(kz_lane() < WARPS ? of_warp[kz_lane()] : Op::identity());
    __syncthreads(); // the next call writes
    A before = kz_before_lane<Op>(inclusive);
    A before_warp = kz_shuffle(kz_before_lane<Op>(sums), kz_warp());
    *total = kz_shuffle(sums, WARPS - 1);
    return Op::combine(before_warp, before);
}

#define ENTRY(operation, type, op) SCAN_FRAME(warp_shuffle, operation, type, op)
SCAN_FEW(ENTRY)
