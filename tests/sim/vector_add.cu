// The plainest kernel, with a tail that only some threads of the last warp take.
// launch: grid 4 block 32
// arg: a f32[100] = 1 2 3 4
// arg: b f32[100] = 10
// arg: c f32[100] = 0
// arg: n s32 = 99
// expect: c = 11 12 13 14 11 12 13 14
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
