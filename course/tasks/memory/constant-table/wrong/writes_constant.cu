// fails: fault
// Device code cannot write to constant memory: nvcc compiles it, and makes a trap of it.
__constant__ float table[8][4];
extern "C" __global__ void calibrate(const float *x, float *y, int n) {
    if (threadIdx.x < 4) table[blockIdx.y][threadIdx.x] = 1.0f;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[blockIdx.y * n + i] = x[blockIdx.y * n + i] * table[blockIdx.y][0];
}
