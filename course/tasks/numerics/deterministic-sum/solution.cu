// total += the sum of x, in units of 2^-32: each number times 2^32, rounded
// to a whole number. total is 0 before the launch.

extern "C" __global__ void exact_sum(const float *x, long long *total,
                                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    // a product with a power of two is exact
    long long mine = i < n ? llrintf(x[i] * 4294967296.0f) : 0;
    for (int step = 16; step > 0; step /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, step);
    // Two's complement: adding as unsigned gives the same bits.
    if (threadIdx.x % 32 == 0)
        atomicAdd((unsigned long long *)total, (unsigned long long)mine);
    // kz: starter
    //|     __shared__ float sum;
    //|     if (threadIdx.x == 0) sum = 0.0f;
    //|     __syncthreads();
    //|     // in float: the order decides about the last digits
    //|     if (i < n) atomicAdd(&sum, x[i]);
    //|     __syncthreads();
    //|     if (threadIdx.x == 0)
    //|         atomicAdd((unsigned long long *)total,
    //|                   (unsigned long long)llrintf(sum * 4294967296.0f));
    // kz: end
}
