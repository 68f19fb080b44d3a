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

// As the machine code of an H200 does it: a register at a time where its elements lie side by side in memory; two registers at a time
// where neighbouring elements of an accumulator do; a block of 16-bit elements that lies the other way is moved as it lies, and transposed in
// registers; else element by element. Registers that only repeat others are copied.
typedef enum wmma_way { WMMA_REGISTER, WMMA_PAIR, WMMA_TURNED, WMMA_ELEMENT } wmma_way;

typedef struct wmma_move {
    const mma_form *form;
    wmma_way way;
    unsigned bits, register_bytes, in_register; // of an element; of a register; elements of one
    unsigned distinct;                          // registers that do not repeat others
    unsigned bytes;                             // of an access
    uint64_t address[SIM_LANES];
    uint8_t *host[SIM_LANES];
    sim_space space;
} wmma_move;

static wmma_way way_of(const mma_form *f, unsigned in_register) {
    const mma_coordinate *first = &f->elements[0][0], *next = &f->elements[1][0];
    bool side_by_side = f->transposed ? next->column == first->column : next->row == first->row;
    if (in_register == 1) return f->matrix.part >= PTX_MATRIX_C && side_by_side ? WMMA_PAIR : WMMA_REGISTER;
    return side_by_side ? WMMA_REGISTER : in_register == 2 ? WMMA_TURNED : WMMA_ELEMENT;
}

static wmma_move move_of(const mma_form *f) {
    const ptx_matrix *x = &f->matrix;
    wmma_move m = {.form = f, .bits = ptx_type_bits(x->types[x->part])};
    unsigned rows = x->part == PTX_MATRIX_B ? x->k : x->m, columns = x->part == PTX_MATRIX_A ? x->k : x->n;
    m.register_bytes = m.bits == 64 ? 8 : 4;
    m.in_register = m.bits == 64 ? 1 : 32 / m.bits;
    m.distinct = rows * columns / SIM_LANES / m.in_register;
    if (m.distinct > f->count) m.distinct = f->count;
    m.way = way_of(f, m.in_register);
    m.bytes = m.way == WMMA_PAIR      ? 2 * m.register_bytes
              : m.way == WMMA_ELEMENT ? m.bits / 8
                                      : m.register_bytes;
    return m;
}

// Where a lane's access to its element `first` goes. Of a block that lies the other way, to the place that mirrors it in the block.
static mma_coordinate place_of(const wmma_move *m, unsigned first, unsigned lane) {
    mma_coordinate at = m->form->elements[first][lane];
    if (m->way != WMMA_TURNED) return at;
    unsigned g = lane / 4, along = lane % 4 * 2;
    const ptx_matrix *x = &m->form->matrix;
    bool down = x->part == PTX_MATRIX_B || m->form->turned;
    unsigned of_row = down ? along : g, of_column = down ? g : along;
    return (mma_coordinate){(uint8_t)(at.row - of_row + of_column),
                            (uint8_t)(at.column - of_column + of_row)};
}

static memory_space space_of(const mma_form *f) {
    return f->address.space == PTX_MOD_GLOBAL ? MEMORY_GLOBAL
           : f->address.space == PTX_MOD_NONE ? MEMORY_GENERIC
                                              : MEMORY_SHARED;
}

static void find_lanes(sim_warp *w, const sim_op *op, bool loads, unsigned first, wmma_move *m) {
    const mma_form *f = m->form;
    m->space = SIM_GLOBAL;
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        mma_coordinate at = place_of(m, first, lane);
        uint64_t stride = f->stride == SIM_NOWHERE ? f->width : SIM_REG(uint32_t, w, f->stride)[lane];
        uint64_t index = f->transposed ? at.column * stride + at.row : at.row * stride + at.column;
        uint64_t address = async_address(w, &f->address, lane) + index * m->bits / 8;
        m->host[lane] = sim_resolve(w, op, space_of(f), lane, address, m->bytes, !loads);
        bool window = f->address.space == PTX_MOD_NONE && address - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES;
        if (window || space_of(f) == MEMORY_SHARED) m->space = SIM_SHARED;
        m->address[lane] = window ? address - SIM_SHARED_WINDOW : address;
    }
    if (w->attention)
        sim_async_emit(w, op->inst, SIM_ALL, loads ? SIM_LOAD : SIM_STORE, m->space, SIM_THREAD, m->bytes,
                       m->address);
}

// One access: between the lanes' memory and the bytes of `registers` from byte `at` of each lane's on.
static void copy_lanes(const wmma_move *m, uint8_t *registers[2], unsigned at, bool loads) {
    unsigned each = m->way == WMMA_PAIR ? m->register_bytes : m->bytes;
    for (unsigned r = 0; r < m->bytes / each; r++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            uint8_t *mine = registers[r] + lane * m->register_bytes + at, *there = m->host[lane] + r * each;
            memcpy(loads ? mine : there, loads ? there : mine, each);
        }
}

static void move(sim_warp *w, const sim_op *op, bool loads) {
    const mma_form *f = mma_form_of(op);
    wmma_move m = move_of(f);
    uint8_t kept[2 * MMA_REGISTERS][SIM_LANES * 8]; // a destination may be the address
    size_t size = (size_t)SIM_LANES * m.register_bytes;
    for (unsigned i = 0; !loads && i < m.distinct; i++) {
        memcpy(kept[i], SIM_REG(uint8_t, w, f->registers[i]), size);
        if (m.way == WMMA_TURNED) sim_transpose_core((matrix_core *)kept[i], (matrix_core *)kept[i]);
    }
    unsigned step = m.way == WMMA_PAIR ? 2 : m.way == WMMA_ELEMENT ? 1 : m.in_register;
    for (unsigned first = 0; first < m.distinct * m.in_register; first += step) {
        unsigned index = first / m.in_register;
        uint8_t *registers[] = {kept[index], kept[index + 1 < 2 * MMA_REGISTERS ? index + 1 : index]};
        find_lanes(w, op, loads, first, &m);
        copy_lanes(&m, registers, first % m.in_register * m.bits / 8, loads);
    }
    for (unsigned i = 0; loads && i < f->count; i++) {
        unsigned from = i % m.distinct;
        if (m.way == WMMA_TURNED && i < m.distinct)
            sim_transpose_core((matrix_core *)kept[i], (matrix_core *)kept[i]);
        memcpy(SIM_REG(uint8_t, w, f->registers[i]), kept[from], size);
    }
    if (!loads) w->block->worker->changes++;
}

void sim_wmma_load(sim_warp *w, const sim_op *op) { move(w, op, true); }
void sim_wmma_store(sim_warp *w, const sim_op *op) { move(w, op, false); }
