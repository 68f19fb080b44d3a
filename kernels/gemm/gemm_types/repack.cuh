// gemm_types: operands as tensor maps and tensor cores want them: K-major rows of whole 16 bytes, and tf32 in two parts.
#ifndef GEMM_TYPES_REPACK_CUH
#define GEMM_TYPES_REPACK_CUH

#include "gemm_types.cuh"
#include "kz/device/tile_transpose.cuh"

// ---- MN-major to K-major ----------------------------------------------------------------------------------

// k x rows elements become rows x k, `pitch` apart.
template <int SIZE>
static __device__ __forceinline__ void transpose(const void *from, void *to, size_t rows, size_t k,
                                                 size_t pitch) {
    typedef kz_tile_transpose<SIZE, GEMM_TYPES_TRANSPOSE_CHUNKS, GEMM_TYPES_TRANSPOSE_THREADS> tile;
    typedef typename tile::bits bits;
    extern __shared__ uint4 shared[];
    size_t down = (k + tile::TILE - 1) / tile::TILE, x = blockIdx.x % down * tile::TILE,
           row = blockIdx.x / down * tile::TILE;
    unsigned height = (unsigned)min(k - x, (size_t)tile::TILE),
             width = (unsigned)min(rows - row, (size_t)tile::TILE);
    bool packs = rows % tile::PACK == 0 && kz_aligned(from, 16);
    tile::load(shared, {(bits *)from + x * rows + row, rows, packs}, height, width);
    __syncthreads();
    tile::store(shared, {(bits *)to + row * pitch + x, pitch, true}, height, width);
}

#define TRANSPOSE(SIZE)                                                                                      \
    KZ_ENTRY_BOUNDS(gemm_types_any_shape_transpose_##SIZE, GEMM_TYPES_TRANSPOSE_THREADS, 2)                  \
    (const void *from, void *to, size_t rows, size_t k, size_t pitch) {                                      \
        transpose<SIZE>(from, to, rows, k, pitch);                                                           \
    }
TRANSPOSE(1)
TRANSPOSE(4)

// ---- rows of whole units ------------------------------------------------------------------------------------

// 16 aligned bytes, of which those before `end` exist.
static __device__ __forceinline__ uint4 load_before(const uint4 *at, const uint8_t *end) {
    if ((const uint8_t *)(at + 1) <= end) return *at;
    kz_pack<uint8_t> pack;
    for (int i = 0; i < 16; i++) {
        const uint8_t *byte = (const uint8_t *)at + i;
        pack.at[i] = byte < end ? *byte : (uint8_t)0;
    }
    return pack.raw;
}

// Rows of `inner` bytes, `padded` apart in the copy: units of 16 bytes, put together from two that are aligned. What it pads
// with, nobody reads: the tensor map ends with the row.
KZ_ENTRY_BOUNDS(gemm_types_any_shape_pad, 256, 8)
(const uint8_t *from, uint8_t *to, size_t outer, size_t inner, size_t padded) {
    const uint8_t *end = from + outer * inner;
    for (size_t row = blockIdx.x; row < outer; row += gridDim.x) {
        const uint8_t *begin = from + row * inner;
        unsigned shift = (unsigned)((size_t)begin % 16);
        const uint4 *at = (const uint4 *)(begin - shift);
        for (unsigned unit = threadIdx.x; unit < padded / 16; unit += blockDim.x) {
            uint4 low = load_before(at + unit, end), high = load_before(at + unit + 1, end);
            uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            // By two words, by one, by bytes.
#pragma unroll
            for (int i = 0; i < 6; i++) w[i] = shift & 8 ? w[i + 2] : w[i];
#pragma unroll
            for (int i = 0; i < 5; i++) w[i] = shift & 4 ? w[i + 1] : w[i];
#pragma unroll
            for (int i = 0; i < 4; i++) w[i] = __funnelshift_r(w[i], w[i + 1], shift % 4 * 8);
            kz_store<KZ_CACHE>((uint4 *)(to + row * padded) + unit, make_uint4(w[0], w[1], w[2], w[3]));
        }
    }
}

// ---- floats as two tf32 -------------------------------------------------------------------------------------

// Products of numbers below this one, and sums of theirs, do not overflow where those of the whole floats do not.
static __device__ __forceinline__ bool is_huge(float x) { return !(fabsf(x) < 0x1p63f); }

// The float nearest to x that has 11 digits, ties to even; the largest one stays finite.
static __device__ __forceinline__ float round_tf32(float x) {
    unsigned bits = __float_as_uint(x), rounded = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    return __uint_as_float((rounded & 0x7f800000) == 0x7f800000 ? bits & ~0x1fffu : rounded);
}

// Floats, K-major or not, to [part][row][pitch]: part 0 is the nearest tf32, part 1 what it leaves. Sets *huge where an element is
// so large, or not finite, that products of its parts may not be what its own would be.
KZ_ENTRY_BOUNDS(gemm_types_any_shape_parts, GEMM_TYPES_SPLIT_THREADS, 4)
(const float *from, float *to, size_t rows, size_t k, size_t pitch, unsigned mn, unsigned *huge) {
    enum { SIDE = GEMM_TYPES_SPLIT_TILE, LINES = GEMM_TYPES_SPLIT_THREADS / SIDE };
    __shared__ float tile[SIDE][SIDE + 1]; // as it lies
    size_t across = (k + SIDE - 1) / SIDE, x = blockIdx.x % across * SIDE, row = blockIdx.x / across * SIDE;
    size_t inner = mn ? rows : k, outer_end = mn ? k : rows, first = mn ? x : row, column = (mn ? row : x);
    unsigned lane = threadIdx.x % SIDE, line = threadIdx.x / SIDE;
    for (unsigned i = line; i < SIDE; i += LINES)
        if (first + i < outer_end && column + lane < inner)
            tile[i][lane] = from[(first + i) * inner + column + lane];
    __syncthreads();
    for (unsigned i = line; i < SIDE; i += LINES) {
        if (row + i >= rows || x + lane >= k) continue;
        float value = mn ? tile[lane][i] : tile[i][lane], high = round_tf32(value);
        if (is_huge(value)) *huge = 1;
        float *at = to + (row + i) * pitch + x + lane;
        at[0] = high;
        at[rows * pitch] = isfinite(value) ? round_tf32(value - high) : 0.0f;
    }
}

// What is not finite in c, where operands were huge: again, by floats. Infinity times a low part has any sign, or none.
KZ_ENTRY_BOUNDS(gemm_types_any_shape_repair, 256, 4)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k, unsigned order,
 const unsigned *huge) {
    if (!*huge) return;
    bool a_mn = order / 2 == 1, b_mn = order % 2 == 0;
    for (size_t i = kz_thread(); i < m * n; i += kz_threads()) {
        if (isfinite(c[i])) continue;
        size_t row = i / n, column = i % n;
        float sum = 0.0f;
        for (size_t x = 0; x < k; x++)
            sum += a[a_mn ? x * m + row : row * k + x] * b[b_mn ? x * n + column : column * k + x];
        c[i] = sum;
    }
}

#endif
