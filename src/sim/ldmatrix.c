// Matrices between memory and fragments: ldmatrix, stmatrix, movmatrix; wmma.load, wmma.store.
//
// A register of an 8 x 8 matrix of 16-bit elements, as it lies in the frame, is that matrix row by row: so a row of ldmatrix is one
// copy of 16 bytes.

#include "sim/mma.h"

#include <string.h>

enum { ROW_BYTES = 16, MATRIX_ROWS = 8 };

void sim_transpose_core(const matrix_core *from, matrix_core *to) {
    uint16_t in[MATRIX_ROWS][MATRIX_ROWS], out[MATRIX_ROWS][MATRIX_ROWS];
    memcpy(in, from, sizeof in);
    for (int i = 0; i < MATRIX_ROWS; i++)
        for (int j = 0; j < MATRIX_ROWS; j++) out[j][i] = in[i][j];
    memcpy(to, out, sizeof out);
}

static matrix_core *core_of(sim_warp *w, uint32_t at) { return (matrix_core *)SIM_REG(uint8_t, w, at); }

// ---- ldmatrix, stmatrix ----------------------------------------------------------------------------------

// Lanes 8 i to 8 i + 7 have the addresses of the rows of matrix i; the others' are not looked at.
static void find_rows(sim_warp *w, const sim_op *op, uint8_t **rows, uint64_t *offsets) {
    const mma_form *f = mma_form_of(op);
    for (unsigned lane = 0; lane < MATRIX_ROWS * f->count; lane++) {
        sim_block *owner;
        uint32_t offset;
        rows[lane] = sim_shared_pointer(w, op, lane, &f->address, ROW_BYTES, ROW_BYTES, &owner, &offset);
        if (owner != w->block)
            sim_fault_here(
                w, op, lane, SIM_FAULT_CLUSTER_OWN,
                "%s reads and writes the block's own shared memory, and this address is of block rank %u",
                ptx_op_root(op->inst->op), owner->rank);
        offsets[lane] = offset;
    }
}

static void tell(sim_warp *w, const sim_op *op, sim_access_kind kind, const uint64_t *offsets) {
    const mma_form *f = mma_form_of(op);
    uint32_t mask = f->count == 4 ? SIM_ALL : (UINT32_C(1) << MATRIX_ROWS * f->count) - 1;
    if (w->attention) sim_async_emit(w, op->inst, mask, kind, SIM_SHARED, SIM_THREAD, ROW_BYTES, offsets);
}

void sim_ldmatrix(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    uint8_t *rows[SIM_LANES];
    uint64_t offsets[SIM_LANES];
    find_rows(w, op, rows, offsets);
    tell(w, op, SIM_LOAD, offsets);
    matrix_core read[4]; // a destination may be the address of a later matrix
    for (unsigned i = 0; i < f->count; i++)
        for (int r = 0; r < MATRIX_ROWS; r++) memcpy(read[i].row[r], rows[MATRIX_ROWS * i + r], ROW_BYTES);
    for (unsigned i = 0; i < f->count; i++) {
        if (f->transposed)
            sim_transpose_core(&read[i], core_of(w, f->registers[i]));
        else
            *core_of(w, f->registers[i]) = read[i];
    }
}

void sim_stmatrix(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    uint8_t *rows[SIM_LANES];
    uint64_t offsets[SIM_LANES];
    find_rows(w, op, rows, offsets);
    tell(w, op, SIM_STORE, offsets);
    for (unsigned i = 0; i < f->count; i++) {
        matrix_core core = *core_of(w, f->registers[i]);
        if (f->transposed) sim_transpose_core(&core, &core);
        for (int r = 0; r < MATRIX_ROWS; r++) memcpy(rows[MATRIX_ROWS * i + r], core.row[r], ROW_BYTES);
    }
    w->block->worker->changes++;
}

void sim_movmatrix(sim_warp *w, const sim_op *op) {
    const mma_form *f = mma_form_of(op);
    sim_transpose_core(core_of(w, f->registers[1]), core_of(w, f->registers[0]));
}

