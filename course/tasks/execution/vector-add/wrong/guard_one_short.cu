// fails: result
// The last element is left out.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) z[i] = x[i] + y[i];
}
