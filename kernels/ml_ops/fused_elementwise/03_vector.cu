// fused_elementwise 03: 16 bytes per access
//
// Idea     02 issues a load per element and array; the hardware moves 16 bytes per thread and instruction.
// Change   a thread does one pack: 4 floats or 8 halves of a row. A call of Philox serves 4 elements instead of one. Where rows
//          do not begin with packs, the thread does as many elements one by one.
// Expect   a quarter (f32) or an eighth (f16, bf16) of the memory instructions and of the divisions.
// Limit    bias is loaded again for every row, through L1; the atomics are as many as in 02 (see 04).

#include "narrow.cuh"

template <typename Chain, typename T>
static __device__ __forceinline__ void vector(const arrays<Chain, T> &own) {
    const int PACK = 16 / sizeof(T);
    size_t i = kz_thread() * PACK, n = own.rows * own.columns;
    if (!own.packs()) {
#pragma unroll 1
        for (size_t end = i + PACK < n ? i + PACK : n; i < end; i++) {
            size_t row = i / own.columns, column = i - row * own.columns;
            float first = chain_element(own, row, column);
            if (Chain::SUM) atomicAdd(&own.sums[column], first);
        }
        return;
    }
    if (i >= n) return;
    size_t row = i / own.columns, column = i - row * own.columns;
    loaded<Chain, T> from;
    kz_pack<T> bias;
    kz_philox_block calls[2];
    float sums[PACK] = {0.0f};
    chain_load(&from, own, row, column);
    if (Chain::BIAS) bias = kz_load_pack<KZ_CACHE>(own.bias + column);
    if (Chain::MASK) chain_calls<T>(calls, own.d, i);
    chain_pack(own, row, column, from, bias, calls, i & 32, sums);
    if (Chain::SUM)
#pragma unroll
        for (int e = 0; e < PACK; e++) atomicAdd(&own.sums[column + e], sums[e]);
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY(fused_elementwise_vector_##operation##_##type)(CHAIN_PARAMETERS(T)) {                           \
        CHAIN_ARRAYS(operation, T);                                                                          \
        vector(own);                                                                                         \
    }
CHAIN_ALL(ENTRY)
CHAIN_NARROW(vector, f32, float)
CHAIN_NARROW(vector, f16, kz_f16)
CHAIN_NARROW(vector, bf16, kz_bf16)
