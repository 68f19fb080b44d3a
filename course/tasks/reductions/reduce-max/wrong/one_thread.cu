// fails: gate load_sectors
// Right, but by a single thread.
extern "C" __global__ void maximum(const float *x, float *largest, int n) {
    if (threadIdx.x) return;
    float value = -INFINITY;
    for (int i = 0; i < n; i++)
        if (x[i] > value || x[i] != x[i]) value = x[i];
    *largest = value;
}
