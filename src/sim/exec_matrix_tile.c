// Products of 16-bit floats, 16 rows by 8 columns at once, with the accumulator where it lies: in the registers of a warp.
//
// A register of the accumulator has 8 rows of four even columns, or of four odd ones. A vector is some of its lanes: two rows
// or four, of four columns. So B's columns are kept in that order, even before odd, and A's elements four times.
//
// The arithmetic is that of exec_matrix_fast.c. Exponents are bytes here: how far an element is below the greatest exponent of
// its side, at most SMALL, and NOTHING for a zero. A term's is the sum of two, and the least of a step's terms is its own.
// Left to the exact path: infinities and NaN, sums whose exponent is near the limits of f32, and those whose terms are all
// FAR below the greatest of both sides.
#include "sim/exec_matrix.h"

#ifdef __AVX2__

enum { SMALL = 127, NOTHING = 255, FAR = 99, TILE_ROWS = 16, TILE_LANES = 64, SUMS = 4 };

// ---- vectors of either width ------------------------------------------------------------------------------

#ifdef __AVX512BW__

enum { LANES = 16 };
typedef __m512 floats;
typedef __m512i words;
typedef __mmask16 truths;
LANES_INLINE words all(int value) { return _mm512_set1_epi32(value); }
LANES_INLINE words load(const void *from) { return _mm512_loadu_si512(from); }
LANES_INLINE floats load_floats(const float *from) { return _mm512_loadu_ps(from); }
LANES_INLINE void store(void *to, words value) { _mm512_storeu_si512(to, value); }
LANES_INLINE words add(words x, words y) { return _mm512_add_epi32(x, y); }
LANES_INLINE words subtract(words x, words y) { return _mm512_sub_epi32(x, y); }
LANES_INLINE words greater(words x, words y) { return _mm512_max_epi32(x, y); }
LANES_INLINE words magnitude(words x) { return _mm512_abs_epi32(x); }
LANES_INLINE words shift_left(words x, int by) { return _mm512_slli_epi32(x, (unsigned)by); }
LANES_INLINE words shift_right(words x, int by) { return _mm512_srli_epi32(x, (unsigned)by); }
LANES_INLINE floats times(floats x, floats y) { return _mm512_mul_ps(x, y); }
LANES_INLINE words truncate(floats x) { return _mm512_cvttps_epi32(x); }
LANES_INLINE words cut_off(words x) { // the f32 of an integer, towards zero
    return _mm512_castps_si512(_mm512_cvt_roundepi32_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}
LANES_INLINE floats as_floats(words x) { return _mm512_castsi512_ps(x); }
LANES_INLINE floats four_floats(const float *from) { return _mm512_broadcast_f32x4(_mm_loadu_ps(from)); }
LANES_INLINE words widen_bytes(const uint8_t *from) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
}
LANES_INLINE truths exceeds(words x, int y) { return _mm512_cmpgt_epi32_mask(x, all(y)); }
LANES_INLINE truths equals(words x, int y) { return _mm512_cmpeq_epi32_mask(x, all(y)); }
LANES_INLINE words zero_where(truths is, words x) { return _mm512_maskz_mov_epi32((truths)~is, x); }
LANES_INLINE words choose(unsigned bits, words yes, words no) {
    return _mm512_mask_mov_epi32(no, (truths)bits, yes);
}
LANES_INLINE unsigned bits_of(truths is) { return is; }
LANES_INLINE unsigned overflows(words sum, words x, words y) {
    return _mm512_movepi32_mask(_mm512_and_si512(_mm512_xor_si512(sum, x), _mm512_xor_si512(sum, y)));
}
LANES_INLINE words every_byte(int value) { return _mm512_set1_epi8((char)value); }
LANES_INLINE words add_bytes(words x, words y) { return _mm512_adds_epu8(x, y); }
LANES_INLINE words least_bytes(words x, words y) { return _mm512_min_epu8(x, y); }

#else

