// Philox 4x32-10 on the device, the generator of kz_philox (kz/family.h) bit by bit, and what dropout makes of its bits.
//
// Dropout never stores its mask: whether element i is kept depends on (seed, offset, i) alone, so a backward pass makes the
// same mask again, whatever the launch. 64 neighbours share 8 calls, 16 bits for each element: element i = 64 g + 32 h + 4 c + w
// reads half h of word w of call 8 g + c. So a call serves two accesses of 4 neighbours that lie 32 elements apart: of
// floats, a thread's two packs of 16 bytes. An element is dropped where its 16 bits are below `drop`, 0 to 65536.
#ifndef KZ_PHILOX_CUH
#define KZ_PHILOX_CUH

#include "kz/kernel.cuh"

struct kz_philox_block {
    uint32_t word[4];
};

// The 128-bit counter is (counter, stream), the 64-bit key is the seed. For sm_90 ptxas makes 58 instructions of it: both halves
// of a product are one, and so is the exclusive or of three words; 18 add up the round keys, which a loop keeps in registers.
// (Of 64-bit products, cut into halves, it makes 20 more.)
static __device__ __forceinline__ kz_philox_block kz_philox(uint64_t seed, uint64_t stream,
                                                            uint64_t counter) {
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        uint32_t high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        uint32_t high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}

// ---- dropout -----------------------------------------------------------------------------------------

// What all elements of one dropout share. scale is 65536 / (65536 - drop), and 0 where all are dropped.
struct kz_dropout_state {
    uint64_t seed, offset;
    uint32_t drop;
    float scale;
};

// `state`, in device memory: the seed and the offset, so that a recorded graph may be launched with others.
static __device__ __forceinline__ kz_dropout_state kz_dropout_of(const long long *state, size_t drop,
                                                                 float scale) {
    return {(uint64_t)state[0], (uint64_t)state[1], (uint32_t)drop, scale};
}

// The call for elements i to i + 3 and i + 32 to i + 35, where bit 5 of i is 0 and i a multiple of 4; for another i, its own.
static __device__ __forceinline__ kz_philox_block kz_dropout_call(const kz_dropout_state &d, size_t i) {
    return kz_philox(d.seed, d.offset, i / 64 * 8 + i / 4 % 8);
}

// Of an element's word: the low half for the first 32 of 64 elements, the high one for the others.
static __device__ __forceinline__ bool kz_dropout_keeps(const kz_dropout_state &d, uint32_t word, bool high) {
    return (high ? word >> 16 : word & 0xffffu) >= d.drop;
}

// Whether one element is kept, by a call of its own.
static __device__ __forceinline__ bool kz_dropout_keeps_at(const kz_dropout_state &d, size_t i) {
    kz_philox_block call = kz_dropout_call(d, i);
    uint32_t even = i & 2 ? call.word[2] : call.word[0], odd = i & 2 ? call.word[3] : call.word[1];
    return kz_dropout_keeps(d, i & 1 ? odd : even, i & 32);
}

// What is dropped is 0 whatever it was, a NaN too. Selected first, so that nothing waits for x before the bits are made.
static __device__ __forceinline__ float kz_dropout_apply(const kz_dropout_state &d, float x, bool keep) {
    return (keep ? x : 0.0f) * d.scale;
}

#endif
