// fails: gate instructions
// Four products for an instruction and a lane: without tensor cores.
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
    for (int e = threadIdx.x; e < 128; e += 32) {
        int y = blockIdx.y * 16 + e / 8, x = blockIdx.x * 8 + e % 8, sum = 0;
        for (int i = 0; i < k; i += 16) {
            int4 p = *(const int4 *)&a[y * k + i], q = *(const int4 *)&b[x * k + i];
            sum = __dp4a(p.x, q.x, sum), sum = __dp4a(p.y, q.y, sum);
            sum = __dp4a(p.z, q.z, sum), sum = __dp4a(p.w, q.w, sum);
        }
        c[y * n + x] = a_scale[y] * b_scale[x] * (float)sum;
    }
}
