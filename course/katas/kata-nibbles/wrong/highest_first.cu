// fails: result
// Takes the fields from the other end.
extern "C" __global__ void unpack(const unsigned *packed, const float *scale, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int q = (int)(packed[i / 8] << (4 * (i % 8))) >> 28;
    y[i] = scale[i / 32] * (float)q;
}
