// kz: sm 80
// Fused multiply-adds of pairs of bf16: see arithmetic.cu.

#include "arithmetic.cuh"

SQUARES(fma_bf16x2, uint32_t, bf16_start, "fma.rn.bf16x2 %0, %0, %0, %1;", "r", 0xbfe8bfe8u, as_it_is)
