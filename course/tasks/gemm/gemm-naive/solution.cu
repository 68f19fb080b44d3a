extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    // kz: begin
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
    // kz: starter
    //|     // Which row and which column are this thread's? (x runs along the
    //|     // columns, y along the rows.) Are they inside c at all? If so: the
    //|     // inner loop, and one store.
    // kz: end
}
