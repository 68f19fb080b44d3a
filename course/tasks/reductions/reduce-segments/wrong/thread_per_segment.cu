// fails: gate load_sectors
// kz: block 64
// kz: grid ceil(segments/64)
extern "C" __global__ void segment_sums(const float *x, const int *offsets, float *sums, int segments,
                                        int count) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments) return;
    float sum = 0.0f;
    for (int i = offsets[s]; i < offsets[s + 1]; i++) sum += x[i];
    sums[s] = sum;
}
