#define TILE 16

extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        // kz: begin
        tile_a[y][x] =
            row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n
                           ? b[(first + y) * n + column]
                           : 0.0f;
        __syncthreads(); // the tiles are whole
        for (int i = 0; i < TILE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads(); // no thread reads them any more
        // kz: starter
        //|         // Load one element of each tile; 0 if it lies outside. Then a
        //|         // barrier, TILE products, a barrier.
        // kz: end
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
