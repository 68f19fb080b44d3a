// gemv: the formats of W, and how kernels read their elements (README.md has the packing).
//
// W has n rows of k elements. DENSE: of x's type. The others are packed, with a scale of x's type for every GROUP elements of
// a row: element = scale * value, and value is
//   INT8   the byte, signed
//   FP8    the byte as e4m3
//   INT4   a nibble less 8; element 2 i is in the low half of byte i, element 2 i + 1 in the high half
//   INT3   three bits less 4; 32 elements are three words of 32 bits (see int3_value)
#ifndef GEMV_FORMAT_CUH
#define GEMV_FORMAT_CUH

#include "kz/kernel.cuh"
#include "tune.h"

enum { DENSE, INT8, FP8, INT4, INT3 };
enum { GROUP = GEMV_GROUP };

static __device__ __host__ constexpr int bits_of(int format) {
    return format == DENSE ? 16 : format == INT4 ? 4 : format == INT3 ? 3 : 8;
}
// Bytes of `count` elements of a row; of INT3 a multiple of 32.
template <int F> static __device__ __host__ constexpr size_t bytes_of(size_t count) {
    return F == INT3 ? count / 32 * 12 : count * bits_of(F) / 8;
}

// ---- one element, as a float ------------------------------------------------------------------------------

// Eight bits to float without sm_89's conversion: exponent and mantissa in a float's place are 2^120 too small. Denormal
// numbers come out right as well; the one NaN does not.
static __device__ __forceinline__ float fp8_value(unsigned byte) {
    float magnitude = __uint_as_float((byte & 0x7f) << 20) * 0x1p120f;
    if ((byte & 0x7f) == 0x7f) magnitude = __uint_as_float(0x7fffffff);
    return byte & 0x80 ? -magnitude : magnitude;
}

// Elements 2 p and 2 p + 1 of 32 are the pair p: in word p / 5, bits 3 (p % 5) up of its low and of its high half. Bits 15
// and 31 of the three words are the pair 15, its lowest bit first.
static __device__ __forceinline__ float int3_value(const unsigned *words, unsigned element) {
    unsigned pair = element / 2, high = 16 * (element % 2), bits;
    if (pair == 15)
        bits = (words[0] >> (15 + high) & 1) | (words[1] >> (15 + high) & 1) << 1 |
               (words[2] >> (15 + high) & 1) << 2;
    else
        bits = words[pair / 5] >> (3 * (pair % 5) + high) & 7;
    return (float)((int)bits - 4);
}

// Element i of a row, less its scale.
template <int F, typename T> static __device__ __forceinline__ float value_at(const void *row, size_t i) {
    if (F == DENSE) return kz_widen(((const T *)row)[i]);
    if (F == INT8) return (float)((const int8_t *)row)[i];
    if (F == FP8) return fp8_value(((const uint8_t *)row)[i]);
    if (F == INT4) return (float)((int)(((const uint8_t *)row)[i / 2] >> 4 * (i % 2) & 15) - 8);
    const uint8_t *bytes = (const uint8_t *)row + i / 32 * 12;
    unsigned words[3]; // a row may begin anywhere
    for (int w = 0; w < 3; w++)
        words[w] =
            bytes[4 * w] | bytes[4 * w + 1] << 8 | bytes[4 * w + 2] << 16 | (unsigned)bytes[4 * w + 3] << 24;
    return int3_value(words, i % 32);
}

// ---- packed elements as pairs of x's type, for tensor cores ------------------------------------------------