enum { LANES = 8 };
typedef __m256 floats;
typedef __m256i words;
typedef __m256i truths;
LANES_INLINE words all(int value) { return _mm256_set1_epi32(value); }
LANES_INLINE words load(const void *from) { return _mm256_loadu_si256((const __m256i *)from); }
LANES_INLINE floats load_floats(const float *from) { return _mm256_loadu_ps(from); }
LANES_INLINE void store(void *to, words value) { _mm256_storeu_si256((__m256i *)to, value); }
LANES_INLINE words add(words x, words y) { return _mm256_add_epi32(x, y); }
LANES_INLINE words subtract(words x, words y) { return _mm256_sub_epi32(x, y); }
LANES_INLINE words greater(words x, words y) { return _mm256_max_epi32(x, y); }
LANES_INLINE words magnitude(words x) { return _mm256_abs_epi32(x); }
LANES_INLINE words shift_left(words x, int by) { return _mm256_slli_epi32(x, by); }
LANES_INLINE words shift_right(words x, int by) { return _mm256_srli_epi32(x, by); }
LANES_INLINE floats times(floats x, floats y) { return _mm256_mul_ps(x, y); }
LANES_INLINE words truncate(floats x) { return _mm256_cvttps_epi32(x); }
LANES_INLINE words cut_off(words x) { // as the CPU rounds: see sim_multiply_tile
    return _mm256_castps_si256(_mm256_cvtepi32_ps(x));
}
LANES_INLINE floats as_floats(words x) { return _mm256_castsi256_ps(x); }
LANES_INLINE floats four_floats(const float *from) { return _mm256_broadcast_ps((const __m128 *)from); }
LANES_INLINE words widen_bytes(const uint8_t *from) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));
}
LANES_INLINE truths exceeds(words x, int y) { return _mm256_cmpgt_epi32(x, all(y)); }
LANES_INLINE truths equals(words x, int y) { return _mm256_cmpeq_epi32(x, all(y)); }
LANES_INLINE words zero_where(truths is, words x) { return _mm256_andnot_si256(is, x); }
LANES_INLINE words choose(unsigned bits, words yes, words no) {
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i is = _mm256_cmpeq_epi32(_mm256_and_si256(all((int)bits), each), each);
    return _mm256_blendv_epi8(no, yes, is);
}
LANES_INLINE unsigned bits_of(truths is) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(is)); }
LANES_INLINE unsigned overflows(words sum, words x, words y) {
    return bits_of(_mm256_and_si256(_mm256_xor_si256(sum, x), _mm256_xor_si256(sum, y)));
}
LANES_INLINE words every_byte(int value) { return _mm256_set1_epi8((char)value); }
LANES_INLINE words add_bytes(words x, words y) { return _mm256_adds_epu8(x, y); }
LANES_INLINE words least_bytes(words x, words y) { return _mm256_min_epu8(x, y); }

#endif

// ---- unpacking ---------------------------------------------------------------------------------------------

typedef struct tile_format {
    bool wide;               // exponents of 8 bits: bf16
    int fraction_bits, ones; // of its code; the exponent of infinities and NaN
} tile_format;

LANES_INLINE tile_format format_of(const matrix_product *product) {
    return product->a == PTX_BF16 ? (tile_format){true, 7, 255} : (tile_format){false, 10, 31};
}

LANES_INLINE __m256i two_rows(const matrix_core *core, int row) { // neighbours, one in each half
    return _mm256_loadu_si256((const __m256i *)core->row[row]);
}

// The greatest magnitude among codes.
static int greatest_code(const matrix_core *const *cores, int count) {
    __m256i most = _mm256_setzero_si256();
    for (int i = 0; i < count; i++)
        for (int row = 0; row < 8; row += 2)
            most =
                _mm256_max_epu16(most, _mm256_and_si256(two_rows(cores[i], row), _mm256_set1_epi16(0x7fff)));
    __m128i half = _mm_max_epu16(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    return 0xffff - (_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi16(-1)))) & 0xffff);
}

