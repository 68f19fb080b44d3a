// Sums of tensor cores, 8 columns at once in the lanes of a vector, as integers.
//
// A step's terms are cut off at 2^(E - fraction), E being the greatest exponent among them. So each term is
// trunc(a * b * 2^(fraction - E)), an integer below 2^27; they add up exactly. The sum is a float times 2^(E - fraction)
// again. The CPU rounds towards zero meanwhile, as the units do: that cuts a sum of more than 24 bits, and a product too
// small for f32, of which only bits are lost that are cut off anyway. Outputs that need more are left to the exact path:
// infinities and NaN, results outside the normal f32, and terms that are tiny beside the greatest of the whole tile.
#include "sim/exec_matrix.h"

// The indices in the order in which the terms are added.
static void order_indices(const matrix_product *product, const matrix_select *select, uint8_t at[8][64]) {
    int terms = matrix_terms(product);
    for (int i = 0; i < 8; i++)
        for (int t = 0; t < terms; t++)
            at[i][t] = select->at[i][matrix_element(product->how.apart, terms, t)];
}

#ifdef __AVX2__

enum { ROWS = 4 }; // at once, for a column of B is loaded once for all of them

// What a product's rows have in common.
typedef struct fast_form {
    const matrix_side *a, *b;
    const uint8_t (*at)[64]; // of a sparse A, in the order of the terms
    int terms, step, shift, fraction, floor;
    bool f16, e8m13; // rounding
    bool wide;       // formats with exponents of 8 bits
    bool full;       // products may add up to nearly 2^31
} fast_form;

LANES_INLINE __m256i words(int value) { return _mm256_set1_epi32(value); }
LANES_INLINE __m256i bits_of(__m256 value) { return _mm256_castps_si256(value); }
LANES_INLINE __m256i exponent_field(__m256 value) {
    return _mm256_srli_epi32(_mm256_slli_epi32(bits_of(value), 1), 24);
}

LANES_INLINE int column(const fast_form *form, int row, int term, bool sparse) {
    return sparse ? form->at[row][term] : term;
}

// The exponents of a term of two rows, one in each half.
LANES_INLINE __m256i add_exponents(const fast_form *form, int row, int term, bool sparse) {
    const __m256i rows = _mm256_set_m128i(_mm_set1_epi16(0x0302), _mm_set1_epi16(0x0100));
    int32_t two;
    memcpy(&two, &form->a->exponent[term][row], sizeof two);
    __m256i a = _mm256_shuffle_epi8(words(two), rows);
    const int16_t *first = form->b->exponent[column(form, row, term, sparse)];
    const int16_t *second = form->b->exponent[column(form, row + 1, term, sparse)];
    __m256i b =
        _mm256_set_m128i(_mm_load_si128((const __m128i *)second), _mm_load_si128((const __m128i *)first));
    return _mm256_add_epi16(a, b);
}

// The exponent that the accumulator takes part with.
LANES_INLINE __m256i accumulator_exponent(__m256 value, const fast_form *form) {
    __m256i field = _mm256_max_epi32(exponent_field(value), words(form->f16 ? 127 - 14 : 1));
    __m256i exponent = _mm256_sub_epi32(field, words(127));
    if (!form->f16 && !form->wide) return exponent; // a zero's -126 is below all products'
    __m256i zero = bits_of(_mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_EQ_OQ));
    return _mm256_blendv_epi8(exponent, words(MATRIX_ZERO), zero);
}

// 2^(power - most). Where it is too great for a float, what it multiplies is zero, or it is left.
LANES_INLINE __m256 unit_scale(__m256i most, int power, __m256i is_zero, __m256i *left) {
    __m256i field = _mm256_sub_epi32(words(127 + power), most);
    __m256i over = _mm256_cmpgt_epi32(field, words(254));
    *left = _mm256_or_si256(*left, _mm256_andnot_si256(is_zero, over));
    field = _mm256_max_epi32(_mm256_min_epi32(field, words(254)), words(1));
    return _mm256_castsi256_ps(_mm256_slli_epi32(field, 23));
}

