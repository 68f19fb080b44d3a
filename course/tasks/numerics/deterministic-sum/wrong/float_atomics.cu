// fails: result
// A float sum in the total's memory, converted by the thread that comes last: the order decides.
extern "C" __global__ void exact_sum(const float *x, long long *total, int n) {
    __shared__ float sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd((unsigned long long *)total, (unsigned long long)llrintf(sum * 4294967296.0f));
}
