// fails: result
// A group's numbers taken side by side, as one would on a CPU.
extern "C" __global__ void sort8(const float *x, float *y, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[g * 8 + k];
#pragma unroll
    for (int round = 0; round < 8; round++)
#pragma unroll
        for (int k = round % 2; k + 1 < 8; k += 2) {
            float small = fminf(v[k], v[k + 1]), large = fmaxf(v[k], v[k + 1]);
            v[k] = small;
            v[k + 1] = large;
        }
    for (int k = 0; k < 8; k++) y[g * 8 + k] = v[k];
}