// sum * 2^(most - fraction), rounded; `left`: what is not a normal f32.
LANES_INLINE __m256 round_sum(__m256i sum, __m256i most, const fast_form *form, __m256i *left) {
    __m256 cut = _mm256_cvtepi32_ps(sum); // towards zero
    __m256i power = _mm256_sub_epi32(most, words(form->fraction));
    __m256i zero = _mm256_cmpeq_epi32(sum, _mm256_setzero_si256());
    if (form->e8m13) cut = _mm256_and_ps(cut, _mm256_castsi256_ps(words(~0x3ff)));
    if (form->f16) { // made odd where it is not exact, so that it is not rounded twice
        __m256i exact = _mm256_cmpeq_epi32(_mm256_cvttps_epi32(cut), sum);
        cut = _mm256_or_ps(cut, _mm256_castsi256_ps(_mm256_andnot_si256(exact, words(1))));
    } else {
        __m256i above = _mm256_sub_epi32(_mm256_add_epi32(exponent_field(cut), power), words(1));
        __m256i normal = _mm256_cmpeq_epi32(_mm256_min_epu32(above, words(253)), above);
        *left = _mm256_or_si256(*left, _mm256_andnot_si256(_mm256_or_si256(normal, zero), words(-1)));
    }
    __m256i scaled = _mm256_add_epi32(bits_of(cut), _mm256_slli_epi32(power, 23));
    __m256 result = _mm256_castsi256_ps(_mm256_andnot_si256(zero, scaled));
    if (!form->f16) return result;
    result = _mm256_cvtph_ps(_mm256_cvtps_ph(result, _MM_FROUND_TO_NEAREST_INT));
    return _mm256_and_ps(result, _mm256_cmp_ps(result, _mm256_setzero_ps(), _CMP_NEQ_OQ)); // never -0
}

// What the terms of a step share with each other.
typedef struct fast_step {
    __m256i most;        // exponent
    __m256 scale;        // of products
    __m256i accumulator; // as an integer
} fast_step;

LANES_INLINE fast_step align_step(const fast_form *form, __m256 value, __m256i products, __m256i *left) {
    fast_step step;
    step.most =
        _mm256_max_epi32(_mm256_max_epi32(products, accumulator_exponent(value, form)), words(form->floor));
    // Beyond are infinities, NaN, and sums that will be infinite.
    *left = _mm256_or_si256(*left, _mm256_cmpgt_epi32(step.most, words(127)));
    __m256i zero = bits_of(_mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_EQ_OQ));
    __m256 scale = unit_scale(step.most, form->fraction, zero, left);
    step.accumulator = _mm256_cvttps_epi32(_mm256_mul_ps(value, scale));
    step.scale = scale;
    if (form->wide) {
        zero = _mm256_cmpgt_epi32(words(MATRIX_ZERO / 2), products);
        step.scale = unit_scale(step.most, form->fraction - form->shift, zero, left);
    }
    return step;
}

LANES_INLINE __m256 finish_step(const fast_form *form, __m256i products, fast_step step, __m256i *left) {
    __m256i sum = _mm256_add_epi32(products, step.accumulator);
    if (form->full) {
        __m256i over =
            _mm256_and_si256(_mm256_xor_si256(sum, products), _mm256_xor_si256(sum, step.accumulator));
        *left = _mm256_or_si256(*left, over);
    }
    return round_sum(sum, step.most, form, left);
}

LANES_INLINE __m256i widen(__m128i words) { return _mm256_cvtepi16_epi32(words); }

// One step of ROWS rows.
LANES_INLINE void add_step(const fast_form *form, int row, int first, bool sparse, __m256 *value,
                           __m256i *left) {
    const int end = first + form->step;
    __m256i low = _mm256_set1_epi16(2 * MATRIX_ZERO), high = low, sum[ROWS];
    fast_step step[ROWS];
#pragma GCC unroll 4
    for (int t = first; t < end; t++) {
        low = _mm256_max_epi16(low, add_exponents(form, row, t, sparse));
        high = _mm256_max_epi16(high, add_exponents(form, row + 2, t, sparse));
    }
    step[0] = align_step(form, value[0], widen(_mm256_castsi256_si128(low)), &left[0]);
    step[1] = align_step(form, value[1], widen(_mm256_extracti128_si256(low, 1)), &left[1]);
    step[2] = align_step(form, value[2], widen(_mm256_castsi256_si128(high)), &left[2]);
    step[3] = align_step(form, value[3], widen(_mm256_extracti128_si256(high, 1)), &left[3]);
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) sum[r] = _mm256_setzero_si256();
#pragma GCC unroll 2
    for (int t = first; t < end; t++) {
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            const float *other = form->b->value[column(form, row + r, t, sparse)];
            __m256 product = _mm256_mul_ps(_mm256_set1_ps(form->a->value[t][row + r]), _mm256_load_ps(other));
            sum[r] = _mm256_add_epi32(sum[r], _mm256_cvttps_epi32(_mm256_mul_ps(product, step[r].scale)));
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) value[r] = finish_step(form, sum[r], step[r], &left[r]);
}

