// fails: result
// The loading half counts floats, but its guard counts points: two thirds of the last block never arrive.
extern "C" __global__ void split(const float *points, float *x, float *y, float *z, int n) {
    __shared__ float words[768];
    int first = blockIdx.x * 256, t = threadIdx.x;
    for (int k = t; k < 768; k += 256) words[k] = first + k < n ? points[3 * first + k] : 0.0f;
    __syncthreads();
    if (first + t < n) {
        x[first + t] = words[3 * t];
        y[first + t] = words[3 * t + 1];
        z[first + t] = words[3 * t + 2];
    }
}
