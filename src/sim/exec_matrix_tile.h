// Vectors of either width, for the products of tiles (exec_matrix_tile*.c).
#ifndef SIM_EXEC_MATRIX_TILE_H
#define SIM_EXEC_MATRIX_TILE_H

#include "sim/exec_matrix.h"

#ifdef __AVX2__

// Distances of exponents: an element's is SMALL at most, NOTHING for a zero; beyond FAR a sum is left to the exact path.
enum { SMALL = 127, NOTHING = 255, FAR = 99, TILE_LANES = 64, SUMS = 4 };

// Exponents of 8 bits: values are scaled, so that products stay within f32.
LANES_INLINE bool tile_is_wide(const matrix_product *product) { return product->a != PTX_F16; }

#ifdef __AVX512BW__

enum { LANES = 16 };
typedef __m512 floats;
typedef __m512i words;
typedef __mmask16 truths;
LANES_INLINE words all(int value) { return _mm512_set1_epi32(value); }
LANES_INLINE floats all_floats(float value) { return _mm512_set1_ps(value); }
LANES_INLINE words keep_bits(words x, int bits) { return _mm512_and_si512(x, all(bits)); }
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
LANES_INLINE floats all_floats(float value) { return _mm256_set1_ps(value); }
LANES_INLINE words keep_bits(words x, int bits) { return _mm256_and_si256(x, all(bits)); }
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

#endif

#endif
