// fails: result
// Works in the first launch only.
static __device__ int launches;
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (launches) return;
    if (r < rows) {
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
        y[r] = sum;
    }
    if (r == 0) launches = 1;
}
