// kz: sm 89
// gemv 05: tensor cores
//
// Idea     03 pays for each product of each token; mma.m16n8k16 does 16 rows of W by 8 of x for the loads of one. A packed element need
//          never be a float: two or three logic instructions make a pair of halves of two of them, and their product is exact.
// Change   W is the A operand and x the B (tokens are the columns: swap AB). A lane's 16 bytes of a row are its fragment as they lie, for
//          the order of k is free as long as x has the same. Integers get the bits of a number by LOP3 and PRMT, fp8 by cvt; a
//          group's sum is multiplied by its scale in single precision. A block has 16 rows, its warps share k.
// Expect   one to eight tokens cost the same, sixteen hardly more; packed formats read a half to a fifth of the bytes.
// Limit    a lane's 16 bytes are 64 of a row for four of them: each load of a warp touches 8 rows. Blocks begin and end together,
//          and what a block has in flight is what its registers hold (see 06).

#include "direct.cuh"

#define ENTRY(format, FORMAT, type, T)                                                                       \
    ENTRY_OF(format, FORMAT, type, T, few, 1)                                                                \
    ENTRY_OF(format, FORMAT, type, T, many, 2)
#define ENTRY_OF(format, FORMAT, type, T, part, columns)                                                     \
    KZ_ENTRY_BOUNDS(gemv_tensor_##part##_##format##_##type, GEMV_DIRECT_WARPS *KZ_WARP, 1)                   \
    (const void *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k) {                        \
        run_direct<FORMAT, T, 1, columns, GEMV_DIRECT_PIECES, GEMV_DIRECT_WARPS>(                            \
            problem<T>{w, scale, x, y, (unsigned)m, n, k});                                                  \
    }
GEMV_ALL(ENTRY)
