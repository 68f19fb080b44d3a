// A loop whose index never changes. It loads and stores, and others may change what it loads; it never ends all the same.
// launch: grid 8 block 256
// arg: x f32[2048] = 1
// arg: out f32[2048] = 0
// arg: n s32 = 2000
// expect fault: endless loop in kernel stays: it looks at nothing that could end it
// expect fault: endless_loads.cu:9
extern "C" __global__ void stays(const float *x, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;) out[i] = 0.5f * x[i];
}
