// kz: begin
// The larger; NaN if one of them is. b != b is true only for NaN; if
// a is NaN, no comparison is true and a stays.
static __device__ float larger(float a, float b) {
    return b > a || b != b ? b : a;
}

static __device__ float fold_warp(float value) {
    for (int step = 16; step > 0; step /= 2)
        value = larger(value, __shfl_down_sync(0xffffffffu, value, step));
    return value;
}

// kz: end
extern "C" __global__ void maximum(const float *x, float *largest, int n) {
    // kz: begin
    __shared__ float found[8];
    int t = threadIdx.x;
    float value = -INFINITY; // the neutral element: nothing is smaller
    for (int i = t; i < n; i += 256) value = larger(value, x[i]);
    value = fold_warp(value);
    if (t % 32 == 0) found[t / 32] = value;
    __syncthreads();
    if (t < 32) {
        value = fold_warp(t < 8 ? found[t] : -INFINITY);
        if (t == 0) *largest = value;
    }
    // kz: starter
    //|     // As for a sum: fold in registers, in the warp, in the block. Operation and
    //|     // neutral element differ.
    //|     float value = 0.0f;
    //|     for (int i = threadIdx.x; i < n; i += 256) value = fmaxf(value, x[i]);
    //|     if (threadIdx.x == 0) *largest = value;
    // kz: end
}
