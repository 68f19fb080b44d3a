// fails: gate load_sectors
// kz: grid ceil(m/32) ceil(n/8)
// kz: block 32 8
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
