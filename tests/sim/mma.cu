// Every dense mma of a warp on small whole numbers, whose sums are exact in every type, against sums made element by element. Fragments
// are put together by the formulas of the PTX ISA: g = lane / 4, t = lane % 4, q elements of a register.
// kz: sm 90
// launch: block 32
// arg: wrong u32[48] = 0
// expect: wrong = 0 ...
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum type { F16, BF16, TF32, E4M3, E5M2, S8, U8, S4, U4, B1 };

__device__ int bits_of(type t) { return t == TF32 ? 32 : t <= BF16 ? 16 : t <= U8 ? 8 : t <= U4 ? 4 : 1; }
// -3 to 3; 0 to 3; 0 and 1.
__device__ int value(type t, int row, int k) {
    int x = (row * 7 + k * 5 + row * k) % 11;
    return t == B1 ? x & 1 : t == U8 || t == U4 ? x % 4 : x % 7 - 3;
}
__device__ unsigned code(type t, int x) {
    unsigned sign = x < 0, size = sign ? -x : x;
    switch (t) {
    case F16: return __half_as_ushort(__float2half((float)x));
    case BF16: return __bfloat16_as_ushort(__float2bfloat16((float)x));
    case TF32: return __float_as_uint((float)x);
    case E4M3: return sign << 7 | (size == 0 ? 0 : size == 1 ? 7 << 3 : size == 2 ? 8 << 3 : 8 << 3 | 4);
    case E5M2: return sign << 7 | (size == 0 ? 0 : size == 1 ? 15 << 2 : size == 2 ? 16 << 2 : 16 << 2 | 2);
    default: return (unsigned)x & ((1u << bits_of(t)) - 1);
    }
}
// Register r of A (row by row) or B (as n rows along k).
__device__ unsigned pack(type t, bool is_b, int r, int rows) {
    int lane = threadIdx.x, g = lane / 4, at = lane % 4, bits = bits_of(t), q = 32 / bits;
    int row = is_b || rows == 8 ? g : g + 8 * (r & 1), piece = is_b || rows == 8 ? r : r >> 1;
    unsigned word = 0;
    for (int e = 0; e < q; e++) {
        int k = q * at + e + 4 * q * piece;
        word |= code(t, is_b ? value(t, k + 1, row) : value(t, row, k)) << bits * e;
    }
    return word;
}
__device__ int sum(type a, type b, int row, int column, int k, int how) {
    int s = row - column;
    for (int i = 0; i < k; i++) {
        int x = value(a, row, i), y = value(b, i + 1, column);
        s += how == 1 ? x ^ y : how == 2 ? x & y : x * y;
    }
    return s;
}
// Accumulators: element i is row g + 8 (i / 2), column 2 t + i % 2.
__device__ int row_of(int i) { return threadIdx.x / 4 + 8 * (i / 2); }
__device__ int column_of(int i) { return threadIdx.x % 4 * 2 + i % 2; }

#define EACH(i, n) for (int i = 0; i < n; i++)
#define SIDES(a, b, rows, na, nb)                                                                            \
    unsigned x[4] = {}, y[2] = {};                                                                           \
    EACH(i, na) x[i] = pack(a, false, i, rows);                                                              \
    EACH(i, nb) y[i] = pack(b, true, i, rows);
#define F32(at, op, a, b, k, na, nb, as, bs)                                                                 \
    {                                                                                                        \
        SIDES(a, b, 16, na, nb)                                                                              \
        float d[4];                                                                                          \
        EACH(i, 4) d[i] = (float)(row_of(i) - column_of(i));                                                 \
        asm volatile("mma.sync.aligned." op " {%0,%1,%2,%3}, " as ", " bs ", {%0,%1,%2,%3};"                 \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                        \
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));                    \
        EACH(i, 4) if (d[i] != (float)sum(a, b, row_of(i), column_of(i), k, 0)) atomicAdd(&wrong[at], 1);    \
    }
#define F16_SUM(at, op, a, b, k, na, nb, as, bs)                                                             \
    {                                                                                                        \
        SIDES(a, b, 16, na, nb)                                                                              \
        __half2 h[2];                                                                                        \
        EACH(i, 2)                                                                                           \
        h[i] = __floats2half2_rn((float)(row_of(2 * i) - column_of(2 * i)),                                  \
                                 (float)(row_of(2 * i) - column_of(2 * i + 1)));                             \
        unsigned d[2] = {*(unsigned *)&h[0], *(unsigned *)&h[1]};                                            \
        asm volatile("mma.sync.aligned." op " {%0,%1}, " as ", " bs ", {%0,%1};"                             \
                     : "+r"(d[0]), "+r"(d[1])                                                                \
                     : "r"(0), "r"(0), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));    \
        EACH(i, 4)                                                                                           \
        if (__half2float(__ushort_as_half(d[i / 2] >> 16 * (i % 2))) !=                                      \
            (float)sum(a, b, row_of(i), column_of(i), k, 0))                                                 \
            atomicAdd(&wrong[at], 1);                                                                        \
    }
