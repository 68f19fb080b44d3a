// Decoding: matrix instructions of a warp. Rows of ops.def leave their operands unchecked, so each is looked at here.

#include "sim/mma.h"

#include <stdio.h>
#include <string.h>

static const char *const WRONG_COUNT = "it has too few operands, or too many";
static const char *const WRONG_ADDRESS = "it needs an address in shared memory, in brackets";

// ---- registers ------------------------------------------------------------------------------------------

// The registers of a fragment, in braces or alone. Accumulators may be constants.
bool sim_mma_registers(sim_decoder *d, const ptx_operand *operand, unsigned count, unsigned bits, bool write,
                       uint32_t *at) {
    const ptx_operand *list = operand->kind == PTX_OPERAND_VECTOR ? operand->elements : operand;
    uint32_t given = operand->kind == PTX_OPERAND_VECTOR ? operand->element_count : 1;
    ptx_type type = bits == 64 ? PTX_B64 : PTX_B32;
    if (given != count) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool constant = !write && (list[i].kind == PTX_OPERAND_INT || list[i].kind == PTX_OPERAND_FLOAT);
        bool sink = write && list[i].kind == PTX_OPERAND_SINK;
        if (constant)
            at[i] = sim_constant_bits(d, bits, ptx_immediate(&list[i], bits == 64 ? PTX_F64 : PTX_F32));
        else if (sink || (list[i].kind == PTX_OPERAND_REG && sim_operand_bits(d, &list[i], type) == bits))
            at[i] = write ? sim_destination(d, &list[i], type) : sim_source(d, &list[i], type);
        else
            return false;
    }
    return true;
}

const char *sim_mma_why_registers(sim_decoder *d, const char *name, const ptx_operand *operand,
                                  unsigned count, unsigned bits) {
    enum { ROOM = 160 };
    uint32_t given = operand->kind == PTX_OPERAND_VECTOR ? operand->element_count : 1;
    char *why = sim_keep(d, ROOM);
    if (!why) return "no memory";
    int length = snprintf(why, ROOM, "%s has %u register%s of %u bits in each thread, and ", name, count,
                          count == 1 ? "" : "s", bits);
    if (given != count)
        snprintf(why + length, (size_t)(ROOM - length), "%u %s given", given, given == 1 ? "is" : "are");
    else
        snprintf(why + length, (size_t)(ROOM - length), "one of those given has another width, or is none");
    return why;
}

static bool part_of(sim_decoder *d, const ptx_operand *operand, const ptx_matrix *x, ptx_matrix_part part,
                    uint32_t *at, unsigned *count, const char **why) {
    static const char *const names[] = {
        [PTX_MATRIX_A] = "A", [PTX_MATRIX_B] = "B", [PTX_MATRIX_C] = "C", [PTX_MATRIX_D] = "D"};
    unsigned bits;
    *count = ptx_matrix_registers(x, part, &bits);
    if (sim_mma_registers(d, operand, *count, bits, part == PTX_MATRIX_D, at)) return true;
    *why = sim_mma_why_registers(d, names[part], operand, *count, bits);
    return false;
}

// ---- products -------------------------------------------------------------------------------------------

static void place_sides(mma_form *f, const uint32_t *a, unsigned a_count, const uint32_t *b,
                        unsigned b_count) {
    const ptx_matrix *x = &f->matrix;
    ptx_fragment of_a, of_b;
    unsigned a_bits = ptx_type_bits(x->types[PTX_MATRIX_A]), b_bits = ptx_type_bits(x->types[PTX_MATRIX_B]);
    ptx_fragment_of(x, PTX_MATRIX_A, &of_a);
    ptx_fragment_of(x, PTX_MATRIX_B, &of_b);
    f->rows = (uint8_t)(x->m / 8);
    f->columns = (uint8_t)(x->n / 8);
    for (unsigned i = 0; i < a_count; i++) {
        ptx_matrix_place place = ptx_fragment_place(&of_a, a_bits, i);
        f->a[place.block][place.chunk] = a[i];
        if (place.chunk >= f->a_pieces) f->a_pieces = (uint8_t)(place.chunk + 1);
    }
    for (unsigned i = 0; i < b_count; i++) {
        ptx_matrix_place place = ptx_fragment_place(&of_b, b_bits, i);
        f->b[place.block][place.chunk] = b[i];
        if (place.chunk >= f->b_pieces) f->b_pieces = (uint8_t)(place.chunk + 1);
    }
}

