extern "C" __global__ void sort8(const float *x, float *y, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[(size_t)k * groups + g];
    // kz: begin
    // Odd-even transposition: all limits are fixed, so all indices are
    // known once the loops are unrolled.
    for (int round = 0; round < 8; round++)
        for (int k = round % 2; k + 1 < 8; k += 2) {
            float small = fminf(v[k], v[k + 1]),
                  large = fmaxf(v[k], v[k + 1]);
            v[k] = small;
            v[k + 1] = large;
        }
    // kz: starter
    //|     // Insertion: right, but j is known only at run time, so v
    //|     // cannot be in registers.
    //|     for (int k = 1; k < 8; k++) {
    //|         float key = v[k];
    //|         int j = k;
    //|         while (j > 0 && v[j - 1] > key) {
    //|             v[j] = v[j - 1];
    //|             j--;
    //|         }
    //|         v[j] = key;
    //|     }
    // kz: end
    for (int k = 0; k < 8; k++) y[(size_t)k * groups + g] = v[k];
}
