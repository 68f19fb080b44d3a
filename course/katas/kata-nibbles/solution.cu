extern "C" __global__ void unpack(const unsigned *packed,
                                  const float *scale, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // kz: begin
    // up to the sign, and down with it
    int q = (int)(packed[i / 8] << (28 - 4 * (i % 8))) >> 28;
    y[i] = scale[i / 32] * (float)q;
    // kz: starter
    //|     unsigned q = packed[i / 8] & 15; // the first of eight, and without its sign
    //|     y[i] = scale[i / 32] * (float)q;
    // kz: end
}
