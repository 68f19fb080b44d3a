// fails: gate loads
extern "C" __global__ void heat(const float *u, float *v, float alpha, int rows, int columns) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= columns) return;
    const float *p = u + r * columns + c;
    float value = *p;
    if (r > 0 && c > 0 && r < rows - 1 && c < columns - 1)
        value += alpha * (p[-columns] + p[columns] + p[-1] + p[1] - 4.0f * value);
    v[r * columns + c] = value;
}
