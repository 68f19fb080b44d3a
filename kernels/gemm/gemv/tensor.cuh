// gemv: products by tensor cores, W's rows as the 16 rows of mma.m16n8k16 and x's as its 8 columns, for 04 and up.
//
// Lane 4 g + t of a warp has rows g and g + 8 of a tile of 16 rows, and row g of x. Which of its elements are which k of the
// product is nobody's business as long as W and x agree: a lane takes 16 adjacent bytes of a row at once (12 of INT3),
// and the same elements of x.
#ifndef GEMV_TENSOR_CUH
#define GEMV_TENSOR_CUH

#include "format.cuh"

// Elements of a row that the four lanes of it have in a piece each, and those that are multiplied in one step: a group has one scale.
template <int F> static constexpr int SPAN = 8 * piece<F>::PAIRS;
template <int F> static constexpr int STEP = F == DENSE ? SPAN<F> : GROUP;

template <typename T>
static __device__ __forceinline__ void multiply(float sum[4], unsigned a0, unsigned a1, unsigned a2,
                                                unsigned a3, unsigned b0, unsigned b1);
#define MULTIPLY(T, name)                                                                                    \
    template <>                                                                                              \
    __device__ __forceinline__ void multiply<T>(float sum[4], unsigned a0, unsigned a1, unsigned a2,         \
                                                unsigned a3, unsigned b0, unsigned b1) {                     \
        asm("mma.sync.aligned.m16n8k16.row.col.f32." name "." name ".f32 {%0, %1, %2, %3}, {%4, %5, %6, "    \
            "%7}, {%8, %9}, {%0, %1, %2, %3};"                                                               \
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                         \
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                         \
    }
MULTIPLY(kz_f16, "f16")
MULTIPLY(kz_bf16, "bf16")

// A piece of rows g and g + 8 of a tile by the same piece of 8 or 16 rows of x, added to the sums.
template <int F, typename T, int NT>
static __device__ __forceinline__ void multiply_piece(float sum[NT][4], const unsigned upper[piece<F>::WORDS],
                                                      const unsigned lower[piece<F>::WORDS],
                                                      const uint4 x[NT][piece<F>::PAIRS / 4]) {
    unsigned a[piece<F>::PAIRS], b[piece<F>::PAIRS];
    unpack<F, T>(upper, a);
    unpack<F, T>(lower, b);
#pragma unroll
    for (int q = 0; q < piece<F>::PAIRS / 4; q++)
#pragma unroll
        for (int i = 0; i < NT; i++) {
            multiply<T>(sum[i], a[4 * q], b[4 * q], a[4 * q + 1], b[4 * q + 1], x[i][q].x, x[i][q].y);
            multiply<T>(sum[i], a[4 * q + 2], b[4 * q + 2], a[4 * q + 3], b[4 * q + 3], x[i][q].z, x[i][q].w);
        }
}

#endif