// (a & b) | c in one instruction.
static __device__ __forceinline__ unsigned keep(unsigned a, unsigned mask, unsigned magic) {
    unsigned r;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(r) : "r"(a), "r"(mask), "r"(magic));
    return r;
}
// a * b + c on pairs.
template <typename T>
static __device__ __forceinline__ unsigned multiply_add(unsigned a, unsigned b, unsigned c);
template <> __device__ __forceinline__ unsigned multiply_add<kz_f16>(unsigned a, unsigned b, unsigned c) {
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
template <> __device__ __forceinline__ unsigned multiply_add<kz_bf16>(unsigned a, unsigned b, unsigned c) {
    unsigned r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

// Small integers become numbers in the mantissa of a base: bits there, from bit `at` on, are base + 2^at times the integer, and a
// multiply-add takes off the base and the format's zero, exactly. f16 has ten bits of it, so some integers need no shift;
// bf16 has seven, and what is not at bit 0 is shifted there.
struct exact_term {
    unsigned factor, term; // pairs: 2^-at, and -(base * 2^-at + zero)
};
template <typename T> struct mantissa;
template <> struct mantissa<kz_f16> {
    static constexpr unsigned BASE = 0x64006400; // 1024
    // How far a word is shifted for the integer at a bit: to bits 0 to 9, by whole integers.
    static __device__ constexpr int shift_of(int bits, int at) {
        return at + bits <= 10 ? 0 : bits == 4 ? 8 : 9;
    }
    static __device__ constexpr exact_term term_of(int bits, int at) {
        return bits == 4 ? (at == 0 ? exact_term{0x3c003c00, 0xe408e408}  // 1, -1032
                                    : exact_term{0x2c002c00, 0xd480d480}) // 1/16, -72
               : at == 0 ? exact_term{0x3c003c00, 0xe404e404}             // 1, -1028
               : at == 3 ? exact_term{0x30003000, 0xd820d820}             // 1/8, -132
                         : exact_term{0x24002400, 0xcd00cd00};            // 1/64, -20
    }
};
template <> struct mantissa<kz_bf16> {
    static constexpr unsigned BASE = 0x43004300; // 128
    static __device__ constexpr int shift_of(int bits, int at) { return at; }
    static __device__ constexpr exact_term term_of(int bits, int at) {
        return bits == 4 ? exact_term{0x3f803f80, 0xc308c308}
                         : exact_term{0x3f803f80, 0xc304c304}; // 1, -136 or -132
    }
};

// The integers at bit `at` of both halves of a word, less the format's zero.
template <typename T>
static __device__ __forceinline__ unsigned integer_pair(unsigned word, int bits, int at) {
    typedef mantissa<T> by;
    int shift = by::shift_of(bits, at), left = at - shift;
    exact_term take = by::term_of(bits, left);
    unsigned mask = ((1u << bits) - 1) * 0x10001u << left;
    return multiply_add<T>(keep(word >> shift, mask, by::BASE), take.factor, take.term);
}

// Two bytes of a word, `first` and the next, as a pair.
static __device__ __forceinline__ unsigned int8_pair(kz_f16, unsigned word, int first) {
    unsigned two = __byte_perm(word ^ 0x80808080u, 0x64646464u, first ? 0x4342 : 0x4140);
    return multiply_add<kz_f16>(two, 0x3c003c00, 0xe480e480); // 1024 + byte + 128, less 1152
}
static __device__ __forceinline__ unsigned int8_pair(kz_bf16, unsigned word, int first) {
    unsigned two = __byte_perm(word, 0, first ? 0x4342 : 0x4140);
    unsigned low = keep(two, 0x007f007f, 0x43004300), high = keep(two, 0x00800080, 0x43004300);
    return multiply_add<kz_bf16>(high, 0xbf80bf80, low); // 128 + 7 bits, less 128 or 256
}
static __device__ __forceinline__ unsigned fp8_pair(kz_f16, unsigned word, int first) {
    unsigned pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((uint16_t)(word >> 8 * first)));
    return pair;
}
static __device__ __forceinline__ unsigned fp8_pair(kz_bf16, unsigned word, int first) {
    unsigned half = fp8_pair(kz_f16(), word, first);
    float low = kz_widen(kz_f16{(uint16_t)half}), high = kz_widen(kz_f16{(uint16_t)(half >> 16)});
    return __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x7632); // exact: four digits
}

// A lane's piece of a row: so many words, of so many pairs.
template <int F> struct piece {
    static constexpr int WORDS = F == INT3 ? 3 : 4;
    static constexpr int PAIRS = F == DENSE ? 4 : F == INT4 || F == INT3 ? 16 : 8;
};

// The pairs of a piece. Pair p is of elements 2 p and 2 p + 1; of INT4 the pairs of a word are 0 and 4, 1 and 5, 2 and 6, 3 and 7
// of its eight elements, and x's are put in that order (order_pairs).
template <int F, typename T>
static __device__ __forceinline__ void unpack(const unsigned word[piece<F>::WORDS],
                                              unsigned pair[piece<F>::PAIRS]) {
    if (F == DENSE)
        for (int w = 0; w < 4; w++) pair[w] = word[w];
    if (F == INT8)
        for (int p = 0; p < 8; p++) pair[p] = int8_pair(T(), word[p / 2], p % 2 * 2);
    if (F == FP8)
        for (int p = 0; p < 8; p++) pair[p] = fp8_pair(T(), word[p / 2], p % 2 * 2);
    if (F == INT4)
        for (int p = 0; p < 16; p++) pair[p] = integer_pair<T>(word[p / 4], 4, p % 4 * 4);
    if (F == INT3) {
        for (int p = 0; p < 15; p++) pair[p] = integer_pair<T>(word[p / 5], 3, p % 5 * 3);
        unsigned last = keep(word[0] >> 15, 0x00010001, mantissa<T>::BASE);
        last = keep(word[1] >> 14, 0x00020002, last);
        last = keep(word[2] >> 13, 0x00040004, last);
        exact_term take = mantissa<T>::term_of(3, 0);
        pair[15] = multiply_add<T>(last, take.factor, take.term);
    }
}

// Four words of x, eight elements, in the order of W's pairs.
template <int F> static __device__ __forceinline__ uint4 order_pairs(uint4 x) {
    if (F != INT4) return x;
    return make_uint4(__byte_perm(x.x, x.z, 0x5410), __byte_perm(x.x, x.z, 0x7632),
                      __byte_perm(x.y, x.w, 0x5410), __byte_perm(x.y, x.w, 0x7632));
}

#endif
