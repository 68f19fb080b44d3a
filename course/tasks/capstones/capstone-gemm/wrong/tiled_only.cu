// fails: gate shared_loads
#define TILE 64
#define DEPTH 8
#define SIDE 8
#define ACROSS (TILE / SIDE)
#define THREADS (ACROSS * ACROSS)
#define EACH (TILE * DEPTH / THREADS) // elements of a tile for a thread to load
#define WIDE (TILE + 4)               // padded: fewer bank conflicts, rows stay 16-byte aligned

extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[8][8], tile_b[8][8];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    for (int part = 0; part < 64; part++) {
        int row = blockIdx.y * TILE + part / 8 * 8 + y, column = blockIdx.x * TILE + part % 8 * 8 + x;
        float sum = 0.0f;
        for (int first = 0; first < k; first += 8) {
            tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
            tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
            __syncthreads();
            for (int i = 0; i < 8; i++) sum += tile_a[y][i] * tile_b[i][x];
            __syncthreads();
        }
        if (row < m && column < n) c[row * n + column] = sum;
    }
}
