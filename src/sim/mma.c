// Products of fragments: mma and wmma.mma. See mma.h.

#include "sim/mma.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 8 };

// ---- accumulators ----------------------------------------------------------------------------------------

// The word of a lane's element 0 or 1 of a pair: an f16 is half of its register.
static uint32_t *word_at(sim_warp *w, const mma_pair *pair, unsigned element) {
    return SIM_REG(uint32_t, w, pair->at[element]);
}

// An f16 is half of its register. The plain loops below are what compilers turn into interleaving vectors.
static void load_packed(const uint32_t *from, uint32_t sum[SIDE][SIDE]) {
    for (int g = 0; g < SIDE; g++)
        for (int t = 0; t < SIDE / 2; t++) {
            sum[g][2 * t] = from[4 * g + t] & 0xffff;
            sum[g][2 * t + 1] = from[4 * g + t] >> 16;
        }
}

static void store_packed(uint32_t *to, uint32_t sum[SIDE][SIDE]) {
    for (int g = 0; g < SIDE; g++)
        for (int t = 0; t < SIDE / 2; t++) to[4 * g + t] = (sum[g][2 * t] & 0xffff) | sum[g][2 * t + 1] << 16;
}

static void turn(uint32_t sum[SIDE][SIDE]) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < i; j++) {
            uint32_t kept = sum[i][j];
            sum[i][j] = sum[j][i];
            sum[j][i] = kept;
        }
}

void sim_mma_load_sums(sim_warp *w, const mma_form *f, unsigned pair, uint32_t sum[SIDE][SIDE]) {
    const uint32_t *first = word_at(w, &f->c[pair], 0), *second = word_at(w, &f->c[pair], 1);
    if (f->matrix.types[PTX_MATRIX_C] == PTX_F16)
        load_packed(first, sum);
    else
        for (int g = 0; g < SIDE; g++)
            for (int t = 0; t < SIDE / 2; t++) {
                sum[g][2 * t] = first[4 * g + t];
                sum[g][2 * t + 1] = second[4 * g + t];
            }
    if (f->turned) turn(sum);
}

void sim_mma_store_sums(sim_warp *w, const mma_form *f, unsigned pair, uint32_t sum[SIDE][SIDE]) {
    uint32_t *first = word_at(w, &f->d[pair], 0), *second = word_at(w, &f->d[pair], 1);
    if (f->turned) turn(sum);
    if (f->matrix.types[PTX_MATRIX_D] == PTX_F16) {
        store_packed(first, sum);
        return;
    }
    for (int g = 0; g < SIDE; g++)
        for (int t = 0; t < SIDE / 2; t++) {
            first[4 * g + t] = sum[g][2 * t];
            second[4 * g + t] = sum[g][2 * t + 1];
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

// Fragments of A as they were unpacked last: kernels multiply one by several of B. What is in the registers decides whether it
// is still the same.
enum { FRAGMENTS = 4 };
typedef struct mma_fragment {
    ptx_type type;
    uint16_t k; // 0: none
    matrix_core cores[2][2];
    matrix_rows rows;
} mma_fragment;
struct sim_mma_fragments {
    mma_fragment at[FRAGMENTS];
};

static struct sim_mma_fragments *fragments_of(sim_warp *w, const sim_op *op) {
    sim_worker *worker = w->block->worker;
    if (worker->fragments) return worker->fragments;
    struct sim_mma_fragments *made = aligned_alloc(_Alignof(matrix_rows), sizeof *made);
    if (!made) sim_fault_here(w, op, 0, SIM_FAULT_NO_MEMORY, "no memory left for fragments of matrices");
    for (int i = 0; i < FRAGMENTS; i++) made->at[i].k = 0;
    return worker->fragments = made;
}

static const matrix_rows *unpack_a(sim_warp *w, const sim_op *op, const mma_form *f) {
    const ptx_type type = f->product.a;
    mma_fragment *kept = &fragments_of(w, op)->at[f->a[0][0] / (4 * sizeof(matrix_core)) % FRAGMENTS];
    bool same = kept->k == f->product.k && kept->type == type;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned piece = 0; piece < f->a_pieces; piece++) {
            const void *from = SIM_REG(uint8_t, w, f->a[i][piece]);
            matrix_core *to = &kept->cores[i][piece];
            if (same && !memcmp(to, from, sizeof *to)) continue;
            same = false;
            memcpy(to, from, sizeof *to);
        }
    if (same) return &kept->rows;
    const matrix_core *const cores[2][2] = {{&kept->cores[0][0], &kept->cores[0][1]},
                                            {&kept->cores[1][0], &kept->cores[1][1]}};
    kept->k = f->product.k;
    kept->type = type;
    f->isa->unpack_rows(&f->product, cores, &kept->rows);
    return &kept->rows;
}

// 16 rows at once, in the registers, or in copies of them: those of D may be some of A, B or C.
void sim_mma_tiles(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    uint32_t copies[MMA_BLOCKS * 4][SIM_LANES];
    const matrix_rows *rows = unpack_a(w, op, f);
    for (unsigned j = 0; j < f->columns; j++) {
        const matrix_core *b[2] = {NULL};
        matrix_columns columns;
        uint32_t *sums[4];
        for (unsigned piece = 0; piece < f->b_pieces; piece++)
            b[piece] = (const matrix_core *)SIM_REG(uint8_t, w, f->b[j][piece]);
        f->isa->unpack_columns(&f->product, b, &columns);
        for (unsigned i = 0; i < 4; i++) {
            sums[i] = word_at(w, &f->c[2 * j + i / 2], i % 2);
            if (!f->in_place) sums[i] = memcpy(copies[4 * j + i], sums[i], sizeof copies[0]);
        }
        f->isa->multiply_tile(&f->product, rows, &columns, sums);
    }
    for (unsigned i = 0; !f->in_place && i < 4u * f->columns; i++)
        memcpy(word_at(w, &f->d[i / 2], i % 2), copies[i], sizeof copies[0]);
}

// ---- f64 -------------------------------------------------------------------------------------------------

void sim_mma_f64(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    const ptx_matrix *x = &f->matrix;
    enum { MOST_ROWS = 16, MOST_K = 16 };
    uint64_t a[MOST_ROWS * MOST_K], b[MOST_K][SIDE], sum[MOST_ROWS][SIDE];
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        unsigned g = lane / 4, t = lane % 4;
        for (unsigned piece = 0; piece < f->b_pieces; piece++) {
            b[4 * piece + t][g] = SIM_REG(uint64_t, w, f->b[0][piece])[lane];
            for (unsigned block = 0; block < f->rows; block++)
                a[(SIDE * block + g) * x->k + 4 * piece + t] = SIM_REG(uint64_t, w, f->a[block][piece])[lane];
        }
        for (unsigned block = 0; block < f->rows; block++)
            for (unsigned e = 0; e < 2; e++)
                sum[SIDE * block + g][2 * t + e] = SIM_REG(uint64_t, w, f->c[block].at[e])[lane];
    }
    ptx_mod rounding = f->rounding ? (ptx_mod)f->rounding : PTX_MOD_RN;
    f->isa->multiply_f64(x->m, x->k, rounding, a, b, sum);
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        for (unsigned block = 0; block < f->rows; block++)
            for (unsigned e = 0; e < 2; e++) SIM_REG(uint64_t, w, f->d[block].at[e])
    [lane] = sum[SIDE * block + lane / 4][lane % 4 * 2 + e];
}

