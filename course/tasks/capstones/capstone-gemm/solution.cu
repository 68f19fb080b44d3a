#define TILE    64
#define DEPTH   8
#define SIDE    8
#define ACROSS  (TILE / SIDE)
#define THREADS (ACROSS * ACROSS)
// elements of a tile for a thread to load
#define EACH (TILE * DEPTH / THREADS)
// padded: transposed stores of a spread over the banks, rows stay 16-byte
// aligned
#define WIDE (TILE + 4)

extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    // kz: begin
    __shared__ __align__(16) float tiles_a[2][DEPTH][WIDE],
        tiles_b[2][DEPTH][WIDE];
    // of two groups of four rows and columns, 32 apart
    int t = threadIdx.x, x = t % ACROSS * 4, y = t / ACROSS * 4;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[SIDE][SIDE] = {{0}}, next_a[EACH], next_b[EACH];
    int now = 0;
    for (int first = -DEPTH; first < k; first += DEPTH) {
        bool more = first + DEPTH < k;
        if (more) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                int at = t + e * THREADS, i = first + DEPTH + at % DEPTH,
                    row = top + at / DEPTH;
                next_a[e] = row < m && i < k ? a[row * k + i] : 0.0f;
                int down = first + DEPTH + e, column = left + t;
                next_b[e] =
                    down < k && column < n ? b[down * n + column] : 0.0f;
            }
        }
        if (first >= 0) {
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                float rows[SIDE], columns[SIDE];
                *(float4 *)&rows[0] = *(float4 *)&tiles_a[now][i][y];
                *(float4 *)&rows[4] = *(float4 *)&tiles_a[now][i][y + 32];
                *(float4 *)&columns[0] = *(float4 *)&tiles_b[now][i][x];
                *(float4 *)&columns[4] =
                    *(float4 *)&tiles_b[now][i][x + 32];
#pragma unroll
                for (int r = 0; r < SIDE; r++)
#pragma unroll
                    for (int s = 0; s < SIDE; s++)
                        sums[r][s] += rows[r] * columns[s];
            }
            now = 1 - now;
        }
        if (more) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                int at = t + e * THREADS;
                tiles_a[now][at % DEPTH][at / DEPTH] = next_a[e];
                tiles_b[now][e][t] = next_b[e];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < SIDE; r++)
#pragma unroll
        for (int s = 0; s < SIDE; s++) {
            int row = top + y + r % 4 + r / 4 * 32,
                column = left + x + s % 4 + s / 4 * 32;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
    // kz: starter
    //|     // From the naive kernel to the fastest you can.
    //|     int row = blockIdx.y * TILE + threadIdx.x / ACROSS,
    //|         column = blockIdx.x * TILE + threadIdx.x % ACROSS;
    //|     if (row < m && column < n) c[row * n + column] = 0.0f;
    // kz: end
}
