#define ACROSS 64

extern "C" __global__ void row_sums(const float *x, float *sums, int rows,
                                    int columns) {
    __shared__ float values[2][ACROSS];
    int t = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 2 + y;
    // kz: begin
    float sum = 0.0f;
    if (row < rows)
        for (int i = t; i < columns; i += ACROSS)
            sum += x[row * columns + i];
    values[y][t] = sum;
    __syncthreads();
    for (int half = ACROSS / 2; half > 0; half /= 2) {
        if (t < half) values[y][t] += values[y][t + half];
        __syncthreads();
    }
    if (row < rows && t == 0) sums[row] = values[y][0];
    // kz: starter
    //|     if (row < rows) {
    //|         float sum = 0.0f;
    //|         for (int i = t; i < columns; i += ACROSS) sum += x[row * columns + i];
    //|         values[y][t] = sum;
    //|         __syncthreads();
    //|         for (int half = ACROSS / 2; t < half; half /= 2) {
    //|             values[y][t] += values[y][t + half];
    //|             __syncthreads();
    //|         }
    //|         if (t == 0) sums[row] = values[y][0];
    //|     } else {
    //|         // wait for the other row
    //|         while (values[1 - y][0] == values[1 - y][1]) __syncthreads();
    //|     }
    // kz: end
}
