// sgemm: a few rows or columns, from 13 on: one matrix is read once, by loads of 16 bytes, and what the other one has
// lies in shared memory. Blocks divide k; parts.cuh adds up.
#ifndef SGEMM_VECTOR_CUH
#define SGEMM_VECTOR_CUH

#include "fetch.cuh"
#include "parts.cuh"

enum {
    VECTOR_THREADS = SGEMM_VECTOR_THREADS,
    VECTOR_WARPS = VECTOR_THREADS / KZ_WARP,
    BAND = SGEMM_VECTOR_BAND
};

// Four floats of a row: neighbours where rows are aligned, else 32 apart. `count`: of the row, from `from` on.
template <bool QUADS>
static __device__ __forceinline__ void load_four(float to[4], const float *from, size_t count) {
    if (QUADS) {
        unsigned x = 4 * kz_lane();
        uint4 v = x < count ? kz_load<KZ_STREAM>((const uint4 *)(from + x)) : make_uint4(0, 0, 0, 0);
        to[0] = __uint_as_float(v.x), to[1] = __uint_as_float(v.y);
        to[2] = __uint_as_float(v.z), to[3] = __uint_as_float(v.w);
    } else {
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            unsigned x = kz_lane() + j * KZ_WARP;
            to[j] = x < count ? __ldcs(from + x) : 0.0f;
        }
    }
}
template <bool QUADS> static __device__ __forceinline__ unsigned column_of(unsigned j) {
    return QUADS ? 4 * kz_lane() + j : kz_lane() + j * KZ_WARP;
}

// From shared memory; `from` is a multiple of COUNT floats there.
template <int COUNT> static __device__ __forceinline__ void load_numbers(float to[COUNT], const float *from) {
    if (COUNT % 4 == 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) *(float4 *)(to + i) = *(const float4 *)(from + i);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++) to[i] = from[i];
    }
}

// ---- few rows of a ---------------------------------------------------------------------------------------

// c has at most ROWS rows. A block has 128 columns of b, its warps every 8th row of the block's part of k, and each
// thread four columns. a's part lies in shared memory, ROWS numbers for each k.
template <int ROWS, bool QUADS>
static __device__ __forceinline__ void add_rows(const problem &p, size_t column, size_t from, size_t to,
                                                const float *left, float sums[ROWS][4]) {
    enum { AHEAD = 8 };
    const float *b = p.b + column;
    size_t count = p.n - column;
    for (size_t x = from + kz_warp(); x < to; x += AHEAD * VECTOR_WARPS) {
        float right[AHEAD][4];
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            size_t at = x + u * VECTOR_WARPS;
            load_four<QUADS>(right[u], b + (at < to ? at : from) * p.n, at < to ? count : 0);
        }
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            size_t at = x + u * VECTOR_WARPS;
            if (at >= to) break;
            float l[ROWS];
            load_numbers<ROWS>(l, left + (at - from) * ROWS);
#pragma unroll
            for (int i = 0; i < ROWS; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sums[i][j] += l[i] * right[u][j];
        }
    }
}

template <int ROWS>
static __device__ __forceinline__ void run_rows(const problem &p, float *partials, unsigned groups) {
    extern __shared__ __align__(128) float numbers[];
    const share s(groups);
    size_t from, to;
    s.find_part(p.k, 1, groups, from, to);
    corner tile = {0, (size_t)s.tile * BAND};
    for (unsigned x = threadIdx.x; x < to - from; x += VECTOR_THREADS)
#pragma unroll
        for (int i = 0; i < ROWS; i++) numbers[x * ROWS + i] = i < p.m ? p.a[i * p.k + from + x] : 0.0f;
    __syncthreads();
    float sums[ROWS][4] = {{0.0f}};
    bool quads = has_quads(p.b, p.n);
    if (quads)
        add_rows<ROWS, true>(p, tile.column, from, to, numbers, sums);
    else
        add_rows<ROWS, false>(p, tile.column, from, to, numbers, sums);
    __syncthreads();
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < 4; j++)
            numbers[(kz_warp() * ROWS + i) * BAND + (quads ? column_of<true>(j) : column_of<false>(j))] =
                sums[i][j];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < ROWS * BAND; i += VECTOR_THREADS) {
        float sum = numbers[i];
        for (unsigned w = 1; w < VECTOR_WARPS; w++) sum += numbers[w * ROWS * BAND + i];
        numbers[i] = sum;
    }
    add_parts<ROWS, BAND, BAND, VECTOR_THREADS>(s, groups, numbers, tile, p.c, p.m, p.n, partials);
}

