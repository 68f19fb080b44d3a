// fails: gate store_sectors
// Right, but each store of a warp is spread over 1024 bytes.
extern "C" __global__ void unpack(const unsigned *packed, const float *scale, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (n + 7) / 8) return;
    unsigned word = packed[i];
    for (int k = 0; k < 8 && 8 * i + k < n; k++)
        y[8 * i + k] = scale[i / 4] * (float)((int)(word << (28 - 4 * k)) >> 28);
}