void sim_mma_place_sums(const ptx_matrix *x, ptx_matrix_part part, const uint32_t *at, mma_pair *pairs) {
    unsigned elements = ptx_matrix_elements(x, part);
    bool packed = x->types[part] == PTX_F16;
    for (unsigned pair = 0; pair < elements / 2; pair++)
        pairs[pair] =
            packed ? (mma_pair){{at[pair], at[pair]}} : (mma_pair){{at[2 * pair], at[2 * pair + 1]}};
}

bool sim_mma_sparse(sim_decoder *d, const ptx_operand *o, mma_form *f) {
    if (o[0].kind != PTX_OPERAND_REG || sim_operand_bits(d, &o[0], PTX_B32) != 32 ||
        o[1].kind != PTX_OPERAND_INT || o[1].value < 0 ||
        (uint64_t)o[1].value >= ptx_matrix_selectors(&f->matrix))
        return false;
    f->metadata = sim_source(d, &o[0], PTX_B32);
    f->selector = (uint8_t)o[1].value;
    return true;
}

bool sim_mma_arithmetic(const sim_decoder *d, const ptx_inst *inst, bool wgmma, mma_form *f,
                        const char **why) {
    const ptx_matrix *x = &f->matrix;
    const sim_machine *machine = d->kernel->program->machine;
    int sm =
        machine && machine->config.sm ? machine->config.sm : 90; // where only the text is checked, the newest
    ptx_type sum = x->types[PTX_MATRIX_D];
    // wmma with an f32 accumulator computes in f32, and converts at the end; with an f16 one, it converts first.
    if (x->types[PTX_MATRIX_C] == PTX_F32) sum = PTX_F32;
    f->product = (matrix_product){.a = x->types[PTX_MATRIX_A],
                                  .b = x->types[PTX_MATRIX_B],
                                  .k = x->k,
                                  .sparse = x->sparse,
                                  .saturate = inst->flags & PTX_FLAG(SATFINITE)};
    for (unsigned i = 0; i < inst->mod_count; i++) {
        if (inst->mods[i] == PTX_MOD_XOR) f->product.bits = MATRIX_XOR_POPC;
        if (inst->mods[i] == PTX_MOD_AND) f->product.bits = MATRIX_AND_POPC;
    }
    if (f->product.a == PTX_B1 && f->product.bits == MATRIX_NO_BITS) {
        *why = "a product of bits is .xor.popc or .and.popc";
        return false;
    }
    bool is_float = ptx_type_class(f->product.a) == 'f' && f->product.a != PTX_F64;
    if (is_float && !sim_matrix_numerics(sm, wgmma, f->product.a, sum, &f->product.how)) {
        *why = "this GPU's tensor cores have no such type";
        return false;
    }
    if (is_float && !f->product.how.compared) d->kernel->sums_uncompared = true;
    return true;
}

bool sim_mma_is_tiled(const mma_form *f) {
    const ptx_type *types = f->matrix.types;
    return f->isa->multiply_tile && f->rows == 2 && !f->turned && types[PTX_MATRIX_C] == PTX_F32 &&
           types[PTX_MATRIX_D] == PTX_F32 && sim_matrix_is_tiled(&f->product);
}

static bool is_among(uint32_t at, const uint32_t *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (list[i] == at) return true;
    return false;
}

// Whether results can be written before all operands are read.
static bool is_in_place(uint32_t at[4][2 * MMA_REGISTERS], const unsigned count[4]) {
    if (count[PTX_MATRIX_C] != count[PTX_MATRIX_D]) return false;
    for (unsigned i = 0; i < count[PTX_MATRIX_D]; i++) {
        uint32_t to = at[PTX_MATRIX_D][i];
        if (to != at[PTX_MATRIX_C][i] || is_among(to, at[PTX_MATRIX_D], i) ||
            is_among(to, at[PTX_MATRIX_A], count[PTX_MATRIX_A]) ||
            is_among(to, at[PTX_MATRIX_B], count[PTX_MATRIX_B]))
            return false;
    }
    return true;
}

// Whose quarters multiply apart goes element by element: it keeps where each lies.
static bool place_accumulators(sim_decoder *d, mma_form *f) {
    ptx_fragment accumulator;
    ptx_fragment_of(&f->matrix, PTX_MATRIX_D, &accumulator);
    f->turned = ptx_fragment_is_turned(&accumulator);
    if (!f->matrix.quarters) return true;
    f->fragments = sim_keep(d, 4 * sizeof *f->fragments);
    for (int i = 0; f->fragments && i < 4; i++)
        ptx_fragment_of(&f->matrix, (ptx_matrix_part)i, &f->fragments[i]);
    return f->fragments != NULL;
}

