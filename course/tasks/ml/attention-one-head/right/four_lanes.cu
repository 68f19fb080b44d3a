// Four neighbouring lanes share a query: each has every fourth float4 of it and of its sums. A score takes two shuffles.
// kz: grid ceil(queries/64)
// kz: block 256
enum { D = 64, TILE = 16, THREADS = 256, OWN = D / 16 };

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out, int queries, int keys) {
    __shared__ float4 tile_k[TILE][D / 4], tile_v[TILE][D / 4];
    int query = blockIdx.x * 64 + threadIdx.x / 4, part = threadIdx.x % 4;
    const float4 none = {};
    float4 mine[OWN], o[OWN];
#pragma unroll
    for (int c = 0; c < OWN; c++) {
        float4 x = query < queries ? ((const float4 *)q)[query * 16 + 4 * c + part] : none;
        mine[c] = make_float4(x.x / 8, x.y / 8, x.z / 8, x.w / 8);
        o[c] = none;
    }
    float greatest = -INFINITY, total = 0.0f;
    for (int first = 0; first < keys; first += TILE) {
        int i = threadIdx.x; // TILE * D / 4 are as many as there are threads
        bool inside = first + i / 16 < keys;
        tile_k[0][i] = inside ? ((const float4 *)k)[first * 16 + i] : none;
        tile_v[0][i] = inside ? ((const float4 *)v)[first * 16 + i] : none;
        __syncthreads();
        float scores[TILE], larger = greatest;
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            float sum = 0.0f;
#pragma unroll
            for (int c = 0; c < OWN; c++) {
                float4 key = tile_k[j][4 * c + part];
                sum += mine[c].x * key.x + mine[c].y * key.y + mine[c].z * key.z + mine[c].w * key.w;
            }
            sum += __shfl_xor_sync(0xffffffffu, sum, 1);
            sum += __shfl_xor_sync(0xffffffffu, sum, 2);
            scores[j] = first + j < keys ? sum : -INFINITY;
            larger = fmaxf(larger, scores[j]);
        }
        float correction = expf(greatest - larger);
        greatest = larger;
        total *= correction;
#pragma unroll
        for (int c = 0; c < OWN; c++)
            o[c].x *= correction, o[c].y *= correction, o[c].z *= correction, o[c].w *= correction;
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            float weight = expf(scores[j] - greatest);
            total += weight;
#pragma unroll
            for (int c = 0; c < OWN; c++) {
                float4 value = tile_v[j][4 * c + part];
                o[c].x += weight * value.x, o[c].y += weight * value.y;
                o[c].z += weight * value.z, o[c].w += weight * value.w;
            }
        }
        __syncthreads();
    }
    if (query >= queries) return;
#pragma unroll
    for (int c = 0; c < OWN; c++)
        ((float4 *)out)[query * 16 + 4 * c + part] =
            make_float4(o[c].x / total, o[c].y / total, o[c].z / total, o[c].w / total);
}
