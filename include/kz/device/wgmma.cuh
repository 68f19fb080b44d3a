// Matrix products of a warpgroup (PTX ISA: wgmma, sm_90a): four warps multiply a tile of 64 rows out of shared memory, asynchronously.
//
// A product begins behind kz_wgmma_fence, belongs to the group that kz_wgmma_commit closes, and is done after
// kz_wgmma_wait. Until then nobody touches its accumulators, or writes its tiles. Accumulators of width N are N / 2
// registers: element i is row 16 * (warp % 4) + lane / 4 + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * (lane % 4) + i % 2.
#ifndef KZ_WGMMA_CUH
#define KZ_WGMMA_CUH

#include "kz/device/byte_types.cuh"

// Where a tile lies, as wgmma wants it (PTX ISA, matrix descriptor), for rows of 128 bytes that are swizzled as a tensor
// map's 128B swizzle does it; the tile begins at a multiple of 1024 bytes.
//
// K-major: a row of the tile is 64 elements of 2 bytes (or 32 of 4, 128 of 1) along k; 16 more of k are 32 bytes further.
// MN-major: a row is 64 elements along m or n; 64 rows, one per k, are a slab, and slabs follow one another `slab` bytes
// apart; 16 more of k are 2048 bytes further.
static __device__ __forceinline__ uint64_t kz_wgmma_tile(unsigned address, unsigned slab) {
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)(slab >> 4) << 16 |
           (uint64_t)(address & 0x3ffff) >> 4;
}

// The same for rows of 64 bytes, swizzled as 64B does it: K-major; the tile begins at a multiple of 512 bytes.
static __device__ __forceinline__ uint64_t kz_wgmma_narrow_tile(unsigned address) {
    return (uint64_t)2 << 62 | (uint64_t)(512 >> 4) << 32 | (uint64_t)(address & 0x3ffff) >> 4;
}

