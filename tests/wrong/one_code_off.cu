// Codes cut off toward zero in the place of the nearest: half of them are one code too low, and that is wrong.
// kz: block 32
// kz: grid ceil(m/16)*ceil(n/8)
// family: gemm_fused
// case: to_int8_nt-bf16-m136-n272-k72-uniform
// exit: 1
// expect: are wrong

#include "kz/device/gemm_plain.cuh"

struct cut_off {
    __device__ void apply(kz_pair &v, kz_position &) { v = {truncf(v.x), truncf(v.y)}; }
};

extern "C" __global__ void cut_to_int8_nt_bf16(const kz_bf16 *a, const kz_bf16 *b, int8_t *c,
                                               const float *scale, size_t m, size_t n, size_t k) {
    kz_plain_gemm<false>(a, b, c, m, n, k, kz_chain_of(kz_scale_by{scale}, cut_off{}));
}
