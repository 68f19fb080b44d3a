// Undefined bits in matrices: fragments that are loaded, stored, transposed and multiplied. See undefined.h.
//
// Moves are exact. An element of a product is undefined if something in its row of A or its column of B is, or what it is added to:
// garbage may be a NaN, so zeros on the other side do not help. Of integers zeros do help, and only what is added counts: some
// undefined sums are missed so, but none is made up.
#include <string.h>

#include "observe/undefined.h"
#include "ptx/matrix.h"
#include "sim/inspect.h"

enum { SIDE = 8, ROW_BYTES = 16, ROWS = 64, COLUMNS = 256, ELEMENTS = 128 };

static const ptx_operand *part_of(const ptx_operand *operand, uint32_t index) {
    const ptx_operand *one = operand->kind == PTX_OPERAND_VECTOR ? &operand->elements[index] : operand;
    return one->kind == PTX_OPERAND_REG && one->reg >= 0 ? one : NULL;
}

static uint32_t count_of(const ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_VECTOR ? operand->element_count : 1;
}

static void add(const undefined_at *at, uint32_t reg, uint32_t lane, uint64_t bits, uint32_t origin) {
    if (bits) observe_undefined_set(at, reg, lane, bits | observe_undefined_bits_of(at, reg, lane), origin);
}

// ---- ldmatrix, stmatrix, movmatrix -----------------------------------------------------------------------

static bool is_transposed(const ptx_inst *inst) {
    for (uint32_t i = 0; i < inst->mod_count; i++)
        if (inst->mods[i] == PTX_MOD_TRANS) return true;
    return false;
}

// Where a half of an 8 x 8 matrix is held.
typedef struct half_place {
    uint32_t lane, shift;
} half_place;

static half_place place_of(uint32_t row, uint32_t column, bool transposed) {
    uint32_t r = transposed ? column : row, c = transposed ? row : column;
    return (half_place){4 * r + c / 2, 16 * (c % 2)};
}

static void load_rows(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                      const sim_access *access) {
    const ptx_inst *inst = access->at.inst;
    bool transposed = is_transposed(inst);
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), matrix = lane / SIDE;
        const ptx_operand *to =
            matrix < count_of(&inst->operands[0]) ? part_of(&inst->operands[0], matrix) : NULL;
        for (uint32_t c = 0; to && c < SIDE; c++) {
            uint32_t origin;
            uint64_t bits = observe_undefined_read(self, at, access, lane, 2 * c, 2, &origin);
            half_place place = place_of(lane % SIDE, c, transposed);
            if (bits && !origin)
                origin = observe_undefined_new_origin(self, plan, &access->at, lane, access, NULL);
            add(at, (uint32_t)to->reg, place.lane, bits << place.shift, origin);
        }
    }
}

static void store_rows(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                       const sim_access *access) {
    const ptx_inst *inst = access->at.inst;
    bool transposed = is_transposed(inst);
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), matrix = lane / SIDE, writer = 0;
        const ptx_operand *from = inst->operand_count > 1 && matrix < count_of(&inst->operands[1])
                                      ? part_of(&inst->operands[1], matrix)
                                      : NULL;
        for (uint32_t c = 0; c < SIDE; c++) {
            half_place place = place_of(lane % SIDE, c, transposed);
            uint64_t bits =
                from ? observe_undefined_bits_of(at, (uint32_t)from->reg, place.lane) >> place.shift & 0xffff
                     : 0;
            uint32_t origin = bits ? observe_undefined_origin_of(at, (uint32_t)from->reg, place.lane) : 0;
            if (bits && !writer)
                writer = observe_undefined_new_origin(self, plan, &access->at, lane, access, NULL);
            observe_undefined_write(self, at, access, lane, 2 * c, 2, bits, origin, writer);
        }
    }
}

static void transpose(const undefined_at *at, const ptx_inst *inst) {
    const ptx_operand *to = part_of(&inst->operands[0], 0), *from = part_of(&inst->operands[1], 0);
    if (!to || !from || !at->undefined[from->reg]) return;
    uint64_t bits[UNDEFINED_LANES] = {0};
    uint32_t origin[UNDEFINED_LANES] = {0};
    for (uint32_t row = 0; row < SIDE; row++)
        for (uint32_t c = 0; c < SIDE; c++) {
            half_place in = place_of(row, c, false), out = place_of(row, c, true);
            uint64_t half = observe_undefined_bits_of(at, (uint32_t)from->reg, in.lane) >> in.shift & 0xffff;
            bits[out.lane] |= half << out.shift;
            if (half) origin[out.lane] = observe_undefined_origin_of(at, (uint32_t)from->reg, in.lane);
        }
    for (uint32_t lane = 0; lane < UNDEFINED_LANES; lane++)
        observe_undefined_set(at, (uint32_t)to->reg, lane, bits[lane], origin[lane]);
}

