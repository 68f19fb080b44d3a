// Products of 1024 x 256 by 256 x 1024 halves on tensor cores, each with something to mend; what kz prof says of them.
#include <mma.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
using namespace nvcuda;
enum { N = 1024, K = 256 };
__global__ void by_wmma(const half *a, const half *b, float *c) {
    __shared__ half ta[64 * 16], tb[64 * 16];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    int w = threadIdx.x / 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
    for (int k = 0; k < K; k += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
            ta[i] = a[(row + i / 16) * K + k + i % 16];
            tb[i] = b[(col + i / 16) * K + k + i % 16];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, ta + (w / 4) * 256, 16);
        wmma::load_matrix_sync(fb, tb + (w % 4) * 256, 16);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (row + w / 4 * 16) * N + col + w % 4 * 16, acc, N, wmma::mem_row_major);
}
__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
// 64 x 64 tile, 4 warps of 32 x 32, k 64
template <int PAD> __global__ void by_mma(const half *a, const half *b, float *c) {
    __shared__ __align__(128) half ta[64 * (64 + PAD)], tb[64 * (64 + PAD)];
    const int S = 64 + PAD;
    int w = threadIdx.x / 32, l = threadIdx.x % 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
    int wr = w / 2 * 32, wc = w % 2 * 32;
    float d[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 64) {
        for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) {
            *(uint4 *)&ta[i / 8 * S + i % 8 * 8] = *(const uint4 *)&a[(row + i / 8) * K + k0 + i % 8 * 8];
            *(uint4 *)&tb[i / 8 * S + i % 8 * 8] = *(const uint4 *)&b[(col + i / 8) * K + k0 + i % 8 * 8];
        }
        __syncthreads();
        for (int k = 0; k < 64; k += 16) {
            uint32_t fa[2][4], fb[4][2];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(at(&ta[(wr + 16 * i + l % 16) * S + k + l / 16 * 8])));
            for (int i = 0; i < 4; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                             : "=r"(fb[i][0]), "=r"(fb[i][1])
                             : "r"(at(&tb[(wc + 8 * i + l % 8) * S + k + l / 8 % 2 * 8])));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                                 : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
                                   "r"(fb[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                c[(row + wr + 16 * i + l / 4 + e / 2 * 8) * N + col + wc + 8 * j + l % 4 * 2 + e % 2] =
                    d[i][j][e];
}
template __global__ void by_mma<0>(const half *, const half *, float *);
template __global__ void by_mma<8>(const half *, const half *, float *);
// 64 x 8 per block, tiles of k 64 without swizzle
__device__ uint64_t descriptor(const void *p, int leading, int stride) {
    return (at(p) >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32;
}
__global__ void __launch_bounds__(128) by_wgmma(const half *a, const half *b, float *c) {
    __shared__ __align__(128) half ta[64 * 64], tb[8 * 64];
    int row = blockIdx.y * 64, col = blockIdx.x * 8, t = threadIdx.x;
    float d[4] = {};
    for (int k0 = 0; k0 < K; k0 += 64) {
        for (int i = t; i < 64 * 8;
             i += 128) // core matrices of 8 rows of 16 bytes; k pieces 1024 bytes apart
            *(uint4 *)&ta[i % 8 * 512 + i / 8 * 8] = *(const uint4 *)&a[(row + i / 8) * K + k0 + i % 8 * 8];
        for (int i = t; i < 8 * 8; i += 128)
            *(uint4 *)&tb[i % 8 * 64 + i / 8 * 8] = *(const uint4 *)&b[(col + i / 8) * K + k0 + i % 8 * 8];
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < 4; k++)
            asm volatile(
                "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                "{%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n}"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "l"(descriptor(ta + k * 1024, 1024, 128)), "l"(descriptor(tb + k * 128, 128, 128)));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
        __syncthreads();
    }
    int w = t / 32, l = t % 32;
    for (int e = 0; e < 4; e++) c[(row + 16 * w + l / 4 + e / 2 * 8) * N + col + l % 4 * 2 + e % 2] = d[e];
}
int main() {
    half *a, *b;
    float *c;
    static half h[N * K];
    static float r[N * N];
    for (int i = 0; i < N * K; i++) h[i] = __float2half((float)(i * 7 % 13 - 6));
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMalloc(&c, sizeof r);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    double s[4];
    for (int v = 0; v < 4; v++) {
        cudaMemset(c, 0, sizeof r);
        if (v == 0) by_wmma<<<dim3(16, 16), 512>>>(a, b, c);
        if (v == 1) by_mma<0><<<dim3(16, 16), 128>>>(a, b, c);
        if (v == 2) by_mma<8><<<dim3(16, 16), 128>>>(a, b, c);
        if (v == 3) by_wgmma<<<dim3(128, 16), 128>>>(a, b, c);
        cudaMemcpy(r, c, sizeof r, cudaMemcpyDeviceToHost);
        s[v] = 0;
        for (int i = 0; i < N * N; i++) s[v] += r[i] * (i % 5 + 1);
        printf("%.0f %s\n", s[v], cudaGetErrorString(cudaGetLastError()));
    }
}
