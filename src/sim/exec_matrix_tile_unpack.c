// Operands of products of tiles (exec_matrix_tile.c): A's elements four times each, B's columns even before odd, and how far the
// exponents are below the greatest one.
//
// A tf32 has 16 bits too for exponents: the upper ones, with the others' share in a bit below the exponent.
#include "sim/exec_matrix_tile.h"

#ifdef __AVX2__

typedef enum tile_type { TILE_F16, TILE_BF16, TILE_TF32 } tile_type;

LANES_INLINE tile_type type_of(const matrix_product *product) {
    return product->a == PTX_F16 ? TILE_F16 : product->a == PTX_BF16 ? TILE_BF16 : TILE_TF32;
}

// Of codes of 16 bits: the bits below the exponent, and the exponent of infinities and NaN.
LANES_INLINE int fraction_bits(tile_type type) { return type == TILE_F16 ? 10 : 7; }
LANES_INLINE int exponent_ones(tile_type type) { return type == TILE_F16 ? 31 : 255; }

LANES_INLINE __m256i two_rows(const matrix_core *core, int row) { // neighbours, one in each half
    return _mm256_loadu_si256((const __m256i *)core->row[row]);
}

LANES_INLINE __m256i rows_apart(const matrix_core *core, int row) { // row and row + 4
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)core->row[row])),
                                   _mm_loadu_si128((const __m128i *)core->row[row + 4]), 1);
}

LANES_INLINE __m256i tf32_of(__m256i x) { // the lower 13 bits are ignored
    return _mm256_and_si256(x, _mm256_set1_epi32(~0x1fff));
}

// Codes of 16 bits for the exponents of tf32.
LANES_INLINE __m256i upper_halves(__m256i x, __m256i y) {
    const __m256i low = _mm256_set1_epi32(0xe000);
    x = _mm256_or_si256(x, _mm256_slli_epi32(_mm256_and_si256(x, low), 3));
    y = _mm256_or_si256(y, _mm256_slli_epi32(_mm256_and_si256(y, low), 3));
    return _mm256_packus_epi32(_mm256_srli_epi32(x, 16), _mm256_srli_epi32(y, 16));
}

// The greatest exponent among the elements.
static int greatest_exponent(const matrix_core *const *cores, int count, tile_type type) {
    const __m256i sizes = _mm256_set1_epi16(0x7fff);
    __m256i most = _mm256_setzero_si256();
    for (int i = 0; i < count; i++)
        for (int row = 0; row < 8; row += 2) {
            __m256i codes = two_rows(cores[i], row);
            if (type == TILE_TF32) codes = _mm256_srli_epi32(codes, 16);
            most = _mm256_max_epu16(most, _mm256_and_si256(codes, sizes));
        }
    __m128i half = _mm_max_epu16(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    int least = _mm_cvtsi128_si32(_mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi16(-1)))) & 0xffff;
    return (0xffff - least) >> fraction_bits(type);
}

// The rows of a core matrix that have infinities or NaN.
static unsigned special_rows(const matrix_core *core, tile_type type) {
    unsigned rows = 0, bytes = type == TILE_TF32 ? 4 : 2;
    for (unsigned row = 0; row < 8; row++)
        for (unsigned at = bytes - 2; at < 16; at += bytes) {
            uint16_t code;
            memcpy(&code, &core->row[row][at], sizeof code);
            if ((code & 0x7fff) >> fraction_bits(type) == exponent_ones(type)) rows |= 1u << row;
        }
    return rows;
}

// The exponent that distances are counted from: the format's greatest, or that of the greatest element.
LANES_INLINE int top_of(int exponent, tile_type type) {
    int most = exponent_ones(type) - 1;
    if (type == TILE_F16 || exponent > most) return most;
    return exponent ? exponent : 1;
}

