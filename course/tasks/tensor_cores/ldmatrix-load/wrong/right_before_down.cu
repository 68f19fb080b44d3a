// fails: result
// Lanes 8 to 15 point to the right neighbour instead of the lower one: registers 1 and 2 are exchanged.
// kz: sm 80
#include <cuda_fp16.h>

// d += a b, for the whole warp: D 16 x 8, A 16 x 16, B 16 x 8
__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Lane 8 m + j points to row j of matrix m.
__device__ void ldmatrix_x4(unsigned r[4], const void *row) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

// The same for two matrices: lanes 16 to 31 point in vain.
__device__ void ldmatrix_x2(unsigned r[2], const void *row) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(at)
                 : "memory");
}

extern "C" __global__ void tile_products(const __half *a, const __half *b,
                                         float *d, int n) {
    __shared__ __align__(16) __half a_tile[16][16], b_tile[8][16];
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;

    uint4 *to_a = (uint4 *)a_tile, *to_b = (uint4 *)b_tile;
    to_a[lane] = ((const uint4 *)(a + blockIdx.x * 256))[lane];
    if (lane < 16)
        to_b[lane] = ((const uint4 *)(b + blockIdx.x * 128))[lane];
    __syncwarp();

    unsigned fa[4], fb[2];
    float sums[4] = {0, 0, 0, 0};
    // Matrices 0 and 1 are the upper and the lower 8 rows: lane % 16 is the
    // row. Matrices 2 and 3 are the same rows, 8 elements to the right.
    ldmatrix_x4(fa, &a_tile[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]);
    ldmatrix_x2(fb, &b_tile[lane % 8][lane / 8 % 2 * 8]);
    mma(sums, fa, fb);
    float2 *to = (float2 *)(d + blockIdx.x * 128); // a row is 4 pairs
    to[g * 4 + t] = make_float2(sums[0], sums[1]);
    to[(g + 8) * 4 + t] = make_float2(sums[2], sums[3]);
}
