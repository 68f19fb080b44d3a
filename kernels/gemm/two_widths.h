// Tiles of two widths: c's first columns by wide tiles, its last ones by narrow ones, so that no multiprocessor has much more to do
// than another (NARROW_N of kz/device/gemm.cuh).
#ifndef GEMM_TWO_WIDTHS_H
#define GEMM_TWO_WIDTHS_H

#include "kz/family.h"

typedef struct gemm_widths {
    uint64_t wide, narrow;           // columns of tiles of each width
    uint64_t most_wide, most_narrow; // tiles of the block that has most to do
} gemm_widths;

// For `columns` columns and `down` tiles below one another in each, of all products, by `blocks` blocks that take tiles by
// turns, wide ones first. The block that has most to do has as little as can be; of equals, the one with more wide tiles.
gemm_widths gemm_choose_widths(uint64_t down, uint64_t columns, uint32_t wide_n, uint32_t narrow_n,
                               uint64_t blocks);

#endif
