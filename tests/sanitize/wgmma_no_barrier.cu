// Each warp writes a quarter of B, fences and issues the product: nothing orders it after the quarters of the others.
// launch: grid 1 block 128
// arg: out f32[128] = 0
// expect finding: race "severity":"warning"
// expect finding: race warps of a warpgroup issue a product without a barrier
// seeds: 2
// kz: sm 90a
#include <cstdint>

extern "C" __global__ void wgmma_no_barrier(float *out) {
    __shared__ __align__(128) uint16_t a[64 * 16], b[8 * 16];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 16; i += 128) a[i] = 0x3c00;
    b[t] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    b[t] = 0x3c00;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    uint64_t from = (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
    uint64_t da = from | (uint32_t)__cvta_generic_to_shared(a) >> 4,
             db = from | (uint32_t)__cvta_generic_to_shared(b) >> 4;
    float d[4] = {0, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(da), "l"(db)
                 : "memory");
    out[t] = d[0];
}
