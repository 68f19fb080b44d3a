// Integer products of tiles, which are exact, and those of single bits, which are counted.
//
// Elements become 16 bits. With AVX2, neighbours along k are a pair, which one instruction multiplies and adds. A sparse
// product chooses the elements of its B one by one, so that they are kept apart.
#include "sim/exec_matrix.h"

#ifdef __AVX2__

// Rows of 8 pairs become 8 rows of a pair of each.
LANES_INLINE void transpose_pairs(__m256i row[8]) {
    __m256i two[8], four[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 2) {
        two[i] = _mm256_unpacklo_epi32(row[i], row[i + 1]);
        two[i + 1] = _mm256_unpackhi_epi32(row[i], row[i + 1]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 4)
#pragma GCC unroll 8
        for (int j = 0; j < 2; j++) {
            four[i + 2 * j] = _mm256_unpacklo_epi64(two[i + j], two[i + j + 2]);
            four[i + 2 * j + 1] = _mm256_unpackhi_epi64(two[i + j], two[i + j + 2]);
        }
#pragma GCC unroll 8
    for (int i = 0; i < 4; i++) {
        row[i] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x20);
        row[i + 4] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x31);
    }
}

// 8 pairs of a row.
LANES_INLINE __m256i widen(const uint8_t *bytes, ptx_type type) {
    if (type == PTX_S8) return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes));
    if (type == PTX_U8) return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)bytes));
    __m256i byte = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes));
    __m256i low = _mm256_slli_epi32(byte, 12), high = _mm256_slli_epi32(_mm256_srli_epi32(byte, 4), 28);
    __m256i upper = _mm256_blend_epi16(low, high, 0xaa); // each in the upper 4 of its 16 bits
    return type == PTX_S4 ? _mm256_srai_epi16(upper, 12) : _mm256_srli_epi16(upper, 12);
}

LANES_INLINE void unpack_pairs(const matrix_core *core, int byte, ptx_type type, bool apart, int first,
                               matrix_side *side) {
    const __m256i even_then_odd = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1,
                                                   4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    __m256i row[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) row[i] = widen(core->row[i] + byte, type);
    transpose_pairs(row);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m256i pairs = row[i];
        if (apart) pairs = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(pairs, even_then_odd), 0xd8);
        _mm256_store_si256((__m256i *)side->pair[first + i], pairs); // apart: two rows of `whole`
    }
}

static void unpack(const matrix_core *core, ptx_type type, bool apart, int chunk, matrix_side *side) {
    switch (type) {
    case PTX_S8: unpack_pairs(core, 0, PTX_S8, apart, 8 * chunk, side); break;
    case PTX_U8: unpack_pairs(core, 0, PTX_U8, apart, 8 * chunk, side); break;
    default:
        for (int half = 0; half < 2; half++)
            unpack_pairs(core, 8 * half, type, apart, 16 * chunk + 8 * half, side);
    }
}

LANES_INLINE __m256i pairs_of(const matrix_side *b, int pair, const uint8_t *at) {
    if (!at) return _mm256_load_si256((const __m256i *)b->pair[pair]);
    __m128i first = _mm_load_si128((const __m128i *)b->whole[at[2 * pair]]);
    __m128i second = _mm_load_si128((const __m128i *)b->whole[at[2 * pair + 1]]);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi16(first, second)),
                                   _mm_unpackhi_epi16(first, second), 1);
}

// The accumulators of a row, with the sum of its products.
LANES_INLINE void add_row(__m256i sum, bool saturate, uint32_t row[8]) {
    __m256i old = _mm256_loadu_si256((const __m256i *)row), new = _mm256_add_epi32(old, sum);
    if (saturate) {
        __m256i over = _mm256_and_si256(_mm256_xor_si256(new, old), _mm256_xor_si256(new, sum));
        __m256i limit = _mm256_xor_si256(_mm256_srai_epi32(old, 31), _mm256_set1_epi32(INT32_MAX));
        new = _mm256_blendv_epi8(new, limit, _mm256_srai_epi32(over, 31));
    }
    _mm256_storeu_si256((__m256i *)row, new);
}

