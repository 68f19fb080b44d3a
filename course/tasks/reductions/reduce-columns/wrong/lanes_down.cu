// fails: gate load_sectors
// The lanes go down a column, and the warp's sum is folded by shuffles: right, and 32 sectors per load.
extern "C" __global__ void column_sums(const float *x, float *sums, int rows, int columns) {
    int first = blockIdx.y * 256, end = min(first + 256, rows);
    __shared__ float found[32];
    for (int k = threadIdx.y; k < 32; k += 8) {
        int c = blockIdx.x * 32 + k;
        float sum = 0.0f;
        if (c < columns)
            for (int r = first + threadIdx.x; r < end; r += 32) sum += x[r * columns + c];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (threadIdx.x == 0) found[k] = sum;
    }
    __syncthreads();
    int c = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.y == 0 && c < columns) atomicAdd(&sums[c], found[threadIdx.x]);
}
