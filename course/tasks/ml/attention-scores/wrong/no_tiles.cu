// fails: gate load_sectors
// Every thread fetches its own queries and keys: neighbouring lanes read rows that lie far apart.
enum { TILE = 32, ROWS = 8 };

extern "C" __global__ void attention_scores(const float *q, const float *k,
                                            float *scores, int batch,
                                            int heads, int queries,
                                            int keys, int dimension,
                                            float scale) {
    int b = blockIdx.z / heads, h = blockIdx.z % heads,
        key = blockIdx.x * TILE + threadIdx.x;
    if (key >= keys) return;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int query = blockIdx.y * TILE + i;
        if (query >= queries) return;
        const float *left =
            q + ((size_t)(b * queries + query) * heads + h) * dimension;
        const float *right =
            k + ((size_t)(b * keys + key) * heads + h) * dimension;
        float sum = 0.0f;
        for (int c = 0; c < dimension; c++) sum += left[c] * right[c];
        scores[((size_t)blockIdx.z * queries + query) * keys + key] =
            scale * sum;
    }
}
