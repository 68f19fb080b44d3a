// gemm 01: everything
//
// Idea     what no fast kernel does must still be right: any type, order, stride, count, on any GPU.
// Change   sgemm's shared tiles: 32 x 32 of c per block, four elements per thread. An element of a lies a_row elements from the one
//          below it and a_step from the one to its right, so an order is a pair of strides. Blocks take tile after tile of
//          all products.
// Expect   what FFMA and shared memory give, a tenth of the tensor cores or less.
// Limit    it is a fallback, and stays simple.

#include "kz/kernel.cuh"
#include "tune.h"

enum { SIDE = GEMM_UNIVERSAL_SIDE, THREADS = GEMM_UNIVERSAL_THREADS, EACH = SIDE * SIDE / THREADS };

// Tile t: its product, the rows that belong to it, and where it begins.
struct position {
    size_t product, row, end, column;
};

// Offsets are the caller's: what they hold must not lead out of the matrix.
static __device__ size_t group_begin(const unsigned *offsets, size_t group, size_t m) {
    return min((size_t)offsets[group], m);
}
static __device__ bool find(size_t t, const unsigned *offsets, size_t m, size_t n, size_t count,
                            position *at) {
    size_t across = (n + SIDE - 1) / SIDE;
    if (!offsets) {
        size_t each = (m + SIDE - 1) / SIDE * across, rest = t % each;
        *at = {t / each, rest / across * SIDE, m, rest % across * SIDE};
        return at->product < count;
    }
    for (size_t group = 0; group < count; group++) {
        size_t begin = group_begin(offsets, group, m), end = max(begin, group_begin(offsets, group + 1, m));
        size_t tiles = (end - begin + SIDE - 1) / SIDE * across;
        if (t < tiles) {
            *at = {group, begin + t / across * SIDE, end, t % across * SIDE};
            return true;
        }
        t -= tiles;
    }
    return false;
}

// SIDE rows of an operand, SIDE of k: to[k][row], zero where they end. Neighbouring threads read neighbours in memory.
template <typename T, typename Sum>
static __device__ void stage(Sum to[SIDE][SIDE + 1], const T *from, size_t row, size_t end, size_t at,
                             size_t k, size_t row_stride, size_t k_stride) {
    bool along_k = k_stride == 1;
    for (unsigned i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        unsigned r = along_k ? i / SIDE : i % SIDE, d = along_k ? i % SIDE : i / SIDE;
        to[d][r] = row + r < end && at + d < k ? kz_widen(from[(row + r) * row_stride + (at + d) * k_stride])
                                               : Sum(0);
    }
}

// The matrix of a product: an address of the array, or `stride` further.
template <typename T> static __device__ T *matrix_of(T *first, size_t product, size_t stride, bool pointers) {
    return pointers ? ((T *const *)first)[product] : first + product * stride;
}

template <typename In, typename Out, typename Sum>
static __device__ __forceinline__ void
multiply(const In *a_first, const In *b_first, Out *c_first, const unsigned *offsets, size_t m, size_t n,
         size_t k, size_t a_row, size_t a_step, size_t b_row, size_t b_step, size_t ldc, size_t a_stride,
         size_t b_stride, size_t c_stride, size_t count, Sum alpha, Sum beta, bool pointers) {
    __shared__ Sum a_tile[SIDE][SIDE + 1], b_tile[SIDE][SIDE + 1];
    unsigned across = threadIdx.x % SIDE, down = threadIdx.x / SIDE * EACH;
    position at;
    for (size_t t = blockIdx.x; find(t, offsets, m, n, count, &at); t += gridDim.x) {
        Out *c = matrix_of(c_first, at.product, c_stride, pointers);
        Sum sums[EACH] = {};
        if (k > 0) { // else a and b may be nowhere
            const In *a = matrix_of(a_first, at.product, a_stride, pointers),
                     *b = matrix_of(b_first, at.product, b_stride, pointers);
            for (size_t x = 0; x < k; x += SIDE) {
                stage(a_tile, a, at.row, at.end, x, k, a_row, a_step);
                stage(b_tile, b, at.column, n, x, k, b_row, b_step);
                __syncthreads();
                for (int d = 0; d < SIDE; d++)
#pragma unroll
                    for (int i = 0; i < EACH; i++) sums[i] += a_tile[d][down + i] * b_tile[d][across];
                __syncthreads();
            }
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            size_t row = at.row + down + i, column = at.column + across;
            if (row >= at.end || column >= n) continue;
            Out *to = &c[row * ldc + column];
            Sum value = k > 0 ? alpha * sums[i] : Sum(0);
            if (beta != 0) value += beta * kz_widen(*to);
            kz_narrow(to, value);
        }
    }
}

#define UNIVERSAL(name, In, Out, Sum)                                                                        \
    KZ_ENTRY_BOUNDS(gemm_universal_##name, THREADS, 2)                                                       \
    (const In *a, const In *b, Out *c, const unsigned *offsets, size_t m, size_t n, size_t k, size_t a_row,  \
     size_t a_step, size_t b_row, size_t b_step, size_t ldc, size_t a_stride, size_t b_stride,               \
     size_t c_stride, size_t count, double alpha, double beta, unsigned pointers) {                          \
        multiply<In, Out, Sum>(a, b, c, offsets, m, n, k, a_row, a_step, b_row, b_step, ldc, a_stride,       \
                               b_stride, c_stride, count, (Sum)alpha, (Sum)beta, pointers != 0);             \
    }
UNIVERSAL(any_f32, float, float, float)
UNIVERSAL(any_f64, double, double, double)
UNIVERSAL(any_f16, kz_f16, kz_f16, float)
UNIVERSAL(any_bf16, kz_bf16, kz_bf16, float)
UNIVERSAL(any_to_f32_f16, kz_f16, float, float)
UNIVERSAL(any_to_f32_bf16, kz_bf16, float, float)
