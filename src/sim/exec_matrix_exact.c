// Sums of tensor cores, one output after the other, written to be read: for what the fast path leaves, and for instruction
// sets that have none.
//
// A double holds every product exactly (22 bits at most, exponents far from its limits), and so does it hold a step's sum,
// which has fewer than 40 bits.
#include "sim/exec_matrix.h"

static int greater(int x, int y) { return x > y ? x : y; }
static bool is_finite(double x) { return x - x == 0; }

// The infinity that a step's terms add up to, NaN, or 0 where all are numbers.
static double sum_of_infinities(const double *products, int count, double accumulator) {
    double sum = is_finite(accumulator) ? 0 : accumulator;
    for (int t = 0; t < count; t++)
        if (!is_finite(products[t])) sum += products[t];
    return sum;
}

// One step: so many products, with their exponents, and the accumulator.
static uint32_t add_step(const matrix_numerics *how, const double *products, const int *exponents, int count,
                         uint32_t accumulator) {
    bool half = how->rounding == MATRIX_F16;
    double c = half ? (double)f32_of_f16((uint16_t)accumulator) : (double)f32_of_bits(accumulator);
    double infinity = sum_of_infinities(products, count, c);
    if (infinity != infinity) return half ? 0x7fff : 0x7fffffff;
    if (infinity != 0) return half ? f16_of_f32((float)infinity) : bits_of_f32((float)infinity);

    int most = c != 0 ? greater(matrix_exponent(c, half ? -14 : -126), how->floor) : how->floor;
    for (int t = 0; t < count; t++) most = greater(most, exponents[t]); // a zero's is below the floor

    double scale = matrix_power(how->fraction - most);
    int64_t sum = (int64_t)(c * scale);
    for (int t = 0; t < count; t++) sum += (int64_t)(products[t] * scale);
    return matrix_round((double)sum / scale, how->rounding);
}

static uint32_t dot(const matrix_product *product, const matrix_side *a, int i, const matrix_side *b, int j,
                    const matrix_select *select, uint32_t accumulator) {
    int terms = matrix_terms(product), step = matrix_step(product);
    double unscale = matrix_power(-a->shift - b->shift);
    for (int first = 0; first < terms; first += step) {
        double products[MATRIX_MOST_FLOATS];
        int exponents[MATRIX_MOST_FLOATS];
        for (int t = 0; t < step; t++) {
            int place = first + t;
            int k = product->sparse ? select->at[i][matrix_element(product->how.apart, terms, place)] : place;
            products[t] = (double)a->value[place][i] * (double)b->value[k][j] * unscale;
            exponents[t] = a->exponent[place][i] + b->exponent[k][j];
        }
        accumulator = add_step(&product->how, products, exponents, step, accumulator);
    }
    return accumulator;
}

void SIM_NAME(sim_multiply_exactly)(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                    const matrix_select *select, uint8_t lanes[8], uint32_t sum[8][8]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (lanes[i] >> j & 1) sum[i][j] = dot(product, a, i, b, j, select, sum[i][j]);
}
