// Sums of tensor cores in half precision, and factors in tf32: what is lost, seen in single numbers.
// kz: sm 90
#include <cstdio>
#include <cuda_fp16.h>

__device__ unsigned pack(float low, float high) {
    __half2 pair = __floats2half2_rn(low, high);
    return *(unsigned *)&pair;
}

// c += a b with all elements of A equal to a, of B to b: each element of C gets 16 products. Sums in halves.
__device__ void add_16(unsigned c[2], float a, float b) {
    unsigned fa = pack(a, a), fb = pack(b, b);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2,%2,%2}, {%3,%3}, {%0,%1};"
                 : "+r"(c[0]), "+r"(c[1]) : "r"(fa), "r"(fb));
}
// The same with 8 products.
__device__ void add_8(unsigned c[2], float a, float b) {
    unsigned fa = pack(a, a), fb = pack(b, b);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2}, {%3}, {%0,%1};"
                 : "+r"(c[0]), "+r"(c[1]) : "r"(fa), "r"(fb));
}
// 16 products, sums in floats.
__device__ void add_16(float c[4], float a, float b) {
    unsigned fa = pack(a, a), fb = pack(b, b);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(fa), "r"(fb));
}
// One product of x and 1 in tf32: lane 0 has row 0 of A and column 0 of B at k 0.
__device__ float tf32(unsigned x) {
    unsigned fa = threadIdx.x == 0 ? x : 0, fb = threadIdx.x == 0 ? __float_as_uint(1.0f) : 0;
    float c[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%5,%5}, {%6,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(fa), "r"(0), "r"(fb));
    return c[0];
}

enum { COUNT = 65536 };

__global__ void sums(float *d, int count) {
    __half chain = __float2half(0.0f), one = __float2half(1.0f);
    for (int i = 0; i < count; i++) chain = __hadd(chain, one);
    unsigned by_16[2] = {0, 0}, by_8[2] = {0, 0}, square[2] = {0, 0}, rounded;
    float in_floats[4] = {0, 0, 0, 0};
    for (int i = 0; i < count / 16; i++) add_16(by_16, 1, 1), add_16(in_floats, 1, 1);
    for (int i = 0; i < count / 8; i++) add_8(by_8, 1, 1);
    add_16(square, 64, 64); // 16 products of 4096
    float x = 1 + 0x1p-11f + 0x1p-12f;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    float raw = tf32(__float_as_uint(x)), cut = tf32(rounded);
    if (threadIdx.x == 0) {
        d[0] = __half2float(chain);
        d[1] = __low2float(*(__half2 *)by_16);
        d[2] = __low2float(*(__half2 *)by_8);
        d[3] = in_floats[0];
        d[4] = __low2float(*(__half2 *)square);
        d[5] = (raw - 1) * 4096;
        d[6] = (cut - 1) * 4096;
    }
}

int main() {
    static const char *const names[] = {"one_by_one", "by_16", "by_8", "in_floats", "square", "tf32_raw", "tf32_rounded"};
    float *d, h[7];
    cudaMalloc(&d, sizeof h);
    sums<<<1, 32>>>(d, COUNT);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 7; i++) printf("%-12s %g\n", names[i], h[i]);
    cudaFree(d);
}
