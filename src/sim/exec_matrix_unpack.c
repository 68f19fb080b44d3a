// Operands of floating-point products, unpacked: each element's value as a float, and the exponent that aligns it.
//
// A subnormal's exponent is its format's least, as the units do not normalise. `is_f16`: an 8-bit format that was made an
// f16. `terms`: of a side whose terms are in the order of sums apart, else 0.
#include "sim/exec_matrix.h"

#ifdef __AVX2__

// Exponents of 16 elements, of which `field` is the exponent with its bias, all ones where it is no number.
LANES_INLINE __m256i exponents_of(__m256i field, __m256i zero, int bias, int ones) {
    __m256i normal = _mm256_max_epi16(field, _mm256_set1_epi16(1));
    __m256i exponent = _mm256_sub_epi16(normal, _mm256_set1_epi16((short)bias));
    __m256i no_number = _mm256_cmpeq_epi16(field, _mm256_set1_epi16((short)ones));
    exponent = _mm256_blendv_epi8(exponent, _mm256_set1_epi16(MATRIX_ZERO), zero);
    return _mm256_blendv_epi8(exponent, _mm256_set1_epi16(MATRIX_NO_NUMBER), no_number);
}

// Of elements of 16 bits.
LANES_INLINE __m256i exponents_of_16(__m256i codes, int fraction_bits, int bias, int ones) {
    __m256i twice = _mm256_slli_epi16(codes, 1);
    __m256i field = _mm256_srli_epi16(twice, fraction_bits + 1);
    return exponents_of(field, _mm256_cmpeq_epi16(twice, _mm256_setzero_si256()), bias, ones);
}

// Two neighbours along k, of all 8 rows each.
LANES_INLINE void put(matrix_side *side, int place, __m256 value, __m256 next, __m256i exponents) {
    _mm256_store_ps(side->value[place], value);
    _mm256_store_ps(side->value[place + 1], next);
    _mm256_storeu_si256((__m256i *)side->exponent[place], exponents);
}

LANES_INLINE __m128i low_half(__m256i both) { return _mm256_castsi256_si128(both); }
LANES_INLINE __m128i high_half(__m256i both) { return _mm256_extracti128_si256(both, 1); }

// Two rows, one in each half.
LANES_INLINE __m256i two_rows(const matrix_core *core, int row) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)core->row[row])),
                                   _mm_loadu_si128((const __m128i *)core->row[row + 4]), 1);
}

// Elements of 16 bits: two k of all 8 rows in each of the results.
LANES_INLINE void transpose_16(const matrix_core *core, __m256i two[4]) {
    __m256i rows0 = two_rows(core, 0), rows1 = two_rows(core, 1), rows2 = two_rows(core, 2),
            rows3 = two_rows(core, 3);
    __m256i low01 = _mm256_unpacklo_epi16(rows0, rows1), high01 = _mm256_unpackhi_epi16(rows0, rows1);
    __m256i low23 = _mm256_unpacklo_epi16(rows2, rows3), high23 = _mm256_unpackhi_epi16(rows2, rows3);
    two[0] = _mm256_permute4x64_epi64(_mm256_unpacklo_epi32(low01, low23), 0xd8);
    two[1] = _mm256_permute4x64_epi64(_mm256_unpackhi_epi32(low01, low23), 0xd8);
    two[2] = _mm256_permute4x64_epi64(_mm256_unpacklo_epi32(high01, high23), 0xd8);
    two[3] = _mm256_permute4x64_epi64(_mm256_unpackhi_epi32(high01, high23), 0xd8);
}

// Elements of 8 bits: four k of all 8 rows in each of the results.
LANES_INLINE void transpose_8(const matrix_core *core, __m256i four[4]) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i rows0 = two_rows(core, 0), rows1 = two_rows(core, 1), rows2 = two_rows(core, 2),
            rows3 = two_rows(core, 3);
    __m256i low01 = _mm256_unpacklo_epi8(rows0, rows1), high01 = _mm256_unpackhi_epi8(rows0, rows1);
    __m256i low23 = _mm256_unpacklo_epi8(rows2, rows3), high23 = _mm256_unpackhi_epi8(rows2, rows3);
    four[0] = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(low01, low23), order);
    four[1] = _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(low01, low23), order);
    four[2] = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(high01, high23), order);
    four[3] = _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(high01, high23), order);
}

static void unpack_f16(const matrix_core *core, matrix_side *side, int first) {
    __m256i two[4];
    transpose_16(core, two);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        put(side, first + 2 * i, _mm256_cvtph_ps(low_half(two[i])), _mm256_cvtph_ps(high_half(two[i])),
            exponents_of_16(two[i], 10, 15, 31));
}

LANES_INLINE __m256 value_of_bf16(__m128i codes) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(codes), 16));
}

static void unpack_bf16(const matrix_core *core, matrix_side *side, int first) {
    __m256i two[4];
    transpose_16(core, two);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        put(side, first + 2 * i, value_of_bf16(low_half(two[i])), value_of_bf16(high_half(two[i])),
            exponents_of_16(two[i], 7, 127, 255));
}

