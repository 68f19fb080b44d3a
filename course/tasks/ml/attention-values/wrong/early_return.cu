// fails: undefined
// Threads outside the output leave before they have loaded their part.
enum { TILE = 32, ROWS = 8 };

extern "C" __global__ void attention_values(const float *weights,
                                            const float *v, float *out,
                                            int batch, int heads,
                                            int queries, int keys,
                                            int dimension) {
    int b = blockIdx.z / heads, h = blockIdx.z % heads;
    size_t row = (size_t)heads * dimension; // from a position to the next
    weights += (size_t)blockIdx.z * queries * keys;
    v += b * keys * row + h * dimension;
    out += b * queries * row + h * dimension;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    __shared__ float tile_w[TILE][TILE], tile_v[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = left + x;
    float sums[TILE / ROWS] = {};
    if (column >= dimension) return;

    for (int first = 0; first < keys; first += TILE) {
        for (int i = y; i < TILE; i += ROWS) {
            int query = top + i, key = first + i;
            tile_w[i][x] = query < queries && first + x < keys
                               ? weights[(size_t)query * keys + first + x]
                               : 0.0f;
            tile_v[i][x] = key < keys && column < dimension
                               ? v[key * row + column]
                               : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            for (int i = 0; i < TILE / ROWS; i++)
                sums[i] += tile_w[y + i * ROWS][j] * tile_v[j][x];
        __syncthreads();
    }
    for (int i = 0; i < TILE / ROWS; i++) {
        int query = top + y + i * ROWS;
        if (query < queries && column < dimension)
            out[query * row + column] = sums[i];
    }
}
