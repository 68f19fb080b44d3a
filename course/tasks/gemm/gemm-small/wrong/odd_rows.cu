// fails: fault
// Rows of 33 floats: a float4 is no longer aligned.
enum { TILE = 32, DEPTH = 16, SIDE = 4, THREADS = 64, WIDE = TILE + 1 };

extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    __shared__ __align__(16) float a_tile[DEPTH][WIDE]; // transposed
    __shared__ __align__(16) float b_tile[DEPTH][WIDE];
    int t = threadIdx.x;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[SIDE][SIDE] = {};
    int y = t / 8 * SIDE, x = t % 8 * SIDE; // this thread's square
    for (int first = 0; first < k; first += DEPTH) {
        for (int i = t; i < TILE * DEPTH; i += THREADS) {
            int row = top + i / DEPTH, down = first + i % DEPTH;
            a_tile[i % DEPTH][i / DEPTH] =
                row < m && down < k ? a[row * k + down] : 0.0f;
            down = first + i / TILE;
            int column = left + i % TILE;
            b_tile[i / TILE][i % TILE] =
                down < k && column < n ? b[down * n + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float rows[SIDE], columns[SIDE];
            *(float4 *)rows = *(const float4 *)&a_tile[i][y];
            *(float4 *)columns = *(const float4 *)&b_tile[i][x];
            for (int r = 0; r < SIDE; r++)
                for (int s = 0; s < SIDE; s++)
                    sums[r][s] += rows[r] * columns[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < SIDE; r++)
        for (int s = 0; s < SIDE; s++) {
            int row = top + y + r, column = left + x + s;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
}
