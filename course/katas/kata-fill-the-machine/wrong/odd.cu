// fails: gate occupancy
// 21 blocks of 96 are 63 warps: one slot stays empty.
// kz: block 96
// kz: grid ceil(n/96)
extern "C" __global__ void tone(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
