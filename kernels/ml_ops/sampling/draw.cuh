// sampling: random bits, by Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011). The key is the seed; the counter is the step, 64 bits, and above it the row.
#ifndef SAMPLING_DRAW_CUH
#define SAMPLING_DRAW_CUH

#include "kz/kernel.cuh"

static __device__ __forceinline__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
        unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

// 64 random bits that belong to seed, row and step.
static __device__ __forceinline__ unsigned long long
random_bits(unsigned long long seed, unsigned long long row, unsigned long long step) {
    uint4 bits =
        philox(make_uint4((unsigned)step, (unsigned)(step >> 32), (unsigned)row, (unsigned)(row >> 32)),
               make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
    return (unsigned long long)bits.y << 32 | bits.x;
}

#endif
