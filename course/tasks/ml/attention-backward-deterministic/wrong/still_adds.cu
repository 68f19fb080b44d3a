// fails: race
// The blocks of keys add to dq as well.
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

// What a block has on the chip.
typedef struct shared_tiles {
    tile keys, values, queries, ups;
    float p[TILE][TILE + 4], ds[TILE][TILE + 4]; // [query][key]
} shared_tiles;

// p and ds of the tiles that are there; `first` is the first query.
static __device__ void derive(shared_tiles *at, const float *lse,
                              const float *delta, int first, int queries) {
    const float scale = 0.125f; // 1 / sqrt(WIDTH)
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE * 8;
    float s[8] = {0}, dp[8] = {0};
    for (int c = 0; c < WIDTH; c += 4)
        for (int i = 0; i < 8; i++) {
            s[i] += dot(&at->queries[y + i][c], &at->keys[x][c]);
            dp[i] += dot(&at->ups[y + i][c], &at->values[x][c]);
        }
    for (int i = 0; i < 8; i++) {
        int query = first + y + i;
        bool inside = query < queries;
        float weight = inside ? expf(scale * s[i] - lse[query]) : 0.0f;
        float less = inside ? delta[query] : 0.0f;
        at->p[y + i][x] = weight;
        at->ds[y + i][x] = scale * weight * (dp[i] - less);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention_backward(const float *q, const float *k, const float *v,
                       const float *dout, const float *lse,
                       const float *delta, float *dq, float *dk, float *dv,
                       int queries, int keys) {
    __shared__ __align__(16) shared_tiles at;
    int mine = blockIdx.x * TILE; // the first row that the block owns
    // In the sums a thread has one column, and 16 rows from `half` on.
    int column = threadIdx.x % WIDTH, half = threadIdx.x / WIDTH * 16;
    if (blockIdx.y == 1) { // queries: dq
        if (mine >= queries) return;
        float dq_sums[16] = {0};
        load(at.queries, q, mine, queries);
        load(at.ups, dout, mine, queries);
        for (int first = 0; first < keys; first += TILE) {
            __syncthreads();
            load(at.keys, k, first, keys);
            load(at.values, v, first, keys);
            __syncthreads();
            derive(&at, lse, delta, mine, queries);
            __syncthreads();
            for (int j = 0; j < TILE; j++) {
                float key = at.keys[j][column];
                for (int i = 0; i < 16; i++)
                    dq_sums[i] += at.ds[half + i][j] * key;
            }
        }
        for (int i = 0; i < 16; i++)
            if (mine + half + i < queries)
                dq[(mine + half + i) * WIDTH + column] = dq_sums[i];
        return;
    }
    if (mine >= keys) return;
    float dk_sums[16] = {0}, dv_sums[16] = {0};
    load(at.keys, k, mine, keys);
    load(at.values, v, mine, keys);
    for (int first = 0; first < queries; first += TILE) {
        __syncthreads();
        load(at.queries, q, first, queries);
        load(at.ups, dout, first, queries);
        __syncthreads();
        derive(&at, lse, delta, first, queries);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            float up = at.ups[i][column], query = at.queries[i][column];
            for (int j = 0; j < 16; j++) {
                dv_sums[j] += at.p[i][half + j] * up;
                dk_sums[j] += at.ds[i][half + j] * query;
            }
        }
        for (int i = 0; i < 16; i++)
            if (first + half + i < queries)
                for (int j = 0; j < TILE; j++)
                    dq[(first + half + i) * WIDTH + column] +=
                        at.ds[half + i][j] * at.keys[j][column];
    }
    for (int j = 0; j < 16; j++)
        if (mine + half + j < keys) {
            dk[(mine + half + j) * WIDTH + column] = dk_sums[j];
            dv[(mine + half + j) * WIDTH + column] = dv_sums[j];
        }
}
