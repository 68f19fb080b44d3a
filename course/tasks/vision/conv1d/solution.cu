#define BLOCK  128
#define WIDEST 129

extern "C" __global__ void conv1d(const float *x, const float *taps,
                                  float *y, int n, int width) {
    __shared__ float tile[BLOCK + WIDEST - 1];
    // what tile[0] is; may be negative
    int first = blockIdx.x * BLOCK - width / 2;
    // kz: begin
    for (int t = threadIdx.x; t < BLOCK + width - 1; t += BLOCK) {
        int at = first + t;
        tile[t] = at >= 0 && at < n ? x[at] : 0.0f;
    }
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < width; j++) sum += taps[j] * tile[threadIdx.x + j];
    y[i] = sum;
    // kz: starter
    //|     // Load BLOCK + width - 1 elements with a loop (0 outside of x), barrier,
    //|     // then one output for each thread.
    // kz: end
}
