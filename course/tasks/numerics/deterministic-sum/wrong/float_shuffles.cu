// fails: result
// Whole numbers only after the warp's sum in float: the same bits on every run, but digits are lost, and other ones for other warps.
extern "C" __global__ void exact_sum(const float *x, long long *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long *)total, (unsigned long long)llrintf(mine * 4294967296.0f));
}
