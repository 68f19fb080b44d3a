// One product, for GPUs whose sums differ: 2^24 + 1 + 1 in f32 with eight terms at once, or with sixteen.
#include <stdio.h>
__global__ void one(float *out) {
    // A row of ones, B with 1 at k = 0 and k = 8: each column is c + 1 + 1.
    unsigned a = 0x3c003c00, b = threadIdx.x % 4 == 0 ? 0x00003c00 : 0;
    float d[4] = {16777216.0f, 16777216.0f, 16777216.0f, 16777216.0f};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a), "r"(b));
    if (threadIdx.x == 0) out[0] = d[0];
}
int main(void) {
    float *out, got = 0;
    cudaMalloc(&out, sizeof *out);
    one<<<1, 32>>>(out);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    printf("%.1f\n", got);
    return 0;
}
