// vector_add 03: 16 bytes per thread
//
// Idea     01 issues a load instruction per 4 bytes; the hardware can move 16 per thread and instruction.
// Change   each thread adds one pack of 4 neighbours; the few left over are added one by one.
// Expect   a quarter of the instructions and of the requests, four times the bytes in flight per thread.
// Limit    only 16-byte aligned pointers can be read so; others take the path of 01.

#include "kz/kernel.cuh"

enum { PACK = 4 };

KZ_ENTRY(vector_add_vector_add_f32)(const float *x, const float *y, float *z, size_t n) {
    size_t first = kz_thread() * PACK;
    if (first >= n) return;
    if (kz_aligned(x, 16) && kz_aligned(y, 16) && kz_aligned(z, 16) && first + PACK <= n) {
        float4 a = *(const float4 *)(x + first);
        float4 b = *(const float4 *)(y + first);
        *(float4 *)(z + first) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        return;
    }
    for (size_t i = first; i < n && i < first + PACK; i++) z[i] = x[i] + y[i];
}
