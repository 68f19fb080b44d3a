enum { WIDTH = 64, TILE = 32, THREADS = 128, PADDED = WIDTH + 4 };

typedef float tile[TILE][PADDED];

// Rows `first` to first + 31 of x, a matrix of `rows` rows; zeros past it.
static __device__ void load(tile to, const float *x, int first, int rows) {
    for (int i = threadIdx.x; i < TILE * WIDTH / 4; i += THREADS) {
        int y = i / (WIDTH / 4), c = i % (WIDTH / 4) * 4;
        float4 zeros = {0.0f, 0.0f, 0.0f, 0.0f};
        *(float4 *)&to[y][c] =
            first + y < rows
                ? *(const float4 *)&x[(size_t)(first + y) * WIDTH + c]
                : zeros;
    }
}

static __device__ float dot(const float *a, const float *b) {
    float4 x = *(const float4 *)a, y = *(const float4 *)b;
    return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention_backward(const float *q, const float *k, const float *v,
                       const float *dout, const float *lse,
                       const float *delta, float *dq, float *dk, float *dv,
                       int queries, int keys) {
    __shared__ __align__(16) tile key_tile, value_tile, query_tile, up_tile;
    __shared__ __align__(16) float p[TILE][TILE + 4]; // [query][key]
    __shared__ __align__(16) float ds[TILE][TILE + 4];
    const float scale = 0.125f; // 1 / sqrt(WIDTH)
    int t = threadIdx.x, first_key = blockIdx.x * TILE;
    // In the sums a thread has one column, and 16 rows from `half` on.
    int column = t % WIDTH, half = t / WIDTH * 16;
    float dk_sums[16] = {0}, dv_sums[16] = {0};
    load(key_tile, k, first_key, keys);
    load(value_tile, v, first_key, keys);
    for (int first = 0; first < queries; first += TILE) {
        __syncthreads();
        load(query_tile, q, first, queries);
        load(up_tile, dout, first, queries);
        __syncthreads();
        // kz: begin
        // Scores and their derivatives: one key, 8 queries from y on.
        int x = t % TILE, y = t / TILE * 8;
        float s[8] = {0}, dp[8] = {0};
        for (int c = 0; c < WIDTH; c += 4)
            for (int i = 0; i < 8; i++) {
                s[i] += dot(&query_tile[y + i][c], &key_tile[x][c]);
                dp[i] += dot(&up_tile[y + i][c], &value_tile[x][c]);
            }
        for (int i = 0; i < 8; i++) {
            int query = first + y + i;
            bool inside = query < queries;
            float weight = inside ? expf(scale * s[i] - lse[query]) : 0.0f;
            float less = inside ? delta[query] : 0.0f;
            p[y + i][x] = weight;
            ds[y + i][x] = scale * weight * (dp[i] - less);
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            float up = up_tile[i][column], query = query_tile[i][column];
            for (int j = 0; j < 16; j++) {
                dv_sums[j] += p[i][half + j] * up;
                dk_sums[j] += ds[i][half + j] * query;
            }
        }
        float dq_sums[16] = {0};
        for (int j = 0; j < TILE; j++) {
            float key = key_tile[j][column];
            for (int i = 0; i < 16; i++)
                dq_sums[i] += ds[half + i][j] * key;
        }
        for (int i = 0; i < 16; i++)
            if (first + half + i < queries)
                atomicAdd(&dq[(first + half + i) * WIDTH + column],
                          dq_sums[i]);
        // kz: starter
        //|         // 1. p and ds of this tile: 32 queries, 32 keys.
        //|         // 2. dk_sums and dv_sums: add what these queries give.
        //|         // 3. dq: add what these keys give, atomically.
        // kz: end
    }
    for (int j = 0; j < 16; j++)
        if (first_key + half + j < keys) {
            dk[(first_key + half + j) * WIDTH + column] = dk_sums[j];
            dv[(first_key + half + j) * WIDTH + column] = dv_sums[j];
        }
}
