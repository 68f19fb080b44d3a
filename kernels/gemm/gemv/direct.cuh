// gemv: tensor cores fed by loads straight into registers, for 04.
//
// A block has a unit of 16 RT rows; its warps share the pieces of k, and add their sums at the end. A lane has U pieces of each of its
// rows in flight before it multiplies the first.
#ifndef GEMV_DIRECT_CUH
#define GEMV_DIRECT_CUH

#include "any.cuh"
#include "tensor.cuh"

template <int WORDS> static __device__ __forceinline__ void load_words(unsigned *word, const char *from) {
    if (WORDS == 4) {
        uint4 v = kz_load<KZ_STREAM>((const uint4 *)from);
        word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
    } else
        for (int w = 0; w < WORDS; w++) word[w] = ((const unsigned *)from)[w];
}

// U pieces from `at` on of all rows of the unit.
template <int F, typename T, int RT, int NT, int U>
static __device__ __forceinline__ void multiply_run(float sum[RT][NT][4], const problem<T> &p, size_t first,
                                                    size_t at, size_t pieces) {
    constexpr int WORDS = piece<F>::WORDS, QUADS = piece<F>::PAIRS / 4,
                  EACH = GROUP / SPAN<F>; // pieces of a group
    const unsigned g = kz_lane() / 4, t = kz_lane() % 4;
    const size_t groups = p.k / GROUP;
    unsigned word[U][RT][2][WORDS];
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int r = 0; r < RT; r++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                size_t row = first + 16 * r + 8 * h + g;
                if (row >= p.n) row = p.n - 1;
                for (int w = 0; w < WORDS; w++) word[u][r][h][w] = 0;
                if (bytes_of<F>((at + u) * SPAN<F>) + 4 * WORDS * t < bytes_of<F>(p.k))
                    load_words<WORDS>(word[u][r][h], (const char *)p.w + row * bytes_of<F>(p.k) +
                                                         bytes_of<F>((at + u) * SPAN<F>) + 4 * WORDS * t);
            }
    float part[RT][NT][4];
#pragma unroll
    for (int u = 0; u < U; u++) {
        uint4 right[NT][QUADS];
#pragma unroll
        for (int i = 0; i < NT; i++) {
            unsigned token = 8 * i + g < p.m ? 8 * i + g : p.m - 1;
#pragma unroll
            for (int q = 0; q < QUADS; q++) {
                size_t element = (at + u) * SPAN<F> + 8 * (QUADS * t + q);
                right[i][q] = make_uint4(0, 0, 0, 0);
                if (element < p.k)
                    right[i][q] =
                        order_pairs<F>(kz_load<KZ_CACHE>((const uint4 *)(p.x + token * p.k + element)));
            }
        }
        if (F != DENSE && u % EACH == 0)
            for (int r = 0; r < RT; r++)
                for (int i = 0; i < NT; i++)
                    for (int e = 0; e < 4; e++) part[r][i][e] = 0.0f;
#pragma unroll
        for (int r = 0; r < RT; r++)
            multiply_piece<F, T, NT>(F == DENSE ? sum[r] : part[r], word[u][r][0], word[u][r][1], right);
        if (F != DENSE && u % EACH == EACH - 1 && at + u < pieces) {
            size_t group = (at + u) / EACH;
#pragma unroll
            for (int r = 0; r < RT; r++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    size_t row = first + 16 * r + 8 * h + g;
                    float scale = kz_widen(p.scale[(row < p.n ? row : p.n - 1) * groups + group]);
#pragma unroll
                    for (int i = 0; i < NT; i++) {
                        for (int e = 2 * h; e < 2 * h + 2; e++) sum[r][i][e] += scale * part[r][i][e];
                    }
                }
        }
    }
}

template <int F, typename T, int RT, int NT, int U, int WARPS>
static __device__ __forceinline__ void run_direct(const problem<T> &p) {
    constexpr int ROWS = 16 * RT;
    __shared__ float sums[WARPS][8 * NT][ROWS + 4]; // padded: lanes that store meet no bank twice
    if (!is_aligned(p)) {
        multiply_anywhere<F>(p);
        return;
    }
    const size_t pieces = (p.k + SPAN<F> - 1) / SPAN<F>, first = (size_t)blockIdx.x * ROWS;
    float sum[RT][NT][4] = {};
    for (size_t at = kz_warp() * U; at < pieces; at += WARPS * U)
        multiply_run<F, T, RT, NT, U>(sum, p, first, at, pieces);
    const unsigned g = kz_lane() / 4, t = kz_lane() % 4;
#pragma unroll
    for (int r = 0; r < RT; r++)
#pragma unroll
        for (int i = 0; i < NT; i++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sums[kz_warp()][8 * i + 2 * t + e % 2][16 * r + g + e / 2 * 8] = sum[r][i][e];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < p.m * ROWS; i += blockDim.x) {
        float all = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) all += sums[w][i / ROWS][i % ROWS];
        if (first + i % ROWS < p.n) kz_narrow(&p.y[i / ROWS * p.n + first + i % ROWS], all);
    }
}

#endif