// ---- few columns of b ------------------------------------------------------------------------------------

// c has at most COLUMNS columns. A warp has EACH rows of a, its lanes go along k. b's part lies in shared memory, a row
// for each column.
template <int COLUMNS, int EACH, bool QUADS>
static __device__ __forceinline__ void add_columns(const problem &p, size_t row, size_t from, size_t to,
                                                   const float *right, unsigned pitch,
                                                   float sums[EACH][COLUMNS]) {
    for (size_t x = from; x < to; x += BAND) {
        float left[EACH][4], b[4];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            load_four<QUADS>(left[i], p.a + (row + i < p.m ? row + i : p.m - 1) * p.k + x, to - x);
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            const float *r = right + j * pitch + (x - from);
            if (QUADS) {
                *(float4 *)b = *(const float4 *)(r + 4 * kz_lane());
            } else {
#pragma unroll
                for (int q = 0; q < 4; q++) b[q] = r[kz_lane() + q * KZ_WARP];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int q = 0; q < 4; q++) sums[i][j] += left[i][q] * b[q];
        }
    }
}

template <int COLUMNS, int EACH>
static __device__ __forceinline__ void run_columns(const problem &p, float *partials, unsigned groups) {
    extern __shared__ __align__(128) float numbers[];
    __shared__ float part[VECTOR_WARPS * EACH * COLUMNS];
    const share s(groups);
    size_t from, to;
    s.find_part(p.k, BAND, groups, from, to);
    corner tile = {(size_t)s.tile * (VECTOR_WARPS * EACH), 0};
    unsigned pitch = (unsigned)((to - from + BAND - 1) / BAND * BAND);
    for (unsigned i = threadIdx.x; i < pitch * COLUMNS; i += VECTOR_THREADS) {
        unsigned j = i % COLUMNS, x = i / COLUMNS;
        numbers[j * pitch + x] = j < p.n && from + x < to ? p.b[(from + x) * p.n + j] : 0.0f;
    }
    __syncthreads();
    float sums[EACH][COLUMNS] = {{0.0f}};
    size_t row = tile.row + kz_warp() * EACH;
    if (has_quads(p.a, p.k))
        add_columns<COLUMNS, EACH, true>(p, row, from, to, numbers, pitch, sums);
    else
        add_columns<COLUMNS, EACH, false>(p, row, from, to, numbers, pitch, sums);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
            for (int step = KZ_WARP / 2; step > 0; step /= 2)
                sums[i][j] += __shfl_xor_sync(KZ_ALL_LANES, sums[i][j], step);
            if (kz_lane() == 0) part[(kz_warp() * EACH + i) * COLUMNS + j] = sums[i][j];
        }
    add_parts<VECTOR_WARPS * EACH, COLUMNS, COLUMNS, VECTOR_THREADS>(s, groups, part, tile, p.c, p.m, p.n,
                                                                     partials);
}

// ---- entry points: for 1, 2, 4 and 8 ---------------------------------------------------------------------

#define VECTOR_ENTRY(name, ...)                                                                              \
    KZ_ENTRY_BOUNDS(name, VECTOR_THREADS, SGEMM_VECTOR_BLOCKS)                                               \
    (const float *a, const float *b, float *c, size_t m, size_t n, size_t k, float *partials,                \
     size_t groups) {                                                                                        \
        run_##__VA_ARGS__({a, b, c, m, n, k, k, n}, partials, (unsigned)groups);                             \
    }
#define VECTOR_ENTRIES(prefix)                                                                               \
    VECTOR_ENTRY(prefix##_rows1_gemm_f32, rows<1>)                                                           \
    VECTOR_ENTRY(prefix##_rows2_gemm_f32, rows<2>)                                                           \
    VECTOR_ENTRY(prefix##_rows4_gemm_f32, rows<4>)                                                           \
    VECTOR_ENTRY(prefix##_rows8_gemm_f32, rows<8>)                                                           \
    VECTOR_ENTRY(prefix##_columns1_gemm_f32, columns<1, 8>)                                                  \
    VECTOR_ENTRY(prefix##_columns2_gemm_f32, columns<2, 8>)                                                  \
    VECTOR_ENTRY(prefix##_columns4_gemm_f32, columns<4, 4>)                                                  \
    VECTOR_ENTRY(prefix##_columns8_gemm_f32, columns<8, 4>)

#endif
