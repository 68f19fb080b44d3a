// One element of any type as a double, and what the type's rounding does to a value.
#include <float.h>
#include <math.h>

#include "base/base.h"
#include "kz/family.h"

#define FROM_PLAIN(bits) (double)(bits)
#define FROM_F16(bits)   base_f16_to_f32(bits)
#define FROM_BF16(bits)  base_bf16_to_f32(bits)

double kz_element_get(kz_type type, const void *data, uint64_t index) {
    if (!data) return NAN;
    switch (type) {
#define KZ_TYPE(id, name, stored, form, ...)                                                                 \
    case KZ_##id:                                                                                            \
        return FROM_##form(((const stored *)data)[index]);
#include "kz/types.def"
#undef KZ_TYPE
    case KZ_TYPE_COUNT: break;
    }
    return NAN;
}

#define TO_PLAIN(value) (value)
#define TO_F16(value)   base_f64_to_f16(value)
#define TO_BF16(value)  base_f64_to_bf16(value)

void kz_element_set(kz_type type, void *data, uint64_t index, double value) {
    if (!data) return;
    switch (type) {
#define KZ_TYPE(id, name, stored, form, ...)                                                                 \
    case KZ_##id:                                                                                            \
        ((stored *)data)[index] = (stored)TO_##form(value);                                                  \
        break;
#include "kz/types.def"
#undef KZ_TYPE
    case KZ_TYPE_COUNT: break;
    }
}

double kz_unit_roundoff(kz_type type) { return base_type_of(type)->roundoff; }

double kz_half_ulp(kz_type type, double value) {
    const base_type *t = base_type_of(type);
    if (t->kind != BASE_FLOAT || value == 0.0 || !isfinite(value)) return 0.0;
    int exponent; // value = m * 2^exponent, m in [0.5, 1)
    frexp(value, &exponent);
    int ulp = exponent - t->digits > t->lowest ? exponent - t->digits : t->lowest;
    return ldexp(0.5, ulp);
}

double kz_saturate(kz_type type, double value) {
    const base_type *t = base_type_of(type);
    if (t->kind != BASE_FLOAT || t->digits == DBL_MANT_DIG) return value;
    // The largest finite number and half an ulp: from here on the rounding gives infinity.
    double limit = ldexp(2.0 - ldexp(1.0, -t->digits), t->highest - 1);
    return value >= limit ? INFINITY : value <= -limit ? -INFINITY : value;
}
