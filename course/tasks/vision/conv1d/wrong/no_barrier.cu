// fails: race
#define BLOCK 128
#define WIDEST 129

extern "C" __global__ void conv1d(const float *x, const float *taps, float *y, int n, int width) {
    __shared__ float tile[BLOCK + WIDEST - 1];
    int first = blockIdx.x * BLOCK - width / 2; // what tile[0] is; may be negative
    for (int t = threadIdx.x; t < BLOCK + width - 1; t += BLOCK) {
        int at = first + t;
        tile[t] = at >= 0 && at < n ? x[at] : 0.0f;
    }
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < width; j++) sum += taps[j] * tile[threadIdx.x + j];
    y[i] = sum;
}
