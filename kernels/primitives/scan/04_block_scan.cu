// scan 04: several elements per thread
//
// Idea     what a thread combines in its own registers costs no shuffle, no barrier and no shared memory.
// Change   a lane loads four packs of 16 bytes; a row of 32 packs is scanned with 5 shuffles, whatever a pack
//          holds, and the warps meet once for all rows.
// Expect   5 shuffles for 4 floats instead of 10 for one, 2 barriers for 4096 instead of for 256; the first
//          kernel is now bound by DRAM.
// Limit    the frame: each element is written, read and written again, 16 bytes instead of 8 (see 05).

#include "rows.cuh"

template <typename Op>
static __device__ __forceinline__ void block_scan(const typename Op::element *in, const uint8_t *heads,
                                                  typename Op::value *local, typename Op::value *sums,
                                                  size_t n, size_t exclusive) {
    kz_scan_view<Op> all(in, heads, n);
    size_t first = part<Op>::first(blockIdx.x);
    kz_scan_row<Op> rows[ROWS];
    typename Op::value before[ROWS], total;
    kz_load_rows(all, first, rows);
    typename Op::value prefix = kz_scan_warp_totals<Op, WARPS>(kz_scan_rows(rows, before), &total);
    kz_store_rows(all, first, local, rows, before, prefix, exclusive);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

#define ENTRY(operation, type, op)                                                                           \
    KZ_ENTRY_BOUNDS(scan_block_scan_##operation##_##type, THREADS, 4)                                        \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_VALUE(op) * local, SCAN_VALUE(op) * sums,       \
     size_t n, size_t exclusive) {                                                                           \
        block_scan<SCAN_OP op>(in, heads, local, sums, n, exclusive);                                        \
    }                                                                                                        \
    SCAN_SUMS(block_scan, operation, type, op)                                                               \
    KZ_ENTRY(scan_block_scan_carry_##operation##_##type)                                                     \
    (const SCAN_ELEMENT(op) * in, const SCAN_VALUE(op) * local, const SCAN_VALUE(op) * sums,                 \
     SCAN_ELEMENT(op) * out, size_t n) {                                                                     \
        unsigned shift = (unsigned)kz_scan_view<SCAN_OP op>(in, NULL, n).begin;                              \
        scan_carry<SCAN_OP op>(local, sums, out, n, part<SCAN_OP op>::TILE, shift);                          \
    }
SCAN_FEW(ENTRY)
