// sgemm: rows to where they are aligned, for 14. A matrix whose rows do not begin at multiples of 16 bytes can only be copied
// by 4 or 8 bytes, which slows down all that multiply; where it is read often enough, a copy with longer rows pays.
#ifndef SGEMM_PACK_CUH
#define SGEMM_PACK_CUH

#include "parts.cuh"

// A row of `columns` floats to one of `line`, a multiple of 4 floats, zeros at its end; all zeros where there is none.
static __device__ __forceinline__ void pack_row(const float *from, float *to, size_t columns, size_t line,
                                                bool exists) {
    for (size_t x = 4 * threadIdx.x; x < line; x += 4 * blockDim.x) {
        float v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = exists && x + i < columns ? __ldg(from + x + i) : 0.0f;
        *(float4 *)(to + x) = make_float4(v[0], v[1], v[2], v[3]);
    }
}

// `a_line`, `b_line`: floats of the new rows, 0 where the matrix stays where it is. With a's columns, b's rows are filled
// up to a multiple of 4 too.
static __device__ __forceinline__ void pack(const float *a, const float *b, float *to_a, float *to_b, size_t m,
                                            size_t n, size_t k, size_t a_line, size_t b_line) {
    wait_for_previous();
    size_t a_rows = a_line ? m : 0, b_rows = b_line ? (k + 3) / 4 * 4 : 0;
    for (size_t row = blockIdx.x; row < a_rows + b_rows; row += gridDim.x) {
        if (row < a_rows)
            pack_row(a + row * k, to_a + row * a_line, k, a_line, true);
        else
            pack_row(b + (row - a_rows) * n, to_b + (row - a_rows) * b_line, n, b_line, row - a_rows < k);
    }
}

#endif
