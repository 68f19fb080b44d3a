// A mask as a factor of 0 or 1: NaN times 0 is NaN, and what is dropped must be 0 whatever it was.
// kz: block 32
// kz: grid ceil(m/16)*ceil(n/8)
// family: gemm_fused
// case: masked_nt-bf16-m40-n24-k16-nan
// exit: 1
// expect: NaN

#include "kz/device/gemm_plain.cuh"

struct factor_of_mask {
    const uint8_t *mask;
    __device__ void apply(kz_pair &v, kz_position &at) {
        const uint8_t *row = mask + (size_t)at.row_inside(0) * at.columns;
        v = {v.x * (row[at.column_inside(0)] != 0), v.y * (row[at.column_inside(1)] != 0)};
    }
};

extern "C" __global__ void factor_masked_nt_bf16(const kz_bf16 *a, const kz_bf16 *b, kz_bf16 *c,
                                                 const uint8_t *mask, const float *scale, size_t m, size_t n,
                                                 size_t k) {
    kz_plain_gemm<false>(a, b, c, m, n, k, kz_chain_of(kz_scale_by{scale}, factor_of_mask{mask}));
}
