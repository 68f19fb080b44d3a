// gemm_types: the formats, their elements and scales on the host, and the numbers that cases are made of.
#include <math.h>

#include "gemm/fp8.h"
#include "private.h"

const gemm_types_format gemm_types_formats[] = {
    [KZ_GEMM_TF32] = {"tf32", GEMM_TF32, KZ_F32, KZ_F32, SCALES_NONE, false, 1},
    [KZ_GEMM_TF32X3] = {"tf32x3", GEMM_TF32, KZ_F32, KZ_F32, SCALES_NONE, false, 3},
    [KZ_GEMM_INT8] = {"int8", GEMM_INT8, KZ_U8, KZ_I32, SCALES_NONE, false, 1},
    [KZ_GEMM_E4M3] = {"e4m3", GEMM_8_E4M3, KZ_U8, KZ_BF16, SCALES_TENSOR, false, 1},
    [KZ_GEMM_E5M2] = {"e5m2", GEMM_8_E5M2, KZ_U8, KZ_BF16, SCALES_TENSOR, false, 1},
    [KZ_GEMM_E4M3_PROMOTED] = {"e4m3_promoted", GEMM_8_E4M3, KZ_U8, KZ_BF16, SCALES_TENSOR, true, 1},
    [KZ_GEMM_E4M3_FINE] = {"e4m3_fine", GEMM_8_E4M3, KZ_U8, KZ_BF16, SCALES_BLOCK, true, 1},
    [KZ_GEMM_F64] = {"f64", GEMM_F64, KZ_F64, KZ_F64, SCALES_NONE, false, 1},
};

static gemm_fp8 fp8_of(gemm_element element) { return element == GEMM_8_E4M3 ? GEMM_E4M3 : GEMM_E5M2; }

double gemm_types_get(gemm_element element, const void *data, uint64_t index) {
    switch (element) {
    case GEMM_TF32: return ((const float *)data)[index];
    case GEMM_INT8: return ((const int8_t *)data)[index];
    case GEMM_F64: return ((const double *)data)[index];
    default: return gemm_fp8_value(fp8_of(element), ((const uint8_t *)data)[index]);
    }
}

// ---- scales ----------------------------------------------------------------------------------------------

static uint64_t blocks_along(uint64_t count) { return kz_ceil_div(count, KZ_GEMM_TYPES_BLOCK); }

uint64_t gemm_types_scale_count(const kz_case *c, int which) {
    int scales = gemm_types_format_of(c)->scales;
    uint64_t blocks = blocks_along(gemm_types_axis(c, K));
    if (scales != SCALES_BLOCK) return scales == SCALES_TENSOR ? 1 : 0;
    return which == SCALE_A ? blocks * gemm_types_axis(c, M) : blocks * blocks_along(gemm_types_axis(c, N));
}

double gemm_types_scale(const kz_case *c, int which, const float *scales, uint64_t row, uint64_t x) {
    int kind = gemm_types_format_of(c)->scales;
    uint64_t block = x / KZ_GEMM_TYPES_BLOCK;
    if (kind != SCALES_BLOCK) return kind == SCALES_TENSOR ? scales[0] : 1.0;
    return which == SCALE_A ? scales[block * gemm_types_axis(c, M) + row]
                            : scales[row / KZ_GEMM_TYPES_BLOCK * blocks_along(gemm_types_axis(c, K)) + block];
}

// ---- inputs -----------------------------------------------------------------------------------------------

static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; } // [0, 1)

// A number for the format's whole range, as a quantised tensor has them.
static double draw_value(const kz_case *c, gemm_fp8 format, uint64_t bits, bool special) {
    double largest = gemm_fp8_largest(format), sign = bits & 1 ? -1.0 : 1.0;
    if (special) return c->data == KZ_DATA_NAN ? (double)NAN : sign * (double)INFINITY;
    switch (c->data) {
    case KZ_DATA_ZEROS: return 0.0;
    case KZ_DATA_ONES: return 1.0;
    case KZ_DATA_POSITIVE:
    case KZ_DATA_EQUAL: return largest * (0.5 + unit(bits) / 2);
    case KZ_DATA_LARGE: return sign * largest * (0.5 + unit(bits) / 2);
    default: return largest * (2 * unit(bits) - 1);
    }
}

static uint8_t draw_code(const kz_case *c, size_t which, uint64_t seed, uint64_t index) {
    gemm_element element = gemm_types_format_of(c)->element;
    uint64_t bits = kz_draw(seed, (uint32_t)which, c->data == KZ_DATA_EQUAL ? 0 : index);
    if (element == GEMM_INT8)
        return c->data == KZ_DATA_ZEROS   ? 0
               : c->data == KZ_DATA_ONES  ? 1
               : c->data == KZ_DATA_LARGE ? 0x80 // the product of two is the largest
                                          : (uint8_t)bits;
    bool special = (c->data == KZ_DATA_NAN || c->data == KZ_DATA_INF) &&
                   kz_draw(seed, (uint32_t)which + BUFFERS, index) % 64 == 0;
    if (c->data == KZ_DATA_DENORMAL)
        return (uint8_t)((bits & 0x80) | (1 + bits % (element == GEMM_8_E4M3 ? 7 : 3)));
    return gemm_fp8_code(fp8_of(element), draw_value(c, fp8_of(element), bits, special));
}

// Factors that bring values to about 1.
static float draw_scale(const kz_case *c, size_t which, uint64_t seed, uint64_t index) {
    double largest = gemm_fp8_largest(fp8_of(gemm_types_format_of(c)->element));
    uint64_t bits = kz_draw(seed, (uint32_t)which, c->data == KZ_DATA_EQUAL ? 0 : index);
    return (float)((0.5 + unit(bits)) / largest);
}

bool gemm_types_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                     void *host) {
    if (which < SCALE_A && gemm_types_format_of(c)->in != KZ_U8) return false;
    for (uint64_t i = 0; i < count; i++) {
        if (which >= SCALE_A)
            ((float *)host)[i] = draw_scale(c, which, seed, first + i);
        else
            ((uint8_t *)host)[i] = draw_code(c, which, seed, first + i);
    }
    return true;
}