LANES_INLINE __m256i distances(__m256i codes, int top, tile_type type) {
    __m256i size = _mm256_and_si256(codes, _mm256_set1_epi16(0x7fff));
    __m256i field = _mm256_max_epi16(_mm256_srli_epi16(size, fraction_bits(type)), _mm256_set1_epi16(1));
    __m256i below =
        _mm256_min_epi16(_mm256_sub_epi16(_mm256_set1_epi16((short)top), field), _mm256_set1_epi16(SMALL));
    __m256i zero = _mm256_cmpeq_epi16(size, _mm256_setzero_si256());
    return _mm256_or_si256(below, _mm256_and_si256(zero, _mm256_set1_epi16(NOTHING)));
}

// Values are as they are, or times 2^(1 - top) for exponents of 8 bits.
LANES_INLINE float scale_of(int top) { return f32_of_bits((uint32_t)(255 - top) << 23); }

// ---- rows of A ---------------------------------------------------------------------------------------------

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

LANES_INLINE void put_values(float (*to)[TILE_LANES], floats four) {
    store(to[0], REPEAT(four, 0));
    store(to[1], REPEAT(four, 1));
    store(to[2], REPEAT(four, 2));
    store(to[3], REPEAT(four, 3));
}

// A block of 8 rows, 16 bytes of each along k.
LANES_INLINE void unpack_values(float *to, const matrix_core *core, float scale, tile_type type) {
    typedef float line[TILE_LANES];
#pragma GCC unroll 4
    for (int row = 0; row < 8; row += LANES / 4) {
        floats low, high;
        line *at = (line *)(to + 4 * row);
        if (type == TILE_TF32) {
            put_values(at, times(as_floats(keep_bits(load(core->row[row]), ~0x1fff)), all_floats(scale)));
            continue;
        }
        widen_rows(core->row[row], scale, type == TILE_BF16, &low, &high);
        put_values(at, low);
        put_values(at + 4, high);
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

// Of rows `row` and row + 4, in bytes: 16 elements along k, or 8 of them twice.
LANES_INLINE __m256i row_distances(const matrix_core *const core[2], int pieces, int row, int top,
                                   tile_type type) {
    __m256i first = rows_apart(core[0], row), second = first;
    if (pieces > 1) second = rows_apart(core[1], row);
    if (type == TILE_TF32) first = second = upper_halves(first, second);
    first = distances(first, top, type);
    return _mm256_packus_epi16(first, pieces > 1 && type != TILE_TF32 ? distances(second, top, type) : first);
}

LANES_INLINE void unpack_rows(tile_type type, int pieces, matrix_rows *rows) {
    const int per_piece = type == TILE_TF32 ? 4 : 8;
    float scale = scale_of(rows->top);
    for (int block = 0; block < 2; block++) {
        __m256i below[4];
        for (int p = 0; p < pieces; p++)
            unpack_values(&rows->value[per_piece * p][32 * block], rows->core[block][p], scale, type);
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++)
            below[row] = row_distances(rows->core[block], pieces, row, rows->top, type);
        put_distances(rows, block, below);
    }
}

void SIM_NAME(sim_unpack_rows)(const matrix_product *product, const matrix_core *const core[2][2],
                               matrix_rows *rows) {
    tile_type type = type_of(product);
    int pieces = product->k / (type == TILE_TF32 ? 4 : 8);
    const matrix_core *every[4] = {NULL};
    for (int i = 0; i < 2 * pieces; i++)
        every[i] = rows->core[i / pieces][i % pieces] = core[i / pieces][i % pieces];
    int exponent = greatest_exponent(every, 2 * pieces, type);
    rows->special = 0;
    for (int i = 0; exponent == exponent_ones(type) && i < 2 * pieces; i++)
        rows->special |= (uint16_t)(special_rows(every[i], type) << 8 * (i / pieces));
    rows->top = top_of(exponent, type);
    switch (type) {
    case TILE_F16: unpack_rows(TILE_F16, pieces, rows); break;
    case TILE_BF16: unpack_rows(TILE_BF16, pieces, rows); break;
    case TILE_TF32: unpack_rows(TILE_TF32, pieces, rows); break;
    }
}

// ---- columns of B ------------------------------------------------------------------------------------------

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

// One k of all 8 columns in each result.
LANES_INLINE void transpose_words(const matrix_core *core, __m256i one[4]) {
    __m256i rows0 = tf32_of(two_rows(core, 0)), rows1 = tf32_of(two_rows(core, 2)),
            rows2 = tf32_of(two_rows(core, 4)), rows3 = tf32_of(two_rows(core, 6));
    __m256i low01 = _mm256_unpacklo_epi32(rows0, rows1), high01 = _mm256_unpackhi_epi32(rows0, rows1);
    __m256i low23 = _mm256_unpacklo_epi32(rows2, rows3), high23 = _mm256_unpackhi_epi32(rows2, rows3);
    one[0] = _mm256_unpacklo_epi64(low01, low23);
    one[1] = _mm256_unpackhi_epi64(low01, low23);
    one[2] = _mm256_unpacklo_epi64(high01, high23);
    one[3] = _mm256_unpackhi_epi64(high01, high23);
}

// Four k: each operand has the even and the odd columns of two, in its halves.
LANES_INLINE void put_column_distances(uint8_t (*to)[8], __m256i two, __m256i next, int top, tile_type type) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i below = _mm256_packus_epi16(distances(two, top, type), distances(next, top, type));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(below, order));
}

