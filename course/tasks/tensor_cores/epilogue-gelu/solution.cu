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

// The same, each matrix transposed on the way.
__device__ void ldmatrix_x4_trans(unsigned r[4], const void *row) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

enum { TILE = 64, THREADS = 128, PITCH = TILE + 4 };

// Where column `column` (a multiple of 8) of row `row` of a tile lies.
__device__ int place(int row, int column) {
    return row * TILE + (column / 8 ^ row % 8) * 8;
}

__device__ float gelu(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

extern "C" __global__ void layer(const __half *a, const __half *b,
                                 const float *bias, const __half *residual,
                                 __half *out, int m, int n, int k) {
    // First tiles of a and b, then the sums.
    __shared__ __align__(128) char memory[TILE * PITCH * sizeof(float)];
    __half *a_tile = (__half *)memory, *b_tile = a_tile + TILE * TILE;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / 2 * 32, left = warp % 2 * 32; // the warp's quarter
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[2][4][4] = {}; // [16 rows][8 columns][of the fragment]

    for (int first = 0; first < k; first += TILE) {
        for (int i = threadIdx.x; i < TILE * 8; i += THREADS) {
            int y = i / 8, x = i % 8 * 8;
            *(uint4 *)&a_tile[place(y, x)] =
                *(const uint4 *)&a[(row + y) * k + first + x];
            *(uint4 *)&b_tile[place(y, x)] =
                *(const uint4 *)&b[(first + y) * n + column + x];
        }
        __syncthreads();
        for (int i = 0; i < TILE; i += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int y = 0; y < 2; y++)
                ldmatrix_x4(fa[y], &a_tile[place(top + y * 16 + lane % 16,
                                                 i + lane / 16 * 8)]);
            for (int x = 0; x < 2; x++)
                ldmatrix_x4_trans(
                    fb[x], &b_tile[place(i + lane % 16,
                                         left + x * 16 + lane / 16 * 8)]);
            for (int y = 0; y < 2; y++)
                for (int x = 0; x < 4; x++)
                    mma(sums[y][x], fa[y], &fb[x / 2][x % 2 * 2]);
        }
        __syncthreads();
    }

    int g = lane / 4, t = lane % 4;
    // kz: begin
    float *tile = (float *)memory;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++)
            for (int h = 0; h < 2; h++)
                *(float2 *)&tile[(top + y * 16 + g + h * 8) * PITCH + left +
                                 x * 8 + 2 * t] =
                    make_float2(sums[y][x][2 * h], sums[y][x][2 * h + 1]);
    __syncthreads();
    int right = threadIdx.x % 8 * 8; // this thread's columns
    float biases[8], s[8];
    for (int i = 0; i < 8; i += 4)
        *(float4 *)&biases[i] = *(const float4 *)&bias[column + right + i];
    for (int y = threadIdx.x / 8; y < TILE; y += THREADS / 8) {
        int at = (row + y) * n + column + right;
        uint4 before = *(const uint4 *)&residual[at], after;
        const __half *r = (const __half *)&before;
        __half *o = (__half *)&after;
        for (int i = 0; i < 8; i += 4)
            *(float4 *)&s[i] = *(float4 *)&tile[y * PITCH + right + i];
        for (int i = 0; i < 8; i++)
            o[i] =
                __float2half(gelu(s[i] + biases[i]) + __half2float(r[i]));
        *(uint4 *)&out[at] = after;
    }
    // kz: starter
    //|     for (int y = 0; y < 2; y++)
    //|         for (int x = 0; x < 4; x++)
    //|             for (int h = 0; h < 2; h++)
    //|                 *(__half2 *)&out[(row + top + y * 16 + g + h * 8) * n +
    //|                                  column + left + x * 8 + 2 * t] =
    //|                     __floats2half2_rn(sums[y][x][2 * h],
    //|                                       sums[y][x][2 * h + 1]);
    // kz: end
}
