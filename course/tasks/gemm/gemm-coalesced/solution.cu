// kz: begin
// kz: grid ceil(n/32) ceil(m/8)
// kz: block 32 8
// kz: starter
//| // kz: grid ceil(m/32) ceil(n/8)
//| // kz: block 32 8
// kz: end
extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    // kz: begin
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // kz: starter
    //|     int row = blockIdx.x * blockDim.x + threadIdx.x;
    //|     int column = blockIdx.y * blockDim.y + threadIdx.y;
    // kz: end
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