LANES_INLINE __m256 load_row(const uint32_t row[8], bool f16) {
    __m256i bits = _mm256_loadu_si256((const __m256i *)row);
    if (!f16) return _mm256_castsi256_ps(bits);
    bits = _mm256_and_si256(bits, words(0xffff));
    __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    return _mm256_cvtph_ps(halves);
}

// Leaves the lanes whose bits are set in `left`.
LANES_INLINE void store_row(uint32_t row[8], __m256 value, __m256i left, bool f16) {
    __m256i bits = bits_of(value);
    if (f16) bits = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    __m256 old = _mm256_loadu_ps((const float *)row);
    _mm256_storeu_ps((float *)row,
                     _mm256_blendv_ps(_mm256_castsi256_ps(bits), old, _mm256_castsi256_ps(left)));
}

LANES_INLINE void multiply_rows(const fast_form *given, bool sparse, bool f16, bool wide, uint8_t lanes[8],
                                uint32_t sum[8][8]) {
    fast_form copy = *given;
    copy.f16 = f16, copy.wide = wide; // known to the compiler
    const fast_form *form = &copy;
    for (int row = 0; row < 8; row += ROWS) {
        __m256 value[ROWS];
        __m256i left[ROWS];
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            value[r] = load_row(sum[row + r], form->f16);
            left[r] = _mm256_setzero_si256();
        }
        for (int first = 0; first < form->terms; first += form->step)
            add_step(form, row, first, sparse, value, left);
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            store_row(sum[row + r], value[r], left[r], form->f16);
            lanes[row + r] = (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(left[r]));
        }
    }
}

// Not inlined, for nothing may move across a change of the rounding.
#define MULTIPLY(name, sparse, f16, wide)                                                                    \
    static __attribute__((noinline)) void name(const fast_form *form, uint8_t lanes[8],                      \
                                               uint32_t sum[8][8]) {                                         \
        multiply_rows(form, sparse, f16, wide, lanes, sum);                                                  \
    }
MULTIPLY(dense_f32, false, false, false)
MULTIPLY(dense_f16, false, true, false)
MULTIPLY(dense_wide, false, false, true)
MULTIPLY(sparse_f32, true, false, false)
MULTIPLY(sparse_f16, true, true, false)
MULTIPLY(sparse_wide, true, false, true)

void SIM_NAME(sim_multiply_fast)(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                 const matrix_select *select, uint8_t lanes[8], uint32_t sum[8][8]) {
    static void (*const multiply[2][3])(const fast_form *, uint8_t *, uint32_t(*)[8]) = {
        {dense_f32, dense_f16, dense_wide}, {sparse_f32, sparse_f16, sparse_wide}};
    const matrix_numerics *how = &product->how;
    int step = matrix_step(product);
    bool f16 = how->rounding == MATRIX_F16, wide = product->a == PTX_BF16 || product->a == PTX_TF32;
    uint64_t most = (uint64_t)step << (how->fraction + 2), limit = UINT64_C(1) << 31;
    if (most > limit || (f16 && wide)) return;
    fast_form form = {.a = a,
                      .b = b,
                      .terms = matrix_terms(product),
                      .step = step,
                      .shift = a->shift + b->shift,
                      .fraction = how->fraction,
                      .floor = how->floor,
                      .f16 = f16,
                      .e8m13 = how->rounding == MATRIX_E8M13,
                      .wide = wide,
                      .full = most == limit};
    uint8_t ordered[8][64];
    if (product->sparse) form.at = select->at;
    if (product->sparse && how->apart) {
        order_indices(product, select, ordered);
        form.at = (const uint8_t(*)[64])ordered;
    }
    unsigned saved = _mm_getcsr();
    _mm_setcsr(0x7f80); // towards zero; nothing traps, nothing is flushed
    multiply[product->sparse][f16 ? 1 : wide ? 2 : 0](&form, lanes, sum);
    _mm_setcsr(saved);
}

