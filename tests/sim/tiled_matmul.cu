// Shared tiles and barriers: 32 x 32 of ones times twos.
// launch: grid 2x2x1 block 16x16x1
// arg: a f32[1024] = 1
// arg: b f32[1024] = 2
// arg: c f32[1024] = 0
// arg: n s32 = 32
// expect: c = 64 ...
extern "C" __global__ void tiled_matmul(const float *A, const float *B, float *C, int n) {
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        a[y][x] = A[row * n + t * 16 + x];
        b[y][x] = B[(t * 16 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    C[row * n + column] = sum;
}
