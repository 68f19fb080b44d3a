// kz: sm 90
// d += a b, for the whole warp: D 16 x 8, A 16 x 32, B 32 x 8, of e4m3
// numbers, four in a register
__device__ void mma(float d[4], const int a[4], const int b[2]) {
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

enum { BLOCK = 128 };

extern "C" __global__ void gemm_fp8(const unsigned char *a,
                                    const unsigned char *b,
                                    const float *a_scale,
                                    const float *b_scale, float *c, int m,
                                    int n, int k) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = blockIdx.y * 16, column = blockIdx.x * 8, blocks = k / BLOCK;
    float sums[4] = {0, 0, 0, 0};
    for (int q = 0; q < blocks; q++) {
        // kz: begin
        float part[4] = {0, 0, 0, 0};
        // kz: starter
        //|         float *part = sums;
        // kz: end
        for (int i = q * BLOCK; i < (q + 1) * BLOCK; i += 32) {
            int fa[4], fb[2];
            for (int r = 0; r < 4; r++)
                fa[r] = *(const int *)&a[(row + g + r % 2 * 8) * k + i +
                                         4 * t + r / 2 * 16];
            for (int r = 0; r < 2; r++)
                fb[r] =
                    *(const int *)&b[(column + g) * k + i + 4 * t + r * 16];
            mma(part, fa, fb);
        }
        // kz: begin
        float right = b_scale[column / BLOCK * blocks + q];
        float upper = a_scale[(row + g) * blocks + q] * right;
        float lower = a_scale[(row + g + 8) * blocks + q] * right;
        sums[0] += upper * part[0];
        sums[1] += upper * part[1];
        sums[2] += lower * part[2];
        sums[3] += lower * part[3];
        // kz: end
    }
    float2 *to = (float2 *)&c[(row + g) * n + column + 2 * t];
    *to = make_float2(sums[0], sums[1]);
    to = (float2 *)&c[(row + g + 8) * n + column + 2 * t];
    *to = make_float2(sums[2], sums[3]);
}
