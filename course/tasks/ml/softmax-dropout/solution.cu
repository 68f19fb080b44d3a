// Philox4x32-10: four random words from a key and a counter.
static __device__ uint4 philox(unsigned key, unsigned counter) {
    uint4 c = make_uint4(counter, 0, 0, 0);
    uint2 k = make_uint2(key, 0);
    for (int round = 0; round < 10; round++) {
        uint2 a = make_uint2(0xD2511F53u * c.x, __umulhi(0xD2511F53u, c.x));
        uint2 b = make_uint2(0xCD9E8D57u * c.z, __umulhi(0xCD9E8D57u, c.z));
        c = make_uint4(b.y ^ c.y ^ k.x, b.x, a.y ^ c.w ^ k.y, a.x);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

static __device__ float4 exponentials(float4 v, float greatest) {
    return make_float4(expf(v.x - greatest), expf(v.y - greatest),
                       expf(v.z - greatest), expf(v.w - greatest));
}

extern "C" __global__ void
softmax_dropout(const float *scores, float *y, int rows, int columns,
                unsigned seed, unsigned threshold, float scale) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return; // the whole warp
    int quads = columns / 4;
    unsigned first = row * (unsigned)quads; // the row's first quad
    float4 v[2];
    float greatest = -INFINITY, sum = 0.0f;
    for (int k = 0; k < 2; k++) {
        v[k] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        if (lane + 32 * k < quads)
            v[k] = ((const float4 *)scores)[first + lane + 32 * k];
        greatest = fmaxf(fmaxf(fmaxf(greatest, v[k].x), v[k].y),
                         fmaxf(v[k].z, v[k].w));
    }
    for (int step = 16; step > 0; step /= 2)
        greatest =
            fmaxf(greatest, __shfl_xor_sync(0xffffffffu, greatest, step));
    // kz: begin
    for (int k = 0; k < 2; k++) {
        v[k] = exponentials(v[k], greatest);
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    float factor = scale / sum;
    for (int k = 0; k < 2; k++) {
        unsigned at = first + lane + 32 * k;
        if (lane + 32 * k >= quads) break;
        uint4 words = philox(seed, at);
        v[k].x *= words.x < threshold ? 0.0f : factor;
        v[k].y *= words.y < threshold ? 0.0f : factor;
        v[k].z *= words.z < threshold ? 0.0f : factor;
        v[k].w *= words.w < threshold ? 0.0f : factor;
        ((float4 *)y)[at] = v[k];
    }
    // kz: starter
    //|     // The exponentials, their sum over all lanes, then the shares that are
    //|     // kept, times the scale. This drops rows as a whole.
    //|     bool kept = philox(seed, first).x >= threshold;
    //|     for (int k = 0; k < 2; k++) {
    //|         v[k] = exponentials(v[k], greatest);
    //|         sum += v[k].x;
    //|         if (kept && lane + 32 * k < quads)
    //|             ((float4 *)y)[first + lane + 32 * k] = v[k];
    //|     }
    // kz: end
}
