// fails: gate load_sectors
// The row is read again and again, between loads of one address that bring the mean of all loads down.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++) {
        float term = 0;
        for (int k = 0; k < 2; k++) term = *(volatile const float *)&x[r * columns + c] * w[c];
        for (int k = 0; k < 16; k++) *(volatile const float *)w;
        sum += term;
    }
    y[r] = sum;
}
