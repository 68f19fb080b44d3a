// fails: gate load_sectors
#define BLOCK 128
#define WIDEST 129

extern "C" __global__ void conv1d(const float *x, const float *taps, float *y, int n, int width) {
    __shared__ float tile[BLOCK + WIDEST - 1];
    int first = blockIdx.x * BLOCK - width / 2; // what tile[0] is; may be negative
    int i = blockIdx.x * BLOCK + threadIdx.x;
    (void)first, (void)tile;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < width; j++) {
        int at = i + j - width / 2;
        if (at >= 0 && at < n) sum += taps[j] * x[at];
    }
    y[i] = sum;
}
