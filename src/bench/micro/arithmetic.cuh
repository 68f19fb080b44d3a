// Chains of one instruction, for every type: see arithmetic.cu.
#ifndef BENCH_MICRO_ARITHMETIC_CUH
#define BENCH_MICRO_ARITHMETIC_CUH

#include "micro.cuh"

// Eight chains in a thread hide the latency of one; 256 instructions to a turn make the loop 1% of it.
enum { CHAINS = 8, STEPS = 256 };

// The starts differ by chain and by lane, 8 of them: 1/128 to 64/128, which all types hold exactly.
static __device__ __forceinline__ uint32_t integer_start(int chain) {
    return 1u + kz_lane() % 8u + 8u * chain;
}
static __device__ __forceinline__ float float_start(int chain) {
    return (float)integer_start(chain) / 128.0f;
}
static __device__ __forceinline__ double double_start(int chain) { return integer_start(chain) / 128.0; }
static __device__ __forceinline__ uint32_t half_start(int chain) {
    kz_f16 x;
    kz_narrow(&x, float_start(chain));
    return x.bits * 0x10001u;
}
static __device__ __forceinline__ uint32_t bf16_start(int chain) {
    return (__float_as_uint(float_start(chain)) >> 16) * 0x10001u;
}
static __device__ __forceinline__ uint32_t as_it_is(uint32_t x) { return x; }
static __device__ __forceinline__ uint32_t fold(double x) {
    uint64_t bits = (uint64_t)__double_as_longlong(x);
    return (uint32_t)bits ^ (uint32_t)(bits >> 32);
}

// %0 is the chain's value, %1 what is added.
#define SQUARES(name, type, start, instruction, letter, added, bits_of)                                      \
    MICRO(name) {                                                                                            \
        type x[CHAINS];                                                                                      \
        _Pragma("unroll") for (int c = 0; c < CHAINS; c++) x[c] = start(c);                                  \
        for (uint32_t turn = 0; turn < turns; turn++) {                                                      \
            _Pragma("unroll") for (int k = 0; k < STEPS; k++) asm volatile(                                  \
                instruction : "+" letter(x[k % CHAINS]) : letter(added));                                    \
        }                                                                                                    \
        uint32_t bits = 0;                                                                                   \
        _Pragma("unroll") for (int c = 0; c < CHAINS; c++) bits ^= bits_of(x[c]) << c;                       \
        values[kz_thread()] = bits;                                                                          \
    }

#endif
