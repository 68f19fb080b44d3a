// fails: result
// Adds the bias of the row.
// kz: sm 90
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

// The same, each matrix transposed on the way.
__device__ void ldmatrix_x4_trans(unsigned r[4], const void *row) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

// Lane 8 m + j points to row j of matrix m, which register m holds.
__device__ void stmatrix_x4(void *row, const unsigned r[4]) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "[%0], {%1,%2,%3,%4};" ::"r"(at),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

__device__ unsigned pack(float low, float high) {
    __half2 pair = __floats2half2_rn(low, high);
    return *(unsigned *)&pair;
}

extern "C" __global__ void layer(const __half *a, const __half *b,
                                 const float *bias, __half *out, int n) {
    __shared__ __align__(16) __half a_tile[16][16], b_tile[16][16];
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    ((uint4 *)a_tile)[lane] = ((const uint4 *)(a + blockIdx.x * 256))[lane];
    ((uint4 *)b_tile)[lane] = ((const uint4 *)(b + blockIdx.x * 256))[lane];
    __syncwarp();

    unsigned fa[4], fb[4];
    float sums[2][4] = {}; // columns 0 to 7, columns 8 to 15
    ldmatrix_x4(fa, &a_tile[lane % 16][lane / 16 * 8]);
    ldmatrix_x4_trans(fb, &b_tile[lane % 16][lane / 16 * 8]);
    mma(sums[0], fa, fb);
    mma(sums[1], fa, fb + 2);

    for (int x = 0; x < 2; x++)
        for (int i = 0; i < 4; i++)
            sums[x][i] =
                fmaxf(sums[x][i] + bias[g + i / 2 * 8], 0.0f);
    // Matrices of 8 x 8: upper left, lower left, upper right, lower right
    unsigned r[4] = {
        pack(sums[0][0], sums[0][1]), pack(sums[0][2], sums[0][3]),
        pack(sums[1][0], sums[1][1]), pack(sums[1][2], sums[1][3])};
    __syncwarp(); // all lanes have read the tile of A: it may be overwritten
    stmatrix_x4(&a_tile[lane % 16][lane / 16 * 8], r);
    __syncwarp();
    ((uint4 *)(out + blockIdx.x * 256))[lane] = ((uint4 *)a_tile)[lane];
}
