// Sums of tensor cores, 8 columns at once in the lanes of a vector, as integers.
//
// A step's terms are cut off at 2^(E - fraction), E being the greatest exponent among them. So each term is
// trunc(a * b * 2^(fraction - E)), an integer below 2^27; they add up exactly. The sum is a float times 2^(E - fraction)
// again. The CPU rounds towards zero meanwhile, as the units do: that cuts a sum of more than 24 bits, and a product too
// small for f32, of which only bits are lost that are cut off anyway. Outputs that need more are left to the exact path:
// infinities and NaN, results outside the normal f32, and terms that are tiny beside the greatest of the whole tile.
#include "sim/exec_matrix.h"

#ifdef __AVX2__

enum { ROWS = 4 }; // at once, for a column of B is loaded once for all of them

// What a product's rows have in common.
typedef struct fast_form {
    const matrix_side *a, *b;
    const uint8_t (*at)[64]; // of a sparse A, in the order of the terms
    int terms, step, shift;
    int fraction, floor;
    matrix_rounding rounding;
} fast_form;

// An accumulator's magnitude is whole * 2^(exponent - 150). `aligns`: its exponent, or MATRIX_ZERO.
typedef struct fast_parts {
    __m256i whole, exponent, aligns;
} fast_parts;

LANES_INLINE __m256i words(int value) { return _mm256_set1_epi32(value); }
LANES_INLINE __m256i bits_of(__m256 value) { return _mm256_castps_si256(value); }
LANES_INLINE __m256i exponent_field(__m256i bits) {
    return _mm256_srli_epi32(_mm256_slli_epi32(bits, 1), 24);
}

LANES_INLINE fast_parts split(__m256 value, int least) {
    __m256i bits = bits_of(value), field = exponent_field(bits);
    __m256i leading = _mm256_slli_epi32(_mm256_min_epi32(field, words(1)), 23);
    __m256i whole = _mm256_or_si256(_mm256_and_si256(bits, words(0x7fffff)), leading);
    __m256i aligns = _mm256_sub_epi32(_mm256_max_epi32(field, words(127 + least)), words(127));
    __m256i zero = _mm256_cmpeq_epi32(whole, _mm256_setzero_si256());
    return (fast_parts){whole, _mm256_max_epi32(field, words(1)),
                        _mm256_blendv_epi8(aligns, words(MATRIX_ZERO), zero)};
}

// The accumulator as a term: an integer in units of 2^(most - fraction).
LANES_INLINE __m256i align(fast_parts parts, __m256 value, __m256i most, int fraction) {
    int up = fraction > 23 ? fraction - 23 : 0, down = fraction < 23 ? 23 - fraction : 0;
    __m256i by = _mm256_sub_epi32(_mm256_add_epi32(most, words(127 + down)), parts.exponent);
    __m256i size = _mm256_srlv_epi32(_mm256_slli_epi32(parts.whole, up), by);
    __m256i sign = _mm256_srai_epi32(bits_of(value), 31);
    return _mm256_sub_epi32(_mm256_xor_si256(size, sign), sign);
}

