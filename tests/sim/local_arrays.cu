// Arrays indexed at run time live in local memory, each thread's its own.
// launch: grid 2 block 40
// arg: out s32[80] = 0
// expect: out = 0 19 38 57 76 95
extern "C" __global__ void local_arrays(int *out) {
    int a[32], t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 32; i++) a[(i * 7 + t) % 32] = i * t;
    int sum = 0;
    for (int i = 0; i < 32; i += 16) sum += a[(t + 7 * i + 7 * 3) % 32] - (i ? 0 : 0);
    out[t] = sum - 3 * t;
}
