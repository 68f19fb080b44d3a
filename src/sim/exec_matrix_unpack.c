// Operands of floating-point products, unpacked: each element's value as a float, and the exponent that aligns it.
//
// A subnormal's exponent is its format's least, as the units do not normalise. Values of formats with 8 bits of exponent
// are scaled by a power of two, so that the greatest of a side has the exponent MATRIX_GREATEST: then a product stays within
// f32 however large or small all values are.
#include "sim/exec_matrix.h"

// 2^-126 * 2^MATRIX_GREATEST is the least that an element may be beside the greatest one.
enum { MATRIX_GREATEST = 50 };

// Apart, an e4m3 was made an f16, where its subnormals are normal.
static int least_exponent(ptx_type type, bool apart) {
    if (type == PTX_BF16 || type == PTX_TF32) return -126;
    return type == PTX_E4M3 && !apart ? -6 : -14;
}

#ifdef __AVX2__

// The exponents of 8 values.
LANES_INLINE __m256i exponents_of(__m256 value, int least) {
    __m256i twice = _mm256_slli_epi32(_mm256_castps_si256(value), 1);
    __m256i biased = _mm256_max_epi32(_mm256_srli_epi32(twice, 24), _mm256_set1_epi32(least + 127));
    __m256i exponent = _mm256_sub_epi32(biased, _mm256_set1_epi32(127));
    __m256i zero = _mm256_cmpeq_epi32(twice, _mm256_setzero_si256());
    __m256i beyond = _mm256_cmpeq_epi32(biased, _mm256_set1_epi32(255));
    exponent = _mm256_blendv_epi8(exponent, _mm256_set1_epi32(MATRIX_ZERO), zero);
    return _mm256_blendv_epi8(exponent, _mm256_set1_epi32(MATRIX_NO_NUMBER), beyond);
}

LANES_INLINE void put(matrix_side *side, int place, __m256 value, int least) {
    _mm256_store_ps(side->value[place], value);
    _mm256_store_si256((__m256i *)side->exponent[place], exponents_of(value, least));
}

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
    for (int i = 0; i < 4; i++) {
        put(side, first + 2 * i, _mm256_cvtph_ps(_mm256_castsi256_si128(two[i])), -14);
        put(side, first + 2 * i + 1, _mm256_cvtph_ps(_mm256_extracti128_si256(two[i], 1)), -14);
    }
}

static void unpack_bf16(const matrix_core *core, matrix_side *side, int first) {
    __m256i two[4];
    transpose_16(core, two);
    for (int i = 0; i < 4; i++) {
        __m256i even = _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(two[i])), 16);
        __m256i odd = _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(two[i], 1)), 16);
        put(side, first + 2 * i, _mm256_castsi256_ps(even), -126);
        put(side, first + 2 * i + 1, _mm256_castsi256_ps(odd), -126);
    }
}

static void unpack_tf32(const matrix_core *core, matrix_side *side, int first) {
    const __m256i kept = _mm256_set1_epi32(~0x1fff);
    __m256i rows0 = _mm256_and_si256(two_rows(core, 0), kept),
            rows1 = _mm256_and_si256(two_rows(core, 1), kept);
    __m256i rows2 = _mm256_and_si256(two_rows(core, 2), kept),
            rows3 = _mm256_and_si256(two_rows(core, 3), kept);
    __m256i low01 = _mm256_unpacklo_epi32(rows0, rows1), high01 = _mm256_unpackhi_epi32(rows0, rows1);
    __m256i low23 = _mm256_unpacklo_epi32(rows2, rows3), high23 = _mm256_unpackhi_epi32(rows2, rows3);
    put(side, first, _mm256_castsi256_ps(_mm256_unpacklo_epi64(low01, low23)), -126);
    put(side, first + 1, _mm256_castsi256_ps(_mm256_unpackhi_epi64(low01, low23)), -126);
    put(side, first + 2, _mm256_castsi256_ps(_mm256_unpacklo_epi64(high01, high23)), -126);
    put(side, first + 3, _mm256_castsi256_ps(_mm256_unpackhi_epi64(high01, high23)), -126);
}

// Both 8-bit formats are an f16 with fewer bits: e5m2 its upper half, e4m3 one with another bias and another NaN.
LANES_INLINE __m256 value_of_fp8(__m128i code, ptx_type type) {
    __m128i half = _mm_slli_epi16(code, 8);
    if (type == PTX_E5M2) return _mm256_cvtph_ps(half);
    __m128i magnitude = _mm_and_si128(half, _mm_set1_epi16(0x7f00));
    __m128i nan = _mm_cmpeq_epi16(magnitude, _mm_set1_epi16(0x7f00));
    half = _mm_or_si128(_mm_and_si128(half, _mm_set1_epi16((short)0x8000)), _mm_srli_epi16(magnitude, 1));
    return _mm256_mul_ps(_mm256_cvtph_ps(_mm_or_si128(half, nan)), _mm256_set1_ps(256.0f));
}