// The rows of a core matrix that have infinities or NaN.
static unsigned special_rows(const matrix_core *core, tile_format format) {
    unsigned rows = 0;
    for (int row = 0; row < 8; row++)
        for (int k = 0; k < 8; k++) {
            uint16_t code;
            memcpy(&code, &core->row[row][2 * k], sizeof code);
            if ((code & 0x7fff) >> format.fraction_bits == format.ones) rows |= 1u << row;
        }
    return rows;
}

// The exponent field that distances are counted from: the format's greatest, or that of the greatest element.
LANES_INLINE int top_of(int code, tile_format format) {
    int field = code >> format.fraction_bits, most = format.ones - 1;
    if (!format.wide || field > most) return most;
    return field ? field : 1;
}

LANES_INLINE __m256i distances(__m256i codes, int top, tile_format format) {
    __m256i size = _mm256_and_si256(codes, _mm256_set1_epi16(0x7fff));
    __m256i field = _mm256_max_epi16(_mm256_srli_epi16(size, format.fraction_bits), _mm256_set1_epi16(1));
    __m256i below =
        _mm256_min_epi16(_mm256_sub_epi16(_mm256_set1_epi16((short)top), field), _mm256_set1_epi16(SMALL));
    __m256i zero = _mm256_cmpeq_epi16(size, _mm256_setzero_si256());
    return _mm256_or_si256(below, _mm256_and_si256(zero, _mm256_set1_epi16(NOTHING)));
}

// Values are as they are, or times 2^(1 - top) for exponents of 8 bits.
LANES_INLINE float scale_of(int top) { return f32_of_bits((uint32_t)(255 - top) << 23); }

LANES_INLINE void widen_codes(__m256i codes, __m256 scale, bool wide, __m256 *low, __m256 *high) {
    if (wide) {
        const __m256i zero = _mm256_setzero_si256();
        *low = _mm256_mul_ps(_mm256_castsi256_ps(_mm256_unpacklo_epi16(zero, codes)), scale);
        *high = _mm256_mul_ps(_mm256_castsi256_ps(_mm256_unpackhi_epi16(zero, codes)), scale);
        return;
    }
    codes = _mm256_permute4x64_epi64(codes, 0xd8);
    *low = _mm256_cvtph_ps(_mm256_castsi256_si128(codes));
    *high = _mm256_cvtph_ps(_mm256_extracti128_si256(codes, 1));
}

// The same for a vector of rows: 8 elements of each, the first four and the others.
LANES_INLINE void widen_rows(const uint8_t *codes, float scale, bool wide, floats *low, floats *high) {
#ifdef __AVX512BW__
    __m512i rows = _mm512_loadu_si512(codes);
    if (wide) {
        const __m512i zero = _mm512_setzero_si512();
        *low = times(as_floats(_mm512_unpacklo_epi16(zero, rows)), _mm512_set1_ps(scale));
        *high = times(as_floats(_mm512_unpackhi_epi16(zero, rows)), _mm512_set1_ps(scale));
        return;
    }
    rows = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), rows);
    *low = _mm512_cvtph_ps(_mm512_castsi512_si256(rows));
    *high = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(rows, 1));
#else
    widen_codes(_mm256_loadu_si256((const __m256i *)codes), _mm256_set1_ps(scale), wide, low, high);
#endif
}

// Element i of each four, four times.
#ifdef __AVX512BW__
#define REPEAT(value, i) _mm512_castps_si512(_mm512_permute_ps(value, 0x55 * (i)))
#else
#define REPEAT(value, i) _mm256_castps_si256(_mm256_permute_ps(value, 0x55 * (i)))
#endif

LANES_INLINE void put_values(float (*to)[TILE_LANES], floats low, floats high) {
    store(to[0], REPEAT(low, 0));
    store(to[1], REPEAT(low, 1));
    store(to[2], REPEAT(low, 2));
    store(to[3], REPEAT(low, 3));
    store(to[4], REPEAT(high, 0));
    store(to[5], REPEAT(high, 1));
    store(to[6], REPEAT(high, 2));
    store(to[7], REPEAT(high, 3));
}

