// fails: gate load_sectors
// The CPU's way: a contiguous chunk for each thread. Right, and eight times the traffic.
extern "C" __global__ void midpoint(const float *x, const float *y, float *out, int n) {
    int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    int chunk = (n + threads - 1) / threads;
    for (int i = t * chunk; i < (t + 1) * chunk && i < n; i++) out[i] = 0.5f * (x[i] + y[i]);
}
