// fails: gate load_sectors
// Right: everything before the window is read, and masked.
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
    attention_window(const float *q, const float *k, const float *v,
                     float *out, int rows, int window) {
    __shared__ __align__(16) tile query_tile, key_tile, value_tile;
    __shared__ __align__(16) float p[TILE][TILE + 4]; // [query][key]
    __shared__ float shrink[TILE], whole[TILE];       // of each query
    const float scale = 0.125f;                       // 1 / sqrt(WIDTH)
    int t = threadIdx.x, mine = blockIdx.x * TILE;
    // Scores: key x of the tile, 8 queries from y on: a warp has 8 rows.
    int x = t % TILE, y = t / TILE * 8;
    // Results: one column, 16 queries from `half` on.
    int column = t % WIDTH, half = t / WIDTH * 16;
    float greatest[8], sums[8] = {0}, results[16] = {0};
    for (int i = 0; i < 8; i++) greatest[i] = -INFINITY;
    load(query_tile, q, mine, rows);
    int begin = 0;
    for (int first = begin; first < min(mine + TILE, rows); first += TILE) {
        __syncthreads();
        load(key_tile, k, first, rows);
        load(value_tile, v, first, rows);
        __syncthreads();
        float s[8] = {0};
        for (int c = 0; c < WIDTH; c += 4)
            for (int i = 0; i < 8; i++)
                s[i] += dot(&query_tile[y + i][c], &key_tile[x][c]);
        for (int i = 0; i < 8; i++) {
            int query = mine + y + i, key = first + x;
            bool seen = key <= query && key > query - window;
            float score = seen ? scale * s[i] : -INFINITY, most = score;
            for (int step = 16; step > 0; step /= 2)
                most =
                    fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
            most = fmaxf(most, greatest[i]);
            // A row may have seen no key yet: -infinity - -infinity is NaN.
            float less = most == -INFINITY ? 0.0f : most;
            float weight = expf(score - less);
            float factor = expf(greatest[i] - less);
            greatest[i] = most;
            sums[i] = sums[i] * factor + weight; // of this lane's keys
            p[y + i][x] = weight;
            if (x == 0) shrink[y + i] = factor;
        }
        __syncthreads();
        for (int i = 0; i < 16; i++) results[i] *= shrink[half + i];
        for (int j = 0; j < TILE; j++) {
            float value = value_tile[j][column];
            for (int i = 0; i < 16; i++)
                results[i] += p[half + i][j] * value;
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int step = 16; step > 0; step /= 2)
            sums[i] += __shfl_xor_sync(0xffffffffu, sums[i], step);
        if (x == 0) whole[y + i] = sums[i];
    }
    __syncthreads();
    for (int i = 0; i < 16; i++)
        if (mine + half + i < rows)
            out[(mine + half + i) * WIDTH + column] =
                results[i] / whole[half + i];
}
