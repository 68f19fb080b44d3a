// Products of tiles: which path computes them.
#include "sim/exec_matrix.h"

void SIM_NAME(sim_unpack_side)(const matrix_product *product, bool is_b, const matrix_core *const *chunks,
                               matrix_side *side) {
    if (matrix_is_float(product->a))
        SIM_NAME(sim_unpack_floats)(product, is_b, chunks, side);
    else
        SIM_NAME(sim_unpack_integers)(product, is_b, chunks, side);
}

static void multiply_floats(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                            const matrix_select *select, uint32_t sum[8][8]) {
    uint8_t left[8];
    memset(left, 0xff, sizeof left);
    if (!a->exact_only && !b->exact_only) SIM_NAME(sim_multiply_fast)(product, a, b, select, left, sum);
    uint64_t any;
    memcpy(&any, left, sizeof any);
    if (any) SIM_NAME(sim_multiply_exactly)(product, a, b, select, left, sum);
}

// The products alone, from zero; then an ordinary addition of the accumulator.
static void multiply_apart(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                           const matrix_select *select, uint32_t sum[8][8]) {
    uint32_t products[8][8] = {{0}};
    multiply_floats(product, a, b, select, products);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (product->how.rounding == MATRIX_F16)
                sum[i][j] =
                    f16_of_f32(f32_of_f16((uint16_t)sum[i][j]) + f32_of_f16((uint16_t)products[i][j]));
            else
                sum[i][j] = bits_of_f32(f32_canonical(f32_of_bits(sum[i][j]) + f32_of_bits(products[i][j])));
}

void SIM_NAME(sim_multiply_sides)(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                  const matrix_select *select, uint32_t sum[8][8]) {
    if (!matrix_is_float(product->a))
        SIM_NAME(sim_multiply_integers)(product, a, b, select, sum);
    else if (product->how.apart)
        multiply_apart(product, a, b, select, sum);
    else
        multiply_floats(product, a, b, select, sum);
}