// Four rows at once: B is loaded once for them.
LANES_INLINE void multiply(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                           const matrix_select *select, uint32_t sum[8][8]) {
    int pairs = matrix_terms(product) / 2;
    for (int i = 0; i < 8; i += 4) {
        __m256i total[4];
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) total[r] = _mm256_setzero_si256();
        for (int t = 0; t < pairs; t++) {
#pragma GCC unroll 4
            for (int r = 0; r < 4; r++) {
                int32_t pair;
                memcpy(&pair, a->pair[t][i + r], sizeof pair);
                __m256i others = pairs_of(b, t, select ? select->at[i + r] : NULL);
                total[r] = _mm256_add_epi32(total[r], _mm256_madd_epi16(_mm256_set1_epi32(pair), others));
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) add_row(total[r], product->saturate, sum[i + r]);
    }
}

#else

static uint32_t add_saturated(uint32_t accumulator, int32_t sum, bool saturate) {
    int64_t exact = (int64_t)(int32_t)accumulator + sum;
    if (saturate && exact > INT32_MAX) exact = INT32_MAX;
    if (saturate && exact < INT32_MIN) exact = INT32_MIN;
    return (uint32_t)(uint64_t)exact;
}

static int element_of(ptx_type type, const uint8_t *row, int k) {
    int nibble = row[k / 2] >> 4 * (k % 2) & 15;
    switch (type) {
    case PTX_S8: return (int8_t)row[k];
    case PTX_U8: return row[k];
    case PTX_S4: return (nibble ^ 8) - 8;
    default: return nibble;
    }
}

// Without pairs: a loop over the columns is then one that a compiler makes vectors of.
static void unpack(const matrix_core *core, ptx_type type, bool apart, int chunk, matrix_side *side) {
    int count = 128 / (int)ptx_type_bits(type);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 8; i++)
            side->whole[chunk * count + k][i] = (int16_t)element_of(type, core->row[i], k);
}

LANES_INLINE void multiply(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                           const matrix_select *select, uint32_t sum[8][8]) {
    int terms = matrix_terms(product);
    for (int i = 0; i < 8; i++) {
        int32_t total[8] = {0};
        for (int t = 0; t < terms; t++) {
            const int16_t *row = b->whole[select ? select->at[i][t] : t], factor = a->whole[t][i];
            for (int j = 0; j < 8; j++) total[j] += factor * row[j];
        }
        for (int j = 0; j < 8; j++) sum[i][j] = add_saturated(sum[i][j], total[j], product->saturate);
    }
}

#endif

static void unpack_bits(const matrix_core *core, int chunk, matrix_side *side) {
    for (int word = 0; word < 4; word++)
        for (int i = 0; i < 8; i++) memcpy(&side->bits[4 * chunk + word][i], core->row[i] + 4 * word, 4);
}

static void multiply_bits(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                          uint32_t sum[8][8]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            for (int word = 0; word < product->k / 32; word++) {
                uint32_t x = a->bits[word][i], y = b->bits[word][j];
                uint32_t joined = product->bits == MATRIX_XOR_POPC ? x ^ y : x & y;
                sum[i][j] += (uint32_t)__builtin_popcount(joined);
            }
}

void SIM_NAME(sim_unpack_integers)(const matrix_product *product, bool is_b, const matrix_core *const *chunks,
                                   matrix_side *side) {
    ptx_type type = is_b ? product->b : product->a;
    int count = is_b ? product->k : matrix_terms(product), per_chunk = 128 / (int)ptx_type_bits(type);
    for (int chunk = 0; chunk * per_chunk < count; chunk++)
        if (type == PTX_B1)
            unpack_bits(chunks[chunk], chunk, side);
        else
            unpack(chunks[chunk], type, is_b && product->sparse, chunk, side);
}

void SIM_NAME(sim_multiply_integers)(const matrix_product *product, const matrix_side *a,
                                     const matrix_side *b, const matrix_select *select, uint32_t sum[8][8]) {
    if (product->a == PTX_B1)
        multiply_bits(product, a, b, sum);
    else if (product->sparse)
        multiply(product, a, b, select, sum);
    else
        multiply(product, a, b, NULL, sum);
}
