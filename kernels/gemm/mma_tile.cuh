// Tiles of 128 x 128 by mma.sync, of halves or of doubles: eight warps, 64 x 32 each. A chunk of an operand is 8 KB of
// shared memory, 64 bytes along k, in units of 16 bytes.
#ifndef GEMM_MMA_TILE_CUH
#define GEMM_MMA_TILE_CUH

#include "kz/device/bulk.cuh"
#include "kz/device/mma.cuh"
#include "gemm/mma_shape.h"
#include "gemm/operand.cuh"

enum {
    SIDE = GEMM_MMA_TILE,
    THREADS = GEMM_MMA_THREADS,
    CHUNK_BYTES = GEMM_MMA_CHUNK_BYTES,
    UNITS = CHUNK_BYTES / 16,
    WARP_M = 64,
    WARP_N = 32,
};
// Elements of a unit, and of a chunk along k.
template <typename T> struct chunk_of {
    enum { UNIT = 16 / sizeof(T), DEPTH = 4 * UNIT };
};

// ---- where a unit lies -----------------------------------------------------------------------------------

// K-major: 128 rows of 4 units. MN-major: a row for each k, of 16 units (halves) or 64 (doubles). `swizzle`: the 8 rows that
// ldmatrix reads together lie in 8 different groups of banks.
template <typename T, bool mn, bool swizzle>
static __device__ __forceinline__ unsigned unit_offset(unsigned outer, unsigned unit) {
    if (mn) return outer * SIDE * sizeof(T) + (swizzle ? unit ^ (outer & 7) : unit) * 16;
    return outer * 64 + (swizzle ? unit ^ (outer >> 1 & 3) : unit) * 16;
}

// Unit i of the chunk that begins at (row, k): its row in memory and the element it begins with.
template <typename T, bool mn> struct unit_place {
    unsigned outer, unit; // in the chunk
    size_t row, first;    // in memory
    __device__ __forceinline__ unit_place(unsigned i, size_t row_, size_t k) {
        const unsigned units = mn ? SIDE / chunk_of<T>::UNIT : 4; // of a row
        outer = i / units;
        unit = i % units;
        row = (mn ? k : row_) + outer;
        first = (mn ? row_ : k) + unit * chunk_of<T>::UNIT;
    }
};

// A unit of memory, zero where the matrix ends.
template <typename T>
static __device__ __forceinline__ kz_pack<T> load_unit(const operand<T> &o, size_t row, size_t first,
                                                       bool units) {
    kz_pack<T> pack;
    pack.raw = make_uint4(0, 0, 0, 0);
    if (row >= o.outer) return pack;
    const T *from = o.at + row * o.inner + first;
    if (units) { // then it is all inside, or all outside
        if (first < o.inner) pack.raw = *(const uint4 *)from;
    } else {
        for (int i = 0; i < chunk_of<T>::UNIT; i++)
            if (first + i < o.inner) pack.at[i] = from[i];
    }
    return pack;
}

// ---- fragments of halves -------------------------------------------------------------------------------------------

// 16 rows of a x 16 of k: blocks of 8 x 8 in the order (0, 0), (8, 0), (0, 8), (8, 8) of (row, k).
template <bool mn, bool swizzle>
static __device__ __forceinline__ void load_a(uint32_t (&to)[4], unsigned chunk, unsigned row, unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    unsigned outer = mn ? k + in + block / 2 * 8 : row + in + block % 2 * 8;
    unsigned unit = mn ? row / 8 + block % 2 : k / 8 + block / 2;
    kz_ldmatrix(to, chunk + unit_offset<kz_f16, mn, swizzle>(outer, unit), mn);
}
// 16 columns of b x 16 of k: (0, 0), (0, 8), (8, 0), (8, 8) of (column, k), so that a pair is the fragment of 8 columns.
template <bool mn, bool swizzle>
static __device__ __forceinline__ void load_b(uint32_t (&to)[4], unsigned chunk, unsigned column,
                                              unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    unsigned outer = mn ? k + in + block % 2 * 8 : column + in + block / 2 * 8;
    unsigned unit = mn ? column / 8 + block / 2 : k / 8 + block % 2;
    kz_ldmatrix(to, chunk + unit_offset<kz_f16, mn, swizzle>(outer, unit), mn);
}

