// See numbers.h.
#include "numbers.h"

#include <math.h>

#include "kernels/gemm/fp8.h"
#include "kz/family.h"

static double round_to_8(gemm_fp8 format, double value) {
    // Halfway to what would come after the largest; a tie goes to the largest, whose last bit is 0, or from it.
    double largest = gemm_fp8_largest(format), limit = format == GEMM_E4M3 ? 464 : 61440;
    bool fits = fabs(value) < limit || (format == GEMM_E4M3 && fabs(value) == limit);
    if (!fits) return copysign((double)INFINITY, value);
    return fabs(value) > largest ? copysign(largest, value)
                                 : gemm_fp8_value(format, gemm_fp8_code(format, value));
}

double number_round(number_format format, double value) {
    static const kz_type types[] = {[NUMBER_F32] = KZ_F32, [NUMBER_F16] = KZ_F16, [NUMBER_BF16] = KZ_BF16};
    uint32_t memory;
    if (format >= NUMBER_E4M3) return round_to_8(format == NUMBER_E4M3 ? GEMM_E4M3 : GEMM_E5M2, value);
    kz_element_set(types[format], &memory, 0, value);
    return kz_element_get(types[format], &memory, 0);
}

double number_round_by_chance(double value, double unit) {
    double step = 2 * kz_half_ulp(KZ_BF16, value);
    return step > 0 ? floor(value / step + unit) * step : value;
}

double number_largest_e4m3(void) { return gemm_fp8_largest(GEMM_E4M3); }

double number_unit(uint32_t stream, uint64_t index) {
    enum { SEED = 2026 };
    return (double)(kz_draw(SEED, stream, index) >> 11) * 0x1p-53;
}

// Box and Muller.
double number_normal(uint32_t stream, uint64_t index) {
    double radius = sqrt(-2 * log(1 - number_unit(stream, 2 * index)));
    return radius * cos(2 * 3.14159265358979323846 * number_unit(stream, 2 * index + 1));
}
