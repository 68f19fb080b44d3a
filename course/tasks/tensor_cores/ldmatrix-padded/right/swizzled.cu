// No padding: the pieces of a row are exchanged, by the row.
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

enum { K = 64, WIDTH = K }; // 16 bytes more: the next row, 4 banks on

extern "C" __global__ void tile_products(const __half *a, const __half *b,
                                         float *d, int n) {
    __shared__ __align__(16) __half a_tile[16][WIDTH], b_tile[8][WIDTH];
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;

    // A row is 8 pieces of 16 bytes; the warp copies four rows at a time.
    const uint4 *from_a = (const uint4 *)(a + blockIdx.x * 16 * K);
    const uint4 *from_b = (const uint4 *)(b + blockIdx.x * 8 * K);
    for (int i = lane; i < 16 * 8; i += 32)
        *(uint4 *)&a_tile[i / 8][(i % 8 ^ i / 8 % 8) * 8] = from_a[i];
    for (int i = lane; i < 8 * 8; i += 32)
        *(uint4 *)&b_tile[i / 8][(i % 8 ^ i / 8 % 8) * 8] = from_b[i];
    __syncwarp();

    float sums[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k += 32) {
        unsigned left[4], right[4], fb[4];
        ldmatrix_x4(left, &a_tile[lane % 16][(k / 8 + lane / 16 ^ lane % 8) * 8]);
        ldmatrix_x4(right, &a_tile[lane % 16][(k / 8 + 2 + lane / 16 ^ lane % 8) * 8]);
        ldmatrix_x4(fb, &b_tile[lane % 8][(k / 8 + lane / 8 ^ lane % 8) * 8]);
        mma(sums, left, fb);
        mma(sums, right, fb + 2);
    }

    float2 *to = (float2 *)(d + blockIdx.x * 128); // a row is 4 pairs
    to[g * 4 + t] = make_float2(sums[0], sums[1]);
    to[(g + 8) * 4 + t] = make_float2(sums[2], sums[3]);
}
