// A warpgroup's product is done when it is waited for, not before: until then the accumulator is the old one, and shared memory
// that is overwritten in between is read as it is then.
// kz: sm 90a
// launch: block 128
// arg: out f32[3] = 0
// expect: out = 5 21 5
extern "C" __global__ void stale(float *out) {
    __shared__ __align__(1024) unsigned short a[64 * 16], b[8 * 16];
    for (int i = threadIdx.x; i < 64 * 16; i += 128) a[i] = 0x3c00; // 1
    for (int i = threadIdx.x; i < 8 * 16; i += 128) b[i] = 0x3c00;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned long long da = (__cvta_generic_to_shared(a) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32,
                       db = (__cvta_generic_to_shared(b) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
    float d[4] = {5, 5, 5, 5}, early;
    asm volatile(
        "{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %5, %6, p, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned; add.f32 %4, %0, 0f00000000; wgmma.wait_group.sync.aligned 0;}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "=f"(early)
        : "l"(da), "l"(db)
        : "memory");
    if (threadIdx.x == 0) out[0] = early, out[1] = d[0];
    d[0] = d[1] = d[2] = d[3] = 5;
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(da), "l"(db)
                 : "memory");
    for (int i = threadIdx.x; i < 8 * 16; i += 128) b[i] = 0; // too early
    __syncthreads();
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    if (threadIdx.x == 0) out[2] = d[0];
}
