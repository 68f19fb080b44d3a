// gemm: kernels made of the frame kz/device/gemm.cuh, one for every order and type.
#ifndef GEMM_FRAME_CUH
#define GEMM_FRAME_CUH

#include "kz/device/gemm.cuh"
#include "kz/device/pad_rows.cuh"
#include "tune.h"

enum {
#define GEMM_TILE(id, ...) id,
#include "tiles.def"
#undef GEMM_TILE
};

template <int id> struct tile;
#define GEMM_TILE(id, part, m, n, narrow, stages, consumers, cluster_m, cluster_n, cluster_k, ping_pong,     \
                  store, ...)                                                                                \
    template <> struct tile<id> : kz_gemm_defaults {                                                         \
        enum {                                                                                               \
            TILE_M = m,                                                                                      \
            TILE_N = n,                                                                                      \
            NARROW_N = narrow,                                                                               \
            STAGES = stages,                                                                                 \
            CONSUMERS = consumers,                                                                           \
            CLUSTER_M = cluster_m,                                                                           \
            CLUSTER_N = cluster_n,                                                                           \
            CLUSTER_K = cluster_k,                                                                           \
            PING_PONG = ping_pong,                                                                           \
            STORE = KZ_STORE_##store,                                                                        \
            STREAM_K = id == STREAM,                                                                         \
            RAW_STAGES = id < ODD ? 0 : GEMM_ODD_RAW_STAGES(id == ODD),                                      \
            SPLIT_K = id >= K_PARTS,                                                                         \
            GROUPED = id == GROUP_LARGE || id == GROUP_NARROW,                                               \
        };                                                                                                   \
    };
#include "tiles.def"
#undef GEMM_TILE

template <int id, typename In_, typename Out_, bool a_mn, bool b_mn> struct kernel : tile<id> {
    typedef In_ In;
    typedef Out_ Out;
    enum { A_MN = a_mn, B_MN = b_mn };
};

// Tiles of two widths: b by boxes of narrow tiles, and how many columns of tiles are wide and narrow.
struct two_widths {
    const kz_tensor_map *b;
    unsigned wide, narrow;
};

// c = alpha a b + beta c. `extra`: `split` and `partials` of stream-k, or `offsets` of groups.
template <typename G>
static __device__ __forceinline__ void
multiply(const kz_tensor_map *a, const kz_tensor_map *b, const kz_tensor_map *c, typename G::Out *c_at,
         size_t m, size_t n, size_t k, size_t pitch, size_t batch_pitch, unsigned batch, unsigned group,
         unsigned flags, float alpha, float beta, unsigned split, void *extra,
         const two_widths &widths = {}) {
    kz_gemm_order order = kz_gemm_order_of<G>((unsigned)m, (unsigned)n, batch, group);
    order.a_shared = flags & GEMM_A_SHARED;
    order.b_shared = flags & GEMM_B_SHARED;
    if (G::GROUPED) order.offsets = (const unsigned *)extra, order.rows = (unsigned)m;
    if (G::NARROW_N > 0) order.across = widths.wide, order.narrow = widths.narrow;
    kz_gemm_out<typename G::Out> out = {c_at, m, n, pitch, batch_pitch, (flags & GEMM_TENSOR_STORE) != 0};
    if constexpr (G::SPLIT_K) { // alpha and beta come behind
        kz_gemm_run<G>(a, b, c, out, order, k);
    } else if constexpr (G::STORE == KZ_STORE_TENSOR) { // beta is 0
        kz_gemm_run<G>(a, b, c, out, order, k, kz_chain_of(kz_scale{alpha}), 0, NULL, {}, widths.b);
    } else {
        kz_linear<typename G::Out> linear = {alpha, beta, {c_at, pitch, batch_pitch}};
        kz_gemm_run<G>(a, b, c, out, order, k, kz_chain_of(linear), split, (float *)extra);
    }
}

#define GEMM_KERNEL(name, id, In, Out, a_mn, b_mn)                                                           \
    typedef kernel<id, In, Out, a_mn, b_mn> name##_kernel;                                                   \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<name##_kernel>::THREADS, 1)                                          \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, Out *c_at, size_t m, size_t n, size_t k, size_t pitch,         \
     size_t batch_pitch, unsigned batch, unsigned group, unsigned flags, float alpha, float beta,            \
     unsigned split, void *extra) {                                                                          \
        multiply<name##_kernel>(&a, &b, &c, c_at, m, n, k, pitch, batch_pitch, batch, group, flags, alpha,   \
                                beta, split, extra);                                                         \
    }