// ---- quarters of a warp ----------------------------------------------------------------------------------

// mma.m8n8k4 of f16: lanes 4 q to 4 q + 3 and 16 + 4 q to 16 + 4 q + 3 have a product of their own.
static bool in_quarter(unsigned lane, unsigned quarter) { return lane % 16 / 4 == quarter; }

static uint16_t half_at(sim_warp *w, const uint32_t *registers, unsigned lane, unsigned element) {
    return (uint16_t)(SIM_REG(uint32_t, w, registers[element / 2])[lane] >> 16 * (element % 2));
}

static void gather_quarter(sim_warp *w, const mma_form *f, unsigned quarter, uint16_t a[SIDE][4],
                           uint16_t b[4][SIDE], uint32_t sum[SIDE][SIDE]) {
    const ptx_matrix *x = &f->matrix;
    bool packed = x->types[PTX_MATRIX_C] == PTX_F16, widens = packed && x->types[PTX_MATRIX_D] == PTX_F32;
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        unsigned row, column;
        if (!in_quarter(lane, quarter)) continue;
        for (unsigned i = 0; i < 4; i++) {
            ptx_fragment_at(&f->fragments[PTX_MATRIX_A], lane, i, &row, &column);
            a[row][column] = half_at(w, f->a[0], lane, i);
            ptx_fragment_at(&f->fragments[PTX_MATRIX_B], lane, i, &row, &column);
            b[row][column] = half_at(w, f->b[0], lane, i);
        }
        for (unsigned i = 0; i < SIDE; i++) {
            uint32_t word = word_at(w, &f->c[i / 2], i % 2)[lane];
            if (packed) word = word >> 16 * (i % 2) & 0xffff;
            ptx_fragment_at(&f->fragments[PTX_MATRIX_C], lane, i, &row, &column);
            sum[row][column] = widens ? float_bits(base_f16_to_f32((uint16_t)word)) : word;
        }
    }
}

static void scatter_quarter(sim_warp *w, const mma_form *f, unsigned quarter, uint32_t sum[SIDE][SIDE]) {
    bool packed = f->matrix.types[PTX_MATRIX_D] == PTX_F16;
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        for (unsigned i = 0; i < SIDE && in_quarter(lane, quarter); i++) {
            unsigned row, column;
            ptx_fragment_at(&f->fragments[PTX_MATRIX_D], lane, i, &row, &column);
            uint32_t *to = &word_at(w, &f->d[i / 2], i % 2)[lane];
            if (!packed)
                *to = sum[row][column];
            else
                *to = i % 2 ? (*to & 0xffff) | sum[row][column] << 16 : (sum[row][column] & 0xffff);
        }
}

void sim_mma_quarters(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    uint32_t sum[4][SIDE][SIDE];
    for (unsigned q = 0; q < 4; q++) {
        uint16_t a[SIDE][4], b[4][SIDE];
        gather_quarter(w, f, q, a, b, sum[q]);
        f->isa->multiply_m8n8k4(f->matrix.types[PTX_MATRIX_D] == PTX_F16, a, b, sum[q]);
    }
    for (unsigned q = 0; q < 4; q++) scatter_quarter(w, f, q, sum[q]);
}
