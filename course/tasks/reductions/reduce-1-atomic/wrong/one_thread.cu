// fails: gate load_sectors
// No race, no atomic, and no use of the other threads.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    if (blockIdx.x || threadIdx.x) return;
    float all = 0.0f;
    for (int i = 0; i < n; i++) all += x[i];
    *total = all;
}
