// permute: rows that stay whole. The last axis keeps its place, and what is permuted are rows of it.
//
// A unit is what one access moves, 16 bytes where the rows allow it. The output is written from its first
// unit to its last; only where a row comes from is computed.
#ifndef PERMUTE_ROWS_CUH
#define PERMUTE_ROWS_CUH

#include "permute.cuh"
#include "tune.h"

enum { ROWS_THREADS = PERMUTE_ROWS_THREADS, ROWS_FLIGHT = PERMUTE_ROWS_FLIGHT };

// The units of a row, the output's other axes but the first, and the strides of these in the input, in units.
// Axes that are missing, the first ones, have divisor 1.
struct row_map {
    uint32_t total, rank; // units in all; axes of rows: 1 to 3
    divider units;
    uint64_t m1, m2;
    uint32_t s0, s1, s2;

    // Where unit u of the output comes from.
    __device__ __forceinline__ uint32_t source(uint32_t u) const {
        uint32_t column, x, rest = divide(u, units, &column), from;
        if (rank == 1) return rest * s2 + column;
        rest = divide(rest, divider_unpack(m2), &x);
        from = x * s2 + column;
        if (rank == 2) return rest * s1 + from;
        rest = divide(rest, divider_unpack(m1), &x);
        return rest * s0 + x * s1 + from;
    }
};

// A unit at addresses that are aligned for its elements alone.
template <typename T>
static __device__ __forceinline__ void copy_elements(char *to, const char *from, int bytes) {
    for (int b = 0; b < bytes; b += sizeof(T)) *(T *)(to + b) = *(const T *)(from + b);
}

template <typename U>
static __device__ __forceinline__ void rows(const U *in, U *out, row_map map, unsigned size) {
    uint32_t first = blockIdx.x * (ROWS_THREADS * ROWS_FLIGHT) + threadIdx.x;
    if (kz_aligned(in, sizeof(U)) && kz_aligned(out, sizeof(U))) {
        U unit[ROWS_FLIGHT];
#pragma unroll
        for (int s = 0; s < ROWS_FLIGHT; s++)
            if (first + s * ROWS_THREADS < map.total) unit[s] = in[map.source(first + s * ROWS_THREADS)];
#pragma unroll
        for (int s = 0; s < ROWS_FLIGHT; s++)
            if (first + s * ROWS_THREADS < map.total) out[first + s * ROWS_THREADS] = unit[s];
        return;
    }
    for (int s = 0; s < ROWS_FLIGHT; s++) {
        uint32_t u = first + s * ROWS_THREADS;
        if (u >= map.total) return;
        const char *from = (const char *)(in + map.source(u));
        char *to = (char *)(out + u);
        switch (size) {
        case 8: copy_elements<uint64_t>(to, from, sizeof(U)); break;
        case 4: copy_elements<uint32_t>(to, from, sizeof(U)); break;
        case 2: copy_elements<uint16_t>(to, from, sizeof(U)); break;
        default: copy_elements<uint8_t>(to, from, sizeof(U)); break;
        }
    }
}

#define ROWS_ENTRY(idea, type, U)                                                                            \
    KZ_ENTRY_BOUNDS(permute_##idea##_permute_##type, ROWS_THREADS, 1)                                        \
    (const U *in, U *out, uint64_t total, uint64_t rank, uint64_t units, uint64_t m1, uint64_t m2,           \
     uint64_t s0, uint64_t s1, uint64_t s2, uint64_t size) {                                                 \
        rows(in, out,                                                                                        \
             row_map{(uint32_t)total, (uint32_t)rank, divider_unpack(units), m1, m2, (uint32_t)s0,           \
                     (uint32_t)s1, (uint32_t)s2},                                                            \
             (unsigned)size);                                                                                \
    }
#define ROWS_ENTRIES(idea)                                                                                   \
    ROWS_ENTRY(idea, u8, uint8_t)                                                                            \
    ROWS_ENTRY(idea, u16, uint16_t)                                                                          \
    ROWS_ENTRY(idea, u32, uint32_t)                                                                          \
    ROWS_ENTRY(idea, i64, uint64_t)                                                                          \
    ROWS_ENTRY(idea, pack, uint4)

#endif
