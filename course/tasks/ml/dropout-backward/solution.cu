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

extern "C" __global__ void dropout_backward(const float *dy, float *dx,
                                            float *dbias, int rows,
                                            int columns, unsigned seed,
                                            unsigned threshold,
                                            float scale) {
    __shared__ float sums[8][32];
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    // kz: begin
    if (c < columns)
        for (int row = threadIdx.y; row < rows; row += 8) {
            size_t i = (size_t)row * columns + c;
            uint4 words = philox(seed, (unsigned)(i / 4));
            unsigned word = i % 4 == 0   ? words.x
                            : i % 4 == 1 ? words.y
                            : i % 4 == 2 ? words.z
                                         : words.w;
            float slope = word < threshold ? 0.0f : dy[i] * scale;
            dx[i] = slope;
            sum += slope;
        }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || c >= columns) return;
    for (int w = 1; w < 8; w++) sum += sums[w][threadIdx.x];
    dbias[c] = sum;
    // kz: starter
    //|     // All elements by the first one's word, and by one warp.
    //|     if (c >= columns || threadIdx.y > 0) return;
    //|     unsigned word = philox(seed, 0).x;
    //|     for (int row = 0; row < rows; row++) {
    //|         size_t i = (size_t)row * columns + c;
    //|         dx[i] = word < threshold ? 0.0f : dy[i] * scale;
    //|         sum += dx[i];
    //|     }
    //|     sums[0][threadIdx.x] = sum;
    //|     dbias[c] = sums[0][threadIdx.x];
    // kz: end
}
