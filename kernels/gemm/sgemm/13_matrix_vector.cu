// sgemm 13: few rows or few columns
//
// Idea     with one row of a, all of b is read for two flops per number: memory is the limit, and a tile of 64 rows wastes
//          63 of them.
// Change   up to 8 rows: a block has 128 columns, its warps take rows of b by turns and hold eight of them in flight; a's
//          numbers come from shared memory. Up to 8 columns: a warp has 4 or 8 rows of a, and its lanes go along k. In both,
//          blocks divide k and add up as in 11. Kernels for 1, 2, 4 and 8.
// Expect   the time in which the large matrix can be read.
// Limit    from 16 rows or columns on, tiles of 16 are as fast (see 14). Others are refused.
// kz: sm 90

#include "vector.cuh"

VECTOR_ENTRIES(sgemm_matrix_vector)
