// fails: result
// Rotates to the other side.
extern "C" __global__ void rotate(const float *x, float *y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = i - n + k % n; // between -2n and n: cannot overflow
    while (from < 0) from += n;
    y[from] = x[i];
}
