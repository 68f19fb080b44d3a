// fused_elementwise 02: the whole chain in registers
//
// Idea     every step needs one element of each array: read them once, do all steps, write the result.
// Change   one kernel, a thread per element. Backward chains with a bias add each element to its column's sum by an atomic,
//          and a small launch rounds the sums to the type.
// Expect   the least traffic of loads and stores. A division per element finds its column.
// Limit    2 or 4 bytes per access; as many atomics as elements, on few addresses, in any order: the last bits of dbias differ
//          from run to run (see 04).

#include "narrow.cuh"

template <typename Chain, typename T>
static __device__ __forceinline__ void fused(const arrays<Chain, T> &own) {
    size_t i = kz_thread(), row = i / own.columns, column = i - row * own.columns;
    if (row >= own.rows) return;
    float first = chain_element(own, row, column);
    if (Chain::SUM) atomicAdd(&own.sums[column], first);
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY(fused_elementwise_fused_##operation##_##type)(CHAIN_PARAMETERS(T)) {                            \
        CHAIN_ARRAYS(operation, T);                                                                          \
        fused(own);                                                                                          \
    }
CHAIN_ALL(ENTRY)
CHAIN_NARROW(fused, f32, float)
CHAIN_NARROW(fused, f16, kz_f16)
CHAIN_NARROW(fused, bf16, kz_bf16)