static bool product_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, mma_form *f, const char **why) {
    const ptx_matrix *x = &f->matrix;
    uint32_t at[4][2 * MMA_REGISTERS];
    unsigned count[4];
    static const ptx_matrix_part order[] = {PTX_MATRIX_D, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C};
    *why = WRONG_COUNT;
    if (inst->operand_count != (x->sparse ? 6u : 4u)) return false;
    for (unsigned i = 0; i < 4; i++)
        if (!part_of(d, &inst->operands[i], x, order[i], at[order[i]], &count[order[i]], why)) return false;
    if (x->sparse && !sim_mma_sparse(d, &inst->operands[4], f)) {
        *why = "the selector of this sparse product is out of its range, or its metadata no 32-bit register";
        return false;
    }
    if (!sim_mma_arithmetic(d, inst, false, f, why)) return false;
    f->rounding = inst->by_category[PTX_CAT_ROUND];
    if (!x->quarters)
        place_sides(f, at[PTX_MATRIX_A], count[PTX_MATRIX_A], at[PTX_MATRIX_B], count[PTX_MATRIX_B]);
    else {
        memcpy(f->a[0], at[PTX_MATRIX_A], 2 * sizeof(uint32_t));
        memcpy(f->b[0], at[PTX_MATRIX_B], 2 * sizeof(uint32_t));
    }
    f->c = sim_keep(d, ptx_matrix_elements(x, PTX_MATRIX_C) / 2 * sizeof *f->c);
    f->d = sim_keep(d, ptx_matrix_elements(x, PTX_MATRIX_D) / 2 * sizeof *f->d);
    if (!f->c || !f->d) return false;
    if (!place_accumulators(d, f)) return false;
    sim_mma_place_sums(x, PTX_MATRIX_C, at[PTX_MATRIX_C], f->c);
    sim_mma_place_sums(x, PTX_MATRIX_D, at[PTX_MATRIX_D], f->d);
    f->tiled = !x->quarters && sim_mma_is_tiled(f);
    f->in_place = is_in_place(at, count);
    op->full = op->masked = f->tiled                            ? sim_mma_tiles
                            : x->quarters                       ? sim_mma_quarters
                            : x->types[PTX_MATRIX_A] == PTX_F64 ? sim_mma_f64
                                                                : sim_mma;
    return true;
}

// ---- memory ---------------------------------------------------------------------------------------------

static bool address_form(sim_decoder *d, const ptx_inst *inst, const ptx_operand *operand, mma_form *f) {
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    if (operand->kind != PTX_OPERAND_ADDRESS) return false;
    sim_op at = {.a = SIM_NOWHERE};
    bool narrow = space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA;
    unsigned bits = sim_address(d, operand, narrow ? 32 : 64, &at);
    f->address =
        (async_address_operand){.at = at.a, .offset = at.offset, .bits = (uint8_t)bits, .space = space};
    return bits == 32 || bits == 64;
}

static unsigned matrices_of(const ptx_inst *inst) {
    for (unsigned i = 0; i < inst->mod_count; i++) {
        if (inst->mods[i] == PTX_MOD_X1) return 1;
        if (inst->mods[i] == PTX_MOD_X2) return 2;
        if (inst->mods[i] == PTX_MOD_X4) return 4;
    }
    return 0;
}

static bool has_mod(const ptx_inst *inst, ptx_mod mod) {
    for (unsigned i = 0; i < inst->mod_count; i++)
        if (inst->mods[i] == mod) return true;
    return false;
}

// ldmatrix {registers}, [address]; stmatrix [address], {registers}
static bool ldmatrix_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, mma_form *f, const char **why) {
    bool loads = inst->op == PTX_OP_LDMATRIX;
    unsigned count = matrices_of(inst);
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    *why = "the forms of sm_100 alone: up to sm_90 matrices are .m8n8 of .b16, one, two or four";
    if (!count || !has_mod(inst, PTX_MOD_M8N8) || inst->type_count != 1 || inst->types[0] != PTX_B16)
        return false;
    *why = WRONG_ADDRESS;
    if (inst->operand_count != 2 || (space && space != PTX_MOD_SHARED && space != PTX_MOD_SHARED_CTA) ||
        !address_form(d, inst, &inst->operands[loads ? 1 : 0], f))
        return false;
    const ptx_operand *list = &inst->operands[loads ? 0 : 1];
    if (!sim_mma_registers(d, list, count, 32, loads, f->registers)) {
        *why = sim_mma_why_registers(d, "the list", list, count, 32);
        return false;
    }
    f->count = (uint8_t)count;
    f->transposed = inst->flags & PTX_FLAG(TRANS);
    op->full = op->masked = loads ? sim_ldmatrix : sim_stmatrix;
    return true;
}