// sum * 2^(most - fraction), rounded. Lanes of `left`, by their sign bits: what this cannot tell.
LANES_INLINE __m256 round_sum(__m256i sum, __m256i most, const fast_form *form, __m256i *left) {
    __m256 cut = _mm256_cvtepi32_ps(sum); // towards zero
    __m256i power = _mm256_sub_epi32(most, words(form->fraction));
    __m256i zero = _mm256_cmpeq_epi32(sum, _mm256_setzero_si256());
    if (form->rounding == MATRIX_E8M13) cut = _mm256_and_ps(cut, _mm256_castsi256_ps(words(~0x3ff)));
    if (form->rounding == MATRIX_F16) { // made odd where it is not exact, so that it is not rounded twice
        __m256i exact = _mm256_cmpeq_epi32(_mm256_cvttps_epi32(cut), sum);
        cut = _mm256_or_ps(cut, _mm256_castsi256_ps(_mm256_andnot_si256(exact, words(1))));
    } else {
        __m256i field = _mm256_add_epi32(exponent_field(bits_of(cut)), power);
        __m256i normal = _mm256_and_si256(_mm256_cmpgt_epi32(field, _mm256_setzero_si256()),
                                          _mm256_cmpgt_epi32(words(255), field));
        *left = _mm256_or_si256(*left, _mm256_andnot_si256(_mm256_or_si256(normal, zero), words(-1)));
    }
    __m256i scaled = _mm256_add_epi32(bits_of(cut), _mm256_slli_epi32(power, 23));
    __m256 result = _mm256_castsi256_ps(_mm256_andnot_si256(zero, scaled));
    if (form->rounding != MATRIX_F16) return result;
    result = _mm256_cvtph_ps(_mm256_cvtps_ph(result, _MM_FROUND_TO_NEAREST_INT));
    return _mm256_and_ps(result, _mm256_cmp_ps(result, _mm256_setzero_ps(), _CMP_NEQ_OQ)); // never -0
}

// The factor that makes products integers: 2^(fraction - most), of products that are scaled by 2^shift.
LANES_INLINE __m256 unit_scale(__m256i products, __m256i most, const fast_form *form, __m256i *left) {
    __m256i field = _mm256_sub_epi32(words(127 + form->fraction - form->shift), most);
    // Too great a factor: the products are tiny beside the tile's greatest, or zero.
    __m256i tiny = _mm256_and_si256(_mm256_cmpgt_epi32(field, words(254)),
                                    _mm256_cmpgt_epi32(products, words(MATRIX_ZERO / 2)));
    __m256i beyond = _mm256_cmpgt_epi32(most, words(MATRIX_NO_NUMBER / 4));
    *left = _mm256_or_si256(*left, _mm256_or_si256(tiny, beyond));
    field = _mm256_max_epi32(_mm256_min_epi32(field, words(254)), words(1));
    return _mm256_castsi256_ps(_mm256_slli_epi32(field, 23));
}

LANES_INLINE int column(const fast_form *form, int row, int term, bool sparse) {
    return sparse ? form->at[row][term] : term;
}

// One step of ROWS rows.
LANES_INLINE void add_step(const fast_form *form, int row, int first, bool sparse, __m256 *value,
                           __m256i *left) {
    const matrix_side *a = form->a, *b = form->b;
    const int end = first + form->step, least = form->rounding == MATRIX_F16 ? -14 : -126;
    __m256i products[ROWS], most[ROWS], sum[ROWS];
    __m256 scale[ROWS];
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) products[r] = words(2 * MATRIX_ZERO), sum[r] = _mm256_setzero_si256();
    for (int t = first; t < end; t++) {
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            const int32_t *other = b->exponent[column(form, row + r, t, sparse)];
            products[r] =
                _mm256_max_epi32(products[r], _mm256_add_epi32(words(a->exponent[t][row + r]),
                                                               _mm256_load_si256((const __m256i *)other)));
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) {
        most[r] = _mm256_max_epi32(_mm256_max_epi32(products[r], split(value[r], least).aligns),
                                   words(form->floor));
        scale[r] = unit_scale(products[r], most[r], form, &left[r]);
    }
    for (int t = first; t < end; t++) {
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            const float *other = b->value[column(form, row + r, t, sparse)];
            __m256 product = _mm256_mul_ps(_mm256_set1_ps(a->value[t][row + r]), _mm256_load_ps(other));
            sum[r] = _mm256_add_epi32(sum[r], _mm256_cvttps_epi32(_mm256_mul_ps(product, scale[r])));
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) {
        __m256i c = align(split(value[r], least), value[r], most[r], form->fraction);
        __m256i total = _mm256_add_epi32(sum[r], c);
        __m256i over = _mm256_and_si256(_mm256_xor_si256(total, sum[r]), _mm256_xor_si256(total, c));
        __m256i beyond = _mm256_cmpeq_epi32(exponent_field(bits_of(value[r])), words(255));
        left[r] = _mm256_or_si256(left[r], _mm256_or_si256(over, beyond));
        value[r] = round_sum(total, most[r], form, &left[r]);
    }
}

