// gemv: the formats of W on the host: reading a row, and packing one. gemv.h has the formats.
#include <math.h>

#include "gemm/fp8.h"
#include "private.h"

enum { CODES = 32, WORDS = 3 }; // of INT3: elements that are packed together, into so many words

size_t kz_gemv_bytes(kz_gemv_format format, size_t n, size_t k) {
    switch (format) {
    case KZ_GEMV_DENSE: return 2 * n * k;
    case KZ_GEMV_INT8:
    case KZ_GEMV_FP8: return n * k;
    case KZ_GEMV_INT4: return n * (k / 2);
    case KZ_GEMV_INT3: return n * (k / CODES * 4 * WORDS);
    }
    return 0;
}

// ---- values and codes --------------------------------------------------------------------------------

static unsigned int3_code(const uint8_t *words, unsigned element) {
    unsigned pair = element / 2, high = 16 * (element % 2), code = 0;
    for (unsigned bit = 0; bit < 3; bit++) {
        unsigned word = pair == 15 ? bit : pair / 5, at = high + (pair == 15 ? 15 : 3 * (pair % 5) + bit);
        code |= (unsigned)(words[4 * word + at / 8] >> at % 8 & 1) << bit;
    }
    return code;
}

static void set_int3_code(uint8_t *words, unsigned element, unsigned code) {
    unsigned pair = element / 2, high = 16 * (element % 2);
    for (unsigned bit = 0; bit < 3; bit++) {
        unsigned word = pair == 15 ? bit : pair / 5, at = high + (pair == 15 ? 15 : 3 * (pair % 5) + bit);
        uint8_t *byte = &words[4 * word + at / 8];
        *byte = (uint8_t)((*byte & ~(1u << at % 8)) | (code >> bit & 1) << at % 8);
    }
}

// ---- reading -------------------------------------------------------------------------------------------

static double value_at(kz_gemv_format format, const uint8_t *row, uint64_t i) {
    switch (format) {
    case KZ_GEMV_INT8: return (int8_t)row[i];
    case KZ_GEMV_FP8: return gemm_fp8_value(GEMM_E4M3, row[i]);
    case KZ_GEMV_INT4: return (row[i / 2] >> 4 * (i % 2) & 15) - 8;
    default: return (int)int3_code(row + i / CODES * 4 * WORDS, (unsigned)(i % CODES)) - 4;
    }
}

void gemv_read_row(const gemv_matrix *matrix, uint64_t row, double *to) {
    uint64_t k = matrix->k, groups = k / KZ_GEMV_GROUP;
    if (matrix->format == KZ_GEMV_DENSE) {
        for (uint64_t i = 0; i < k; i++) to[i] = kz_element_get(matrix->type, matrix->w, row * k + i);
        return;
    }
    const uint8_t *bytes = (const uint8_t *)matrix->w + row * kz_gemv_bytes(matrix->format, 1, k);
    for (uint64_t g = 0; g < groups; g++) {
        double scale = kz_element_get(matrix->type, matrix->scale, row * groups + g);
        for (uint64_t i = g * KZ_GEMV_GROUP; i < (g + 1) * KZ_GEMV_GROUP; i++)
            to[i] = scale * value_at(matrix->format, bytes, i);
    }
}

// ---- packing -------------------------------------------------------------------------------------------

static double largest_value(kz_gemv_format format) {
    switch (format) {
    case KZ_GEMV_INT8: return 127;
    case KZ_GEMV_FP8: return gemm_fp8_largest(GEMM_E4M3);
    case KZ_GEMV_INT4: return 7;
    default: return 3;
    }
}

static void set_value(kz_gemv_format format, uint8_t *row, uint64_t i, double value) {
    double most = largest_value(format), nearest = fmin(fmax(nearbyint(value), -most - 1), most);
    switch (format) {
    case KZ_GEMV_INT8: row[i] = (uint8_t)(int8_t)nearest; break;
    case KZ_GEMV_FP8: row[i] = gemm_fp8_code(GEMM_E4M3, value); break;
    case KZ_GEMV_INT4:
        row[i / 2] = (uint8_t)((row[i / 2] & (i % 2 ? 0x0f : 0xf0)) | (unsigned)(nearest + 8) << 4 * (i % 2));
        break;
    default:
        set_int3_code(row + i / CODES * 4 * WORDS, (unsigned)(i % CODES), (unsigned)(nearest + 4));
        break;
    }
}

static bool pack_group(kz_gemv_format format, kz_type type, const float *from, uint8_t *row, uint64_t first,
                       void *scale, uint64_t scale_index) {
    double most = 0;
    for (uint64_t i = first; i < first + KZ_GEMV_GROUP; i++) {
        if (!isfinite(from[i])) return false;
        most = fmax(most, fabs(from[i]));
    }
    kz_element_set(type, scale, scale_index, most / largest_value(format));
    double rounded = kz_element_get(type, scale, scale_index);
    if (!isfinite(rounded)) return false;
    for (uint64_t i = first; i < first + KZ_GEMV_GROUP; i++)
        set_value(format, row, i, rounded > 0 ? from[i] / rounded : 0.0);
    return true;
}

static kz_status refuse_packing(kz_gemv_format format, kz_type type, size_t k, bool whole, kz_error *error) {
    if (!whole)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemv_pack: the weights, the place for W or that for its scales is NULL\n"
                       "Pass the addresses of host memory; DENSE alone has no scales.");
    if (format < KZ_GEMV_DENSE || format > KZ_GEMV_INT3)
        return kz_fail(error, KZ_INVALID, "kz_gemv_pack: there is no format %d\nkz/ops/gemv.h lists them",
                       (int)format);
    if (type != KZ_F16 && type != KZ_BF16)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemv_pack: scales are f16 or bf16, as x is\nPass KZ_F16 or KZ_BF16.");
    if (format != KZ_GEMV_DENSE && k % KZ_GEMV_GROUP != 0)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemv_pack: k is %zu, no multiple of the group of %d\nPad each row with zeros.", k,
                       KZ_GEMV_GROUP);
    return KZ_OK;
}

kz_status kz_gemv_pack(kz_gemv_format format, kz_type type, size_t n, size_t k, const float *from, void *w,
                       void *scale, kz_error *error) {
    bool whole = from && w && (scale || format == KZ_GEMV_DENSE);
    kz_status status = refuse_packing(format, type, k, whole, error);
    if (status != KZ_OK) return status;
    if (format == KZ_GEMV_DENSE) {
        for (size_t i = 0; i < n * k; i++) kz_element_set(type, w, i, from[i]);
        return KZ_OK;
    }
    for (size_t row = 0; row < n; row++)
        for (size_t g = 0; g < k / KZ_GEMV_GROUP; g++) {
            uint8_t *bytes = (uint8_t *)w + row * kz_gemv_bytes(format, 1, k);
            if (!pack_group(format, type, from + row * k, bytes, g * KZ_GEMV_GROUP, scale,
                            row * (k / KZ_GEMV_GROUP) + g))
                return kz_fail(
                    error, KZ_INVALID,
                    "kz_gemv_pack: row %zu, group %zu has a number that is not finite, or too large for "
                    "the type\nPack finite weights, or take bf16.",
                    row, g);
        }
    return KZ_OK;
}
