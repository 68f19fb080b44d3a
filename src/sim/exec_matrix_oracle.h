// Sums of tensor cores in integers, for the tests: every number is sign, significand and exponent, and nothing is a float.
//
// Independent of exec_matrix*.c, which adds floats and doubles. A term is shifted as an integer of 128 bits; sums are rounded
// bit by bit.
#ifndef SIM_EXEC_MATRIX_ORACLE_H
#define SIM_EXEC_MATRIX_ORACLE_H

#include "sim/exec.h"

static inline uint32_t random_bits(void) {
    static uint64_t state_of_random = 1;
    state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state_of_random >> 32);
}
static inline int random_in(int least, int most) {
    return least + (int)(random_bits() % (uint32_t)(most - least + 1));
}
static inline bool one_in(int n) { return n > 0 && random_bits() % (uint32_t)n == 0; }

// The sets that this machine runs.
static inline const sim_isa *const *all_sets(void) {
    static const sim_isa *sets[4];
    sets[0] = &sim_isa_portable;
#ifdef SIM_HAS_AVX2
    if (sim_isa_has_avx2()) sets[1] = &sim_isa_avx2;
    if (sim_isa_has_avx512()) sets[2] = &sim_isa_avx512;
#endif
    return sets;
}

typedef struct oracle_number { // significand * 2^(exponent - fraction bits)
    enum { IS_ZERO, IS_FINITE, IS_INFINITE, IS_NAN } kind;
    int sign, exponent, fraction;
    uint64_t significand;
} oracle_number;

static inline oracle_number oracle_read(ptx_type type, uint32_t bits) {
    static const struct {
        ptx_type type;
        int width, fraction;
    } formats[] = {{PTX_F16, 5, 10}, {PTX_BF16, 8, 7}, {PTX_TF32, 8, 10},
                   {PTX_E4M3, 4, 3}, {PTX_E5M2, 5, 2}, {PTX_F32, 8, 23}};
    int format = 0;
    while (formats[format].type != type) format++;
    int width = formats[format].width, fraction = formats[format].fraction;
    if (type == PTX_TF32) bits >>= 13;
    int field = (int)(bits >> fraction & ((1u << width) - 1)), bias = (1 << (width - 1)) - 1;
    uint32_t below = bits & ((1u << fraction) - 1);
    oracle_number number = {IS_FINITE, bits >> (fraction + width) & 1, field - bias, fraction,
                            below | 1u << fraction};
    if (field == 0)
        number.significand = below, number.exponent = 1 - bias, number.kind = below ? IS_FINITE : IS_ZERO;
    if (type == PTX_E4M3)
        number.kind = (bits & 0x7f) == 0x7f ? IS_NAN : number.kind;
    else if (field == (1 << width) - 1)
        number.kind = below ? IS_NAN : IS_INFINITE;
    return number;
}

// An e4m3 that was made an f16: its leading bit is in place.
static inline void oracle_normalise(oracle_number *number) {
    while (number->kind == IS_FINITE && !(number->significand >> number->fraction)) {
        number->significand <<= 1;
        number->exponent--;
    }
}

// size * 2^power, rounded to a float of so many bits, with these least and greatest exponents; bits as of that format.
static inline uint32_t oracle_round(unsigned __int128 size, int power, int fraction, int least, int most,
                                    bool nearest) {
    int top = -1;
    for (int i = 0; i < 128; i++)
        if (size >> i & 1) top = i;
    if (top < 0) return 0;
    int exponent = top + power < least ? least : top + power, drop = exponent - fraction - power;
    unsigned __int128 kept = drop >= 128 ? 0 : drop > 0 ? size >> drop : size << -drop;
    if (nearest && drop > 0 && drop < 128) {
        unsigned __int128 rest = size - (kept << drop), half = (unsigned __int128)1 << (drop - 1);
        if (rest > half || (rest == half && (kept & 1))) kept++;
    }
    // A carry moves into the exponent by itself.
    uint32_t code = (uint32_t)kept + ((uint32_t)(exponent - least) << fraction);
    uint32_t infinity = (uint32_t)(most - least + 2) << fraction;
    return kept == 0 ? 0 : code > infinity ? infinity : code;
}