// The same for tiles of two widths.
#define GEMM_KERNEL_OF_WIDTHS(name, id, In, Out, a_mn, b_mn)                                                 \
    typedef kernel<id, In, Out, a_mn, b_mn> name##_kernel;                                                   \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<name##_kernel>::THREADS, 1)                                          \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, Out *c_at, size_t m, size_t n, size_t k, size_t pitch,         \
     size_t batch_pitch, unsigned batch, unsigned group, unsigned flags, float alpha, float beta,            \
     unsigned split, void *extra, const __grid_constant__ kz_tensor_map narrow_b, unsigned wide,             \
     unsigned narrow) {                                                                                      \
        multiply<name##_kernel>(&a, &b, &c, c_at, m, n, k, pitch, batch_pitch, batch, group, flags, alpha,   \
                                beta, split, extra, {&narrow_b, wide, narrow});                              \
    }

// Parts of k, of operands whose rows begin anywhere; `a_end` and `b_end` are the operands' elements.
#define GEMM_KERNEL_OF_ODD(name, id, In, a_mn, b_mn)                                                         \
    typedef kernel<id, In, float, a_mn, b_mn> name##_kernel;                                                 \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<name##_kernel>::THREADS, 1)                                          \
    (const In *a, const In *b, float *parts, size_t m, size_t n, size_t k, size_t a_pitch, size_t b_pitch,   \
     size_t a_end, size_t b_end, size_t pitch, size_t stride, unsigned count, unsigned group) {              \
        typedef name##_kernel G;                                                                             \
        kz_gemm_order order = kz_gemm_order_of<G>((unsigned)m, (unsigned)n, count, group);                   \
        kz_gemm_run<G>(NULL, NULL, NULL, {parts, m, n, pitch, stride, false}, order, k, kz_chain_of(), 0,    \
                       NULL, {}, NULL, {a, a_pitch, a_end}, {b, b_pitch, b_end});                            \
    }

// X(idea, id, order, type, In, Out, a is MN-major, b is MN-major): a as written, in both orders of b, for every type; and a
// transposed.
#define GEMM_TYPES(X, idea, id, order, a_mn, b_mn)                                                           \
    X(idea, id, order, bf16, kz_bf16, kz_bf16, a_mn, b_mn)                                                   \
    X(idea, id, order, f16, kz_f16, kz_f16, a_mn, b_mn)                                                      \
    X(idea, id, order##_f32, bf16, kz_bf16, float, a_mn, b_mn)                                               \
    X(idea, id, order##_f32, f16, kz_f16, float, a_mn, b_mn)
#define GEMM_WRITTEN(X, idea, id)                                                                            \
    GEMM_TYPES(X, idea, id, nn, false, true)                                                                 \
    GEMM_TYPES(X, idea, id, nt, false, false)
#define GEMM_TRANSPOSED(X, idea, id)                                                                         \
    GEMM_TYPES(X, idea, id, tn, true, true)                                                                  \
    GEMM_TYPES(X, idea, id, tt, true, false)

#define GEMM_PLAIN(idea, id, order, type, In, Out, a_mn, b_mn)                                               \
    GEMM_KERNEL(gemm_##idea##_##order##_##type, id, In, Out, a_mn, b_mn)
#define GEMM_ALL(idea, id) GEMM_WRITTEN(GEMM_PLAIN, idea, id) GEMM_TRANSPOSED(GEMM_PLAIN, idea, id)
// Where a tile is for some problems alone: b transposed, or in both orders; c of the operands' type.
#define GEMM_HALVES(X, idea, id, order, a_mn, b_mn)                                                          \
    X(idea, id, order, bf16, kz_bf16, kz_bf16, a_mn, b_mn)                                                   \
    X(idea, id, order, f16, kz_f16, kz_f16, a_mn, b_mn)
#define GEMM_NT_OF(X, idea, id)    GEMM_HALVES(X, idea, id, nt, false, false)
#define GEMM_NN_NT_OF(X, idea, id) GEMM_HALVES(X, idea, id, nn, false, true) GEMM_NT_OF(X, idea, id)
#define GEMM_NT(idea, id)          GEMM_NT_OF(GEMM_PLAIN, idea, id)
#define GEMM_NN_NT(idea, id)       GEMM_NN_NT_OF(GEMM_PLAIN, idea, id)
#define GEMM_TWO_WIDTHS(idea, id, order, type, In, Out, a_mn, b_mn)                                          \
    GEMM_KERNEL_OF_WIDTHS(gemm_##idea##_##order##_##type, id, In, Out, a_mn, b_mn)

// ---- rows that a tensor map cannot take --------------------------------------------------------------------

// `rows` rows of `inner` elements for each of `count` matrices, `pitch` and `stride` elements apart, to rows `padded` apart.
KZ_ENTRY_BOUNDS(gemm_pad, 256, 8)
(const uint16_t *from, uint16_t *to, size_t rows, size_t inner, size_t pitch, size_t stride, size_t count,
 size_t padded) {
    const uint16_t *end = from + (count - 1) * stride + (rows - 1) * pitch + inner;
    for (size_t row = blockIdx.x; row < rows * count; row += gridDim.x)
        kz_pad_row(from + row / rows * stride + row % rows * pitch, to + row * padded, padded, from, end);
}

#endif
