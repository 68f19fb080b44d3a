// sgemm: 12 x 32 elements of c in vector registers, for 18 and 19; chosen at run time, plain C beside.
//
// AVX-512 has 32 registers of 16 floats: 24 hold the tile, 2 a row of b's panel, and a's numbers are
// broadcast from memory: 2 loads and 12 broadcasts for 24 multiply-adds. AVX2 has 16 of 8: the tile is done
// as four of 6 x 16, 12 registers each. Plain C goes by 4 x 8, which compilers keep in registers of any
// width.
#include <string.h>

#include "private.h"

enum { MR = PANEL_ROWS, NR = PANEL_COLUMNS };

static void multiply_plain(const float *a, const float *b, uint64_t depth, float *c, uint64_t n, bool first) {
    enum { ROWS = 4, COLUMNS = 8 };
    for (int i = 0; i < MR; i += ROWS)
        for (int j = 0; j < NR; j += COLUMNS) {
            float sums[ROWS][COLUMNS] = {{0.0f}};
            for (uint64_t x = 0; x < depth; x++)
                for (int r = 0; r < ROWS; r++)
                    for (int s = 0; s < COLUMNS; s++) sums[r][s] += a[x * MR + i + r] * b[x * NR + j + s];
            for (int r = 0; r < ROWS; r++)
                for (int s = 0; s < COLUMNS; s++) {
                    float *to = c + (i + r) * n + j + s;
                    *to = first ? sums[r][s] : *to + sums[r][s];
                }
        }
}

#ifdef __x86_64__
#include <immintrin.h>

#define EACH_OF_6(DO)  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define EACH_OF_12(DO) EACH_OF_6(DO) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

// The rows are written out: an array of registers is a thing only some compilers see through.
__attribute__((target("avx512f"))) static void multiply_avx512(const float *a, const float *b, uint64_t depth,
                                                               float *c, uint64_t n, bool first) {
#define ROW(r) __m512 low##r = _mm512_setzero_ps(), high##r = _mm512_setzero_ps();
    EACH_OF_12(ROW)
#undef ROW
    for (uint64_t x = 0; x < depth; x++, a += MR, b += NR) {
        __m512 left, right0 = _mm512_loadu_ps(b), right1 = _mm512_loadu_ps(b + 16);
#define ROW(r)                                                                                               \
    left = _mm512_set1_ps(a[r]);                                                                             \
    low##r = _mm512_fmadd_ps(left, right0, low##r);                                                          \
    high##r = _mm512_fmadd_ps(left, right1, high##r);
        EACH_OF_12(ROW)
#undef ROW
    }
#define ROW(r)                                                                                               \
    if (!first) {                                                                                            \
        low##r = _mm512_add_ps(low##r, _mm512_loadu_ps(c + r * n));                                          \
        high##r = _mm512_add_ps(high##r, _mm512_loadu_ps(c + r * n + 16));                                   \
    }                                                                                                        \
    _mm512_storeu_ps(c + r * n, low##r);                                                                     \
    _mm512_storeu_ps(c + r * n + 16, high##r);
    EACH_OF_12(ROW)
#undef ROW
}

__attribute__((target("avx2,fma"))) static void
multiply_6_by_16(const float *a, const float *b, uint64_t depth, float *c, uint64_t n, bool first) {
#define ROW(r) __m256 low##r = _mm256_setzero_ps(), high##r = _mm256_setzero_ps();
    EACH_OF_6(ROW)
#undef ROW
    for (uint64_t x = 0; x < depth; x++, a += MR, b += NR) {
        __m256 left, right0 = _mm256_loadu_ps(b), right1 = _mm256_loadu_ps(b + 8);
#define ROW(r)                                                                                               \
    left = _mm256_broadcast_ss(a + r);                                                                       \
    low##r = _mm256_fmadd_ps(left, right0, low##r);                                                          \
    high##r = _mm256_fmadd_ps(left, right1, high##r);
        EACH_OF_6(ROW)
#undef ROW
    }
#define ROW(r)                                                                                               \
    if (!first) {                                                                                            \
        low##r = _mm256_add_ps(low##r, _mm256_loadu_ps(c + r * n));                                          \
        high##r = _mm256_add_ps(high##r, _mm256_loadu_ps(c + r * n + 8));                                    \
    }                                                                                                        \
    _mm256_storeu_ps(c + r * n, low##r);                                                                     \
    _mm256_storeu_ps(c + r * n + 8, high##r);
    EACH_OF_6(ROW)
#undef ROW
}

static void multiply_avx2(const float *a, const float *b, uint64_t depth, float *c, uint64_t n, bool first) {
    for (int j = 0; j < NR; j += 16)
        for (int i = 0; i < MR; i += 6) multiply_6_by_16(a + i, b + j, depth, c + i * n + j, n, first);
}
#endif

size_t sgemm_list_panels(sgemm_panel_entry entries[4]) {
    size_t count = 0;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) entries[count++] = (sgemm_panel_entry){"avx512", multiply_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        entries[count++] = (sgemm_panel_entry){"avx2", multiply_avx2};
#endif
    entries[count++] = (sgemm_panel_entry){"plain C", multiply_plain};
    entries[count] = (sgemm_panel_entry){0};
    return count;
}

sgemm_panel sgemm_choose_panel(void) {
    sgemm_panel_entry entries[4];
    sgemm_list_panels(entries);
    return entries[0].multiply;
}