// A block of 8 rows, 8 elements of each along k.
LANES_INLINE void unpack_values(matrix_rows *rows, int k, int block, const matrix_core *core, float scale,
                                bool wide) {
#pragma GCC unroll 4
    for (int row = 0; row < 8; row += LANES / 4) {
        floats low, high;
        widen_rows(core->row[row], scale, wide, &low, &high);
        put_values((float(*)[TILE_LANES])&rows->value[k][32 * block + 4 * row], low, high);
    }
}

// Distances of a block of 8 rows, of 16 elements along k: `row` has those of rows r and r + 4.
LANES_INLINE void put_distances(matrix_rows *rows, int block, const __m256i row[4]) {
    const __m256i copies = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4,
                                            4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    __m256i low01 = _mm256_unpacklo_epi32(row[0], row[1]), high01 = _mm256_unpackhi_epi32(row[0], row[1]);
    __m256i low23 = _mm256_unpacklo_epi32(row[2], row[3]), high23 = _mm256_unpackhi_epi32(row[2], row[3]);
    const __m256i four[4] = {_mm256_unpacklo_epi64(low01, low23), _mm256_unpackhi_epi64(low01, low23),
                             _mm256_unpacklo_epi64(high01, high23), _mm256_unpackhi_epi64(high01, high23)};
#pragma GCC unroll 16
    for (int k = 0; k < 16; k++) {
        __m256i at = _mm256_add_epi8(copies, _mm256_set1_epi8((char)(k % 4)));
        _mm256_storeu_si256((__m256i *)&rows->distance[k][32 * block], _mm256_shuffle_epi8(four[k / 4], at));
    }
}

LANES_INLINE __m256i rows_apart(const matrix_core *core, int row) { // row and row + 4
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)core->row[row])),
                                   _mm_loadu_si128((const __m128i *)core->row[row + 4]), 1);
}

LANES_INLINE void unpack_rows(tile_format format, int pieces, matrix_rows *rows) {
    float scale = scale_of(rows->top);
    for (int block = 0; block < 2; block++) {
        __m256i below[4];
        for (int p = 0; p < pieces; p++)
            unpack_values(rows, 8 * p, block, rows->core[block][p], scale, format.wide);
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++) {
            __m256i first = distances(rows_apart(rows->core[block][0], row), rows->top, format);
            __m256i second = first;
            if (pieces > 1) second = distances(rows_apart(rows->core[block][1], row), rows->top, format);
            below[row] = _mm256_packus_epi16(first, second);
        }
        put_distances(rows, block, below);
    }
}

void SIM_NAME(sim_unpack_rows)(const matrix_product *product, const matrix_core *const core[2][2],
                               matrix_rows *rows) {
    tile_format format = format_of(product);
    int pieces = product->k / 8;
    const matrix_core *every[4] = {NULL};
    for (int i = 0; i < 2 * pieces; i++)
        every[i] = rows->core[i / pieces][i % pieces] = core[i / pieces][i % pieces];
    int code = greatest_code(every, 2 * pieces);
    rows->special = 0;
    for (int i = 0; code >> format.fraction_bits == format.ones && i < 2 * pieces; i++)
        rows->special |= (uint16_t)(special_rows(every[i], format) << 8 * (i / pieces));
    rows->top = top_of(code, format);
    if (format.wide)
        unpack_rows((tile_format){true, 7, 255}, pieces, rows);
    else
        unpack_rows((tile_format){false, 10, 31}, pieces, rows);
}

// Two k of all 8 columns in each result, the even columns before the odd ones.
LANES_INLINE void transpose(const matrix_core *core, __m256i two[4]) {
    __m256i rows0 = two_rows(core, 0), rows1 = two_rows(core, 2), rows2 = two_rows(core, 4),
            rows3 = two_rows(core, 6);
    __m256i low01 = _mm256_unpacklo_epi16(rows0, rows1), high01 = _mm256_unpackhi_epi16(rows0, rows1);
    __m256i low23 = _mm256_unpacklo_epi16(rows2, rows3), high23 = _mm256_unpackhi_epi16(rows2, rows3);
    two[0] = _mm256_unpacklo_epi32(low01, low23);
    two[1] = _mm256_unpackhi_epi32(low01, low23);
    two[2] = _mm256_unpacklo_epi32(high01, high23);
    two[3] = _mm256_unpackhi_epi32(high01, high23);
}

