// fails: gate load_sectors
// Blocks four wide: a warp is 8 rows of 4 columns, and no row of it fills a sector's neighbourhood.
// kz: grid ceil(n/4) ceil(m/64)
// kz: block 4 64
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
