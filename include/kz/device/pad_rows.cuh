// Rows of 2-byte elements that begin anywhere, copied to where a tensor map can read them: each at a multiple of 16 bytes.
#ifndef KZ_PAD_ROWS_CUH
#define KZ_PAD_ROWS_CUH

#include "kz/kernel.cuh"

// A unit of 16 aligned bytes, of which those from `first` up to `end` exist.
static __device__ __forceinline__ uint4 kz_load_between(const uint4 *at, const uint16_t *first,
                                                        const uint16_t *end) {
    if ((const uint16_t *)at >= first && (const uint16_t *)(at + 1) <= end) return *at;
    kz_pack<uint16_t> pack;
    for (int i = 0; i < 8; i++) {
        const uint16_t *element = (const uint16_t *)at + i;
        pack.at[i] = element >= first && element < end ? *element : (uint16_t)0;
    }
    return pack.raw;
}

// The row that begins at `from`, by all threads of a block: `padded` elements, whole units of 16 bytes, put together from two
// that are aligned. What it pads with, nobody reads: the tensor map ends with the row.
static __device__ __forceinline__ void kz_pad_row(const uint16_t *from, uint16_t *to, size_t padded,
                                                  const uint16_t *first, const uint16_t *end) {
    unsigned shift = (unsigned)((size_t)from % 16 / 2); // elements
    const uint4 *at = (const uint4 *)(from - shift);
    for (unsigned unit = threadIdx.x; unit < padded / 8; unit += blockDim.x) {
        uint4 low = kz_load_between(at + unit, first, end), high = kz_load_between(at + unit + 1, first, end);
        uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        // By one word, by two, by half a word.
#pragma unroll
        for (int i = 0; i < 7; i++) w[i] = shift & 2 ? w[i + 1] : w[i];
#pragma unroll
        for (int i = 0; i < 6; i++) w[i] = shift & 4 ? w[i + 2] : w[i];
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = shift & 1 ? __funnelshift_r(w[i], w[i + 1], 16) : w[i];
        kz_store<KZ_CACHE>((uint4 *)to + unit, make_uint4(w[0], w[1], w[2], w[3]));
    }
}

// Rows of `inner` elements without gaps, the first at a multiple of 16 bytes, to rows `padded` apart. A block per row, any number of threads.
static __device__ __forceinline__ void kz_pad_rows(const uint16_t *from, uint16_t *to, size_t outer,
                                                   size_t inner, size_t padded) {
    for (size_t row = blockIdx.x; row < outer; row += gridDim.x)
        kz_pad_row(from + row * inner, to + row * padded, padded, NULL, from + outer * inner);
}

#endif
