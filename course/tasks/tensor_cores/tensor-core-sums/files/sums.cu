// What a tensor core adds: the terms of one dot product and c, aligned to the largest of them and truncated. Beside it the
// same terms by a chain of fma, in order. Every case prints d, and how many units of its last place (ulps) it is above c or 0.
// kz: sm 90a
#include <cstdio>
#include <cuda_fp16.h>

struct terms {
    float c, a[16], b[16]; // d = c + a[0] b[0] + ... + a[15] b[15]
};

__device__ unsigned pack(float low, float high) {
    __half2 pair = __floats2half2_rn(low, high);
    return *(unsigned *)&pair;
}

// Row 0 of A and column 0 of B hold the terms: lanes 0 to 3 have both, in registers 0 and 2 of A, 0 and 1 of B.
__device__ float by_mma(const float *a, const float *b, float c) {
    int lane = threadIdx.x, t = lane % 4;
    unsigned fa[4] = {0, 0, 0, 0}, fb[2] = {0, 0};
    float d[4] = {lane == 0 ? c : 0.0f, 0, 0, 0};
    if (lane < 4)
        for (int r = 0; r < 2; r++) {
            fa[2 * r] = pack(a[2 * t + 8 * r], a[2 * t + 1 + 8 * r]);
            fb[r] = pack(b[2 * t + 8 * r], b[2 * t + 1 + 8 * r]);
        }
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    return d[0];
}

__global__ void once(terms x, float *d) {
    float chain = x.c, sum = by_mma(x.a, x.b, x.c);
    for (int i = 0; i < 16; i++) chain = fmaf(x.a[i], x.b[i], chain);
    if (threadIdx.x == 0) d[0] = sum, d[1] = chain;
}

// The same terms by two instructions, the first two terms in one, the others in the next.
__global__ void twice(terms x, float *d) {
    float first[16] = {x.a[0], x.a[1]}, rest[16];
    for (int i = 0; i < 16; i++) rest[i] = i < 2 ? 0.0f : x.a[i];
    float sum = by_mma(rest, x.b, by_mma(first, x.b, x.c)), chain = x.c;
    for (int i = 0; i < 16; i++) chain = fmaf(x.a[i], x.b[i], chain);
    if (threadIdx.x == 0) d[0] = sum, d[1] = chain;
}

// wgmma on 8-bit floats (e5m2): 32 terms, each 2^-7 times 2^-bits, added to c = 1 in every element of a 64 x 8 result.
__global__ void eight_bits(int bits, float *d) {
    __shared__ __align__(1024) unsigned char a[64 * 32], b[8 * 32];
    for (int i = threadIdx.x; i < 64 * 32; i += 128) a[i] = (15 - 7) << 2; // e5m2: the exponent, biased by 15, and two bits
    for (int i = threadIdx.x; i < 8 * 32; i += 128) b[i] = (15 - bits) << 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    // Rows of 16 bytes, 8 rows a core matrix of 128 bytes: the next 16 bytes along k 128 further, the next 8 rows 256.
    unsigned long long at_a = __cvta_generic_to_shared(a) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
    unsigned long long at_b = __cvta_generic_to_shared(b) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
    float s[4] = {1, 1, 1, 1}, chain = 1;
    asm volatile("{.reg .pred adds; setp.eq.u32 adds, 0, 0; wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2 {%0,%1,%2,%3}, %4, %5, adds, 1, 1;\n"
                 "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "l"(at_a), "l"(at_b) : "memory");
    for (int i = 0; i < 32; i++) chain = fmaf(1.0f / 128, ldexpf(1, -bits), chain);
    if (threadIdx.x == 0) d[0] = s[0], d[1] = chain;
}

static void print(const char *name, const float *d, double from, double unit) {
    float h[2];
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%-12s tensor core %.0f, chain of fma %.0f\n", name, (h[0] - from) / unit, (h[1] - from) / unit);
}

// c and n equal products a b; the other terms are 0.
static terms equal(float c, int n, float a, float b) {
    terms x = {c};
    for (int i = 0; i < n; i++) x.a[i] = a, x.b[i] = b;
    return x;
}

int main() {
    float *d;
    const double ULP = 0x1p-23; // of numbers from 1 to 2
    cudaMalloc(&d, 2 * sizeof *d);
    once<<<1, 32>>>(equal(0x1p24f, 16, 1, 1), d), print("large", d, 0x1p24, 1);
    once<<<1, 32>>>(equal(1, 16, 0x1p-13f, 0x1p-13f), d), print("tiny", d, 1, ULP);
    once<<<1, 32>>>(equal(1, 16, 1.5f * 0x1p-12f, 0x1p-13f), d), print("cut", d, 1, ULP);
    once<<<1, 32>>>(equal(1, 1, 1.5f * 0x1p-12f, 0x1p-12f), d), print("toward_zero", d, 1, ULP);
    terms cancel = {0, {0x1p15f, -0x1p15f, 1}, {0x1p15f, 0x1p15f, 1}};
    once<<<1, 32>>>(cancel, d), print("cancel", d, 0, 1);
    twice<<<1, 32>>>(cancel, d), print("two_steps", d, 0, 1);
    eight_bits<<<1, 128>>>(7, d), print("fp8_lost", d, 1, 0x1p-13);
    eight_bits<<<1, 128>>>(6, d), print("fp8_kept", d, 1, 0x1p-13);
    cudaFree(d);
}
