// fails: fault
// Begins one element late: not a multiple of 16 bytes.
#define TILE 64              // rows and columns of c for a block
#define DEPTH 8              // of a step along k
#define SIDE 8               // of the square of c for a thread
#define ACROSS (TILE / SIDE) // threads along a side
#define THREADS (ACROSS * ACROSS)

extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[DEPTH][TILE]; // transposed: rows side by side
    __shared__ __align__(16) float tile_b[DEPTH][TILE];
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[SIDE][SIDE] = {{0}};
    for (int first = 0; first < k; first += DEPTH) {
        for (int at = threadIdx.x; at < TILE * DEPTH / 4; at += THREADS) {
            const float4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
            int row = at / (DEPTH / 4), i = at % (DEPTH / 4) * 4;
            float4 four = top + row < m && first + i < k ? *(const float4 *)&a[(top + row) * k + first + i] : zero;
            tile_a[i][row] = four.x, tile_a[i + 1][row] = four.y, tile_a[i + 2][row] = four.z, tile_a[i + 3][row] = four.w;
            int down = at / (TILE / 4), column = at % (TILE / 4) * 4;
            *(float4 *)&tile_b[down][column] =
                first + down < k && left + column < n ? *(const float4 *)&b[(first + down) * n + left + column + (n > 4)] : zero;
        }
        __syncthreads();
        for (int i = 0; i < DEPTH; i++) {
            float rows[SIDE], columns[SIDE];
            for (int r = 0; r < SIDE; r++) rows[r] = tile_a[i][r * ACROSS + y];
            for (int s = 0; s < SIDE; s++) columns[s] = tile_b[i][s * ACROSS + x];
            for (int r = 0; r < SIDE; r++)
                for (int s = 0; s < SIDE; s++) sums[r][s] += rows[r] * columns[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < SIDE; r++)
        for (int s = 0; s < SIDE; s++) {
            int row = top + r * ACROSS + y, column = left + s * ACROSS + x;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
}