// ---- wmma.load, wmma.store -------------------------------------------------------------------------------

// One access of all lanes: `bytes` from element `first` of each on. The addresses of the lanes, for instruments and for the copy.
typedef struct access {
    unsigned first, bytes;
    uint64_t address[SIM_LANES];
    uint8_t *host[SIM_LANES];
    sim_space space;
} access;

static memory_space space_of(const mma_form *f) {
    return f->address.space == PTX_MOD_GLOBAL ? MEMORY_GLOBAL
           : f->address.space == PTX_MOD_NONE ? MEMORY_GENERIC
                                              : MEMORY_SHARED;
}

static void find_lanes(sim_warp *w, const sim_op *op, bool write, access *x) {
    const mma_form *f = mma_form_of(op);
    unsigned bits = ptx_type_bits(f->matrix.types[f->matrix.part]);
    x->space = SIM_GLOBAL;
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        mma_coordinate at = f->elements[x->first][lane];
        uint64_t stride = f->stride == SIM_NOWHERE ? f->width : SIM_REG(uint32_t, w, f->stride)[lane];
        uint64_t index = f->transposed ? at.column * stride + at.row : at.row * stride + at.column;
        uint64_t address = async_address(w, &f->address, lane) + index * bits / 8;
        x->host[lane] = sim_resolve(w, op, space_of(f), lane, address, x->bytes, write);
        bool window = f->address.space == PTX_MOD_NONE && address - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES;
        if (window || space_of(f) == MEMORY_SHARED) x->space = SIM_SHARED;
        x->address[lane] = window ? address - SIM_SHARED_WINDOW : address;
    }
}

// Whether the elements of a register lie side by side in memory: those of A along its rows, of B along its columns.
static bool side_by_side(const mma_form *f) {
    const mma_coordinate *first = &f->elements[0][0], *next = &f->elements[1][0];
    return f->transposed ? next->column == first->column : next->row == first->row;
}

// A register at a time, as the machine code does: in one access where its elements lie side by side, else one by one.
static void move(sim_warp *w, const sim_op *op, bool loads) {
    const mma_form *f = mma_form_of(op);
    unsigned bits = ptx_type_bits(f->matrix.types[f->matrix.part]), register_bytes = bits == 64 ? 8 : 4;
    unsigned in_register = bits == 64 ? 1 : 32 / bits;
    bool whole = in_register == 1 || side_by_side(f);
    unsigned elements = ptx_matrix_elements(&f->matrix, f->matrix.part);
    access x = {.bytes = whole ? register_bytes : bits / 8};
    uint8_t read[2 * MMA_REGISTERS][SIM_LANES * 8];
    for (x.first = 0; x.first < elements; x.first += whole ? in_register : 1) {
        unsigned index = x.first / in_register, byte = x.first % in_register * bits / 8;
        find_lanes(w, op, !loads, &x);
        if (w->attention)
            sim_async_emit(w, op->inst, SIM_ALL, loads ? SIM_LOAD : SIM_STORE, x.space, SIM_THREAD, x.bytes,
                           x.address);
        const uint8_t *from = SIM_REG(uint8_t, w, f->registers[index]);
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            size_t at = lane * register_bytes + byte;
            if (loads)
                memcpy(&read[index][at], x.host[lane], x.bytes);
            else
                memcpy(x.host[lane], from + at, x.bytes);
        }
    }
    if (loads) // at the end: a destination may be the address
        for (unsigned i = 0; i < f->count; i++)
            memcpy(SIM_REG(uint8_t, w, f->registers[i]), read[i], (size_t)SIM_LANES * register_bytes);
    else
        w->block->worker->changes++;
}

void sim_wmma_load(sim_warp *w, const sim_op *op) { move(w, op, true); }
void sim_wmma_store(sim_warp *w, const sim_op *op) { move(w, op, false); }
