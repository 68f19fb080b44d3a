// The three kernels by which the simulator's own speed is measured; see bench/speed.c.
// Plain code, as a learner writes it: what counts is how fast such code is simulated.

extern "C" __global__ void speed_vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void speed_matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int t = 0; t < n / 16; t++) {
        tile_a[y][x] = a[row * n + t * 16 + x];
        tile_b[y][x] = b[(t * 16 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void speed_reduce(const float *in, float *out, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