// ---- fragments of doubles ------------------------------------------------------------------------------

// mma.m16n8k8 gives lane l the elements k = l % 4 and k + 4 of a row. Which k those are is nobody's concern as long as a and b
// agree: here 2 (l % 4) and the one behind it, a unit of a K-major row.
template <bool mn>
static __device__ __forceinline__ void load_pair(double (&to)[2], unsigned chunk, unsigned row) {
    unsigned k = kz_lane() % 4 * 2;
    if constexpr (mn) {
#pragma unroll
        for (int i = 0; i < 2; i++)
            asm volatile("ld.shared.f64 %0, [%1];"
                         : "=d"(to[i])
                         : "r"(chunk + unit_offset<double, true, true>(k + i, row / 2) + row % 2 * 8)
                         : "memory");
    } else {
        asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                     : "=d"(to[0]), "=d"(to[1])
                     : "r"(chunk + unit_offset<double, false, true>(row, k / 2))
                     : "memory");
    }
}

static __device__ __forceinline__ void mma(double (&d)[4], const double (&low)[2], const double (&high)[2],
                                           const double (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(low[0]), "d"(high[0]), "d"(low[1]), "d"(high[1]), "d"(b[0]), "d"(b[1]));
}

// ---- a warp's 64 x 32 of the tile --------------------------------------------------------------------------

template <typename Sum> struct warp_tile {
    unsigned row = kz_warp() / 4 * WARP_M, column = kz_warp() % 4 * WARP_N;
    Sum sums[4][4][4] = {}; // 16 rows, 8 columns, the four elements of a lane
};

// One chunk out of shared memory: 32 of k.
template <typename T, bool a_mn, bool b_mn, bool swizzle>
static __device__ __forceinline__ void multiply_chunk(warp_tile<float> &w, unsigned a, unsigned b) {
#pragma unroll
    for (int k = 0; k < chunk_of<T>::DEPTH; k += 16) {
        uint32_t left[4][4], right[2][4];
#pragma unroll
        for (int i = 0; i < 4; i++) load_a<a_mn, swizzle>(left[i], a, w.row + 16 * i, k);
#pragma unroll
        for (int j = 0; j < 2; j++) load_b<b_mn, swizzle>(right[j], b, w.column + 16 * j, k);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) kz_mma(T(), w.sums[i][j], left[i], right[j / 2] + j % 2 * 2);
    }
}
// 8 of k.
template <typename T, bool a_mn, bool b_mn, bool swizzle>
static __device__ __forceinline__ void multiply_chunk(warp_tile<double> &w, unsigned a, unsigned b) {
    double left[8][2], right[4][2];
    unsigned row = kz_lane() / 4;
#pragma unroll
    for (int i = 0; i < 8; i++) load_pair<a_mn>(left[i], a, w.row + 8 * i + row);
#pragma unroll
    for (int j = 0; j < 4; j++) load_pair<b_mn>(right[j], b, w.column + 8 * j + row);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma(w.sums[i][j], left[2 * i], left[2 * i + 1], right[j]);
}

template <typename Sum, typename Out>
static __device__ __forceinline__ void store_tile(const warp_tile<Sum> &w, Out *c, size_t m, size_t n,
                                                  size_t row, size_t column) {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                size_t r = row + w.row + 16 * i + kz_lane() / 4 + e / 2 * 8;
                size_t x = column + w.column + 8 * j + kz_lane() % 4 * 2 + e % 2;
                if (r < m && x < n) kz_narrow(&c[r * n + x], w.sums[i][j][e]);
            }
}

// ---- a block's tile ----------------------------------------------------------------------------------------

