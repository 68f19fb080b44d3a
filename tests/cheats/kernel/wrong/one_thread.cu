// fails: gate lanes_per_instruction
// One thread does the work of its block, with loads of 16 bytes that keep sectors few; it needs no atomics either.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int first = blockIdx.x * blockDim.x, last = min(first + (int)blockDim.x, rows);
    if (threadIdx.x) return;
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
