// What approximations approximate, and the values behind bits.
#include <math.h>
#include <string.h>

#include "conform.h"

unsigned format_elements(format kind) { return kind == F16X2 || kind == BF16X2 ? 2 : 1; }

double value_of_bits(format kind, uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float single;
    double wide;
    switch (kind) {
    case F16:
    case F16X2: return (double)base_f16_to_f32((uint16_t)bits);
    case BF16:
    case BF16X2: return (double)base_bf16_to_f32((uint16_t)bits);
    case F32: memcpy(&single, &word, sizeof single); return (double)single;
    case F64: memcpy(&wide, &bits, sizeof wide); return wide;
    default: return (double)bits;
    }
}

bool is_nan_bits(format kind, uint64_t bits) {
    switch (kind) {
    case F16:
    case F16X2: return (bits & 0x7fff) > 0x7c00;
    case BF16:
    case BF16X2: return (bits & 0x7fff) > 0x7f80;
    case F32: return (bits & 0x7fffffff) > 0x7f800000;
    case F64: return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
    default: return false;
    }
}

bool oracle_value(oracle function, double a, double b, double *result, double *least) {
    long double x = (long double)a;
    *least = 0.0;
    switch (function) {
    case RCP: *result = (double)(1.0L / x); break;
    case SQRT: *result = (double)sqrtl(x); break;
    case RSQRT: *result = (double)(1.0L / sqrtl(x)); break;
    case EX2: *result = (double)exp2l(x); break;
    case TANH: *result = (double)tanhl(x); break;
    case DIV: *result = (double)(x / (long double)b); break;
    // Their error is bounded absolutely, and sin and cos only near 0: measured in units of 1's last place.
    case LG2: *result = (double)log2l(x), *least = 1.0; break;
    case SIN: *result = (double)sinl(x), *least = 1.0; break;
    case COS: *result = (double)cosl(x), *least = 1.0; break;
    default: return false;
    }
    if (function == DIV) return fabs(b) <= 0x1p126; // PTX states no bound beyond
    return (function != SIN && function != COS) || fabs(a) <= 3.14159274101257324;
}
