// fails: result
// i + k overflows before it is reduced.
extern "C" __global__ void rotate(const float *x, float *y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = (int)((unsigned)i + (unsigned)k) % n;
    if (from < 0) from += n;
    y[i] = x[from];
}
