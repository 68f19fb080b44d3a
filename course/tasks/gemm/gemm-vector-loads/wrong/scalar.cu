// fails: gate loads
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
        for (int at = threadIdx.x; at < TILE * DEPTH; at += THREADS) {
            int row = top + at / DEPTH, i = first + at % DEPTH;
            tile_a[at % DEPTH][at / DEPTH] = row < m && i < k ? a[row * k + i] : 0.0f;
            int down = first + at / TILE, column = left + at % TILE;
            tile_b[at / TILE][at % TILE] = down < k && column < n ? b[down * n + column] : 0.0f;
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
