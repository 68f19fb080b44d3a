// A warpgroup is four warps.
// kz: sm 90a
// launch: block 64
// arg: out f32[1] = 0
// expect fault: wgmma by warp 0 of a block of 2 warps
extern "C" __global__ void too_few(float *out) {
    float d[4] = {};
    unsigned long long da = 0, db = 0;
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(da), "l"(db));
    out[0] = d[0];
}
