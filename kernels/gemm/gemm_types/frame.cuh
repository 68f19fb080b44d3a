// gemm_types: kernels made of the frame kz/device/gemm.cuh. GEMM_TYPES_DIRECT: they write c themselves.
// GEMM_TYPES_TENSOR: a tensor map does.
#ifndef GEMM_TYPES_FRAME_CUH
#define GEMM_TYPES_FRAME_CUH

#include "gemm_types.cuh"
#include "kz/device/gemm.cuh"

// What a format says of a kernel; a variant adds the rest of what kz/device/gemm.cuh asks for.
template <typename F> struct problem : kz_gemm_defaults {
    typedef F format;
    typedef typename F::In In;
    typedef typename F::Sum Sum;
    typedef typename F::Out Out;
    enum {
        A_MN = false,
        B_MN = false,
        PROMOTE = F::PROMOTE,
        PARTS = F::PARTS,
        BLOCK_SCALES = F::SCALES == SCALES_BLOCK,
    };
};

template <typename G>
static __device__ __forceinline__ void run(const kz_tensor_map *a, const kz_tensor_map *b,
                                           const kz_tensor_map *c, const kz_gemm_out<typename G::Out> &out,
                                           size_t k, unsigned group, const float *scale_a,
                                           const float *scale_b) {
    kz_gemm_order order = kz_gemm_order_of<G>(out.m, out.n, 1, group);
    if constexpr (G::format::SCALES == SCALES_TENSOR)
        kz_gemm_run<G>(a, b, c, out, order, k, kz_chain_of(kz_scale_tensors{scale_a, scale_b}));
    else
        kz_gemm_run<G>(a, b, c, out, order, k, kz_chain_of(), 0, NULL, {scale_a, scale_b, out.m});
}

#define GEMM_TYPES_DIRECT(name, G)                                                                           \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<G>::THREADS, 1)                                                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b, G::Out *c, size_t m,  \
     size_t n, size_t k, unsigned group, const float *scale_a, const float *scale_b) {                       \
        run<G>(&a, &b, NULL, {c, m, n}, k, group, scale_a, scale_b);                                         \
    }
#define GEMM_TYPES_TENSOR(name, G)                                                                           \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<G>::THREADS, 1)                                                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, size_t m, size_t n, size_t k, unsigned group,                  \
     const float *scale_a, const float *scale_b) {                                                           \
        run<G>(&a, &b, &c, {NULL, m, n}, k, group, scale_a, scale_b);                                        \
    }

#endif
