// sgemm: rows to where they are aligned, for 14. A matrix whose rows do not begin at multiples of 16 bytes can only be copied
// by 4 or 8 bytes, which slows down all that multiply; where it is read often enough, a copy with longer rows pays.
#ifndef SGEMM_PACK_CUH
#define SGEMM_PACK_CUH

#include "parts.cuh"

// Four floats from anywhere in a matrix that has 8 more there: by two aligned loads, the second of which the neighbour has too.
static __device__ __forceinline__ void load_shifted(float to[4], const float *from) {
    unsigned shift = (unsigned)((size_t)from / 4 % 4);
    const float4 *quad = (const float4 *)(from - shift);
    float v[8];
    *(float4 *)v = __ldg(quad);
    *(float4 *)(v + 4) = __ldg(quad + 1);
#pragma unroll
    for (int i = 0; i < 4; i++)
        to[i] = shift == 0 ? v[i] : shift == 1 ? v[i + 1] : shift == 2 ? v[i + 2] : v[i + 3];
}

// A row of `columns` floats to one of `line`, a multiple of 4 floats, zeros at its end. The matrix, from `begin` to `end`,
// is whole quads but for its last floats.
static __device__ __forceinline__ void pack_row(const float *from, float *to, size_t columns, size_t line,
                                                const float *begin, const float *end) {
    bool quads = kz_aligned(begin, 16);
    for (size_t x = 4 * threadIdx.x; x < line; x += 4 * blockDim.x) {
        float v[4];
        if (quads && from + x + 8 <= end && columns) {
            load_shifted(v, from + x);
#pragma unroll
            for (int i = 1; i < 4; i++)
                if (x + i >= columns) v[i] = 0.0f;
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) v[i] = x + i < columns ? from[x + i] : 0.0f;
        }
        *(float4 *)(to + x) = make_float4(v[0], v[1], v[2], v[3]);
    }
}

// `a_line`, `b_line`: floats of the new rows, 0 where the matrix stays where it is. With a's columns, b's rows are filled
// up to a multiple of 4 too.
static __device__ __forceinline__ void pack(const float *a, const float *b, float *to_a, float *to_b,
                                            size_t m, size_t n, size_t k, size_t a_line, size_t b_line) {
    size_t a_rows = a_line ? m : 0, b_rows = b_line ? (k + 3) / 4 * 4 : 0;
    for (size_t row = blockIdx.x; row < a_rows + b_rows; row += gridDim.x) {
        size_t b_row = row - a_rows;
        if (row < a_rows)
            pack_row(a + row * k, to_a + row * a_line, k, a_line, a, a + m * k);
        else
            pack_row(b + b_row * n, to_b + b_row * b_line, b_row < k ? n : 0, b_line, b, b + n * k);
    }
}

#endif