// The halves of `two` have the even and the odd columns, each of two k.
LANES_INLINE void unpack_columns(tile_format format, int pieces, matrix_columns *columns) {
    __m256 scale = _mm256_set1_ps(scale_of(columns->top));
    for (int p = 0; p < pieces; p++) {
        __m256i two[4];
        transpose(columns->core[p], two);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            __m256 first, second;
            widen_codes(two[i], scale, format.wide, &first, &second);
            _mm256_storeu_ps(columns->value[8 * p + 2 * i], first);
            _mm256_storeu_ps(columns->value[8 * p + 2 * i + 1], second);
        }
#pragma GCC unroll 2
        for (int i = 0; i < 4; i += 2) { // four k of four columns in each half
            __m256i below = _mm256_packus_epi16(distances(two[i], columns->top, format),
                                                distances(two[i + 1], columns->top, format));
            const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
            below = _mm256_permutevar8x32_epi32(below, order);
            _mm256_storeu_si256((__m256i *)columns->distance[8 * p + 2 * i], below);
        }
    }
}

void SIM_NAME(sim_unpack_columns)(const matrix_product *product, const matrix_core *const core[2],
                                  matrix_columns *columns) {
    tile_format format = format_of(product);
    int pieces = product->k / 8, code = greatest_code(core, pieces);
    columns->special = 0;
    for (int i = 0; i < pieces; i++) {
        columns->core[i] = core[i];
        if (code >> format.fraction_bits == format.ones)
            columns->special |= (uint8_t)special_rows(core[i], format);
    }
    columns->top = top_of(code, format);
    if (format.wide)
        unpack_columns((tile_format){true, 7, 255}, pieces, columns);
    else
        unpack_columns((tile_format){false, 10, 31}, pieces, columns);
}

// ---- products ----------------------------------------------------------------------------------------------

typedef struct tile_form {
    const matrix_rows *rows;
    const matrix_columns *columns;
    int fraction;
    int top;     // the exponent, with a bias of 127, that distances are below
    int rescale; // what values were multiplied by: 2^rescale
    bool wide;
    uint32_t *left; // [SUMS]: lanes
} tile_form;

// The least distance of the terms: of the even columns, then of the odd ones.
LANES_INLINE void find_nearest(const tile_form *form, int first, int count, uint8_t near[2][TILE_LANES]) {
    enum { BYTES = 4 * LANES, VECTORS = TILE_LANES / BYTES };
    words least[2][VECTORS];
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) least[0][v] = least[1][v] = every_byte(NOTHING);
#pragma GCC unroll 4
    for (int k = first; k < first + count; k++) {
        int32_t even, odd;
        memcpy(&even, &form->columns->distance[k][0], sizeof even);
        memcpy(&odd, &form->columns->distance[k][4], sizeof odd);
#pragma GCC unroll 2
        for (int v = 0; v < VECTORS; v++) {
            words row = load(&form->rows->distance[k][BYTES * v]);
            least[0][v] = least_bytes(least[0][v], add_bytes(row, all(even)));
            least[1][v] = least_bytes(least[1][v], add_bytes(row, all(odd)));
        }
    }
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) {
        store(&near[0][BYTES * v], least[0][v]);
        store(&near[1][BYTES * v], least[1][v]);
    }
}

typedef struct tile_step {
    words old, accumulator; // as it is, and as an integer
    words scale;            // of the accumulator
    floats product_scale;
    unsigned left;
} tile_step;

