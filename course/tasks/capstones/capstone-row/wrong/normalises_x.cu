// fails: result
// Takes the squares of x only.
#define THREADS 128
#define EACH 8
#define EPSILON 1e-5f

extern "C" __global__ void add_rmsnorm(const float *x, const float *residual, const float *gain, float *sum, float *y, int rows,
                                       int columns) {
    __shared__ float warps[THREADS / 32];
    size_t first = (size_t)blockIdx.x * columns;
    int t = threadIdx.x;
    float mine[EACH], squares = 0.0f;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = t + k * THREADS;
        mine[k] = i < columns ? x[first + i] + residual[first + i] : 0.0f;
        squares += i < columns ? x[first + i] * x[first + i] : 0.0f;
    }
    for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
    if (t % 32 == 0) warps[t / 32] = squares;
    __syncthreads();
    squares = 0.0f;
    for (int w = 0; w < THREADS / 32; w++) squares += warps[w];
    float scale = rsqrtf(squares / columns + EPSILON);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = t + k * THREADS;
        if (i < columns) {
            sum[first + i] = mine[k];
            y[first + i] = mine[k] * scale * gain[i];
        }
    }
}
