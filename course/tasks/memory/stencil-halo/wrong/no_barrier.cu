// fails: race
extern "C" __global__ void heat(const float *u, float *v, float alpha, int rows, int columns) {
    __shared__ float tile[10][34];
    int top = blockIdx.y * 8 - 1, left = blockIdx.x * 32 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        int i = top + k / 34, j = left + k % 34;
        if (i >= 0 && i < rows && j >= 0 && j < columns) tile[k / 34][k % 34] = u[i * columns + j];
    }
    int x = threadIdx.x + 1, y = threadIdx.y + 1, r = top + y, c = left + x;
    if (r >= rows || c >= columns) return;
    float value = tile[y][x];
    if (r > 0 && c > 0 && r < rows - 1 && c < columns - 1)
        value += alpha * (tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1] - 4.0f * value);
    v[r * columns + c] = value;
}
