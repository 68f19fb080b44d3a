// fails: gate loads
// Right, and without shared memory: each element is fetched twice.
extern "C" __global__ void odd_part(const float *x, float *y, int n) {
    int base = blockIdx.x * 256, length = min(256, n - base), t = threadIdx.x;
    if (t < length) y[base + t] = x[base + t] - x[base + length - 1 - t];
}