LANES_INLINE tile_step align(const tile_form *form, words old, const uint8_t *near, unsigned left) {
    tile_step step = {.old = old, .left = left};
    words distance = widen_bytes(near), exponent = shift_right(shift_left(old, 1), 24);
    truths far = exceeds(distance, FAR);
    words most = greater(exponent, zero_where(far, subtract(all(form->top), distance)));
    // Sums of at most 31 bits are normal numbers then, and the scales are too.
    truths outside = exceeds(magnitude(subtract(most, all(form->fraction + 112))), 111);
    unsigned rare = bits_of(far) | bits_of(outside);
    if (__builtin_expect(rare != 0, 0)) { // all right where there are no products, or nothing at all
        unsigned nothing = bits_of(equals(distance, NOTHING));
        unsigned zero = nothing & bits_of(equals(shift_left(old, 1), 0));
        step.left |= (bits_of(far) & ~nothing) | (bits_of(outside) & ~zero);
    }
    step.scale = shift_left(subtract(all(254 + form->fraction), most), 23);
    step.accumulator = truncate(times(as_floats(old), as_floats(step.scale)));
    step.product_scale = as_floats(step.scale);
    if (form->wide) {
        words field = subtract(all(127 + form->fraction + form->top - form->rescale), most);
        step.product_scale = as_floats(zero_where(far, shift_left(greater(field, all(0)), 23)));
    }
    return step;
}

LANES_INLINE words finish(tile_step *step, words products) {
    words sum = add(products, step->accumulator);
    step->left |= overflows(sum, products, step->accumulator);
    // The exponents of what the scale multiplied, taken away again.
    words result = subtract(add(cut_off(sum), all(127 << 23)), step->scale);
    result = zero_where(equals(sum, 0), result);
    if (__builtin_expect(step->left != 0, 0)) result = choose(step->left, step->old, result);
    return result;
}

// Two vectors of rows, the even and the odd columns of each.
LANES_INLINE void add_terms(const tile_form *form, int first, int count, int at, const tile_step step[4],
                            words sum[4]) {
#pragma GCC unroll 4
    for (int x = 0; x < 4; x++) sum[x] = all(0);
#pragma GCC unroll 4
    for (int k = first; k < first + count; k++) {
        floats even = four_floats(&form->columns->value[k][0]),
               odd = four_floats(&form->columns->value[k][4]);
        floats one = load_floats(&form->rows->value[k][at]),
               two = load_floats(&form->rows->value[k][at + LANES]);
        sum[0] = add(sum[0], truncate(times(times(one, even), step[0].product_scale)));
        sum[1] = add(sum[1], truncate(times(times(one, odd), step[1].product_scale)));
        sum[2] = add(sum[2], truncate(times(times(two, even), step[2].product_scale)));
        sum[3] = add(sum[3], truncate(times(times(two, odd), step[3].product_scale)));
    }
}

LANES_INLINE void add_step(const tile_form *form, int first, int count, const uint32_t *const from[SUMS],
                           uint32_t *const to[SUMS]) {
    uint8_t near[2][TILE_LANES];
    find_nearest(form, first, count, near);
    for (int at = 0; at < TILE_LANES; at += 2 * LANES) {
        tile_step step[4];
        words sum[4];
#pragma GCC unroll 4
        for (int x = 0; x < 4; x++) {
            int lane = at + x / 2 * LANES, pair = lane / 32 * 2 + x % 2;
            unsigned left = form->left[pair] >> lane % 32 & ((1u << LANES) - 1);
            step[x] = align(form, load(from[pair] + lane % 32), &near[x % 2][lane], left);
        }
        add_terms(form, first, count, at, step, sum);
#pragma GCC unroll 4
        for (int x = 0; x < 4; x++) {
            int lane = at + x / 2 * LANES, pair = lane / 32 * 2 + x % 2;
            store(to[pair] + lane % 32, finish(&step[x], sum[x]));
            form->left[pair] |= step[x].left << lane % 32;
        }
    }
}

// Not inlined, for nothing may move across a change of the rounding.
#define ADD_STEP(name, count, is_wide)                                                                       \
    static __attribute__((noinline)) void name(const tile_form *given, int first,                            \
                                               const uint32_t *const from[SUMS], uint32_t *const to[SUMS]) { \
        tile_form form = *given;                                                                             \
        form.wide = is_wide; /* known to the compiler */                                                     \
        add_step(&form, first, count, from, to);                                                             \
    }