#else

// The same in plain loops, which a compiler makes vectors of. The CPU rounds to nearest: products are exact, as the operands
// are near 1, and the sum is rounded as an integer.

typedef struct plain_step {
    int most[8];
    float scale[8];
    double accumulator[8];
} plain_step;

static void find_most(const matrix_side *a, int i, const matrix_side *b, const uint8_t *at, int first,
                      int end, int16_t most[8]) {
    for (int j = 0; j < 8; j++) most[j] = 2 * MATRIX_ZERO;
    for (int t = first; t < end; t++) {
        const int16_t *other = b->exponent[at ? at[t] : t], exponent = a->exponent[t][i];
        for (int j = 0; j < 8; j++) {
            int16_t sum = (int16_t)(exponent + other[j]);
            most[j] = sum > most[j] ? sum : most[j];
        }
    }
}

// False where there are infinities or NaN, or terms that are too small for the scale.
static bool align_step(const matrix_numerics *how, const uint32_t sum[8], const int16_t products[8],
                       plain_step *step) {
    bool half = how->rounding == MATRIX_F16;
    for (int j = 0; j < 8; j++) {
        double c = half ? (double)f32_of_f16((uint16_t)sum[j]) : (double)f32_of_bits(sum[j]);
        int most = products[j] > how->floor ? products[j] : how->floor;
        int own = c != 0 ? matrix_exponent(c, half ? -14 : -126) : MATRIX_ZERO;
        if (own > most) most = own;
        int power = how->fraction - most;
        if (most > 127 || (power > 127 && products[j] > MATRIX_ZERO / 2)) return false;
        step->most[j] = most;
        step->accumulator[j] = c;
        step->scale[j] = f32_of_bits((uint32_t)(127 + (power > 127 ? 127 : power)) << 23);
    }
    return true;
}

static void add_terms(const matrix_side *a, int i, const matrix_side *b, const uint8_t *at, int first,
                      int end, const float scale[8], int32_t sum[8]) {
    for (int j = 0; j < 8; j++) sum[j] = 0;
    for (int t = first; t < end; t++) {
        const float *other = b->value[at ? at[t] : t], value = a->value[t][i];
        for (int j = 0; j < 8; j++) sum[j] += (int32_t)(value * other[j] * scale[j]);
    }
}

// False where it left the row as it was.
static bool multiply_row(const matrix_product *product, const matrix_side *a, int i, const matrix_side *b,
                         const uint8_t *at, uint32_t sum[8]) {
    const matrix_numerics *how = &product->how;
    int terms = matrix_terms(product), count = matrix_step(product);
    uint32_t row[8];
    memcpy(row, sum, sizeof row);
    for (int first = 0; first < terms; first += count) {
        int16_t products[8];
        int32_t total[8];
        plain_step step;
        find_most(a, i, b, at, first, first + count, products);
        if (!align_step(how, row, products, &step)) return false;
        add_terms(a, i, b, at, first, first + count, step.scale, total);
        for (int j = 0; j < 8; j++) {
            double unit = matrix_power(step.most[j] - how->fraction);
            int64_t exact = total[j] + (int64_t)(step.accumulator[j] / unit);
            row[j] = matrix_round((double)exact * unit, how->rounding);
        }
    }
    memcpy(sum, row, sizeof row);
    return true;
}

void SIM_NAME(sim_multiply_fast)(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                 const matrix_select *select, uint8_t lanes[8], uint32_t sum[8][8]) {
    if ((uint64_t)matrix_step(product) << (product->how.fraction + 2) > UINT64_C(1) << 31) return;
    uint8_t at[8][64];
    if (product->sparse) order_indices(product, select, at);
    for (int i = 0; i < 8; i++)
        lanes[i] = multiply_row(product, a, i, b, product->sparse ? at[i] : NULL, sum[i]) ? 0 : 0xff;
}

#endif
