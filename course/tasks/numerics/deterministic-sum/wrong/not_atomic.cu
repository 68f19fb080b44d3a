// fails: race
// Every warp reads, adds and writes: additions are lost.
extern "C" __global__ void exact_sum(const float *x, long long *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long mine = i < n ? llrintf(x[i] * 4294967296.0f) : 0;
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (threadIdx.x % 32 == 0) total[0] += mine;
}