LANES_INLINE __m256 load_row(const uint32_t row[8], matrix_rounding rounding) {
    __m256i bits = _mm256_loadu_si256((const __m256i *)row);
    if (rounding != MATRIX_F16) return _mm256_castsi256_ps(bits);
    bits = _mm256_and_si256(bits, words(0xffff));
    __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    return _mm256_cvtph_ps(halves);
}

// Leaves the lanes whose bits are set in `left`.
LANES_INLINE void store_row(uint32_t row[8], __m256 value, __m256i left, matrix_rounding rounding) {
    __m256i bits = bits_of(value);
    if (rounding == MATRIX_F16)
        bits = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    __m256 old = _mm256_loadu_ps((const float *)row);
    _mm256_storeu_ps((float *)row,
                     _mm256_blendv_ps(_mm256_castsi256_ps(bits), old, _mm256_castsi256_ps(left)));
}

LANES_INLINE void multiply_rows(const fast_form *form, bool sparse, uint8_t lanes[8], uint32_t sum[8][8]) {
    for (int row = 0; row < 8; row += ROWS) {
        __m256 value[ROWS];
        __m256i left[ROWS];
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            value[r] = load_row(sum[row + r], form->rounding);
            left[r] = _mm256_setzero_si256();
        }
        for (int first = 0; first < form->terms; first += form->step)
            add_step(form, row, first, sparse, value, left);
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            store_row(sum[row + r], value[r], left[r], form->rounding);
            lanes[row + r] = (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(left[r]));
        }
    }
}

// Not inlined: nothing may move across a change of the rounding.
static __attribute__((noinline)) void multiply_dense(const fast_form *form, uint8_t lanes[8],
                                                     uint32_t sum[8][8]) {
    multiply_rows(form, false, lanes, sum);
}
static __attribute__((noinline)) void multiply_sparse(const fast_form *form, uint8_t lanes[8],
                                                      uint32_t sum[8][8]) {
    multiply_rows(form, true, lanes, sum);
}

// The indices in the order in which the terms are added.
static void order_indices(const matrix_product *product, const matrix_select *select, uint8_t at[8][64]) {
    int terms = matrix_terms(product);
    for (int i = 0; i < 8; i++)
        for (int t = 0; t < terms; t++)
            at[i][t] = select->at[i][matrix_element(product->how.apart, terms, t)];
}

void SIM_NAME(sim_multiply_fast)(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                 const matrix_select *select, uint8_t lanes[8], uint32_t sum[8][8]) {
    const matrix_numerics *how = &product->how;
    fast_form form = {a,
                      b,
                      NULL,
                      matrix_terms(product),
                      matrix_step(product),
                      a->shift + b->shift,
                      how->fraction,
                      how->floor,
                      how->rounding};
    if ((uint64_t)form.step << (how->fraction + 2) > UINT64_C(1) << 31) return; // products may overflow
    uint8_t ordered[8][64];
    if (product->sparse) form.at = select->at;
    if (product->sparse && how->apart) {
        order_indices(product, select, ordered);
        form.at = (const uint8_t(*)[64])ordered;
    }
    unsigned saved = _mm_getcsr();
    _mm_setcsr(0x7f80); // towards zero; nothing traps, nothing is flushed
    if (product->sparse)
        multiply_sparse(&form, lanes, sum);
    else
        multiply_dense(&form, lanes, sum);
    _mm_setcsr(saved);
}

#else

void SIM_NAME(sim_multiply_fast)(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                 const matrix_select *select, uint8_t lanes[8], uint32_t sum[8][8]) {
    memset(lanes, 0xff, 8);
}

#endif