// ---- wmma.load, wmma.store -------------------------------------------------------------------------------

// Accesses come register by register, or element by element: the index of each says which.
static void move_fragment(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                          const sim_access *access) {
    const ptx_inst *inst = access->at.inst;
    ptx_matrix x;
    const char *why;
    bool loads = access->kind == SIM_LOAD;
    const ptx_operand *fragment = &inst->operands[loads ? 0 : 1];
    if (inst->operand_count < 2 || !ptx_matrix_of(inst, &x, &why) || !x.moves) return;
    unsigned bits = ptx_type_bits(x.types[x.part]), in_register = bits >= 32 ? 1 : 32 / bits;
    bool whole = access->bytes * 8 >= (bits >= 32 ? bits : 32);
    uint32_t element = self->matrix_access++ * (whole ? in_register : 1),
             shift = element % in_register * bits;
    const ptx_operand *one =
        element / in_register < count_of(fragment) ? part_of(fragment, element / in_register) : NULL;
    if (loads && observe_undefined_is_defined(self, at, access)) return;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), origin = 0, writer = 0;
        uint64_t found;
        if (loads) {
            found = observe_undefined_read(self, at, access, lane, 0, access->bytes, &origin);
            if (found && !origin)
                origin = observe_undefined_new_origin(self, plan, &access->at, lane, access, NULL);
            if (one) add(at, (uint32_t)one->reg, lane, found << shift, origin);
            continue;
        }
        found = one ? observe_undefined_bits_of(at, (uint32_t)one->reg, lane) >> shift : 0;
        found &= observe_undefined_width_mask(8 * access->bytes);
        if (found) {
            origin = observe_undefined_origin_of(at, (uint32_t)one->reg, lane);
            writer = observe_undefined_new_origin(self, plan, &access->at, lane, access, NULL);
        }
        observe_undefined_write(self, at, access, lane, 0, access->bytes, found, origin, writer);
    }
}

// ---- products --------------------------------------------------------------------------------------------

// The rows of A and columns of B in which something is undefined, and where that came from; elements that are added.
typedef struct undefined_lines {
    ptx_matrix matrix;
    ptx_fragment fragments[4]; // by part
    bool any, row[ROWS], column[COLUMNS];
    uint32_t row_origin[ROWS], column_origin[COLUMNS];
    bool sum[UNDEFINED_LANES][ELEMENTS];
    uint32_t sum_origin[UNDEFINED_LANES];
} undefined_lines;

// Quarters of a warp multiply apart: each has rows and columns of its own.
static void find(const undefined_lines *u, ptx_matrix_part part, uint32_t lane, uint32_t element,
                 unsigned *row, unsigned *column) {
    ptx_fragment_at(&u->fragments[part], lane, element, row, column);
    unsigned apart = u->matrix.quarters ? SIDE * (lane % 16 / 4) : 0;
    *row += apart;
    *column += apart;
}

static void note(undefined_lines *u, ptx_matrix_part part, uint32_t lane, uint32_t element, uint32_t origin) {
    unsigned row, column;
    u->any = true;
    if (part == PTX_MATRIX_C) {
        if (element < ELEMENTS) u->sum[lane][element] = true;
        u->sum_origin[lane] = origin;
        return;
    }
    find(u, part, lane, element, &row, &column);
    if (part == PTX_MATRIX_A && row < ROWS) {
        u->row[row] = true;
        u->row_origin[row] = origin;
    } else if (part == PTX_MATRIX_B && column < COLUMNS) {
        u->column[column] = true;
        u->column_origin[column] = origin;
    }
}

