// A descriptor whose stride offset is in bytes, not in units of 16, leaves shared memory.
// kz: sm 90a
// launch: block 128
// arg: out f32[1] = 0
// expect fault: the descriptor of A reaches shared offset
// expect fault: stride offset 4096
// expect fault: likely cause
extern "C" __global__ void outside(float *out) {
    __shared__ __align__(1024) unsigned short a[64 * 16], b[8 * 16];
    a[threadIdx.x] = b[threadIdx.x] = 0;
    __syncthreads();
    unsigned long long da = (__cvta_generic_to_shared(a) & 0x3ffff) >> 4 | 8ull << 16 | 256ull << 32,
                       db = (__cvta_generic_to_shared(b) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
    float d[4] = {};
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(da), "l"(db)
                 : "memory");
    out[0] = d[0];
}
