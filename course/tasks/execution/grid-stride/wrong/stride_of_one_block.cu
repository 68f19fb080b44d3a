// fails: race-same-value
// Steps by one block: the blocks do each other's elements again. Every value is right, four times over.
extern "C" __global__ void midpoint(const float *x, const float *y, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) out[i] = 0.5f * (x[i] + y[i]);
}
