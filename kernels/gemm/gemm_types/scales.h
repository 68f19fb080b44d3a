// gemm_types: how many factors a format has: none; one of a and one of b; one for each row of a, and for 128 rows of b,
// and as many elements along k. For kernels and C alike.
#ifndef GEMM_TYPES_SCALES_H
#define GEMM_TYPES_SCALES_H

enum { SCALES_NONE, SCALES_TENSOR, SCALES_BLOCK };

#endif
