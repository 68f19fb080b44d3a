// The register that overflows is its own source: what it held before is told.
// launch: grid 1 block 1
// arg: n s32 = 200
// arg: out f32[1] = 1
// instruments: numerics
// expect finding: numerics-inf made infinity from a = 1.70141183e+38
extern "C" __global__ void numerics_reused(int n, float *out) {
    float x = *out;
    for (int i = 0; i < n; i++) x = x + x;
    *out = x;
}
