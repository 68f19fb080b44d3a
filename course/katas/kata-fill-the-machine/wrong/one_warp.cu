// fails: gate occupancy
// 32 blocks of one warp are half of the warps.
// kz: block 32
// kz: grid ceil(n/32)
extern "C" __global__ void tone(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
