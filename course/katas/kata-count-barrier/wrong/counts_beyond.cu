// fails: result
// Threads beyond the end say yes.
extern "C" __global__ void clamp_and_count(const float *x, float *y, int *outside, int n, float low,
                                           float high) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_outside = true;
    if (i < n) {
        float value = x[i];
        is_outside = value < low || value > high; // false for NaN
        y[i] = is_outside ? (value < low ? low : high) : value;
    }
    int total = __syncthreads_count(is_outside);
    if (threadIdx.x == 0 && total > 0) atomicAdd(outside, total);
}