static void gather(undefined_lines *u, const undefined_at *at, ptx_matrix_part part,
                   const ptx_operand *operand) {
    unsigned register_bits, bits = ptx_type_bits(u->matrix.types[part]);
    ptx_matrix_registers(&u->matrix, part, &register_bits);
    if (part != PTX_MATRIX_C && ptx_type_class(u->matrix.types[part]) != 'f') return;
    for (uint32_t i = 0; i < count_of(operand); i++) {
        const ptx_operand *one = part_of(operand, i);
        for (uint32_t m = one ? at->undefined[one->reg] : 0; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m), each = register_bits / bits;
            uint64_t found = observe_undefined_bits_of(at, (uint32_t)one->reg, lane);
            uint32_t origin = observe_undefined_origin_of(at, (uint32_t)one->reg, lane);
            for (uint32_t e = 0; e < each; e++)
                if (found >> e * bits & observe_undefined_width_mask(bits))
                    note(u, part, lane, i * each + e, origin);
        }
    }
}

// What the lines say of the accumulator's elements is added to its registers.
static void spread(const undefined_lines *u, const undefined_at *at, const ptx_operand *operand) {
    unsigned register_bits, bits = ptx_type_bits(u->matrix.types[PTX_MATRIX_D]);
    ptx_matrix_registers(&u->matrix, PTX_MATRIX_D, &register_bits);
    uint32_t each = register_bits / bits;
    for (uint32_t i = 0; i < count_of(operand); i++) {
        const ptx_operand *one = part_of(operand, i);
        for (uint32_t lane = 0; one && lane < UNDEFINED_LANES; lane++)
            for (uint32_t e = 0; e < each; e++) {
                unsigned row, column;
                uint32_t element = i * each + e;
                find(u, PTX_MATRIX_D, lane, element, &row, &column);
                bool sum = element < ELEMENTS && u->sum[lane][element];
                if (!u->row[row % ROWS] && !u->column[column % COLUMNS] && !sum) continue;
                uint32_t origin = u->row[row % ROWS]            ? u->row_origin[row % ROWS]
                                  : u->column[column % COLUMNS] ? u->column_origin[column % COLUMNS]
                                                                : u->sum_origin[lane];
                add(at, (uint32_t)one->reg, lane, observe_undefined_width_mask(bits) << e * bits, origin);
            }
    }
}

static bool adds(const undefined_at *at, const sim_event *event, bool sparse) {
    const ptx_operand *scale = &event->inst->operands[sparse ? 5 : 3];
    if (scale->kind == PTX_OPERAND_INT) return scale->value != 0;
    if (scale->kind != PTX_OPERAND_REG || !event->self) return true;
    const uint32_t *value = sim_inspect_register(event->self, at->frame, scale->reg);
    return !value || ((*value & 1) != 0) != scale->negated;
}

static void gather_all(undefined_lines *u, const undefined_at *at, const sim_event *event, bool product) {
    const ptx_operand *o = event->inst->operands;
    const char *why;
    memset(u, 0, sizeof *u);
    if (event->inst->operand_count < 4 || !ptx_matrix_of(event->inst, &u->matrix, &why)) return;
    for (int i = 0; i < 4; i++) ptx_fragment_of(&u->matrix, (ptx_matrix_part)i, &u->fragments[i]);
    if (!product || o[1].kind == PTX_OPERAND_VECTOR) gather(u, at, PTX_MATRIX_A, &o[1]);
    if (!product) gather(u, at, PTX_MATRIX_B, &o[2]);
    if (!product || adds(at, event, u->matrix.sparse)) gather(u, at, PTX_MATRIX_C, &o[product ? 0 : 3]);
}

static void multiply(undefined_self *self, const undefined_at *at, const undefined_plan *plan,
                     const sim_event *event) {
    const ptx_inst *inst = event->inst;
    const uint32_t *regs = self->lists + plan->at;
    uint32_t lanes = 0;
    bool product =
        inst->op == PTX_OP_WGMMA_MMA_ASYNC; // its sources are read in shared memory, and told of as accesses
    for (uint32_t i = 0; i < (uint32_t)plan->sources + plan->destinations; i++)
        if (i < plan->sources || product) lanes |= at->undefined[regs[i]];
    undefined_lines u = {.any = false};
    if (lanes) gather_all(&u, at, event, product);
    for (uint32_t i = 0; i < plan->destinations; i++) at->undefined[regs[plan->sources + i]] = 0;
    if (u.any) spread(&u, at, &inst->operands[0]);
}

