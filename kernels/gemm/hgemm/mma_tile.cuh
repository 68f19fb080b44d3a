// hgemm: tiles of 128 x 128 by mma.sync, for 02 to 04. A chunk of an operand is 8 KB of shared memory, in units of 16 bytes.
#ifndef HGEMM_MMA_TILE_CUH
#define HGEMM_MMA_TILE_CUH

#include "hgemm.cuh"
#include "kz/device/bulk.cuh"

enum {
    SIDE = HGEMM_MMA_TILE,
    DEPTH = HGEMM_MMA_DEPTH,
    THREADS = HGEMM_MMA_THREADS,
    CHUNK_BYTES = SIDE * DEPTH * 2,
    UNITS = CHUNK_BYTES / 16,
    WARP_M = 64,
    WARP_N = 32,
};

// ---- where a unit lies -----------------------------------------------------------------------------------

// K-major: 128 rows of 4 units. MN-major: 32 rows, one for each k, of 16 units. `swizzle`: the 8 rows that ldmatrix reads
// together lie in 8 different groups of banks.
template <bool mn, bool swizzle>
static __device__ __forceinline__ unsigned unit_offset(unsigned outer, unsigned unit) {
    if (mn) return outer * 256 + (swizzle ? unit ^ (outer & 7) : unit) * 16;
    return outer * 64 + (swizzle ? unit ^ (outer >> 1 & 3) : unit) * 16;
}

// Unit i of the chunk that begins at (row, k): its row in memory and the element it begins with.
template <bool mn> struct unit_place {
    unsigned outer, unit; // in the chunk
    size_t row, first;    // in memory
    __device__ __forceinline__ unit_place(unsigned i, size_t row_, size_t k) {
        outer = mn ? i / 16 : i / 4;
        unit = mn ? i % 16 : i % 4;
        row = (mn ? k : row_) + outer;
        first = (mn ? row_ : k) + unit * 8;
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
        for (int i = 0; i < 8; i++)
            if (first + i < o.inner) pack.at[i] = from[i];
    }
    return pack;
}

// ---- fragments -------------------------------------------------------------------------------------------

static __device__ __forceinline__ void ldmatrix(uint32_t (&to)[4], unsigned address, bool transpose) {
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

// 16 rows of a x 16 of k: blocks of 8 x 8 in the order (0, 0), (8, 0), (0, 8), (8, 8) of (row, k).
template <bool mn, bool swizzle>
static __device__ __forceinline__ void load_a(uint32_t (&to)[4], unsigned chunk, unsigned row, unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    unsigned outer = mn ? k + in + block / 2 * 8 : row + in + block % 2 * 8;
    unsigned unit = mn ? row / 8 + block % 2 : k / 8 + block / 2;
    ldmatrix(to, chunk + unit_offset<mn, swizzle>(outer, unit), mn);
}
// 16 columns of b x 16 of k: (0, 0), (0, 8), (8, 0), (8, 8) of (column, k), so that a pair is the fragment of 8 columns.
template <bool mn, bool swizzle>
static __device__ __forceinline__ void load_b(uint32_t (&to)[4], unsigned chunk, unsigned column,
                                              unsigned k) {
    unsigned lane = kz_lane(), in = lane % 8, block = lane / 8;
    unsigned outer = mn ? k + in + block % 2 * 8 : column + in + block / 2 * 8;
    unsigned unit = mn ? column / 8 + block / 2 : k / 8 + block % 2;
    ldmatrix(to, chunk + unit_offset<mn, swizzle>(outer, unit), mn);
}

static __device__ __forceinline__ void mma(kz_bf16, float *d, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ void mma(kz_f16, float *d, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// ---- a warp's 64 x 32 of the tile --------------------------------------------------------------------------

struct warp_tile {
    unsigned row = kz_warp() / 4 * WARP_M, column = kz_warp() % 4 * WARP_N;
    float sums[4][4][4] = {}; // 16 rows, 8 columns, the four elements of a lane
};

// One chunk: 32 of k out of shared memory.
template <typename T, bool a_mn, bool b_mn, bool swizzle>
static __device__ __forceinline__ void multiply_chunk(warp_tile &w, unsigned a, unsigned b) {
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        uint32_t left[4][4], right[2][4];
#pragma unroll
        for (int i = 0; i < 4; i++) load_a<a_mn, swizzle>(left[i], a, w.row + 16 * i, k);
#pragma unroll
        for (int j = 0; j < 2; j++) load_b<b_mn, swizzle>(right[j], b, w.column + 16 * j, k);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) mma(T(), w.sums[i][j], left[i], right[j / 2] + j % 2 * 2);
    }
}

template <typename Out>
static __device__ __forceinline__ void store_tile(const warp_tile &w, Out *c, size_t m, size_t n, size_t row,
                                                  size_t column) {
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

// Through registers: the whole block loads a chunk, waits, multiplies, waits.
template <typename T, bool mn, bool swizzle>
static __device__ __forceinline__ void stage_chunk(unsigned to, const operand<T> &o, size_t row, size_t k,
                                                   bool units) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < UNITS; i += THREADS) {
        unit_place<mn> at(i, row, k);
        kz_pack<T> pack = load_unit(o, at.row, at.first, units);
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + unit_offset<mn, swizzle>(at.outer, at.unit)),
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
    warp_tile w;
    for (size_t at = 0; at < k; at += DEPTH) {
        stage_chunk<In, a_mn, swizzle>(a_chunk, a, row, at, units);
        stage_chunk<In, b_mn, swizzle>(b_chunk, b, column, at, units);
        __syncthreads();
        multiply_chunk<In, a_mn, b_mn, swizzle>(w, a_chunk, b_chunk);
        __syncthreads();
    }
    store_tile(w, c, m, n, row, column);
}

#endif
