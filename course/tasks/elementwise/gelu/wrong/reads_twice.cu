// fails: gate load_sectors
// The argument is read anew for the second factor: volatile, so that the compiler does not mend it.
extern "C" __global__ void gelu(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const volatile float *from = x;
    if (i < n) y[i] = from[i] * normcdff(from[i]);
}
