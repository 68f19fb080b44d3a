// fails: source
// A word that the task forbids.
extern "C" __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * __ldcv(&x[i]);
}
