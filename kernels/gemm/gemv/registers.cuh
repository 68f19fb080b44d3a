// gemv: dense rows by blocks whose threads keep their piece of x in registers, for 04 and 08: one token.
//
// Thread t of a block has packs t, t + threads, ... of every row: XP of them, 16 bytes each. A block reads whole rows, U at a time, one
// after another; the next U are on their way while the sums of these are added: over lanes by shuffles that halve the rows at each step,
// over warps in shared memory.
#ifndef GEMV_REGISTERS_CUH
#define GEMV_REGISTERS_CUH

#include "any.cuh"

template <int XP, int U> struct rows_in_flight { uint4 pack[U][XP]; };

template <typename T, int XP, int U>
static __device__ __forceinline__ void load_rows(rows_in_flight<XP, U> &rows, const problem<T> &p,
                                                 size_t first) {
    const unsigned packs = (unsigned)(p.k / 8);
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int i = 0; i < XP; i++) {
            unsigned at = threadIdx.x + i * blockDim.x;
            rows.pack[u][i] = make_uint4(0, 0, 0, 0);
            if (first + u < p.n && at < packs)
                rows.pack[u][i] =
                    kz_load<KZ_STREAM>((const uint4 *)((const T *)p.w + (first + u) * p.k) + at);
        }
}

// The sum over all lanes of each of U values: lane l ends with that of value l % U. U is a power of two.
template <int U> static __device__ __forceinline__ float add_lanes(float value[U]) {
#pragma unroll
    for (int half = U / 2; half > 0; half /= 2) {
        bool upper = kz_lane() & half;
#pragma unroll
        for (int i = 0; i < half; i++) {
            float keep = upper ? value[i + half] : value[i], give = upper ? value[i] : value[i + half];
            value[i] = keep + __shfl_xor_sync(KZ_ALL_LANES, give, half);
        }
    }
#pragma unroll
    for (int step = U; step < KZ_WARP; step *= 2) value[0] += __shfl_xor_sync(KZ_ALL_LANES, value[0], step);
    return value[0];
}

// This thread's x.
template <typename T, int XP>
static __device__ __forceinline__ void load_x(float x[XP][8], const problem<T> &p) {
#pragma unroll
    for (int i = 0; i < XP; i++) {
        unsigned at = threadIdx.x + i * blockDim.x;
        kz_pack<T> pack;
        pack.raw = make_uint4(0, 0, 0, 0);
        if (at < p.k / 8) pack = kz_load_pack<KZ_CACHE>(p.x + 8 * at);
#pragma unroll
        for (int e = 0; e < 8; e++) x[i][e] = kz_widen(pack.at[e]);
    }
}

template <typename T, int XP, int U>
static __device__ __forceinline__ void multiply_rows(float sum[U], const rows_in_flight<XP, U> &rows,
                                                     const float x[XP][8]) {
#pragma unroll
    for (int u = 0; u < U; u++) {
        sum[u] = 0.0f;
#pragma unroll
        for (int i = 0; i < XP; i++) {
            kz_pack<T> pack;
            pack.raw = rows.pack[u][i];
#pragma unroll
            for (int e = 0; e < 8; e++) sum[u] += kz_widen(pack.at[e]) * x[i][e];
        }
    }
}

// For one token; `overlap`: launched before the kernel in front has ended.
template <typename T, int XP, int U, bool OVERLAP>
static __device__ __forceinline__ void run_registers(const problem<T> &p) {
    __shared__ float sums[2][KZ_WARP][U]; // of each warp
    if (!is_aligned(p)) {
        if (OVERLAP) asm volatile("griddepcontrol.wait;" ::: "memory");
        multiply_anywhere<DENSE>(p);
        return;
    }
    size_t first = (size_t)blockIdx.x * U;
    rows_in_flight<XP, U> rows;
    load_rows<T, XP, U>(rows, p, first);
    if (OVERLAP) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
    float x[XP][8];
    load_x<T, XP>(x, p);
    for (unsigned turn = 0; first < p.n; turn ^= 1) {
        size_t row = first + kz_lane() % U;
        float sum[U];
        multiply_rows<T, XP, U>(sum, rows, x);
        first += (size_t)gridDim.x * U;
        load_rows<T, XP, U>(rows, p, first);
        float value = add_lanes<U>(sum);
        if (kz_lane() < U) sums[turn][kz_warp()][kz_lane()] = value;
        __syncthreads();
        // One warp adds those of all, while the others go on; the next sums go elsewhere.
        if (kz_warp() == 0) {
            float all = 0.0f;
            for (unsigned w = kz_lane() / U; w < kz_warps(); w += KZ_WARP / U)
                all += sums[turn][w][kz_lane() % U];
#pragma unroll
            for (int step = U; step < KZ_WARP; step *= 2) all += __shfl_xor_sync(KZ_ALL_LANES, all, step);
            if (kz_lane() < U && row < p.n) kz_narrow(&p.y[row], all);
        }
    }
}

// Entries of a type: `short` has two packs of a row per thread, `long` four.
#define GEMV_REGISTER_ENTRY(idea, part, type, T, XP, OVERLAP)                                                \
    KZ_ENTRY_BOUNDS(gemv_##idea##_##part##_dense_##type, GEMV_REGISTER_THREADS, 1)                           \
    (const void *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k) {                        \
        run_registers<T, XP, GEMV_REGISTER_ROWS, OVERLAP>(problem<T>{w, scale, x, y, (unsigned)m, n, k});    \
    }
#define GEMV_REGISTER_ENTRIES(idea, type, T, OVERLAP)                                                        \
    GEMV_REGISTER_ENTRY(idea, short, type, T, 2, OVERLAP)                                                    \
    GEMV_REGISTER_ENTRY(idea, long, type, T, 4, OVERLAP)

#endif
