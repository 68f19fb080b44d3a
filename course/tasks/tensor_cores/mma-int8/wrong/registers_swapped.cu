// fails: result
// Registers 1 and 2 of A the other way round.
// kz: sm 80
// d += a b, for the whole warp: D 16 x 8, A 16 x 32, B 32 x 8, of signed
// bytes, four in a register
__device__ void mma(int d[4], const int a[4], const int b[2]) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void gemm_int8(const unsigned char *a,
                                     const unsigned char *b,
                                     const float *a_scale,
                                     const float *b_scale, float *c, int m,
                                     int n, int k) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = blockIdx.y * 16, column = blockIdx.x * 8;
    int sums[4] = {0, 0, 0, 0};
    for (int i = 0; i < k; i += 32) {
        int fa[4], fb[2];
        for (int r = 0; r < 4; r++)
            fa[r] = *(const int *)&a[(row + g + r / 2 * 8) * k + i + 4 * t +
                                     r % 2 * 16];
        for (int r = 0; r < 2; r++)
            fb[r] = *(const int *)&b[(column + g) * k + i + 4 * t + r * 16];
        mma(sums, fa, fb);
    }
    for (int y = 0; y < 2; y++) {
        int down = row + g + y * 8, right = column + 2 * t;
        float s = a_scale[down];
        *(float2 *)&c[down * n + right] =
            make_float2(s * b_scale[right] * (float)sums[2 * y],
                        s * b_scale[right + 1] * (float)sums[2 * y + 1]);
    }
}
