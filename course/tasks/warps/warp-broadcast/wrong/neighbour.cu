// fails: result
// Takes the lane before, not the first.
extern "C" __global__ void from_first(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    float first = __shfl_up_sync(0xffffffffu, value, 1);
    if (i < n) y[i] = value - first;
}
