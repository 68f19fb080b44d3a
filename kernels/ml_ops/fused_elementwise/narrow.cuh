// fused_elementwise: the launch after 02 and 03, whose atomics left the sums of columns in float.
#ifndef FUSED_ELEMENTWISE_NARROW_CUH
#define FUSED_ELEMENTWISE_NARROW_CUH

#include "chain.cuh"

#define CHAIN_NARROW(idea, type, T)                                                                          \
    KZ_ENTRY(fused_elementwise_##idea##_narrow_##type)(const float *sums, T *dbias, size_t columns) {        \
        size_t column = kz_thread();                                                                         \
        if (column < columns) kz_narrow(&dbias[column], sums[column]);                                       \
    }

#endif
