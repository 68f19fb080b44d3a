// fails: gate narrow_bytes
// One thread does the work of its block; the lanes beside it count meanwhile, so that the mean of active lanes is high.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int first = blockIdx.x * blockDim.x, last = min(first + (int)blockDim.x, rows);
    if (threadIdx.x) {
        unsigned v = threadIdx.x;
        for (int k = 0; k < 2000; k++) v = v * 1664525u + rows;
        if (v == 77u && rows < 0) y[0] = v;
        return;
    }
    for (int r = first; r < last; r++) {
        float sum = 0;
        if (columns % 4 == 0)
            for (int c = 0; c < columns; c += 4) {
                float4 a = *(const float4 *)&x[r * columns + c], b = *(const float4 *)&w[c];
                sum = sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            }
        else
            for (int c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
        y[r] = sum;
    }
}
