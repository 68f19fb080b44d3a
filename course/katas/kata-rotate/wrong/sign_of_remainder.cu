// fails: fault
// C's remainder has the sign of its left side: reads before the array.
extern "C" __global__ void rotate(const float *x, float *y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = (i + k % n) % n;
    y[i] = x[from];
}
