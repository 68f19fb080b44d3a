// Matrix instructions of a warp, for the files that simulate them: mma, wmma, ldmatrix, stmatrix, movmatrix.
//
// All 32 lanes take part, so these are done where lanes of a warp synchronise (sync.c). mma.c multiplies fragments, ldmatrix.c moves
// them between registers and memory. ptx/matrix.h has shapes, types and which lane holds what; matrix.h the arithmetic.
#ifndef SIM_MMA_H
#define SIM_MMA_H

#include "ptx/matrix.h"
#include "sim/async.h"
#include "sim/matrix.h"

enum { MMA_BLOCKS = 4, MMA_REGISTERS = 8 }; // of 8 rows or columns, and of a thread's fragment, at most

// Two neighbouring elements of an accumulator are in two registers, or both in one (f16).
typedef struct mma_pair {
    uint32_t at[2];
} mma_pair;

typedef struct mma_coordinate {
    uint8_t row, column;
} mma_coordinate;

// The operands of a matrix instruction; sim_op.aux points at it.
typedef struct mma_form {
    ptx_matrix matrix;
    matrix_product product;
    const sim_isa *isa;
    uint8_t rows, columns, a_pieces, b_pieces; // blocks of 8, pieces of 16 bytes along k
    uint32_t a[MMA_BLOCKS][MATRIX_CHUNKS];     // registers: frame offsets
    uint32_t b[MMA_BLOCKS][MATRIX_CHUNKS];     //
    bool tiled;                                // 16 rows at once: matrix_multiply_tile
    bool in_place;                             // D is C, and no part of A or B
    bool turned;                               // blocks of the accumulators are held by columns
    mma_pair *c, *d;                           // of accumulators, by pair
    ptx_fragment *fragments;                   // by part; of mma.m8n8k4 of f16 alone
    uint32_t metadata;                         // of a sparse A
    uint8_t selector;                          //
    uint16_t rounding;                         // of f64: a ptx_mod
    // ldmatrix, stmatrix, wmma.load, wmma.store
    async_address_operand address;
    uint32_t stride;                       // wmma: elements from a row (a column) to the next; a slot
    uint32_t registers[2 * MMA_REGISTERS]; // of the fragment
    uint8_t count;
    bool transposed;
    mma_coordinate (*elements)[SIM_LANES]; // wmma: where each element of a lane lies in the matrix
    uint16_t width;                        // wmma without a stride: elements of a row (a column)
} mma_form;

static inline const mma_form *mma_form_of(const sim_op *op) { return (const mma_form *)(uintptr_t)op->aux; }

// decode_mma.c: sets `op` for a matrix instruction; false, with the reason, where the simulator has no such form.
bool sim_decode_mma(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, const char **why);

// Parts of it that wgmma needs too. The registers of a fragment, in braces or alone; accumulators may be constants.
bool sim_mma_registers(sim_decoder *decoder, const ptx_operand *operand, unsigned count, unsigned bits,
                       bool write, uint32_t *at);
// Why it refused them, in words that live as long as the decoder's kernel.
const char *sim_mma_why_registers(sim_decoder *decoder, const char *name, const ptx_operand *operand,
                                  unsigned count, unsigned bits);
void sim_mma_place_sums(const ptx_matrix *matrix, ptx_matrix_part part, const uint32_t *at, mma_pair *pairs);
bool sim_mma_sparse(sim_decoder *decoder, const ptx_operand *metadata,
                    mma_form *form); // and the selector behind it
bool sim_mma_arithmetic(const sim_decoder *decoder, const ptx_inst *inst, bool wgmma, mma_form *form,
                        const char **why);

// Whether the form's products are done 16 rows at once.
bool sim_mma_is_tiled(const mma_form *form);

// mma.c
// The 8 x 8 block of a pair of accumulator elements, from the registers and back.
void sim_mma_load_sums(sim_warp *warp, const mma_form *form, unsigned pair, uint32_t sum[8][8]);
void sim_mma_store_sums(sim_warp *warp, const mma_form *form, unsigned pair, uint32_t sum[8][8]);
// Which of B's rows the elements of 8 rows of a sparse A go with.
void sim_mma_select(sim_warp *warp, const mma_form *form, unsigned block, matrix_select *select);
void sim_mma(sim_warp *warp, const sim_op *op);          // mma, wmma.mma
void sim_mma_tiles(sim_warp *warp, const sim_op *op);    // those that are tiled
void sim_mma_quarters(sim_warp *warp, const sim_op *op); // mma.m8n8k4 of f16
void sim_mma_f64(sim_warp *warp, const sim_op *op);

// ldmatrix.c
void sim_ldmatrix(sim_warp *warp, const sim_op *op);
void sim_stmatrix(sim_warp *warp, const sim_op *op);
void sim_movmatrix(sim_warp *warp, const sim_op *op);
void sim_wmma_load(sim_warp *warp, const sim_op *op);
void sim_wmma_store(sim_warp *warp, const sim_op *op);

// An 8 x 8 matrix of 16-bit elements, transposed.
void sim_transpose_core(const matrix_core *from, matrix_core *to);

#endif
