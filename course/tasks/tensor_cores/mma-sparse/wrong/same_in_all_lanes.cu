// fails: result
// Groups 0 to 3 in both lanes.
// kz: sm 80
#include <cuda_fp16.h>

// d = a b, for the whole warp: D 16 x 8, A 16 x 32 of which half is
// stored, B 32 x 8
__device__ void mma_sparse(float d[4], const unsigned a[4],
                           const unsigned b[4], unsigned metadata) {
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col"
        ".f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, "
        "{%0,%1,%2,%3}, %12, 0x0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
          "r"(b[2]), "r"(b[3]), "r"(metadata));
}

extern "C" __global__ void tile_products(const __half *values,
                                         const unsigned *metadata,
                                         const __half *b, float *d, int n) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    const unsigned *va = (const unsigned *)(values + blockIdx.x * 256);
    const unsigned *vb = (const unsigned *)(b + blockIdx.x * 256);
    metadata += blockIdx.x * 16;
    unsigned fa[4], fb[4], where;
    for (int r = 0; r < 4; r++) // pairs: a row is 8 of them
        fa[r] = va[(g + r % 2 * 8) * 8 + t + r / 2 * 4];
    for (int r = 0; r < 4; r++) fb[r] = vb[g * 16 + t + r * 4];
    int shift = 0;
    where = (metadata[g] >> shift & 0xffff) |
            (metadata[g + 8] >> shift & 0xffff) << 16;
    float sums[4] = {0, 0, 0, 0};
    mma_sparse(sums, fa, fb, where);
    float2 *to = (float2 *)(d + blockIdx.x * 128); // a row is 4 pairs
    to[g * 4 + t] = make_float2(sums[0], sums[1]);
    to[(g + 8) * 4 + t] = make_float2(sums[2], sums[3]);
}
