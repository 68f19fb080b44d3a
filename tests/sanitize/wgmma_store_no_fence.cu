// The product of gemm.cuh, whose results go to a tensor store without a proxy fence.
// kz: sm 90a
// launch: grid 1 block 160 shared 50000
// arg: a tensor = x u16 dims 256,64 strides 512 box 64,64 swizzle 128
// arg: b tensor = y u16 dims 256,64 strides 512 box 64,64 swizzle 128
// arg: c tensor = z f32 dims 64,64 strides 256 box 64,64
// arg: x u16[16384] = 0x3c00
// arg: y u16[16384] = 0x3c00
// arg: z f32[4096] = 0
// expect finding: async-no-wait no proxy fence between
#define PUT_FENCE
#include "gemm.cuh"

extern "C" __global__ void wgmma_store_no_fence(const __grid_constant__ CUtensorMap a,
                                                const __grid_constant__ CUtensorMap b,
                                                const __grid_constant__ CUtensorMap c,
                                                const unsigned short *x, const unsigned short *y, float *z) {
    product(&a, &b, &c);
}