LANES_INLINE void unpack_words(matrix_columns *columns, int p, __m256 scale) {
    __m256i one[4];
    transpose_words(columns->core[p], one);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        _mm256_storeu_ps(columns->value[4 * p + i], _mm256_mul_ps(_mm256_castsi256_ps(one[i]), scale));
    put_column_distances(&columns->distance[4 * p], upper_halves(one[0], one[1]),
                         upper_halves(one[2], one[3]), columns->top, TILE_TF32);
}

LANES_INLINE void unpack_halves(matrix_columns *columns, int p, __m256 scale, tile_type type) {
    __m256i two[4];
    transpose(columns->core[p], two);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m256 first, second;
        widen_codes(two[i], scale, type == TILE_BF16, &first, &second);
        _mm256_storeu_ps(columns->value[8 * p + 2 * i], first);
        _mm256_storeu_ps(columns->value[8 * p + 2 * i + 1], second);
    }
    put_column_distances(&columns->distance[8 * p], two[0], two[1], columns->top, type);
    put_column_distances(&columns->distance[8 * p + 4], two[2], two[3], columns->top, type);
}

LANES_INLINE void unpack_columns(tile_type type, int pieces, matrix_columns *columns) {
    __m256 scale = _mm256_set1_ps(scale_of(columns->top));
    for (int p = 0; p < pieces; p++)
        if (type == TILE_TF32)
            unpack_words(columns, p, scale);
        else
            unpack_halves(columns, p, scale, type);
}

void SIM_NAME(sim_unpack_columns)(const matrix_product *product, const matrix_core *const core[2],
                                  matrix_columns *columns) {
    tile_type type = type_of(product);
    int pieces = product->k / (type == TILE_TF32 ? 4 : 8), exponent = greatest_exponent(core, pieces, type);
    columns->special = 0;
    for (int i = 0; i < pieces; i++) {
        columns->core[i] = core[i];
        if (exponent == exponent_ones(type)) columns->special |= (uint8_t)special_rows(core[i], type);
    }
    columns->top = top_of(exponent, type);
    switch (type) {
    case TILE_F16: unpack_columns(TILE_F16, pieces, columns); break;
    case TILE_BF16: unpack_columns(TILE_BF16, pieces, columns); break;
    case TILE_TF32: unpack_columns(TILE_TF32, pieces, columns); break;
    }
}

#endif
