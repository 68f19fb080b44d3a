// reduce_axis: short rows that begin anywhere, by way of a tile in shared memory, for 07 and 08.
#ifndef REDUCE_AXIS_RAGGED_CUH
#define REDUCE_AXIS_RAGGED_CUH

#include "rows.cuh"

// The tile is read by packs, side by side; then `lanes` lanes fold a row out of it, with no thought for alignment.
// `rows` of them are REDUCE_AXIS_RAGGED_BYTES at most; with more than one lane, one row per group.
template <int operation, typename A, typename T, typename O>
static __device__ __forceinline__ void ragged(const T *in, O out, size_t segments, size_t n, unsigned rows,
                                              unsigned lanes) {
    __shared__ uint4 room[REDUCE_AXIS_RAGGED_BYTES / 16 + 1];
    rows_view<T> v = view_rows(in, segments, n);
    const int PACK = 16 / sizeof(T);
    for (size_t first = (size_t)blockIdx.x * rows; first < segments; first += (size_t)gridDim.x * rows) {
        unsigned count = segments - first < rows ? (unsigned)(segments - first) : rows;
        span r = span_of(v, v.begin + first * n, v.begin + (first + count) * n);
        for (unsigned p = threadIdx.x; p < r.packs; p += REDUCE_AXIS_PACKS * REDUCE_AXIS_THREADS) {
            kz_pack<T> elements[REDUCE_AXIS_PACKS];
#pragma unroll
            for (int j = 0; j < REDUCE_AXIS_PACKS; j++)
                if (p + j * REDUCE_AXIS_THREADS < r.packs)
                    elements[j] = load_row_pack<false>(v, r.first + p + j * REDUCE_AXIS_THREADS);
#pragma unroll
            for (int j = 0; j < REDUCE_AXIS_PACKS; j++)
                if (p + j * REDUCE_AXIS_THREADS < r.packs)
                    room[p + j * REDUCE_AXIS_THREADS] = elements[j].raw;
        }
        __syncthreads();
        const T *tile = (const T *)room + (r.from - r.first * PACK);
        // With several lanes all threads go round once, as the shuffles need.
        for (unsigned row = threadIdx.x / lanes; row < count || lanes > 1;
             row += REDUCE_AXIS_THREADS / lanes) {
            A value = kz_fold_identity<operation>(A());
            for (unsigned k = threadIdx.x % lanes; row < count && k < n; k += lanes)
                value =
                    kz_fold_next<operation>(value, kz_fold_element<A>::at(tile[row * (unsigned)n + k], k));
            if (lanes > 1) {
                __syncwarp();
                value = fold_group<operation>(value, lanes);
            }
            if (row < count && threadIdx.x % lanes == 0) write_result<operation>(out, first + row, value, n);
            if (lanes > 1) break;
        }
        __syncthreads();
    }
}

#endif