// Through registers: the whole block loads a chunk, waits, multiplies, waits.
template <typename T, bool mn, bool swizzle>
static __device__ __forceinline__ void stage_chunk(unsigned to, const operand<T> &o, size_t row, size_t k,
                                                   bool units) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < UNITS; i += THREADS) {
        unit_place<T, mn> at(i, row, k);
        kz_pack<T> pack = load_unit(o, at.row, at.first, units);
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + unit_offset<T, mn, swizzle>(at.outer, at.unit)),
                     "r"(pack.raw.x), "r"(pack.raw.y), "r"(pack.raw.z), "r"(pack.raw.w)
                     : "memory");
    }
}

template <typename In, typename Out, bool a_mn, bool b_mn, bool swizzle>
static __device__ __forceinline__ void multiply_staged(const In *a_at, const In *b_at, Out *c, size_t m,
                                                       size_t n, size_t k) {
    __shared__ __align__(128) char memory[2 * CHUNK_BYTES];
    unsigned a_chunk = kz_shared_address(memory), b_chunk = a_chunk + CHUNK_BYTES;
    operand<In> a = operand_of<a_mn>(a_at, m, k), b = operand_of<b_mn>(b_at, n, k);
    bool units = has_units(a) && has_units(b);
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    warp_tile<float> w;
    for (size_t at = 0; at < k; at += chunk_of<In>::DEPTH) {
        stage_chunk<In, a_mn, swizzle>(a_chunk, a, row, at, units);
        stage_chunk<In, b_mn, swizzle>(b_chunk, b, column, at, units);
        __syncthreads();
        multiply_chunk<In, a_mn, b_mn, swizzle>(w, a_chunk, b_chunk);
        __syncthreads();
    }
    store_tile(w, c, m, n, row, column);
}

// By cp.async.
template <typename T, bool mn>
static __device__ __forceinline__ void copy_chunk(unsigned to, const operand<T> &o, size_t row, size_t k,
                                                  bool units) {
    if (!units) return stage_chunk<T, mn, true>(to, o, row, k, false);
#pragma unroll
    for (unsigned i = threadIdx.x; i < UNITS; i += THREADS) {
        unit_place<T, mn> at(i, row, k);
        bool inside = at.row < o.outer && at.first < o.inner;
        const T *from = inside ? o.at + at.row * o.inner + at.first : o.at;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         to + unit_offset<T, mn, true>(at.outer, at.unit)),
                     "l"(from), "r"(inside ? 16 : 0) // the rest is filled with zeros
                     : "memory");
    }
}

// The tile that begins at (row, column), by a ring of stages of two chunks each: dynamic shared memory.
template <int STAGES, typename In, typename Sum, typename Out, bool a_mn, bool b_mn>
static __device__ __forceinline__ void multiply_async(const In *a_at, const In *b_at, Out *c, size_t m,
                                                      size_t n, size_t k, size_t row, size_t column) {
    const unsigned DEPTH = chunk_of<In>::DEPTH;
    extern __shared__ __align__(128) char memory[];
    unsigned stages = kz_shared_address(memory);
    operand<In> a = operand_of<a_mn>(a_at, m, k), b = operand_of<b_mn>(b_at, n, k);
    bool units = has_units(a) && has_units(b);
    size_t chunks = (k + DEPTH - 1) / DEPTH;
    warp_tile<Sum> w;
    // A group is closed for every chunk, there or not: then waiting for all but STAGES - 2 is right to the end.
    auto copy = [&](size_t chunk) {
        unsigned to = stages + chunk % STAGES * 2 * CHUNK_BYTES;
        if (chunk < chunks) {
            copy_chunk<In, a_mn>(to, a, row, chunk * DEPTH, units);
            copy_chunk<In, b_mn>(to + CHUNK_BYTES, b, column, chunk * DEPTH, units);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (size_t chunk = 0; chunk < STAGES - 1; chunk++) copy(chunk);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); // the chunk is there for all, and the one before it is done by all
        copy(chunk + STAGES - 1);
        unsigned at = stages + chunk % STAGES * 2 * CHUNK_BYTES;
        multiply_chunk<In, a_mn, b_mn, true>(w, at, at + CHUNK_BYTES);
    }
    store_tile(w, c, m, n, row, column);
}

#endif
