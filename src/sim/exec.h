// The selectors that exist once per instruction set, and the front ones of the sim_isa tables.
//
// Each binds one kind of instruction to its functions; see machine.h. Defined with SIM_ISA as the
// suffix of every name, by including this file once per suffix.
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "sim/machine.h"

typedef bool sim_selector(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);

// Some of a product's outputs: bit j of lanes[i] is column j of row i. The exact one computes those that are set, the fast one
// computes what it can of all, and sets those that it left.
typedef void matrix_multiply_some(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                                  const matrix_select *select, uint8_t lanes[8], uint32_t sum[8][8]);

#define SIM_SELECTORS(isa)                                                                                   \
    sim_selector sim_select_arith_##isa; /* the front: tries the ones below in turn */                       \
    sim_selector sim_select_convert_##isa;                                                                   \
    sim_selector sim_select_video_##isa;                                                                     \
    sim_selector sim_select_memory_##isa;                                                                    \
    sim_selector sim_select_address_##isa;                                                                   \
    void sim_load_lanes_##isa(sim_warp *warp, const sim_op *op, uint32_t mask);                              \
    void sim_store_lanes_##isa(sim_warp *warp, const sim_op *op, uint32_t mask);                             \
    bool sim_can_share_base_##isa(const sim_op *access);                                                     \
    bool sim_share_base_##isa(sim_op *access, sim_op *summary);                                              \
    matrix_unpack sim_unpack_side_##isa, sim_unpack_floats_##isa, sim_unpack_integers_##isa;                 \
    matrix_multiply sim_multiply_sides_##isa, sim_multiply_integers_##isa;                                   \
    matrix_multiply_some sim_multiply_fast_##isa, sim_multiply_exactly_##isa;                                \
    matrix_multiply_f64 sim_multiply_f64_##isa;                                                              \
    matrix_multiply_m8n8k4 sim_multiply_m8n8k4_##isa;                                                        \
    sim_selector sim_select_integer_##isa; /* add sub mul mad div rem min max abs neg, with carries too */   \
    sim_selector sim_select_bits_##isa;    /* logic, shifts, fields, counts, prmt, lop3 */                   \
    sim_selector sim_select_float_##isa;   /* f32 and f64 arithmetic, all roundings */                       \
    sim_selector sim_select_special_##isa; /* rcp sqrt rsqrt sin cos lg2 ex2 tanh */                         \
    sim_selector sim_select_half_##isa;    /* f16, bf16 and their pairs */                                   \
    sim_selector sim_select_compare_##isa; /* set setp testp slct selp */                                    \
    sim_selector sim_select_move_##isa;    /* mov of every width, packing and unpacking */

#define SIM_TILES(isa)                                                                                       \
    matrix_unpack_rows sim_unpack_rows_##isa;                                                                \
    matrix_unpack_columns sim_unpack_columns_##isa;                                                          \
    matrix_multiply_tile sim_multiply_tile_##isa;

SIM_SELECTORS(portable)
#ifdef SIM_HAS_AVX2
SIM_SELECTORS(avx2)
SIM_TILES(avx2)
SIM_TILES(avx512)
#endif

#endif