#define S32(at, op, a, b, rows, k, na, nb, how, ds, as, bs)                                                  \
    {                                                                                                        \
        SIDES(a, b, rows, na, nb)                                                                            \
        int d[4];                                                                                            \
        EACH(i, 4) d[i] = row_of(i) - column_of(i);                                                          \
        asm volatile("mma.sync.aligned." op " " ds ", " as ", " bs ", " ds ";"                               \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                        \
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));                    \
        EACH(i, rows / 4) if (d[i] != sum(a, b, row_of(i), column_of(i), k, how)) atomicAdd(&wrong[at], 1);  \
    }
#define R1 "{%4}"
#define R2 "{%4,%5}"
#define R4 "{%4,%5,%6,%7}"
#define Q1 "{%8}"
#define Q2 "{%8,%9}"
#define D2 "{%0,%1}"
#define D4 "{%0,%1,%2,%3}"

extern "C" __global__ void mma(unsigned *wrong) {
    F32(0, "m16n8k8.row.col.f32.f16.f16.f32", F16, F16, 8, 2, 1, R2, Q1)
    F32(1, "m16n8k16.row.col.f32.f16.f16.f32", F16, F16, 16, 4, 2, R4, Q2)
    F32(2, "m16n8k8.row.col.f32.bf16.bf16.f32", BF16, BF16, 8, 2, 1, R2, Q1)
    F32(3, "m16n8k16.row.col.f32.bf16.bf16.f32", BF16, BF16, 16, 4, 2, R4, Q2)
    F32(4, "m16n8k4.row.col.f32.tf32.tf32.f32", TF32, TF32, 4, 2, 1, R2, Q1)
    F32(5, "m16n8k8.row.col.f32.tf32.tf32.f32", TF32, TF32, 8, 4, 2, R4, Q2)
    F32(6, "m16n8k16.row.col.f32.e4m3.e5m2.f32", E4M3, E5M2, 16, 2, 1, R2, Q1)
    F32(7, "m16n8k32.row.col.f32.e4m3.e4m3.f32", E4M3, E4M3, 32, 4, 2, R4, Q2)
    F32(8, "m16n8k32.row.col.f32.e5m2.e5m2.f32", E5M2, E5M2, 32, 4, 2, R4, Q2)
    F16_SUM(9, "m16n8k8.row.col.f16.f16.f16.f16", F16, F16, 8, 2, 1, R2, Q1)
    F16_SUM(10, "m16n8k16.row.col.f16.f16.f16.f16", F16, F16, 16, 4, 2, R4, Q2)
    F16_SUM(11, "m16n8k16.row.col.f16.e4m3.e4m3.f16", E4M3, E4M3, 16, 2, 1, R2, Q1)
    F16_SUM(12, "m16n8k32.row.col.f16.e5m2.e4m3.f16", E5M2, E4M3, 32, 4, 2, R4, Q2)
    S32(13, "m8n8k16.row.col.s32.s8.s8.s32", S8, S8, 8, 16, 1, 1, 0, D2, R1, Q1)
    S32(14, "m16n8k16.row.col.s32.u8.s8.s32", U8, S8, 16, 16, 2, 1, 0, D4, R2, Q1)
    S32(15, "m16n8k32.row.col.satfinite.s32.s8.u8.s32", S8, U8, 16, 32, 4, 2, 0, D4, R4, Q2)
    S32(16, "m16n8k32.row.col.s32.u8.u8.s32.satfinite", U8, U8, 16, 32, 4, 2, 0, D4, R4, Q2)
    S32(17, "m8n8k32.row.col.s32.s4.u4.s32", S4, U4, 8, 32, 1, 1, 0, D2, R1, Q1)
    S32(18, "m16n8k32.row.col.s32.u4.u4.s32", U4, U4, 16, 32, 2, 1, 0, D4, R2, Q1)
    S32(19, "m16n8k64.row.col.s32.s4.s4.s32", S4, S4, 16, 64, 4, 2, 0, D4, R4, Q2)
    S32(20, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", B1, B1, 8, 128, 1, 1, 1, D2, R1, Q1)
    S32(21, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", B1, B1, 16, 128, 2, 1, 2, D4, R2, Q1)
    S32(22, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", B1, B1, 16, 256, 4, 2, 1, D4, R4, Q2)
    S32(23, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", B1, B1, 16, 256, 4, 2, 2, D4, R4, Q2)
}
