// fails: result
// A number may have to travel seven positions: six rounds are not enough.
extern "C" __global__ void sort8(const float *x, float *y, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[k * groups + g];
#pragma unroll
    for (int round = 0; round < 6; round++)
#pragma unroll
        for (int k = round % 2; k + 1 < 8; k += 2) {
            float small = fminf(v[k], v[k + 1]), large = fmaxf(v[k], v[k + 1]);
            v[k] = small;
            v[k + 1] = large;
        }
    for (int k = 0; k < 8; k++) y[k * groups + g] = v[k];
}
