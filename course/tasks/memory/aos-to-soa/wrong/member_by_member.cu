// fails: gate load_sectors
extern "C" __global__ void split(const float *points, float *x, float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = points[3 * i];
        y[i] = points[3 * i + 1];
        z[i] = points[3 * i + 2];
    }
}