LANES_INLINE void put_tf32(matrix_side *side, int place, __m256i value, __m256i next) {
    __m256i twice = _mm256_slli_epi32(value, 1), twice_next = _mm256_slli_epi32(next, 1);
    __m256i zeros = _mm256_setzero_si256();
    __m256i field = _mm256_packs_epi32(_mm256_srli_epi32(twice, 24), _mm256_srli_epi32(twice_next, 24));
    __m256i zero =
        _mm256_packs_epi32(_mm256_cmpeq_epi32(twice, zeros), _mm256_cmpeq_epi32(twice_next, zeros));
    __m256i exponents = _mm256_permute4x64_epi64(exponents_of(field, zero, 127, 255), 0xd8);
    put(side, place, _mm256_castsi256_ps(value), _mm256_castsi256_ps(next), exponents);
}

static void unpack_tf32(const matrix_core *core, matrix_side *side, int first) {
    const __m256i kept = _mm256_set1_epi32(~0x1fff);
    __m256i row[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) row[i] = _mm256_and_si256(two_rows(core, i), kept);
    __m256i low01 = _mm256_unpacklo_epi32(row[0], row[1]), high01 = _mm256_unpackhi_epi32(row[0], row[1]);
    __m256i low23 = _mm256_unpacklo_epi32(row[2], row[3]), high23 = _mm256_unpackhi_epi32(row[2], row[3]);
    put_tf32(side, first, _mm256_unpacklo_epi64(low01, low23), _mm256_unpackhi_epi64(low01, low23));
    put_tf32(side, first + 2, _mm256_unpacklo_epi64(high01, high23), _mm256_unpackhi_epi64(high01, high23));
}

LANES_INLINE void put_e5m2(matrix_side *side, int place, __m256i codes) {
    codes = _mm256_slli_epi16(codes, 8); // the upper half of an f16
    put(side, place, _mm256_cvtph_ps(low_half(codes)), _mm256_cvtph_ps(high_half(codes)),
        exponents_of_16(codes, 10, 15, 31));
}

// An e4m3 is an f16 with fewer bits, another bias and another NaN.
LANES_INLINE void put_e4m3(matrix_side *side, int place, __m256i codes, bool is_f16) {
    const __m256 rebias = _mm256_set1_ps(256.0f);
    const __m256i sizes = _mm256_set1_epi16(0x7f);
    __m256i size = _mm256_and_si256(codes, sizes), nan = _mm256_cmpeq_epi16(size, sizes);
    __m256i sign = _mm256_slli_epi16(_mm256_andnot_si256(sizes, codes), 8);
    codes = _mm256_or_si256(nan, _mm256_or_si256(sign, _mm256_slli_epi16(size, 7)));
    __m256 value = _mm256_mul_ps(_mm256_cvtph_ps(low_half(codes)), rebias);
    __m256 next = _mm256_mul_ps(_mm256_cvtph_ps(high_half(codes)), rebias);
    __m256i exponents = exponents_of_16(codes, 10, 7, 31);
    if (is_f16) { // its subnormals are normal there
        codes = _mm256_set_m128i(_mm256_cvtps_ph(next, 0), _mm256_cvtps_ph(value, 0));
        exponents = exponents_of_16(codes, 10, 15, 31);
    }
    put(side, place, value, next, exponents);
}

LANES_INLINE void unpack_fp8(const matrix_core *core, matrix_side *side, int first, int terms, ptx_type type,
                             bool is_f16) {
    __m256i four[4];
    transpose_8(core, four);
    for (int i = 0; i < 8; i++) {
        __m256i codes = _mm256_cvtepu8_epi16(i % 2 ? high_half(four[i / 2]) : low_half(four[i / 2]));
        int place = matrix_place(terms > 0, terms, first + 2 * i);
        if (type == PTX_E5M2)
            put_e5m2(side, place, codes);
        else
            put_e4m3(side, place, codes, is_f16);
    }
}

static void unpack_chunk(const matrix_core *core, matrix_side *side, int first, int terms, ptx_type type,
                         bool is_f16) {
    switch (type) {
    case PTX_F16: unpack_f16(core, side, first); break;
    case PTX_BF16: unpack_bf16(core, side, first); break;
    case PTX_TF32: unpack_tf32(core, side, first); break;
    case PTX_E5M2: unpack_fp8(core, side, first, terms, PTX_E5M2, is_f16); break;
    default: unpack_fp8(core, side, first, terms, PTX_E4M3, is_f16);
    }
}

// The least of 16 unsigned numbers.
LANES_INLINE int least_of(__m256i numbers) {
    __m128i least = _mm_min_epu16(low_half(numbers), high_half(numbers));
    return _mm_cvtsi128_si32(_mm_minpos_epu16(least)) & 0xffff;
}

