// fails: out-of-bounds
// Writes to what malloc gives when the heap is full. Many lanes race for it too, but that is not what ended it.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float *sum = (float *)malloc(64 << 20);
    *sum = 0;
    for (int c = 0; c < columns; c++) *sum += x[r * columns + c] * w[c];
    y[r] = *sum;
}
