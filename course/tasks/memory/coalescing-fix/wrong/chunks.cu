// fails: gate load_sectors
// The chunked kernel as it was given.
extern "C" __global__ void scale_shift(const float *x, float *y, float a, float b, int n) {
    int first = (blockIdx.x * 256 + threadIdx.x) * 8;
    for (int i = first; i < first + 8 && i < n; i++) y[i] = a * x[i] + b;
}
