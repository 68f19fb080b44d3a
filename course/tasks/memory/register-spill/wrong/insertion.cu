// fails: gate local_sectors
extern "C" __global__ void sort8(const float *x, float *y, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[k * groups + g];
    for (int k = 1; k < 8; k++) {
        float key = v[k];
        int j = k;
        for (; j > 0 && v[j - 1] > key; j--) v[j] = v[j - 1];
        v[j] = key;
    }
    for (int k = 0; k < 8; k++) y[k * groups + g] = v[k];
}