// `terms`: of a side whose terms are in the order of sums apart, else 0.
LANES_INLINE void unpack_fp8(const matrix_core *core, matrix_side *side, int first, int terms, ptx_type type,
                             int least) {
    __m256i four[4];
    transpose_8(core, four);
    for (int i = 0; i < 4; i++) {
        __m128i low = _mm256_castsi256_si128(four[i]), high = _mm256_extracti128_si256(four[i], 1);
        int k = first + 4 * i, place = matrix_place(terms > 0, terms, k),
            third = matrix_place(terms > 0, terms, k + 2);
        put(side, place, value_of_fp8(_mm_cvtepu8_epi16(low), type), least);
        put(side, place + 1, value_of_fp8(_mm_cvtepu8_epi16(_mm_srli_si128(low, 8)), type), least);
        put(side, third, value_of_fp8(_mm_cvtepu8_epi16(high), type), least);
        put(side, third + 1, value_of_fp8(_mm_cvtepu8_epi16(_mm_srli_si128(high, 8)), type), least);
    }
}

static void unpack_chunk(const matrix_core *core, matrix_side *side, int first, int terms, ptx_type type,
                         int least) {
    switch (type) {
    case PTX_F16: unpack_f16(core, side, first); break;
    case PTX_BF16: unpack_bf16(core, side, first); break;
    case PTX_TF32: unpack_tf32(core, side, first); break;
    case PTX_E5M2: unpack_fp8(core, side, first, terms, PTX_E5M2, least); break;
    default: unpack_fp8(core, side, first, terms, PTX_E4M3, least);
    }
}

// The least and the greatest exponent of numbers; none: the least is greater.
static void find_range(const matrix_side *side, int count, int *least, int *most) {
    const __m256i offset = _mm256_set1_epi32(200); // an unsigned minimum then ignores zeros
    __m256i low = _mm256_set1_epi32(1000), high = _mm256_set1_epi32(MATRIX_ZERO);
    for (int k = 0; k < count; k++) {
        __m256i exponent = _mm256_load_si256((const __m256i *)side->exponent[k]);
        __m256i beyond = _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(127));
        low = _mm256_min_epu32(low, _mm256_add_epi32(exponent, offset));
        high = _mm256_max_epi32(high, _mm256_blendv_epi8(exponent, high, beyond));
    }
    int32_t lows[8], highs[8];
    _mm256_storeu_si256((__m256i *)lows, low);
    _mm256_storeu_si256((__m256i *)highs, high);
    *least = lows[0], *most = highs[0];
    for (int i = 1; i < 8; i++) {
        *least = lows[i] < *least ? lows[i] : *least;
        *most = highs[i] > *most ? highs[i] : *most;
    }
    *least -= 200;
}

static void scale_side(matrix_side *side, int count) {
    int least, most;
    find_range(side, count, &least, &most);
    if (least > most) return;
    int shift = MATRIX_GREATEST - most < 127 ? MATRIX_GREATEST - most : 127;
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

static int exponent_of(float value, int least) {
    uint32_t bits = bits_of_f32(value);
    int biased = (int)(bits >> 23 & 0xff);
    if (bits << 1 == 0) return MATRIX_ZERO;
    if (biased == 0xff) return MATRIX_NO_NUMBER;
    return biased - 127 < least ? least : biased - 127;
}

static void unpack_chunk(const matrix_core *core, matrix_side *side, int first, int terms, ptx_type type,
                         int least) {
    int count = 128 / (int)ptx_type_bits(type);
    for (int k = 0; k < count; k++) {
        int place = matrix_place(terms > 0, terms, first + k);
        for (int i = 0; i < 8; i++) {
            float value = value_of(type, core->row[i], k);
            side->value[place][i] = value;
            side->exponent[place][i] = exponent_of(value, least);
        }
    }
}

static void scale_side(matrix_side *side, int count) {} // the exact path needs no scale

#endif

void SIM_NAME(sim_unpack_floats)(const matrix_product *product, bool is_b, const matrix_core *const *chunks,
                                 matrix_side *side) {
    ptx_type type = is_b ? product->b : product->a;
    int count = is_b ? product->k : matrix_terms(product), per_chunk = 128 / (int)ptx_type_bits(type);
    // A sparse product's B is found by its index along k: it keeps its order.
    int terms = product->how.apart && !(is_b && product->sparse) ? count : 0;
    int least = least_exponent(type, product->how.apart);
    side->shift = 0;
    side->exact_only = false;
    for (int first = 0; first < count; first += per_chunk)
        unpack_chunk(chunks[first / per_chunk], side, first, terms, type, least);
    if (type == PTX_BF16 || type == PTX_TF32) scale_side(side, count);
}
