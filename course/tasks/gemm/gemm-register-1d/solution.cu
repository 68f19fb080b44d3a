#define TILE  64 // rows and columns of c for a block
#define DEPTH 8  // of a step along k
#define ROWS  8  // of c for a thread

extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    // of this thread's results in the tile
    int column = threadIdx.x % TILE, group = threadIdx.x / TILE;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    // What this thread loads: neighbouring threads take neighbouring
    // elements.
    int a_row = threadIdx.x / DEPTH, a_column = threadIdx.x % DEPTH;
    float sums[ROWS] = {0};
    for (int first = 0; first < k; first += DEPTH) {
        // kz: begin
        tile_a[a_row][a_column] =
            top + a_row < m && first + a_column < k
                ? a[(top + a_row) * k + first + a_column]
                : 0.0f;
        tile_b[group][column] = first + group < k && left + column < n
                                    ? b[(first + group) * n + left + column]
                                    : 0.0f;
        __syncthreads();
        for (int i = 0; i < DEPTH; i++) {
            float value = tile_b[i][column];
            for (int r = 0; r < ROWS; r++)
                sums[r] += tile_a[group * ROWS + r][i] * value;
        }
        __syncthreads();
        // kz: starter
        //|         // Load one element of each tile (0 outside), barrier, DEPTH rounds of
        //|         // ROWS multiply-adds, barrier.
        // kz: end
    }
    for (int r = 0; r < ROWS; r++) {
        int row = top + group * ROWS + r;
        if (row < m && left + column < n)
            c[row * n + left + column] = sums[r];
    }
}
