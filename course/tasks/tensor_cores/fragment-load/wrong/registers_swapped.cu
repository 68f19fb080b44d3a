// fails: result
// Registers 1 and 2 of A the other way round.
// kz: sm 80
#include <cuda_fp16.h>

// d += a b, for the whole warp: D 16 x 8, A 16 x 16, B 16 x 8
__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void tile_products(const __half *a, const __half *b,
                                         float *d, int n) {
    __shared__ __align__(16) __half a_tile[16][16], b_tile[8][16];
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;

    // 16 bytes, 8 halves, for each lane; B has only half as many
    uint4 *to_a = (uint4 *)a_tile, *to_b = (uint4 *)b_tile;
    to_a[lane] = ((const uint4 *)(a + blockIdx.x * 256))[lane];
    if (lane < 16)
        to_b[lane] = ((const uint4 *)(b + blockIdx.x * 128))[lane];
    __syncwarp();

    unsigned fa[4], fb[2];
    float sums[4] = {0, 0, 0, 0};
    for (int r = 0; r < 4; r++)
        fa[r] = *(unsigned *)&a_tile[g + r / 2 * 8][2 * t + r % 2 * 8];
    for (int r = 0; r < 2; r++)
        fb[r] = *(unsigned *)&b_tile[g][2 * t + r * 8];
    mma(sums, fa, fb);
    float2 *to = (float2 *)(d + blockIdx.x * 128); // a row is 4 pairs
    to[g * 4 + t] = make_float2(sums[0], sums[1]);
    to[(g + 8) * 4 + t] = make_float2(sums[2], sums[3]);
}
