// A row of A was never written: its elements of a warpgroup's product are undefined, the others are not.
// kz: sm 90a
// launch: grid 1 block 128
// arg: out s32[128] = 0
// expect finding: undefined-branch of shared variable a
#include <cuda_fp16.h>

extern "C" __global__ void undefined_product(int *out) {
    __shared__ __align__(128) half a[64 * 16], b[8 * 16];
    int t = threadIdx.x;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int i = t; i < 64 * 16; i += 128) // cores of 8 rows of 8: rows 40 to 47 begin at core 10
        if (i / 8 != 10 * 8 + 3) a[i] = __float2half(1.0f);
    b[t] = __float2half(1.0f);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned long long shape = (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(256 >> 4) << 32;
    unsigned long long da = __cvta_generic_to_shared(a) >> 4 | shape,
                       db = __cvta_generic_to_shared(b) >> 4 | shape;
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                 : "l"(da), "l"(db)
                 : "memory");
    int row = t / 32 * 16 + t % 32 / 4; // of d0 and d1; d2 and d3 are eight below
    if (row != 43 && d0 > 0) out[t] = 1;
    if (row + 8 != 43 && d2 > 0) out[t] = 1;
    if (row + 8 == 43 && d3 > 0) out[t] = 2;
}
