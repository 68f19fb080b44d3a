// fails: undefined
// Accumulates in c itself, which holds nothing before the launch.
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    for (int i = 0; i < k; i++) c[row * n + column] += a[row * k + i] * b[i * n + column];
}