static __device__ __forceinline__ void kz_wgmma_fence(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void kz_wgmma_commit(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// All but the newest `left` groups are done.
template <int left> static __device__ __forceinline__ void kz_wgmma_wait(void) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
// The same, but not before `x`, a number that is never negative, is known. ptxas moves a wait up over all arithmetic: what was to run
// under the product would run behind it. It does not move it over a store to shared memory, even one that never happens; `scratch` is an
// address there.
template <int left> static __device__ __forceinline__ void kz_wgmma_wait_behind(float x, unsigned scratch) {
    asm volatile("{ .reg .pred p; setp.lt.f32 p, %1, 0f00000000; @p st.shared.f32 [%2], %1; "
                 "wgmma.wait_group.sync.aligned %0; }" ::"n"(left),
                 "f"(x), "r"(scratch)
                 : "memory");
}
// The compiler moves no use of the accumulators across this: behind a wait it says that they are there now.
template <typename T, int count> static __device__ __forceinline__ void kz_wgmma_pin(T (&d)[count]) {
#pragma unroll
    for (int i = 0; i < count; i++) {
        if constexpr (sizeof(T) == 4 && T(0.5) != T(0))
            asm volatile("" : "+f"(d[i])::"memory");
        else
            asm volatile("" : "+r"(d[i])::"memory");
    }
}

// ---- the instruction, by width -------------------------------------------------------------------------

// clang-format off
// The first n / 2 operands as text, and as operands of asm whose constraint is c.
#define KZ_WGMMA_TEXT_8 "%0, %1, %2, %3"
#define KZ_WGMMA_TEXT_16 KZ_WGMMA_TEXT_8 ", %4, %5, %6, %7"
#define KZ_WGMMA_TEXT_24 KZ_WGMMA_TEXT_16 ", %8, %9, %10, %11"
#define KZ_WGMMA_TEXT_32 KZ_WGMMA_TEXT_24 ", %12, %13, %14, %15"
#define KZ_WGMMA_TEXT_40 KZ_WGMMA_TEXT_32 ", %16, %17, %18, %19"
#define KZ_WGMMA_TEXT_48 KZ_WGMMA_TEXT_40 ", %20, %21, %22, %23"
#define KZ_WGMMA_TEXT_56 KZ_WGMMA_TEXT_48 ", %24, %25, %26, %27"
#define KZ_WGMMA_TEXT_64 KZ_WGMMA_TEXT_56 ", %28, %29, %30, %31"
#define KZ_WGMMA_TEXT_72 KZ_WGMMA_TEXT_64 ", %32, %33, %34, %35"
#define KZ_WGMMA_TEXT_80 KZ_WGMMA_TEXT_72 ", %36, %37, %38, %39"
#define KZ_WGMMA_TEXT_88 KZ_WGMMA_TEXT_80 ", %40, %41, %42, %43"
#define KZ_WGMMA_TEXT_96 KZ_WGMMA_TEXT_88 ", %44, %45, %46, %47"
#define KZ_WGMMA_TEXT_104 KZ_WGMMA_TEXT_96 ", %48, %49, %50, %51"
#define KZ_WGMMA_TEXT_112 KZ_WGMMA_TEXT_104 ", %52, %53, %54, %55"
#define KZ_WGMMA_TEXT_120 KZ_WGMMA_TEXT_112 ", %56, %57, %58, %59"
#define KZ_WGMMA_TEXT_128 KZ_WGMMA_TEXT_120 ", %60, %61, %62, %63"
#define KZ_WGMMA_TEXT_136 KZ_WGMMA_TEXT_128 ", %64, %65, %66, %67"
#define KZ_WGMMA_TEXT_144 KZ_WGMMA_TEXT_136 ", %68, %69, %70, %71"
#define KZ_WGMMA_TEXT_152 KZ_WGMMA_TEXT_144 ", %72, %73, %74, %75"
#define KZ_WGMMA_TEXT_160 KZ_WGMMA_TEXT_152 ", %76, %77, %78, %79"
#define KZ_WGMMA_TEXT_168 KZ_WGMMA_TEXT_160 ", %80, %81, %82, %83"
#define KZ_WGMMA_TEXT_176 KZ_WGMMA_TEXT_168 ", %84, %85, %86, %87"
#define KZ_WGMMA_TEXT_184 KZ_WGMMA_TEXT_176 ", %88, %89, %90, %91"
#define KZ_WGMMA_TEXT_192 KZ_WGMMA_TEXT_184 ", %92, %93, %94, %95"
#define KZ_WGMMA_TEXT_200 KZ_WGMMA_TEXT_192 ", %96, %97, %98, %99"
#define KZ_WGMMA_TEXT_208 KZ_WGMMA_TEXT_200 ", %100, %101, %102, %103"
#define KZ_WGMMA_TEXT_216 KZ_WGMMA_TEXT_208 ", %104, %105, %106, %107"
#define KZ_WGMMA_TEXT_224 KZ_WGMMA_TEXT_216 ", %108, %109, %110, %111"
#define KZ_WGMMA_TEXT_232 KZ_WGMMA_TEXT_224 ", %112, %113, %114, %115"
#define KZ_WGMMA_TEXT_240 KZ_WGMMA_TEXT_232 ", %116, %117, %118, %119"
#define KZ_WGMMA_TEXT_248 KZ_WGMMA_TEXT_240 ", %120, %121, %122, %123"
#define KZ_WGMMA_TEXT_256 KZ_WGMMA_TEXT_248 ", %124, %125, %126, %127"
#define KZ_WGMMA_FOUR(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define KZ_WGMMA_OPERANDS_8(c) KZ_WGMMA_FOUR(c, 0)
#define KZ_WGMMA_OPERANDS_16(c) KZ_WGMMA_OPERANDS_8(c), KZ_WGMMA_FOUR(c, 4)
#define KZ_WGMMA_OPERANDS_24(c) KZ_WGMMA_OPERANDS_16(c), KZ_WGMMA_FOUR(c, 8)
#define KZ_WGMMA_OPERANDS_32(c) KZ_WGMMA_OPERANDS_24(c), KZ_WGMMA_FOUR(c, 12)
#define KZ_WGMMA_OPERANDS_40(c) KZ_WGMMA_OPERANDS_32(c), KZ_WGMMA_FOUR(c, 16)
#define KZ_WGMMA_OPERANDS_48(c) KZ_WGMMA_OPERANDS_40(c), KZ_WGMMA_FOUR(c, 20)
#define KZ_WGMMA_OPERANDS_56(c) KZ_WGMMA_OPERANDS_48(c), KZ_WGMMA_FOUR(c, 24)
#define KZ_WGMMA_OPERANDS_64(c) KZ_WGMMA_OPERANDS_56(c), KZ_WGMMA_FOUR(c, 28)
#define KZ_WGMMA_OPERANDS_72(c) KZ_WGMMA_OPERANDS_64(c), KZ_WGMMA_FOUR(c, 32)
#define KZ_WGMMA_OPERANDS_80(c) KZ_WGMMA_OPERANDS_72(c), KZ_WGMMA_FOUR(c, 36)
#define KZ_WGMMA_OPERANDS_88(c) KZ_WGMMA_OPERANDS_80(c), KZ_WGMMA_FOUR(c, 40)
#define KZ_WGMMA_OPERANDS_96(c) KZ_WGMMA_OPERANDS_88(c), KZ_WGMMA_FOUR(c, 44)
#define KZ_WGMMA_OPERANDS_104(c) KZ_WGMMA_OPERANDS_96(c), KZ_WGMMA_FOUR(c, 48)
#define KZ_WGMMA_OPERANDS_112(c) KZ_WGMMA_OPERANDS_104(c), KZ_WGMMA_FOUR(c, 52)
#define KZ_WGMMA_OPERANDS_120(c) KZ_WGMMA_OPERANDS_112(c), KZ_WGMMA_FOUR(c, 56)
#define KZ_WGMMA_OPERANDS_128(c) KZ_WGMMA_OPERANDS_120(c), KZ_WGMMA_FOUR(c, 60)
#define KZ_WGMMA_OPERANDS_136(c) KZ_WGMMA_OPERANDS_128(c), KZ_WGMMA_FOUR(c, 64)
#define KZ_WGMMA_OPERANDS_144(c) KZ_WGMMA_OPERANDS_136(c), KZ_WGMMA_FOUR(c, 68)
#define KZ_WGMMA_OPERANDS_152(c) KZ_WGMMA_OPERANDS_144(c), KZ_WGMMA_FOUR(c, 72)
#define KZ_WGMMA_OPERANDS_160(c) KZ_WGMMA_OPERANDS_152(c), KZ_WGMMA_FOUR(c, 76)
#define KZ_WGMMA_OPERANDS_168(c) KZ_WGMMA_OPERANDS_160(c), KZ_WGMMA_FOUR(c, 80)
#define KZ_WGMMA_OPERANDS_176(c) KZ_WGMMA_OPERANDS_168(c), KZ_WGMMA_FOUR(c, 84)
#define KZ_WGMMA_OPERANDS_184(c) KZ_WGMMA_OPERANDS_176(c), KZ_WGMMA_FOUR(c, 88)
#define KZ_WGMMA_OPERANDS_192(c) KZ_WGMMA_OPERANDS_184(c), KZ_WGMMA_FOUR(c, 92)
#define KZ_WGMMA_OPERANDS_200(c) KZ_WGMMA_OPERANDS_192(c), KZ_WGMMA_FOUR(c, 96)
#define KZ_WGMMA_OPERANDS_208(c) KZ_WGMMA_OPERANDS_200(c), KZ_WGMMA_FOUR(c, 100)
#define KZ_WGMMA_OPERANDS_216(c) KZ_WGMMA_OPERANDS_208(c), KZ_WGMMA_FOUR(c, 104)
#define KZ_WGMMA_OPERANDS_224(c) KZ_WGMMA_OPERANDS_216(c), KZ_WGMMA_FOUR(c, 108)
#define KZ_WGMMA_OPERANDS_232(c) KZ_WGMMA_OPERANDS_224(c), KZ_WGMMA_FOUR(c, 112)
#define KZ_WGMMA_OPERANDS_240(c) KZ_WGMMA_OPERANDS_232(c), KZ_WGMMA_FOUR(c, 116)
#define KZ_WGMMA_OPERANDS_248(c) KZ_WGMMA_OPERANDS_240(c), KZ_WGMMA_FOUR(c, 120)
#define KZ_WGMMA_OPERANDS_256(c) KZ_WGMMA_OPERANDS_248(c), KZ_WGMMA_FOUR(c, 124)

// X(n, numbers of the eight operands behind the accumulators, the most a form has) for every width.
#define KZ_WGMMA_WIDTHS(X) \
    X(8, 4, 5, 6, 7, 8, 9, 10, 11) X(16, 8, 9, 10, 11, 12, 13, 14, 15) \
    X(24, 12, 13, 14, 15, 16, 17, 18, 19) X(32, 16, 17, 18, 19, 20, 21, 22, 23) \
    X(40, 20, 21, 22, 23, 24, 25, 26, 27) X(48, 24, 25, 26, 27, 28, 29, 30, 31) \
    X(56, 28, 29, 30, 31, 32, 33, 34, 35) X(64, 32, 33, 34, 35, 36, 37, 38, 39) \
    X(72, 36, 37, 38, 39, 40, 41, 42, 43) X(80, 40, 41, 42, 43, 44, 45, 46, 47) \
    X(88, 44, 45, 46, 47, 48, 49, 50, 51) X(96, 48, 49, 50, 51, 52, 53, 54, 55) \
    X(104, 52, 53, 54, 55, 56, 57, 58, 59) X(112, 56, 57, 58, 59, 60, 61, 62, 63) \
    X(120, 60, 61, 62, 63, 64, 65, 66, 67) X(128, 64, 65, 66, 67, 68, 69, 70, 71) \
    X(136, 68, 69, 70, 71, 72, 73, 74, 75) X(144, 72, 73, 74, 75, 76, 77, 78, 79) \
    X(152, 76, 77, 78, 79, 80, 81, 82, 83) X(160, 80, 81, 82, 83, 84, 85, 86, 87) \
    X(168, 84, 85, 86, 87, 88, 89, 90, 91) X(176, 88, 89, 90, 91, 92, 93, 94, 95) \
    X(184, 92, 93, 94, 95, 96, 97, 98, 99) X(192, 96, 97, 98, 99, 100, 101, 102, 103) \
    X(200, 100, 101, 102, 103, 104, 105, 106, 107) X(208, 104, 105, 106, 107, 108, 109, 110, 111) \
    X(216, 108, 109, 110, 111, 112, 113, 114, 115) X(224, 112, 113, 114, 115, 116, 117, 118, 119) \
    X(232, 116, 117, 118, 119, 120, 121, 122, 123) X(240, 120, 121, 122, 123, 124, 125, 126, 127) \
    X(248, 124, 125, 126, 127, 128, 129, 130, 131) X(256, 128, 129, 130, 131, 132, 133, 134, 135)
// clang-format on

// Element types that only tensor cores have. tf32: floats, of which the upper 19 bits count.
struct kz_tf32 {
    float value;
};

// d = a * b, plus d if `accumulate`. `a` and `b` are tiles as kz_wgmma_tile says them. `kind` is the shape along k and
// the types, `c` the constraint of the accumulators, `tail` what follows the predicate, with operands of its own.
#define KZ_WGMMA(width, A, B, P, kind, c, tail, ...)                                                         \
    if constexpr (n == width)                                                                                \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #P ", 0; "                                           \
                     "wgmma.mma_async.sync.aligned.m64n" #width kind " {" KZ_WGMMA_TEXT_##width              \
                     "}, %" #A ", %" #B ", p" tail "; }"                                                     \
                     : KZ_WGMMA_OPERANDS_##width(c)                                                          \
                     : "l"(a), "l"(b), "r"(accumulate)__VA_ARGS__                                            \
                     : "memory");

// a_mn and b_mn: MN-major, which the types of 16 bits alone can be.
#define KZ_WGMMA_HALF(width, A, B, P, TA, TB, type)                                                          \
    KZ_WGMMA(width, A, B, P, "k16.f32." type "." type, "+f", ", 1, 1, %" #TA ", %" #TB, , "n"(a_mn),         \
             "n"(b_mn))
#define KZ_WGMMA_BF16(width, A, B, P, TA, TB, ...) KZ_WGMMA_HALF(width, A, B, P, TA, TB, "bf16")
#define KZ_WGMMA_F16(width, A, B, P, TA, TB, ...)  KZ_WGMMA_HALF(width, A, B, P, TA, TB, "f16")
#define KZ_WGMMA_TF32(width, A, B, P, ...)         KZ_WGMMA(width, A, B, P, "k8.f32.tf32.tf32", "+f", ", 1, 1", )
#define KZ_WGMMA_E4M3(width, A, B, P, ...)         KZ_WGMMA(width, A, B, P, "k32.f32.e4m3.e4m3", "+f", ", 1, 1", )
#define KZ_WGMMA_E5M2(width, A, B, P, ...)         KZ_WGMMA(width, A, B, P, "k32.f32.e5m2.e5m2", "+f", ", 1, 1", )
#define KZ_WGMMA_S8(width, A, B, P, ...)           KZ_WGMMA(width, A, B, P, "k32.s32.s8.s8", "+r", "", )
#define KZ_WGMMA_U8(width, A, B, P, ...)           KZ_WGMMA(width, A, B, P, "k32.s32.u8.u8", "+r", "", )

#define KZ_WGMMA_OF(In, Sum, FORM)                                                                           \
    template <int n, int a_mn, int b_mn>                                                                     \
    static __device__ __forceinline__ void kz_wgmma(In, Sum(&d)[n / 2], uint64_t a, uint64_t b,              \
                                                    unsigned accumulate) {                                   \
        static_assert(sizeof(In) == 2 || (!a_mn && !b_mn), "k is contiguous but for types of 16 bits");      \
        static_assert(sizeof(Sum) == 4 && (Sum(0.5) != Sum(0) || n <= 32 || n % 16 == 0),                    \
                      "sums of integers: 8, 16, 24, 32 columns, and multiples of 16");                       \
        KZ_WGMMA_WIDTHS(FORM)                                                                                \
    }
KZ_WGMMA_OF(kz_bf16, float, KZ_WGMMA_BF16)
KZ_WGMMA_OF(kz_f16, float, KZ_WGMMA_F16)
KZ_WGMMA_OF(kz_tf32, float, KZ_WGMMA_TF32)
KZ_WGMMA_OF(kz_e4m3, float, KZ_WGMMA_E4M3)
KZ_WGMMA_OF(kz_e5m2, float, KZ_WGMMA_E5M2)
KZ_WGMMA_OF(int8_t, int, KZ_WGMMA_S8)
KZ_WGMMA_OF(uint8_t, int, KZ_WGMMA_U8)

// ---- a in registers --------------------------------------------------------------------------------------

// The same for an `a` that the warpgroup's registers have: 64 rows, 16 along k. Each of the four has two neighbours along k, the lower
// half first: register i is row 16 * (warp % 4) + lane / 4 + 8 * (i % 2), k 8 * (i / 2) + 2 * (lane % 4). So sums of 16 columns,
// rounded pair by pair, are such an a: its register i has elements 2 i and 2 i + 1 of the accumulator. They are written before
// kz_wgmma_fence, and the product may read them until it is done: pin them at both places, as accumulators.
#define KZ_WGMMA_REGISTERS(width, A0, A1, A2, A3, B, P, TB, type)                                            \
    if constexpr (n == width)                                                                                \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #P ", 0; "                                           \
                     "wgmma.mma_async.sync.aligned.m64n" #width "k16.f32." type "." type                     \
                     " {" KZ_WGMMA_TEXT_##width "}, {%" #A0 ", %" #A1 ", %" #A2 ", %" #A3 "}, %" #B          \
                                                ", p, 1, 1, %" #TB "; }"                                     \
                     : KZ_WGMMA_OPERANDS_##width("+f")                                                       \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(b_mn)        \
                     : "memory");
