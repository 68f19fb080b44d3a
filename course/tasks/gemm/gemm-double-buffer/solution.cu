#define TILE    64            // rows and columns of c for a block
#define DEPTH   16            // of a step along k
#define SIDE    4             // of the square of c for a thread
#define ACROSS  (TILE / SIDE) // threads along a side
#define THREADS (ACROSS * ACROSS)
// elements of a tile for a thread to load
#define EACH (TILE * DEPTH / THREADS)

// 4 more: transposed stores of a's rows spread over the banks
typedef float tile[DEPTH][TILE + 4];

static __device__ void fetch(const float *a, const float *b, int m, int n,
                             int k, int top, int left, int first,
                             float next_a[EACH], float next_b[EACH]) {
    for (int e = 0; e < EACH; e++) {
        int at = threadIdx.x + e * THREADS;
        int row = top + at / DEPTH, i = first + at % DEPTH;
        next_a[e] = row < m && i < k ? a[row * k + i] : 0.0f;
        int down = first + at / TILE, column = left + at % TILE;
        next_b[e] = down < k && column < n ? b[down * n + column] : 0.0f;
    }
}

static __device__ void put(const float next_a[EACH],
                           const float next_b[EACH], tile tile_a,
                           tile tile_b) {
    for (int e = 0; e < EACH; e++) {
        int at = threadIdx.x + e * THREADS;
        tile_a[at % DEPTH][at / DEPTH] = next_a[e];
        tile_b[at / TILE][at % TILE] = next_b[e];
    }
}

static __device__ void multiply(tile tile_a, tile tile_b,
                                float sums[SIDE][SIDE]) {
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    for (int i = 0; i < DEPTH; i++) {
        float rows[SIDE], columns[SIDE];
        for (int r = 0; r < SIDE; r++) rows[r] = tile_a[i][r * ACROSS + y];
        for (int s = 0; s < SIDE; s++)
            columns[s] = tile_b[i][s * ACROSS + x];
        for (int r = 0; r < SIDE; r++)
            for (int s = 0; s < SIDE; s++)
                sums[r][s] += rows[r] * columns[s];
    }
}

extern "C" __global__ void gemm(const float *a, const float *b, float *c,
                                int m, int n, int k) {
    // kz: begin
    __shared__ tile tiles_a[2], tiles_b[2];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[SIDE][SIDE] = {{0}}, next_a[EACH], next_b[EACH];
    fetch(a, b, m, n, k, top, left, 0, next_a, next_b);
    put(next_a, next_b, tiles_a[0], tiles_b[0]);
    __syncthreads();
    int now = 0;
    for (int first = 0; first < k; first += DEPTH) {
        bool more = first + DEPTH < k;
        if (more)
            fetch(a, b, m, n, k, top, left, first + DEPTH, next_a, next_b);
        multiply(tiles_a[now], tiles_b[now], sums);
        if (more) put(next_a, next_b, tiles_a[1 - now], tiles_b[1 - now]);
        __syncthreads(); // this buffer was read, the other one is full
        now = 1 - now;
    }
    // kz: starter
    //|     __shared__ tile tile_a, tile_b;
    //|     int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    //|     float sums[SIDE][SIDE] = {{0}}, next_a[EACH], next_b[EACH];
    //|     for (int first = 0; first < k; first += DEPTH) {
    //|         fetch(a, b, m, n, k, top, left, first, next_a, next_b);
    //|         put(next_a, next_b, tile_a, tile_b);
    //|         __syncthreads();
    //|         multiply(tile_a, tile_b, sums);
    //|         __syncthreads();
    //|     }
    // kz: end
    for (int r = 0; r < SIDE; r++)
        for (int s = 0; s < SIDE; s++) {
            int row = top + r * ACROSS + (int)threadIdx.x / ACROSS,
                column = left + s * ACROSS + threadIdx.x % ACROSS;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
}
