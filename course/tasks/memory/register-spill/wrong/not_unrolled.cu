// fails: gate local_sectors
// The network is right, but a loop that stays a loop has indices that change at run time.
extern "C" __global__ void sort8(const float *x, float *y, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[k * groups + g];
#pragma unroll 1
    for (int round = 0; round < 8; round++)
#pragma unroll 1
        for (int k = round % 2; k + 1 < 8; k += 2) {
            float small = fminf(v[k], v[k + 1]), large = fmaxf(v[k], v[k + 1]);
            v[k] = small;
            v[k + 1] = large;
        }
    for (int k = 0; k < 8; k++) y[k * groups + g] = v[k];
}
