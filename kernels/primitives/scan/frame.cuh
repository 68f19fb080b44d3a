// scan: the frame in which 01 to 04 scan any number of elements, for their own idea ends at one block.
//
// Three kernels. `tiles`: each block scans a tile by itself and writes its total. `sums`: one block turns the
// totals into what lies before each tile. `carry`: each element gets what lies before its tile. In between
// the elements are values: in `out` itself where element and value are one type, in the workspace elsewhere,
// so that a half is rounded once.
//
// A variant defines scan_block: what lies before this thread's value within the block, and the total of all
// SCAN_THREADS threads, for every thread. It may be called again at once.
#ifndef SCAN_FRAME_CUH
#define SCAN_FRAME_CUH

#include "scan.cuh"
#include "tune.h"

enum { THREADS = SCAN_THREADS, WARPS = THREADS / KZ_WARP };

template <typename Op>
static __device__ typename Op::value scan_block(typename Op::value own, typename Op::value *total);

// One element per thread: a tile is THREADS elements.
template <typename Op>
static __device__ __forceinline__ void scan_tiles(const typename Op::element *in, const uint8_t *heads,
                                                  typename Op::value *local, typename Op::value *sums,
                                                  size_t n, size_t exclusive) {
    size_t i = kz_thread();
    typename Op::value own = i < n ? lift_at<Op>(in, heads, i) : Op::identity(), total;
    typename Op::value before = scan_block<Op>(own, &total);
    if (i < n) local[i] = exclusive ? Op::exclude(before, own) : Op::combine(before, own);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// One block; sums[i] becomes the combination of those before it. Each thread takes several beside each other:
// a block alone waits for memory most of the time, and so has to ask for more at once.
template <typename Op> static __device__ __forceinline__ void scan_sums(typename Op::value *sums, size_t n) {
    const int ITEMS = SCAN_SUMS_ITEMS;
    typename Op::value carry = Op::identity();
    for (size_t first = 0; first < n; first += THREADS * ITEMS) {
        size_t i = first + threadIdx.x * ITEMS;
        typename Op::value own[ITEMS], sum = Op::identity(), total;
#pragma unroll
        for (int k = 0; k < ITEMS; k++) own[k] = i + k < n ? sums[i + k] : Op::identity();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) sum = Op::combine(sum, own[k]);
        typename Op::value before = Op::combine(carry, scan_block<Op>(sum, &total));
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (i + k < n) sums[i + k] = before;
            before = Op::combine(before, own[k]);
        }
        carry = Op::combine(carry, total);
    }
}

// Tiles of `tile` elements, the first of which has `shift` fewer.
template <typename Op>
static __device__ __forceinline__ void scan_carry(const typename Op::value *local,
                                                  const typename Op::value *sums, typename Op::element *out,
                                                  size_t n, unsigned tile, unsigned shift) {
    size_t i = kz_thread();
    if (i < n) out[i] = Op::lower(Op::combine(sums[(i + shift) / tile], local[i]));
}

#define SCAN_SUMS(idea, operation, type, op)                                                                 \
    KZ_ENTRY(scan_##idea##_sums_##operation##_##type)(SCAN_VALUE(op) * sums, size_t n) {                     \
        scan_sums<SCAN_OP op>(sums, n);                                                                      \
    }
// The three entry points of a variant with one element per thread.
#define SCAN_FRAME(idea, operation, type, op)                                                                \
    KZ_ENTRY(scan_##idea##_##operation##_##type)                                                             \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_VALUE(op) * local, SCAN_VALUE(op) * sums,       \
     size_t n, size_t exclusive) {                                                                           \
        scan_tiles<SCAN_OP op>(in, heads, local, sums, n, exclusive);                                        \
    }                                                                                                        \
    SCAN_SUMS(idea, operation, type, op)                                                                     \
    KZ_ENTRY(scan_##idea##_carry_##operation##_##type)                                                       \
    (const SCAN_VALUE(op) * local, const SCAN_VALUE(op) * sums, SCAN_ELEMENT(op) * out, size_t n) {          \
        scan_carry<SCAN_OP op>(local, sums, out, n, THREADS, 0);                                             \
    }

#endif
