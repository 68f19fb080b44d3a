// What warps say to tensor cores by mma.sync (PTX ISA: mma, ldmatrix), of the half types: fragments from shared memory, products,
// pairs of halves.
//
// A fragment of a is 16 rows x 16 of k, one of b 8 columns x 16 of k, sums are 16 rows x 8 columns. Lane l has of the sums rows l / 4
// and l / 4 + 8, columns l % 4 * 2 and the next: [0] and [1] of the first row, [2] and [3] of the other.
#ifndef KZ_MMA_CUH
#define KZ_MMA_CUH

#include "kz/kernel.cuh"

// Four blocks of 8 x 8: lane 8 i + j has the address of row j of block i, in shared memory. Transposed: of column j.
static __device__ __forceinline__ void kz_ldmatrix(uint32_t (&to)[4], unsigned address, bool transpose) {
    if (transpose)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
}

// d += a b, of 16 x 8 sums. The first argument only says the type.
static __device__ __forceinline__ void kz_mma(kz_bf16, float *d, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ void kz_mma(kz_f16, float *d, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <typename T> union kz_halves {
    uint32_t raw;
    T at[2];
};

// Two floats as a pair of halves, the first one lower. The first argument only says the type.
static __device__ __forceinline__ uint32_t kz_pack_halves(kz_bf16, float low, float high) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
static __device__ __forceinline__ uint32_t kz_pack_halves(kz_f16, float low, float high) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

#endif
