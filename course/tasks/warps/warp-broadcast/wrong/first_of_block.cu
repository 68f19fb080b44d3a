// fails: result
// The first element of the block, not of the warp.
extern "C" __global__ void from_first(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    if (i < n) y[i] = value - x[blockIdx.x * blockDim.x];
}
