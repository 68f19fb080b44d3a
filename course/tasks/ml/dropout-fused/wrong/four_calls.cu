// fails: gate instructions
// A thread for each element: a call for each, and three of its four words thrown away.
// kz: grid ceil(columns/128) rows
// kz: block 128

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

extern "C" __global__ void bias_dropout_residual(const float *x, const float *bias, const float *residual, float *y, int rows,
                                                 int columns, unsigned seed, unsigned threshold, float scale) {
    int column = blockIdx.x * 128 + threadIdx.x;
    if (column >= columns) return;
    unsigned i = blockIdx.y * (unsigned)columns + column;
    uint4 words = philox(seed, i / 4);
    unsigned word = i % 4 == 0 ? words.x : i % 4 == 1 ? words.y : i % 4 == 2 ? words.z : words.w;
    y[i] = (word < threshold ? 0.0f : (x[i] + bias[column]) * scale) + residual[i];
}