ADD_STEP(add_16, 16, false)
ADD_STEP(add_16_wide, 16, true)
ADD_STEP(add_8, 8, false)
ADD_STEP(add_8_wide, 8, true)

// ---- what is left ------------------------------------------------------------------------------------------

// Rows and columns with infinities or NaN: element 2 t + e of row g is lane 4 g + t of register e.
static void leave_special(const matrix_rows *rows, const matrix_columns *columns, uint32_t left[SUMS]) {
    for (int pair = 0; pair < SUMS; pair++)
        for (int lane = 0; lane < 32; lane++)
            if (rows->special >> (pair / 2 * 8 + lane / 4) & 1 ||
                columns->special >> (lane % 4 * 2 + pair % 2) & 1)
                left[pair] |= 1u << lane;
}

static void finish_exactly(const matrix_product *product, const matrix_rows *rows,
                           const matrix_columns *columns, const uint32_t left[SUMS],
                           uint32_t *const sums[SUMS]) {
    matrix_side a, b;
    sim_unpack_floats_portable(product, true, columns->core, &b);
    for (int block = 0; block < 2; block++) {
        uint32_t sum[8][8];
        uint8_t lanes[8] = {0};
        for (int i = 0; i < 64; i++) {
            int pair = 2 * block + i % 2, lane = i / 2;
            sum[i / 8][i % 8] = sums[pair][lane];
            lanes[i / 8] |= (uint8_t)((left[pair] >> lane & 1) << i % 8);
        }
        if (!(left[2 * block] | left[2 * block + 1])) continue;
        sim_unpack_floats_portable(product, false, rows->core[block], &a);
        sim_multiply_exactly_portable(product, &a, &b, NULL, lanes, sum);
        for (int i = 0; i < 64; i++) sums[2 * block + i % 2][i / 2] = sum[i / 8][i % 8];
    }
}

// Several steps, in a copy: what is left must be as it was.
static void add_steps(const tile_form *form,
                      void (*step)(const tile_form *, int, const uint32_t *const *, uint32_t *const *),
                      int terms, int count, uint32_t *const sums[SUMS]) {
    uint32_t copies[SUMS][32];
    uint32_t *const to[SUMS] = {copies[0], copies[1], copies[2], copies[3]};
    for (int i = 0; i < SUMS; i++) memcpy(copies[i], sums[i], sizeof copies[i]);
    for (int first = 0; first < terms; first += count) step(form, first, (const uint32_t *const *)to, to);
    for (int i = 0; i < SUMS; i++)
        for (int lane = 0; lane < 32; lane++)
            if (!(form->left[i] >> lane & 1)) sums[i][lane] = copies[i][lane];
}

void SIM_NAME(sim_multiply_tile)(const matrix_product *product, const matrix_rows *rows,
                                 const matrix_columns *columns, uint32_t *const sums[SUMS]) {
    static void (*const steps[2][2])(const tile_form *, int, const uint32_t *const *,
                                     uint32_t *const *) = {{add_8, add_8_wide}, {add_16, add_16_wide}};
    bool wide = format_of(product).wide;
    int terms = product->k, count = matrix_step(product);
    uint32_t left[SUMS] = {0};
    tile_form form = {.rows = rows,
                      .columns = columns,
                      .fraction = product->how.fraction,
                      .top = wide ? rows->top + columns->top - 127 : 2 * 15 + 127,
                      .rescale = 2,
                      .wide = wide,
                      .left = left};
    if (rows->special | columns->special) leave_special(rows, columns, left);
#ifndef __AVX512BW__
    unsigned saved = _mm_getcsr();
    _mm_setcsr(0x7f80); // towards zero; nothing traps, nothing is flushed
#endif
    if (count == terms)
        steps[count == 16][wide](&form, 0, (const uint32_t *const *)sums, sums);
    else
        add_steps(&form, steps[count == 16][wide], terms, count, sums);
#ifndef __AVX512BW__
    _mm_setcsr(saved);
#endif
    if (left[0] | left[1] | left[2] | left[3]) finish_exactly(product, rows, columns, left, sums);
}

#endif
