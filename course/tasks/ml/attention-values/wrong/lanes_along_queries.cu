// fails: gate load_sectors
// The starter: neighbouring lanes have neighbouring queries.
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
    int query = top + threadIdx.x;
    if (query >= queries) return;
    for (int c = threadIdx.y; c < TILE && left + c < dimension; c += ROWS) {
        float sum = 0.0f;
        for (int j = 0; j < keys; j++)
            sum +=
                weights[(size_t)query * keys + j] * v[j * row + left + c];
        out[query * row + left + c] = sum;
    }
}
