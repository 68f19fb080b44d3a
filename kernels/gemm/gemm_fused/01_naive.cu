// gemm_fused 01: CUDA cores
//
// Idea     an epilogue wants two neighbouring sums and their place. Any kernel that has those can have it.
// Change   the first version: a warp computes 16 x 8 of c, four sums per lane, from global memory; the chain of steps follows.
// Expect   right on every GPU, for every shape and address.
// Limit    four loads for four multiply-adds (04 has tensor cores).

#include "fused.cuh"

#define KERNEL(name, order, b_mn, type, T)                                                                   \
    KZ_ENTRY_BOUNDS(gemm_fused_naive_##name##_##order##_##type, FUSED_WARPS *KZ_WARP, 1)                     \
    (const T *a, const T *b, name##_epilogue<T>::Out *c, name##_epilogue<T>::X x, name##_epilogue<T>::Y y,   \
     size_t m, size_t n, size_t k) {                                                                         \
        kz_plain_gemm<b_mn>(a, b, c, m, n, k, name##_epilogue<T>::make(x, y, m, n, k, KZ_PLAIN_WIDTH));      \
    }
#define EPILOGUE(name, ...) FUSED_KERNELS(KERNEL, name)
#include "epilogues.def"
