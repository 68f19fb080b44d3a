// fails: gate atomics
// Right, with an atomic for each element that was outside.
extern "C" __global__ void clamp_and_count(const float *x, float *y, int *outside, int n, float low,
                                           float high) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_outside = false;
    if (i < n) {
        float value = x[i];
        is_outside = value < low || value > high; // false for NaN
        y[i] = is_outside ? (value < low ? low : high) : value;
    }
    if (is_outside) atomicAdd(outside, 1);
}
