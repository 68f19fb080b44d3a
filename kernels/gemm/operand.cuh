// What kernels of matrix products without tensor maps know of a matrix in memory.
#ifndef GEMM_OPERAND_CUH
#define GEMM_OPERAND_CUH

#include "kz/kernel.cuh"

// An operand in global memory: `outer` rows of `inner` elements. K-major: a row for each m or n. MN-major: one for each k.
template <typename T> struct operand {
    const T *at;
    size_t outer, inner;
};
template <bool mn, typename T>
static __device__ __forceinline__ operand<T> operand_of(const T *at, size_t rows, size_t k) {
    return mn ? operand<T>{at, k, rows} : operand<T>{at, rows, k};
}
// Rows of whole 16 bytes that begin at multiples of 16.
template <typename T> static __device__ __forceinline__ bool has_units(const operand<T> &o) {
    return kz_aligned(o.at, 16) && o.inner % (16 / sizeof(T)) == 0;
}

#endif
