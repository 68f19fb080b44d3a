// The sum of two large halves is no half; only the upper half of the pair overflows.
// launch: grid 1 block 1
// arg: out u32[4] = 0
// instruments: numerics
// expect finding: numerics-inf made infinity from a = 60000, b = 60000
// expect finding: numerics-inf cvt.f16 made infinity from a = 70000
#include <cuda_fp16.h>
extern "C" __global__ void numerics_half(unsigned *out) {
    volatile unsigned bits = 0x7b533c00u; // 60000 and 1
    unsigned v = bits;
    __half2 pair = *(__half2 *)&v;
    __half2 sum = __hadd2(pair, pair);
    out[0] = *(unsigned *)&sum;
    volatile float large = 70000.0f;
    out[1] = __half_as_ushort(__float2half(large));
}
