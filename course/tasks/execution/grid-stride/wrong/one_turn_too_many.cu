// fails: fault
// Rounds the number of iterations up and forgets the guard in the last one.
extern "C" __global__ void midpoint(const float *x, const float *y, float *out, int n) {
    int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < (n + stride - 1) / stride; turn++, i += stride) out[i] = 0.5f * (x[i] + y[i]);
}
