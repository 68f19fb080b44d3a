// fails: result
// Writes the whole width of the tile, into what lies past the end of the rows.
#define TILE 16

extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k, int lda, int ldb, int ldc,
                                 float alpha, float beta) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = row < m && first + x < k ? a[row * lda + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * ldb + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (row < m && column < ldc) {
        float *at = &c[row * ldc + column];
        *at = beta == 0.0f ? alpha * sum : alpha * sum + beta * *at;
    }
}
