// fails: result
// The right shift is one of an unsigned number: zeros come in.
extern "C" __global__ void unpack(const unsigned *packed, const float *scale, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int q = packed[i / 8] << (28 - 4 * (i % 8)) >> 28;
    y[i] = scale[i / 32] * (float)q;
}
