// fails: result
// One element per thread: everything past the first 256 is never written.
extern "C" __global__ void midpoint(const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * (x[i] + y[i]);
}
