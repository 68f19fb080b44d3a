// Products of fragments: mma and wmma.mma. See mma.h.

#include "sim/mma.h"

#include <string.h>

enum { SIDE = 8 };

// ---- accumulators ----------------------------------------------------------------------------------------

// The word of a lane's element 0 or 1 of a pair: an f16 is half of its register.
static uint32_t *word_at(sim_warp *w, const mma_pair *pair, unsigned element) {
    return SIM_REG(uint32_t, w, pair->at[element]);
}

void sim_mma_load_sums(sim_warp *w, const mma_form *f, unsigned pair, uint32_t sum[SIDE][SIDE]) {
    bool turned = ptx_matrix_block_of(&f->matrix, pair).turned;
    bool packed = f->matrix.types[PTX_MATRIX_C] == PTX_F16;
    for (unsigned e = 0; e < 2; e++) {
        const uint32_t *from = word_at(w, &f->c[pair], e);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            uint32_t word = packed ? from[lane] >> 16 * e & 0xffff : from[lane];
            unsigned g = lane / 4, along = lane % 4 * 2 + e;
            *(turned ? &sum[along][g] : &sum[g][along]) = word;
        }
    }
}

void sim_mma_store_sums(sim_warp *w, const mma_form *f, unsigned pair, uint32_t sum[SIDE][SIDE]) {
    bool turned = ptx_matrix_block_of(&f->matrix, pair).turned;
    bool packed = f->matrix.types[PTX_MATRIX_D] == PTX_F16;
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        unsigned g = lane / 4, along = lane % 4 * 2;
        uint32_t first = turned ? sum[along][g] : sum[g][along],
                 second = turned ? sum[along + 1][g] : sum[g][along + 1];
        if (packed)
            word_at(w, &f->d[pair], 0)[lane] = (first & 0xffff) | second << 16;
        else {
            word_at(w, &f->d[pair], 0)[lane] = first;
            word_at(w, &f->d[pair], 1)[lane] = second;
        }
    }
}

static uint32_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// wmma alone may have accumulators of two types: the sum is an f32 then.
static void widen(uint32_t sum[SIDE][SIDE]) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) sum[i][j] = float_bits(base_f16_to_f32((uint16_t)sum[i][j]));
}

static void narrow(uint32_t sum[SIDE][SIDE]) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) sum[i][j] = base_f32_to_f16(float_of(sum[i][j]));
}

// ---- sparse A --------------------------------------------------------------------------------------------

// Which of B's rows the elements of rows 8 block to 8 block + 7 of A go with. A nibble has two indices of two bits among the four
// elements of a chunk; among its two, each as a pair of halves (tf32); among its four pairs (4-bit).
void sim_mma_select(sim_warp *w, const mma_form *f, unsigned block, matrix_select *select) {
    const ptx_matrix *x = &f->matrix;
    const uint32_t *metadata = SIM_REG(uint32_t, w, f->metadata);
    unsigned chunk = ptx_matrix_chunk(x), chunks = x->k / chunk;
    for (unsigned r = 0; r < SIDE; r++)
        for (unsigned c = 0; c < chunks; c++) {
            unsigned lane, nibble;
            ptx_matrix_metadata(x, SIDE * block + r, c, f->selector, &lane, &nibble);
            unsigned code = metadata[lane] >> 4 * nibble & 15, index[] = {code & 3, code >> 2};
            uint8_t *at = &select->at[r][c * chunk / 2];
            if (chunk == 2) at[0] = (uint8_t)(2 * c + index[0] / 2);
            for (unsigned i = 0; chunk == 4 && i < 2; i++) at[i] = (uint8_t)(4 * c + index[i]);
            for (unsigned i = 0; chunk == 8 && i < 4; i++)
                at[i] = (uint8_t)(8 * c + 2 * index[i / 2] + i % 2);
        }
}

// ---- products --------------------------------------------------------------------------------------------

static void unpack_side(sim_warp *w, const mma_form *f, bool is_b, unsigned block, matrix_side *side) {
    const matrix_core *pieces[MATRIX_CHUNKS];
    unsigned count = is_b ? f->b_pieces : f->a_pieces;
    const uint32_t *at = is_b ? f->b[block] : f->a[block];
    for (unsigned i = 0; i < count; i++) pieces[i] = (const matrix_core *)SIM_REG(uint8_t, w, at[i]);
    f->isa->unpack_side(&f->product, is_b, pieces, side);
}

void sim_mma(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    const ptx_type *types = f->matrix.types;
    matrix_side b[MMA_BLOCKS];
    matrix_select select;
    // All that is read is read before the first result is written: registers of D may be those of A, B or C.
    uint32_t sums[MMA_BLOCKS * MMA_BLOCKS][SIDE][SIDE];
    for (unsigned j = 0; j < f->columns; j++) unpack_side(w, f, true, j, &b[j]);
    for (unsigned pair = 0; pair < (unsigned)f->rows * f->columns; pair++)
        sim_mma_load_sums(w, f, pair, sums[pair]);
    for (unsigned i = 0; i < f->rows; i++) {
        matrix_side a;
        unpack_side(w, f, false, i, &a);
        if (f->matrix.sparse) sim_mma_select(w, f, i, &select);
        for (unsigned j = 0; j < f->columns; j++) {
            uint32_t(*sum)[SIDE] = sums[j * f->rows + i];
            if (types[PTX_MATRIX_C] == PTX_F16 && types[PTX_MATRIX_D] == PTX_F32) widen(sum);
            f->isa->multiply_sides(&f->product, &a, &b[j], f->matrix.sparse ? &select : NULL, sum);
            if (types[PTX_MATRIX_C] == PTX_F32 && types[PTX_MATRIX_D] == PTX_F16) narrow(sum);
        }
    }
    for (unsigned pair = 0; pair < (unsigned)f->rows * f->columns; pair++)
        sim_mma_store_sums(w, f, pair, sums[pair]);
}
