// One element of any type as a double, and what the type's rounding does to a value.
#include <float.h>
#include <math.h>

#include "base/base.h"
#include "kz/family.h"

double kz_element_get(kz_type type, const void *data, uint64_t index) {
    switch (type) {
    case KZ_F32: return ((const float *)data)[index];
    case KZ_F16: return base_f16_to_f32(((const uint16_t *)data)[index]);
    case KZ_BF16: return base_bf16_to_f32(((const uint16_t *)data)[index]);
    case KZ_F64: return ((const double *)data)[index];
    case KZ_I32: return ((const int32_t *)data)[index];
    case KZ_U8: return ((const uint8_t *)data)[index];
    case KZ_U32: return ((const uint32_t *)data)[index];
    case KZ_I64: return (double)((const int64_t *)data)[index];
    case KZ_U16: return ((const uint16_t *)data)[index];
    case KZ_TYPE_COUNT: break;
    }
    return NAN;
}

void kz_element_set(kz_type type, void *data, uint64_t index, double value) {
    switch (type) {
    case KZ_F32: ((float *)data)[index] = (float)value; break;
    case KZ_F16: ((uint16_t *)data)[index] = base_f64_to_f16(value); break;
    case KZ_BF16: ((uint16_t *)data)[index] = base_f64_to_bf16(value); break;
    case KZ_F64: ((double *)data)[index] = value; break;
    case KZ_I32: ((int32_t *)data)[index] = (int32_t)value; break;
    case KZ_U8: ((uint8_t *)data)[index] = (uint8_t)value; break;
    case KZ_U32: ((uint32_t *)data)[index] = (uint32_t)value; break;
    case KZ_I64: ((int64_t *)data)[index] = (int64_t)value; break;
    case KZ_U16: ((uint16_t *)data)[index] = (uint16_t)value; break;
    case KZ_TYPE_COUNT: break;
    }
}

// digits: of the significand, the hidden one included; lowest: exponent of the smallest denormal;
// highest: exponent just above the largest finite number.
typedef struct format {
    int digits, lowest, highest;
} format;

static const format formats[KZ_TYPE_COUNT] = {[KZ_F32] = {24, -149, 128},
                                              [KZ_F16] = {11, -24, 16},
                                              [KZ_BF16] = {8, -133, 128},
                                              [KZ_F64] = {53, -1074, 1024}};

double kz_unit_roundoff(kz_type type) {
    return formats[type].digits ? ldexp(1.0, -formats[type].digits) : 0.0;
}

double kz_half_ulp(kz_type type, double value) {
    const format *f = &formats[type];
    if (f->digits == 0 || value == 0.0 || !isfinite(value)) return 0.0;
    int exponent; // value = m * 2^exponent, m in [0.5, 1)
    frexp(value, &exponent);
    int ulp = exponent - f->digits > f->lowest ? exponent - f->digits : f->lowest;
    return ldexp(0.5, ulp);
}

double kz_saturate(kz_type type, double value) {
    const format *f = &formats[type];
    if (f->digits == 0 || f->digits == DBL_MANT_DIG) return value;
    // The largest finite number and half an ulp: from here on the rounding gives infinity.
    double limit = ldexp(2.0 - ldexp(1.0, -f->digits), f->highest - 1);
    return value >= limit ? INFINITY : value <= -limit ? -INFINITY : value;
}
