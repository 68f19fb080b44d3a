// Draws rightly, but from all tokens: top_p is not looked at. That is seen by the token alone.
// kz: block 32
// kz: grid rows
// family: sampling
// case: sample-f32-rows2-vocabulary1000-top_k0-top_p900-min_p0-temperature100-uniform
// exit: 1
// expect: of 2 are wrong

#include <math.h>

__device__ unsigned long long bits(unsigned long long seed, unsigned long long row, unsigned long long step) {
    unsigned a = (unsigned)step, b = (unsigned)(step >> 32), c = (unsigned)row, d = (unsigned)(row >> 32);
    unsigned k = (unsigned)seed, l = (unsigned)(seed >> 32);
    for (int i = 0; i < 10; i++, k += 0x9E3779B9u, l += 0xBB67AE85u) {
        unsigned e = __umulhi(0xCD9E8D57u, c) ^ b ^ k, f = 0xCD9E8D57u * c;
        unsigned g = __umulhi(0xD2511F53u, a) ^ d ^ l, h = 0xD2511F53u * a;
        a = e, b = f, c = g, d = h;
    }
    return (unsigned long long)b << 32 | a;
}

extern "C" __global__ void all_sample_f32(const float *logits, int *token, const long long *step, size_t rows,
                                          size_t vocabulary, size_t top_k, float share, float least,
                                          float scale, unsigned long long seed) {
    if (threadIdx.x != 0) return;
    const float *row = logits + blockIdx.x * vocabulary;
    double most = -INFINITY, all = 0, sum = 0;
    for (size_t i = 0; i < vocabulary; i++) most = fmax(most, (double)row[i]);
    for (size_t i = 0; i < vocabulary; i++) all += exp2((row[i] - most) * scale);
    double at = (double)bits(seed, blockIdx.x, *step) * 0x1p-64 * all;
    for (size_t i = 0; i < vocabulary; i++)
        if ((sum += exp2((row[i] - most) * scale)) > at) {
            token[blockIdx.x] = (int)i;
            return;
        }
}
