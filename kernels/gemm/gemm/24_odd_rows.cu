// kz: sm 90a
// gemm 24: rows that begin anywhere
//
// Idea     765 x 323 x 3718 is a short product, and the copies that pad its rows read and write 8 MB before it begins.
// Change   22 whose producer's four warps copy: cp.async brings the aligned units in which a row's part lies; they move them, shifted
//          into place and swizzled, to the stage (kz/device/gemm_odd.cuh).
// Expect   each element is fetched once. A chunk takes each of the four warps some 780 instructions, and the tensor cores 512 clocks:
//          they wait for a third of the time.
// Limit    a as written; where the product is long, 02 to 22 are faster behind their copies.

#include "frame.cuh"
#include "parts.cuh"

#define GEMM_ODD(idea, id, order, type, In, Out, a_mn, b_mn)                                                 \
    GEMM_KERNEL_OF_ODD(gemm_odd_rows_##order##_##type, id, In, a_mn, b_mn)
GEMM_NN_NT_OF(GEMM_ODD, odd_rows, ODD)
GEMM_ADD_PARTS
