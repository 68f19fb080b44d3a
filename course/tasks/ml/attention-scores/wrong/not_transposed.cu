// fails: result
// Multiplies by K as it lies, not by its transpose.
enum { TILE = 32, ROWS = 8 }; // a thread makes TILE / ROWS scores

extern "C" __global__ void attention_scores(const float *q, const float *k,
                                            float *scores, int batch,
                                            int heads, int queries,
                                            int keys, int dimension,
                                            float scale) {
    __shared__ float tile_q[TILE][TILE];
    __shared__ float tile_k[TILE][TILE + 1]; // read down its columns
    int b = blockIdx.z / heads, h = blockIdx.z % heads;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int x = threadIdx.x, y = threadIdx.y;
    float sums[TILE / ROWS] = {};
    size_t row = (size_t)heads * dimension; // from a position to the next
    const float *from_q = q + b * queries * row + h * dimension;
    const float *from_k = k + b * keys * row + h * dimension;

    for (int first = 0; first < dimension; first += TILE) {
        bool inside = first + x < dimension;
        for (int i = y; i < TILE; i += ROWS) {
            tile_q[i][x] = inside && top + i < queries
                               ? from_q[(top + i) * row + first + x]
                               : 0.0f;
            tile_k[i][x] = inside && left + i < keys
                               ? from_k[(left + i) * row + first + x]
                               : 0.0f;
        }
        __syncthreads();
        for (int c = 0; c < TILE; c++)
            for (int i = 0; i < TILE / ROWS; i++)
                sums[i] += tile_q[y + i * ROWS][c] * tile_k[c][x];
        __syncthreads();
    }
    float *to = scores + (size_t)blockIdx.z * queries * keys;
    for (int i = 0; i < TILE / ROWS; i++) {
        int query = top + y + i * ROWS, key = left + x;
        if (query < queries && key < keys)
            to[(size_t)query * keys + key] = scale * sums[i];
    }
}