#define KZ_WGMMA_REGISTERS_BF16(width, A0, A1, A2, A3, B, P, TB, ...)                                        \
    KZ_WGMMA_REGISTERS(width, A0, A1, A2, A3, B, P, TB, "bf16")
#define KZ_WGMMA_REGISTERS_F16(width, A0, A1, A2, A3, B, P, TB, ...)                                         \
    KZ_WGMMA_REGISTERS(width, A0, A1, A2, A3, B, P, TB, "f16")

#define KZ_WGMMA_REGISTERS_OF(In, FORM)                                                                      \
    template <int n, int b_mn>                                                                               \
    static __device__ __forceinline__ void kz_wgmma(In, float(&d)[n / 2], const uint32_t(&a)[4], uint64_t b, \
                                                    unsigned accumulate) {                                   \
        KZ_WGMMA_WIDTHS(FORM)                                                                                \
    }
KZ_WGMMA_REGISTERS_OF(kz_bf16, KZ_WGMMA_REGISTERS_BF16)
KZ_WGMMA_REGISTERS_OF(kz_f16, KZ_WGMMA_REGISTERS_F16)

// ---- 2:4 sparse a ----------------------------------------------------------------------------------------

// 32 of k, by an a of which two of every four elements along k are stored: 16 of a K-major row. `metadata` says which. Nibble i of
// lane 4 g + 2 selector + j is group 4 j + i % 4 of row g + 8 (i / 4) of the warp's 16: two bits for the first of the two,
// above them two for the second, which lies behind it. So a word of each lane is enough for two products, selectors 0 and 1.
#define KZ_WGMMA_SPARSE(width, A, B, E, P, S, type)                                                          \
    if constexpr (n == width)                                                                                \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #P ", 0; "                                           \
                     "wgmma.mma_async.sp.sync.aligned.m64n" #width "k32.f32." type "." type                  \
                     " {" KZ_WGMMA_TEXT_##width "}, %" #A ", %" #B ", %" #E ", %" #S ", p, 1, 1, 0, 0; }"    \
                     : KZ_WGMMA_OPERANDS_##width("+f")                                                       \
                     : "l"(a), "l"(b), "r"(metadata), "r"(accumulate), "n"(selector)                         \
                     : "memory");
#define KZ_WGMMA_SPARSE_BF16(width, A, B, E, P, S, ...) KZ_WGMMA_SPARSE(width, A, B, E, P, S, "bf16")
#define KZ_WGMMA_SPARSE_F16(width, A, B, E, P, S, ...)  KZ_WGMMA_SPARSE(width, A, B, E, P, S, "f16")

#define KZ_WGMMA_SPARSE_OF(In, FORM)                                                                         \
    template <int n, int selector>                                                                           \
    static __device__ __forceinline__ void kz_wgmma_sparse(In, float(&d)[n / 2], uint64_t a, uint64_t b,     \
                                                           uint32_t metadata, unsigned accumulate) {         \
        KZ_WGMMA_WIDTHS(FORM)                                                                                \
    }
KZ_WGMMA_SPARSE_OF(kz_bf16, KZ_WGMMA_SPARSE_BF16)
KZ_WGMMA_SPARSE_OF(kz_f16, KZ_WGMMA_SPARSE_F16)

#endif