static inline uint32_t oracle_result(__int128 sum, int power, matrix_rounding rounding) {
    unsigned __int128 size = (unsigned __int128)(sum < 0 ? -sum : sum);
    uint32_t code, sign = sum < 0;
    switch (rounding) {
    case MATRIX_F16: code = oracle_round(size, power, 10, -14, 15, true); return code ? code | sign << 15 : 0;
    case MATRIX_E8M13: code = oracle_round(size, power, 13, -126, 127, false) << 10; break;
    default: code = oracle_round(size, power, 23, -126, 127, false);
    }
    return code ? code | sign << 31 : 0;
}

typedef struct oracle_terms {
    int count;
    oracle_number a[MATRIX_MOST_FLOATS], b[MATRIX_MOST_FLOATS];
} oracle_terms;

// Towards zero, in units of 2^(most - fraction).
static inline __int128 oracle_align(uint64_t significand, int sign, int exponent, int fraction,
                                    const matrix_numerics *how, int most) {
    int up = how->fraction - fraction + exponent - most;
    __int128 size = up >= 0 ? (__int128)significand << up : up > -64 ? (__int128)(significand >> -up) : 0;
    return sign ? -size : size;
}

// NaN is 2, an infinity its sign, numbers 0.
static inline int oracle_infinity(const oracle_terms *terms, oracle_number c) {
    bool nan = c.kind == IS_NAN, plus = c.kind == IS_INFINITE && !c.sign,
         minus = c.kind == IS_INFINITE && c.sign;
    for (int t = 0; t < terms->count; t++) {
        oracle_number a = terms->a[t], b = terms->b[t];
        bool infinite = a.kind == IS_INFINITE || b.kind == IS_INFINITE;
        nan |= a.kind == IS_NAN || b.kind == IS_NAN || (infinite && (a.kind == IS_ZERO || b.kind == IS_ZERO));
        plus |= infinite && a.sign == b.sign;
        minus |= infinite && a.sign != b.sign;
    }
    return nan || (plus && minus) ? 2 : plus ? 1 : minus ? -1 : 0;
}

static inline uint32_t oracle_step(const matrix_numerics *how, const oracle_terms *terms,
                                   uint32_t accumulator) {
    bool half = how->rounding == MATRIX_F16;
    oracle_number c = oracle_read(half ? PTX_F16 : PTX_F32, half ? accumulator & 0xffff : accumulator);
    int infinity = oracle_infinity(terms, c), most = how->floor;
    if (infinity == 2) return half ? 0x7fff : 0x7fffffff;
    if (infinity) return half ? (infinity < 0 ? 0xfc00 : 0x7c00) : infinity < 0 ? 0xff800000 : 0x7f800000;
    if (c.kind == IS_FINITE && c.exponent > most) most = c.exponent;
    for (int t = 0; t < terms->count; t++)
        if (terms->a[t].kind == IS_FINITE && terms->b[t].kind == IS_FINITE &&
            terms->a[t].exponent + terms->b[t].exponent > most)
            most = terms->a[t].exponent + terms->b[t].exponent;
    __int128 sum =
        c.kind == IS_FINITE ? oracle_align(c.significand, c.sign, c.exponent, c.fraction, how, most) : 0;
    for (int t = 0; t < terms->count; t++) {
        oracle_number a = terms->a[t], b = terms->b[t];
        if (a.kind == IS_FINITE && b.kind == IS_FINITE)
            sum += oracle_align(a.significand * b.significand, a.sign ^ b.sign, a.exponent + b.exponent,
                                a.fraction + b.fraction, how, most);
    }
    return oracle_result(sum, most - how->fraction, how->rounding);
}

#endif
