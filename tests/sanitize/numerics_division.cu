// 0 / 0 makes NaN, and then NaN makes NaN, which is no news.
// launch: grid 1 block 32
// arg: in f32[32] = 0 1 2 3
// arg: out f32[32] = 0
// instruments: numerics
// expect finding: numerics-nan "line":9
// expect finding: numerics-nan div.f32 made NaN from a = 0, b = 0
extern "C" __global__ void numerics_division(const float *in, float *out) {
    float ratio = in[threadIdx.x] / in[threadIdx.x];
    out[threadIdx.x] = ratio * 2.0f + 1.0f;
}
