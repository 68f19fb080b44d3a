// fails: result
// 1111 is taken for 15.
extern "C" __global__ void unpack(const unsigned *packed, const float *scale, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int q = packed[i / 8] >> 4 * (i % 8) & 15;
    y[i] = scale[i / 32] * (float)q;
}
