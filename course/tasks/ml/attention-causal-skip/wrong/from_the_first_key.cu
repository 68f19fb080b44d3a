// fails: result
// Takes query i to see keys 0 to i, however many keys there are.
enum { D = 64, TILE = 16, THREADS = 64 }; // a thread has a query

extern "C" __global__ void causal_attention(const float *q, const float *k,
                                            const float *v, float *out,
                                            int heads, int queries,
                                            int keys) {
    __shared__ float4 tile_k[TILE][D / 4], tile_v[TILE][D / 4];
    int query = blockIdx.x * THREADS + threadIdx.x;
    size_t row = (size_t)blockIdx.y * queries + query;
    const float4 *from_k =
        (const float4 *)k + (size_t)blockIdx.y * keys * D / 4;
    const float4 *from_v =
        (const float4 *)v + (size_t)blockIdx.y * keys * D / 4;
    const float4 none = {};
    float4 mine[D / 4], o[D / 4]; // the scaled query, and the sums
#pragma unroll
    for (int c = 0; c < D / 4; c++) {
        float4 part =
            query < queries ? ((const float4 *)q)[row * D / 4 + c] : none;
        mine[c] =
            make_float4(part.x / 8, part.y / 8, part.z / 8, part.w / 8);
        o[c] = none;
    }
    float greatest = -INFINITY, total = 0.0f;
    int visible = query + 1; // keys that the query sees
    // The last query of the block sees the most.
    int last = min((int)blockIdx.x * THREADS + THREADS, queries) - 1;
    int end = min(last + 1, keys);

    for (int first = 0; first < end; first += TILE) {
        for (int i = threadIdx.x; i < TILE * D / 4; i += THREADS) {
            bool inside = first + i / (D / 4) < keys;
            int at = first * D / 4 + i;
            tile_k[0][i] = inside ? from_k[at] : none;
            tile_v[0][i] = inside ? from_v[at] : none;
        }
        __syncthreads();
        float scores[TILE], larger = greatest;
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            float sum = 0.0f;
#pragma unroll
            for (int c = 0; c < D / 4; c++) {
                float4 key = tile_k[j][c];
                sum += mine[c].x * key.x + mine[c].y * key.y +
                       mine[c].z * key.z + mine[c].w * key.w;
            }
            scores[j] = first + j < min(visible, keys) ? sum : -INFINITY;
            larger = fmaxf(larger, scores[j]);
        }
        // Nothing seen yet: any number will do instead of -inf - -inf.
        if (larger == -INFINITY) larger = 0.0f;
        float correction = expf(greatest - larger);
        greatest = larger;
        total *= correction;
#pragma unroll
        for (int c = 0; c < D / 4; c++)
            o[c].x *= correction, o[c].y *= correction,
                o[c].z *= correction, o[c].w *= correction;
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            float weight = expf(scores[j] - greatest);
            total += weight;
#pragma unroll
            for (int c = 0; c < D / 4; c++) {
                float4 value = tile_v[j][c];
                o[c].x += weight * value.x, o[c].y += weight * value.y;
                o[c].z += weight * value.z, o[c].w += weight * value.w;
            }
        }
        __syncthreads(); // nobody reads the tiles any more
    }
    if (query >= queries) return;
    if (total == 0.0f) total = 1.0f; // no key: zeros
    float4 *to = (float4 *)out + row * D / 4;
#pragma unroll
    for (int c = 0; c < D / 4; c++)
        to[c] = make_float4(o[c].x / total, o[c].y / total, o[c].z / total,
                            o[c].w / total);
}
