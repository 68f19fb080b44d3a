// scan 05: reduce-then-scan
//
// Idea     a tile's total can be had without its scan: reading is half the traffic of reading and writing.
// Change   the first kernel only reduces; the second scans the totals, as before; the third reads the tile
//          again, scans it with all that lies before it, and writes each element once, rounded once.
// Expect   12 bytes per float instead of 16, no values in between, no workspace but the totals.
// Limit    the second reading, and three launches (see 06).

#include "rows.cuh"

template <typename Op>
static __device__ __forceinline__ void reduce(const typename Op::element *in, const uint8_t *heads,
                                              typename Op::value *sums, size_t n) {
    kz_scan_row<Op> rows[ROWS];
    typename Op::value total;
    kz_load_rows(kz_scan_view<Op>(in, heads, n), part<Op>::first(blockIdx.x), rows);
    kz_scan_warp_totals<Op, WARPS>(kz_fold_rows(rows), &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

template <typename Op>
static __device__ __forceinline__ void scan(const typename Op::element *in, const uint8_t *heads,
                                            const typename Op::value *sums, typename Op::element *out,
                                            size_t n, size_t exclusive) {
    kz_scan_view<Op> all(in, heads, n);
    size_t first = part<Op>::first(blockIdx.x);
    kz_scan_row<Op> rows[ROWS];
    typename Op::value before[ROWS], total, carry = sums[blockIdx.x];
    kz_load_rows(all, first, rows);
    typename Op::value prefix = kz_scan_warp_totals<Op, WARPS>(kz_scan_rows(rows, before), &total);
    kz_store_rows(all, first, out, rows, before, Op::combine(carry, prefix), exclusive);
}

#define ENTRY(operation, type, op)                                                                           \
    KZ_ENTRY_BOUNDS(scan_reduce_then_scan_reduce_##operation##_##type, THREADS, 4)                           \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_VALUE(op) * sums, size_t n) {                   \
        reduce<SCAN_OP op>(in, heads, sums, n);                                                              \
    }                                                                                                        \
    SCAN_SUMS(reduce_then_scan, operation, type, op)                                                         \
    KZ_ENTRY_BOUNDS(scan_reduce_then_scan_##operation##_##type, THREADS, 4)                                  \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, const SCAN_VALUE(op) * sums, SCAN_ELEMENT(op) * out, \
     size_t n, size_t exclusive) {                                                                           \
        scan<SCAN_OP op>(in, heads, sums, out, n, exclusive);                                                \
    }
SCAN_ROUNDED(ENTRY)
