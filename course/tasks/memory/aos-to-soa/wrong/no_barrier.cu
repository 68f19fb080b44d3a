// fails: race
extern "C" __global__ void split(const float *points, float *x, float *y, float *z, int n) {
    __shared__ float words[768];
    int first = blockIdx.x * 256, t = threadIdx.x, count = 3 * min(256, n - first);
    for (int k = t; k < count; k += 256) words[k] = points[3 * first + k];
    if (first + t < n) {
        x[first + t] = words[3 * t];
        y[first + t] = words[3 * t + 1];
        z[first + t] = words[3 * t + 2];
    }
}
