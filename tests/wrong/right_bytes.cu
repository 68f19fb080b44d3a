// A right guest whose results are 8-bit floats: the zoo's steps on CUDA cores, for every such case of gemm_fused.
// kz: block 32
// kz: grid ceil(m/16)*ceil(n/8)
// family: gemm_fused
// exit: 0
// expect: checks passed

#include "kz/device/gemm_plain.cuh"

extern "C" __global__ void right_to_e4m3_nt_bf16(const kz_bf16 *a, const kz_bf16 *b, kz_e4m3 *c,
                                                 const float *scale, size_t m, size_t n, size_t k) {
    kz_plain_gemm<false>(a, b, c, m, n, k, kz_chain_of(kz_scale_by{scale}));
}
