// fails: gate load_sectors
// Neighbouring threads take elements that are 32 apart.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    int t = threadIdx.x, base = blockIdx.x * 256;
    int i = base + t % 8 * 32 + t / 8;
    if (i < n) z[i] = x[i] + y[i];
}
