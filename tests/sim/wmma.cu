// Every shape, type and order of wmma, as CUDA's own header calls them, on small whole numbers, from global and from shared memory.
// kz: sm 90
// launch: block 32
// arg: wrong u32[32] = 0
// expect: wrong = 0 ...
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__shared__ __align__(32) unsigned char space[3][4096];
__device__ __align__(32) unsigned char memory[3][4096];

template <typename T> __device__ T make(int x) { return (T)x; }
template <> __device__ __half make<__half>(int x) { return __float2half((float)x); }
template <> __device__ __nv_bfloat16 make<__nv_bfloat16>(int x) { return __float2bfloat16((float)x); }
template <typename T> __device__ int back(T x) { return (int)x; }
template <> __device__ int back<__half>(__half x) { return (int)__half2float(x); }

__device__ int value(int row, int column) { return (row * 7 + column * 5 + row * column) % 11 % 4; }

template <typename T> __device__ void fill(T *to, int rows, int columns, bool by_row, int stride, int from) {
    for (int i = threadIdx.x; i < rows * columns; i += 32) {
        int row = i / columns, column = i % columns;
        to[by_row ? row * stride + column : column * stride + row] = make<T>(value(row + from, column));
    }
}

// P: what a fragment of A and B is declared with; T: how its elements lie in memory; C: of the sums.
template <int M, int N, int K, typename P, typename T, typename C, typename LA, typename LB,
          wmma::layout_t order>
__device__ void multiply(unsigned *wrong, unsigned char (*at)[4096]) {
    constexpr bool a_rows = std::is_same<LA, wmma::row_major>::value,
                   b_rows = std::is_same<LB, wmma::row_major>::value, rows = order == wmma::mem_row_major;
    int a_stride = (a_rows ? K : M) + 16 / (int)sizeof(T), b_stride = (b_rows ? N : K) + 16 / (int)sizeof(T),
        stride = (rows ? N : M) + 16 / (int)sizeof(C);
    T *a = (T *)at[0], *b = (T *)at[1];
    C *c = (C *)at[2];
    fill(a, M, K, a_rows, a_stride, 0);
    fill(b, K, N, b_rows, b_stride, 3);
    fill(c, M, N, rows, stride, 5);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, P, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, P, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::load_matrix_sync(fa, a, a_stride);
    wmma::load_matrix_sync(fb, b, b_stride);
    wmma::load_matrix_sync(fc, c, stride, order);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
    wmma::store_matrix_sync(c, fc, stride, order);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32) {
        int row = i / N, column = i % N, sum = value(row + 5, column);
        for (int k = 0; k < K; k++) sum += value(row, k) * value(k + 3, column);
        if (back<C>(c[rows ? row * stride + column : column * stride + row]) != sum) atomicAdd(wrong, 1);
    }
    __syncwarp();
}

template <int M, int N, int K, typename P, typename T, typename C> __device__ void orders(unsigned *wrong) {
    multiply<M, N, K, P, T, C, wmma::row_major, wmma::col_major, wmma::mem_row_major>(wrong, memory);
    multiply<M, N, K, P, T, C, wmma::col_major, wmma::row_major, wmma::mem_col_major>(wrong, memory);
    multiply<M, N, K, P, T, C, wmma::row_major, wmma::row_major, wmma::mem_row_major>(wrong, space);
    multiply<M, N, K, P, T, C, wmma::col_major, wmma::col_major, wmma::mem_col_major>(wrong, space);
}

template <typename P, typename T, typename C> __device__ void shapes(unsigned *wrong) {
    orders<16, 16, 16, P, T, C>(&wrong[0]);
    orders<32, 8, 16, P, T, C>(&wrong[1]);
    orders<8, 32, 16, P, T, C>(&wrong[2]);
}

extern "C" __global__ void products(unsigned *wrong) {
    shapes<__half, __half, float>(&wrong[0]);
    shapes<__half, __half, __half>(&wrong[3]);
    shapes<__nv_bfloat16, __nv_bfloat16, float>(&wrong[6]);
    shapes<signed char, signed char, int>(&wrong[9]);
    shapes<unsigned char, unsigned char, int>(&wrong[12]);
    orders<16, 16, 8, wmma::precision::tf32, float, float>(&wrong[15]);
}