// The least and the greatest exponent of numbers; none: the least is greater.
static void find_range(const matrix_side *side, int count, int *least, int *most) {
    const __m256i up = _mm256_set1_epi16(200); // then zeros are the greatest unsigned numbers
    const __m256i none = _mm256_set1_epi16(MATRIX_ZERO);
    __m256i low = _mm256_set1_epi16(1000), high = none;
    for (int k = 0; k < count; k += 2) {
        __m256i exponent = _mm256_loadu_si256((const __m256i *)side->exponent[k]);
        __m256i beyond = _mm256_cmpgt_epi16(exponent, _mm256_set1_epi16(127));
        low = _mm256_min_epu16(low, _mm256_add_epi16(exponent, up));
        high = _mm256_max_epi16(high, _mm256_blendv_epi8(exponent, none, beyond));
    }
    *least = least_of(low) - 200;
    *most = 1000 - least_of(_mm256_sub_epi16(_mm256_set1_epi16(1000), high));
}

// A product must stay within f32, however large or small all values are: unless all are near 1, they are scaled, so that
// the exponent of the greatest is 50. What is then not normal is too small for the fast path.
static void scale_side(matrix_side *side, int count) {
    int least, most;
    find_range(side, count, &least, &most);
    if (least > most || (least >= -50 && most <= 50)) return;
    int shift = 50 - most < 127 ? 50 - most : 127;
    side->exact_only = least + shift < -126;
    if (side->exact_only) return;
    side->shift = shift;
    __m256 scale = _mm256_set1_ps(f32_of_bits((uint32_t)(127 + shift) << 23));
    for (int k = 0; k < count; k++)
        _mm256_store_ps(side->value[k], _mm256_mul_ps(_mm256_load_ps(side->value[k]), scale));
}

#else

static float value_of(ptx_type type, const uint8_t *row, int k) {
    switch (type) {
    case PTX_F16: return f32_of_f16((uint16_t)(row[2 * k] | row[2 * k + 1] << 8));
    case PTX_BF16: return f32_of_bits((uint32_t)row[2 * k] << 16 | (uint32_t)row[2 * k + 1] << 24);
    case PTX_TF32: // the lower 13 bits are ignored
        return f32_of_bits((row[4 * k + 1] & 0xe0u) << 8 | (uint32_t)row[4 * k + 2] << 16 |
                           (uint32_t)row[4 * k + 3] << 24);
    case PTX_E5M2: return f32_of_f16((uint16_t)(row[k] << 8));
    default:
        if ((row[k] & 0x7f) == 0x7f) return F32_NAN;
        return f32_of_f16((uint16_t)((row[k] & 0x80) << 8 | (row[k] & 0x7f) << 7)) * 256.0f;
    }
}

static int least_exponent(ptx_type type, bool is_f16) {
    if (type == PTX_BF16 || type == PTX_TF32) return -126;
    return type == PTX_E4M3 && !is_f16 ? -6 : -14;
}

static int exponent_of(float value, int least) {
    uint32_t bits = bits_of_f32(value);
    int biased = (int)(bits >> 23 & 0xff);
    if (bits << 1 == 0) return MATRIX_ZERO;
    if (biased == 0xff) return MATRIX_NO_NUMBER;
    return biased - 127 < least ? least : biased - 127;
}

static void unpack_chunk(const matrix_core *core, matrix_side *side, int first, int terms, ptx_type type,
                         bool is_f16) {
    int count = 128 / (int)ptx_type_bits(type), least = least_exponent(type, is_f16);
    for (int k = 0; k < count; k++) {
        int place = matrix_place(terms > 0, terms, first + k);
        for (int i = 0; i < 8; i++) {
            float value = value_of(type, core->row[i], k);
            side->value[place][i] = value;
            side->exponent[place][i] = (int16_t)exponent_of(value, least);
        }
    }
}

// A product must be exact in f32. Nothing is scaled: beyond the usual range the exact path computes.
static void scale_side(matrix_side *side, int count) {
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 8; i++) {
            int exponent = side->exponent[k][i];
            bool far = exponent < -60 || exponent > 60;
            side->exact_only |= far && exponent != MATRIX_ZERO && exponent != MATRIX_NO_NUMBER;
        }
}

#endif

void SIM_NAME(sim_unpack_floats)(const matrix_product *product, bool is_b, const matrix_core *const *chunks,
                                 matrix_side *side) {
    ptx_type type = is_b ? product->b : product->a;
    int count = is_b ? product->k : matrix_terms(product), per_chunk = 128 / (int)ptx_type_bits(type);
    // A sparse product's B is found by its index along k: it keeps its order.
    int terms = product->how.apart && !(is_b && product->sparse) ? count : 0;
    side->shift = 0;
    side->exact_only = false;
    for (int first = 0; first < count; first += per_chunk)
        unpack_chunk(chunks[first / per_chunk], side, first, terms, type, product->how.apart);
    if (type == PTX_BF16 || type == PTX_TF32) scale_side(side, count);
}