// Where the elements of each lane lie, and how wide the matrix is.
static bool keep_elements(sim_decoder *d, mma_form *f) {
    const ptx_matrix *x = &f->matrix;
    unsigned count = ptx_matrix_elements(x, x->part);
    f->elements = sim_keep(d, count * sizeof *f->elements);
    if (!f->elements) return false;
    ptx_fragment fragment;
    ptx_fragment_of(x, x->part, &fragment);
    f->turned = x->part >= PTX_MATRIX_C && ptx_fragment_is_turned(&fragment);
    for (unsigned i = 0; i < count; i++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            unsigned row, column;
            ptx_fragment_at(&fragment, lane, i, &row, &column);
            f->elements[i][lane] = (mma_coordinate){(uint8_t)row, (uint8_t)column};
        }
    unsigned rows = x->part == PTX_MATRIX_B ? x->k : x->m, columns = x->part == PTX_MATRIX_A ? x->k : x->n;
    f->width = (uint16_t)(f->transposed ? rows : columns);
    return true;
}

// wmma.load.a {registers}, [address] {, stride}; wmma.store.d [address], {registers} {, stride}
static bool move_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, mma_form *f, const char **why) {
    const ptx_matrix *x = &f->matrix;
    bool loads = !has_mod(inst, PTX_MOD_STORE);
    unsigned bits, count = ptx_matrix_registers(x, x->part, &bits);
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    *why = "it needs an address in global or shared memory, in brackets";
    if (inst->operand_count < 2 || inst->operand_count > 3 ||
        (space && space != PTX_MOD_SHARED && space != PTX_MOD_SHARED_CTA && space != PTX_MOD_GLOBAL) ||
        !address_form(d, inst, &inst->operands[loads ? 1 : 0], f))
        return false;
    const ptx_operand *list = &inst->operands[loads ? 0 : 1];
    if (!sim_mma_registers(d, list, count, bits, loads, f->registers)) {
        *why = sim_mma_why_registers(d, "the fragment", list, count, bits);
        return false;
    }
    f->count = (uint8_t)count;
    f->stride = SIM_NOWHERE;
    f->transposed = x->a_by_column;
    if (!keep_elements(d, f)) return false;
    if (inst->operand_count == 3) {
        const ptx_operand *stride = &inst->operands[2];
        *why = "the stride is a 32-bit integer";
        if (stride->kind != PTX_OPERAND_INT &&
            (stride->kind != PTX_OPERAND_REG || sim_operand_bits(d, stride, PTX_U32) != 32))
            return false;
        f->stride = sim_source(d, stride, PTX_U32);
    }
    op->c = d->kernel->memory_op_count++;
    op->full = op->masked = loads ? sim_wmma_load : sim_wmma_store;
    return true;
}

static bool movmatrix_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, mma_form *f, const char **why) {
    *why = "it takes two registers of 32 bits";
    if (inst->operand_count != 2 ||
        !sim_mma_registers(d, &inst->operands[0], 1, 32, true, &f->registers[0]) ||
        !sim_mma_registers(d, &inst->operands[1], 1, 32, false, &f->registers[1]))
        return false;
    op->full = op->masked = sim_movmatrix;
    return true;
}

bool sim_decode_mma(sim_decoder *d, const ptx_inst *inst, sim_op *op, const char **why) {
    mma_form *f = sim_keep(d, sizeof *f);
    *why = "no memory";
    if (!f) return false;
    f->isa = d->isa;
    op->aux = (uint64_t)(uintptr_t)f;
    if (inst->op == PTX_OP_LDMATRIX || inst->op == PTX_OP_STMATRIX) return ldmatrix_form(d, inst, op, f, why);
    if (inst->op == PTX_OP_MOVMATRIX) return movmatrix_form(d, inst, op, f, why);
    if (!ptx_matrix_of(inst, &f->matrix, why)) return false;
    return f->matrix.moves ? move_form(d, inst, op, f, why) : product_form(d, inst, op, f, why);
}
