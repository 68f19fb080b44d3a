// fails: fault
// Adds n once: enough for small k alone.
extern "C" __global__ void rotate(const float *x, float *y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = (int)(((long long)i + k + n) % n);
    y[i] = x[from];
}
