// fails: gate instructions
// The starter: right, and each query fetches everything for itself.
// A warp has a query; each lane has two of its 64 numbers, and two sums.
extern "C" __global__ void attention(const float *q, const float *k,
                                     const float *v, float *out,
                                     int queries, int keys) {
    int query = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (query >= queries) return;
    float2 mine = ((const float2 *)q)[query * 32 + lane];
    float2 o = make_float2(0.0f, 0.0f);
    float greatest = -INFINITY, total = 0.0f;
    for (int j = 0; j < keys; j++) {
        float2 key = ((const float2 *)k)[j * 32 + lane];
        float score = (mine.x * key.x + mine.y * key.y) / 8;
        for (int step = 16; step > 0; step /= 2)
            score += __shfl_xor_sync(0xffffffffu, score, step);
        float larger = fmaxf(greatest, score);
        float correction = expf(greatest - larger);
        float weight = expf(score - larger);
        float2 value = ((const float2 *)v)[j * 32 + lane];
        o.x = o.x * correction + weight * value.x;
        o.y = o.y * correction + weight * value.y;
        total = total * correction + weight;
        greatest = larger;
    }
    ((float2 *)out)[query * 32 + lane] =
        make_float2(o.x / total, o.y / total);
}
