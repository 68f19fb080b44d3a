// kz: sm 90a
// gemm_sparse 02: sparse tensor cores
//
// Idea     wgmma.sp multiplies 32 of k in the time of 16: of b's elements it takes the two of four that metadata names.
// Change   hgemm's frame with half of a in each stage, and a word of metadata per thread beside it. A word is enough for a
//          stage of 64 along k: its two products read two lanes of four each.
// Expect   up to twice hgemm's speed. Per product of 64 x 256 x 32, 128 clocks at best, 18 KB are read out of shared memory,
//          which gives 128 bytes per clock: 144 clocks, so 1.78 times at most.
// Limit    b: as many bytes for half the work, so shared memory, L2 and the GPU's power come first. Rows of b that do not begin at
//          multiples of 16 bytes are copied to the workspace before.

#include "kz/device/pad_rows.cuh"
#include "kz/device/gemm.cuh"
#include "tune.h"

enum { LARGE, SMALL };

template <int kind, int store, typename T> struct shape : kz_gemm_defaults {
    typedef T In;
    typedef T Out;
    enum {
        A_MN = false,
        B_MN = false,
        SPARSE = true,
        STORE = store,
        TILE_M = 128,
        TILE_N = kind == LARGE ? 256 : 128,
        CLUSTER_M = kind == LARGE ? GEMM_SPARSE_CLUSTER : 1,
        STAGES = kind == LARGE ? GEMM_SPARSE_STAGES : GEMM_SPARSE_SMALL_STAGES,
    };
};

template <typename G>
static __device__ __forceinline__ void
multiply(const kz_tensor_map *a, const kz_tensor_map *metadata, const kz_tensor_map *b,
         const kz_tensor_map *c_map, typename G::Out *c, size_t m, size_t n, size_t k, unsigned group) {
    kz_gemm_run<G>(a, b, c_map, {c, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k, kz_chain<>(), 0, NULL, {},
                   metadata);
}

#define TENSOR(kind, KIND, type, T)                                                                          \
    typedef shape<KIND, KZ_STORE_TENSOR, T> kind##_##type;                                                   \
    KZ_ENTRY_BOUNDS(gemm_sparse_wgmma_##kind##_nt_##type, kz_gemm_sizes<kind##_##type>::THREADS, 1)          \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map metadata,                \
     const __grid_constant__ kz_tensor_map b, const __grid_constant__ kz_tensor_map c, size_t m, size_t n,   \
     size_t k, unsigned group) {                                                                             \
        multiply<kind##_##type>(&a, &metadata, &b, &c, NULL, m, n, k, group);                                \
    }
#define DIRECT(kind, KIND, type, T)                                                                          \
    typedef shape<KIND, KZ_STORE_DIRECT, T> kind##_##type;                                                   \
    KZ_ENTRY_BOUNDS(gemm_sparse_wgmma_##kind##_nt_##type, kz_gemm_sizes<kind##_##type>::THREADS, 1)          \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map metadata,                \
     const __grid_constant__ kz_tensor_map b, T *c, size_t m, size_t n, size_t k, unsigned group) {          \
        multiply<kind##_##type>(&a, &metadata, &b, NULL, c, m, n, k, group);                                 \
    }
#define KERNELS(type, T)                                                                                     \
    TENSOR(large, LARGE, type, T)                                                                            \
    TENSOR(small, SMALL, type, T)                                                                            \
    DIRECT(small_direct, SMALL, type, T)
KERNELS(bf16, kz_bf16)
KERNELS(f16, kz_f16)

KZ_ENTRY_BOUNDS(gemm_sparse_wgmma_pad, 256, 8)
(const uint16_t *from, uint16_t *to, size_t outer, size_t inner, size_t padded) {
    kz_pad_rows(from, to, outer, inner, padded);
}
