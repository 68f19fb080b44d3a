// saxpy 03: 16 bytes per thread
//
// Idea     01 issues a load instruction per 4 bytes; the hardware can move 16 per thread and instruction.
// Change   each thread does one pack of 4 neighbours; the few left over go one by one.
// Expect   a quarter of the instructions and of the requests, four times the bytes in flight per thread.
// Limit    only 16-byte aligned pointers can be read so; others take the path of 01.

#include "kz/kernel.cuh"

enum { PACK = 4 };

KZ_ENTRY(saxpy_vector_saxpy_f32)(float a, const float *x, float *y, size_t n) {
    size_t first = kz_thread() * PACK;
    if (first >= n) return;
    if (kz_aligned(x, 16) && kz_aligned(y, 16) && first + PACK <= n) {
        float4 u = *(const float4 *)(x + first);
        float4 v = *(const float4 *)(y + first);
        *(float4 *)(y + first) = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
        return;
    }
    for (size_t i = first; i < n && i < first + PACK; i++) y[i] = a * x[i] + y[i];
}