// A row of 16 bytes that a product reads: along k, of one row (column), or of eight at one k.
static void read_row(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                     const sim_access *access, undefined_lines *u, uint32_t lane, uint32_t index,
                     bool across) {
    ptx_matrix_part part = access->part == SIM_PART_FIRST ? PTX_MATRIX_A : PTX_MATRIX_B;
    unsigned bits = ptx_type_bits(u->matrix.types[part]);
    uint32_t pieces =
        u->matrix.k * bits / (8 * ROW_BYTES) / (part == PTX_MATRIX_A && u->matrix.sparse ? 2 : 1);
    uint32_t block = index / SIDE / (pieces ? pieces : 1);
    for (uint32_t at_byte = 0; at_byte < ROW_BYTES; at_byte += 2) {
        uint32_t origin;
        if (!observe_undefined_read(self, at, access, lane, at_byte, 2, &origin)) continue;
        uint32_t line = SIDE * block + (across ? at_byte / 2 : index % SIDE);
        if (!origin) origin = observe_undefined_new_origin(self, plan, &access->at, lane, access, NULL);
        u->any = true;
        if (part == PTX_MATRIX_A && line < ROWS) {
            u->row[line] = true;
            u->row_origin[line] = origin;
        } else if (part == PTX_MATRIX_B && line < COLUMNS) {
            u->column[line] = true;
            u->column_origin[line] = origin;
        }
    }
}

// Elements of 16 bits may lie across: the last operands say so, one less where A is in registers.
static bool lies_across(const ptx_inst *inst, const ptx_matrix *x, bool is_a) {
    if (ptx_type_bits(x->types[PTX_MATRIX_A]) != 16 || inst->operand_count < 2) return false;
    const ptx_operand *last = &inst->operands[inst->operand_count - 1];
    return (is_a ? last[-1].value : last->value) == 1;
}

static void read_tiles(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                       const sim_access *access) {
    undefined_lines u;
    const char *why;
    bool is_a = access->part == SIM_PART_FIRST;
    if (is_a != self->matrix_is_a) self->matrix_access = 0; // the first of B
    self->matrix_is_a = is_a;
    uint32_t first = self->matrix_access;
    self->matrix_access += UNDEFINED_LANES;
    if (observe_undefined_is_defined(self, at, access)) return;
    memset(&u, 0, sizeof u);
    if (!ptx_matrix_of(access->at.inst, &u.matrix, &why)) return;
    bool across = lies_across(access->at.inst, &u.matrix, is_a);
    bool is_float = ptx_type_class(u.matrix.types[PTX_MATRIX_A]) == 'f';
    for (uint32_t m = is_float ? access->at.mask : 0; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        read_row(self, at, plan, access, &u, lane, first + lane, across);
    }
    if (!u.any) return;
    ptx_fragment_of(&u.matrix, PTX_MATRIX_D, &u.fragments[PTX_MATRIX_D]);
    spread(&u, at, &access->at.inst->operands[0]);
}

// ---- events ----------------------------------------------------------------------------------------------

void observe_undefined_matrix(undefined_self *self, const undefined_at *at, const undefined_plan *plan,
                              const sim_event *event) {
    const ptx_inst *inst = event->inst;
    const uint32_t *destinations = self->lists + plan->at + plan->sources;
    ptx_matrix x;
    const char *why;
    self->matrix_access = 0;
    self->matrix_is_a = true;
    bool moves = inst->op == PTX_OP_WMMA && ptx_matrix_of(inst, &x, &why) && x.moves;
    if (inst->op == PTX_OP_MOVMATRIX) {
        if (!at->undefined[inst->operands[1].reg]) at->undefined[inst->operands[0].reg] = 0;
        transpose(at, inst);
    } else if (moves)
        for (uint32_t i = 0; i < plan->destinations; i++) at->undefined[destinations[i]] = 0;
    else
        multiply(self, at, plan, event);
}

bool observe_undefined_matrix_access(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                                     const sim_access *access) {
    switch (access->at.inst->op) {
    case PTX_OP_LDMATRIX:
        if (!observe_undefined_is_defined(self, at, access)) load_rows(self, at, plan, access);
        return true;
    case PTX_OP_STMATRIX: store_rows(self, at, plan, access); return true;
    case PTX_OP_WMMA: move_fragment(self, at, plan, access); return true;
    case PTX_OP_WGMMA_MMA_ASYNC: read_tiles(self, at, plan, access); return true;
    default: return false;
    }
}
