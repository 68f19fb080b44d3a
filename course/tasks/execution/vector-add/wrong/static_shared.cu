// fails: compile
// 80,000 bytes of static shared memory: ptxas allows 48 KiB.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    __shared__ float kept[20000];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) z[i] = kept[threadIdx.x] + y[i];
}
