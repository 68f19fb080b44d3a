// Numbers of 8 bits: codes of positive ones are in the order of their values, so rounding may carry into the exponent.
#include "gemm/fp8.h"

#include <math.h>

typedef struct layout {
    int mantissa; // bits
    int least;    // exponent of normal numbers
    double largest;
} layout;
static const layout layouts[] = {[GEMM_E4M3] = {3, -6, 448}, [GEMM_E5M2] = {2, -14, 57344}};

double gemm_fp8_largest(gemm_fp8 format) { return layouts[format].largest; }

double gemm_fp8_value(gemm_fp8 format, uint8_t code) {
    const layout *l = &layouts[format];
    int magnitude = code & 0x7f, exponent = magnitude >> l->mantissa,
        rest = magnitude & ((1 << l->mantissa) - 1);
    double value = exponent ? ldexp((1 << l->mantissa) + rest, exponent - 1 + l->least - l->mantissa)
                            : ldexp(rest, l->least - l->mantissa);
    if (format == GEMM_E5M2 && magnitude == 0x7c)
        value = (double)INFINITY;
    else if (magnitude > (format == GEMM_E4M3 ? 0x7e : 0x7c))
        value = (double)NAN;
    return code & 0x80 ? -value : value;
}

uint8_t gemm_fp8_code(gemm_fp8 format, double value) {
    const layout *l = &layouts[format];
    uint8_t sign = signbit(value) ? 0x80 : 0;
    double magnitude = fabs(value);
    if (isnan(value)) return sign | 0x7f;
    if (isinf(value) && format == GEMM_E5M2) return sign | 0x7c;
    if (magnitude > l->largest) magnitude = l->largest;
    int exponent = magnitude > 0 ? ilogb(magnitude) : l->least;
    if (exponent < l->least) exponent = l->least;
    int steps =
        (int)nearbyint(ldexp(magnitude, l->mantissa - exponent)); // 2^mantissa is the exponent's first value
    return (uint8_t)(sign | (((exponent - l->least) << l->mantissa) + steps));
}
