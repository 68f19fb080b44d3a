// Decoding: products of a warpgroup. Operands: d, a or its descriptor, b's descriptor {, metadata, selector}, scale-d {, scale-a, scale-b
// {, transpose-a}, transpose-b}.

#include "sim/wgmma.h"

#include <string.h>

static const char *const WRONG_OPERANDS = "it has too few operands, too many, or one of another kind";

static bool descriptor_of(sim_decoder *d, const ptx_operand *o, uint32_t *at) {
    bool in_register = o->kind == PTX_OPERAND_REG && sim_operand_bits(d, o, PTX_B64) == 64;
    if (!in_register && o->kind != PTX_OPERAND_INT) return false;
    *at = sim_source(d, o, PTX_B64);
    return true;
}

static bool accumulator_of(sim_decoder *d, const ptx_operand *o, mma_form *f, const char **why) {
    unsigned bits, count = ptx_matrix_registers(&f->matrix, PTX_MATRIX_D, &bits);
    mma_pair *pairs = sim_keep(d, (ptx_matrix_elements(&f->matrix, PTX_MATRIX_D) / 2) * sizeof *pairs);
    uint32_t *at = sim_keep(d, count * sizeof *at);
    if (!pairs || !at) return false;
    if (!sim_mma_registers(d, o, count, bits, true, at)) {
        *why = sim_mma_why_registers(d, "D", o, count, bits);
        return false;
    }
    sim_mma_place_sums(&f->matrix, PTX_MATRIX_D, at, pairs);
    f->c = f->d = pairs;
    return true;
}

static bool a_of(sim_decoder *d, const ptx_operand *o, wgmma_form *f, const char **why) {
    mma_form *base = &f->base;
    const ptx_matrix *x = &base->matrix;
    unsigned bits, count = ptx_matrix_registers(x, PTX_MATRIX_A, &bits);
    f->a_in_registers = o->kind == PTX_OPERAND_VECTOR;
    base->a_pieces = (uint8_t)(count / 2); // of 16 rows
    if (!f->a_in_registers) return descriptor_of(d, o, &f->a);
    uint32_t at[2 * MMA_REGISTERS];
    if (count > 2 * MMA_REGISTERS || !sim_mma_registers(d, o, count, bits, false, at)) {
        *why = sim_mma_why_registers(d, "A", o, count, bits);
        return false;
    }
    ptx_fragment fragment;
    ptx_fragment_of(x, PTX_MATRIX_A, &fragment);
    for (unsigned i = 0; i < count; i++) {
        ptx_matrix_place place = ptx_fragment_place(&fragment, ptx_type_bits(x->types[PTX_MATRIX_A]), i);
        base->a[place.block][place.chunk] = at[i];
    }
    return true;
}

static bool scale_of(const ptx_operand *o, bool *negates) {
    *negates = o->value == -1;
    return o->kind == PTX_OPERAND_INT && (o->value == 1 || o->value == -1);
}

static bool bit_of(const ptx_operand *o, bool *bit) {
    *bit = o->value == 1;
    return o->kind == PTX_OPERAND_INT && (o->value == 0 || o->value == 1);
}

// A predicate, or 0 or 1 written in the instruction.
static bool adds_of(sim_decoder *d, const ptx_operand *o, wgmma_form *f) {
    if (o->kind == PTX_OPERAND_INT) {
        f->adds = SIM_NOWHERE;
        return bit_of(o, &f->adds_negated);
    }
    if (o->kind != PTX_OPERAND_REG || sim_operand_bits(d, o, PTX_PRED) != 1) return false;
    f->adds = sim_source(d, o, PTX_PRED);
    f->adds_negated = o->negated;
    return true;
}

// Behind scale-d: none for integers and bits, two signs for floats, and two orders (one, where A is in registers) for 16 bits.
static bool rest_of(const ptx_inst *inst, uint32_t next, wgmma_form *f) {
    const ptx_operand *o = inst->operands + next;
    uint32_t left = inst->operand_count - next;
    ptx_type a = f->base.matrix.types[PTX_MATRIX_A];
    if (ptx_type_class(a) != 'f') return left == 0;
    bool halves = ptx_type_bits(a) == 16;
    uint32_t orders = !halves ? 0 : f->a_in_registers ? 1 : 2;
    if (left != 2 + orders || !scale_of(&o[0], &f->negates_a) || !scale_of(&o[1], &f->negates_b))
        return false;
    if (orders == 2 && !bit_of(&o[2], &f->a_across)) return false;
    return orders == 0 || bit_of(&o[1 + orders], &f->b_across);
}

static bool product_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, wgmma_form *f, const char **why) {
    mma_form *base = &f->base;
    const ptx_operand *o = inst->operands;
    if (!ptx_matrix_of(inst, &base->matrix, why)) return false;
    const ptx_matrix *x = &base->matrix;
    uint32_t next = 3;
    *why = WRONG_OPERANDS;
    if (inst->operand_count < (x->sparse ? 6u : 4u) || !accumulator_of(d, &o[0], base, why) ||
        !a_of(d, &o[1], f, why) || !descriptor_of(d, &o[2], &f->b))
        return false;
    if (x->sparse && !sim_mma_sparse(d, &o[next], base)) return false;
    next += x->sparse ? 2 : 0;
    if (!adds_of(d, &o[next], f) || !rest_of(inst, next + 1, f)) return false;
    base->rows = 2;
    base->columns = (uint8_t)(x->n / 8);
    base->b_pieces = (uint8_t)(x->k * ptx_type_bits(x->types[PTX_MATRIX_B]) / 128);
    if (!sim_mma_arithmetic(d, inst, true, base, why)) return false;
    base->tiled = sim_mma_is_tiled(base);
    op->full = op->masked = sim_wgmma;
    return true;
}

bool sim_decode_wgmma(sim_decoder *d, const ptx_inst *inst, sim_op *op, const char **why) {
    switch (inst->op) {
    case PTX_OP_WGMMA_FENCE: op->full = op->masked = sim_wgmma_fence; return true;
    case PTX_OP_WGMMA_COMMIT_GROUP: op->full = op->masked = sim_wgmma_commit; return true;
    case PTX_OP_WGMMA_WAIT_GROUP:
        *why = "it waits for a number of groups that is written in the instruction";
        if (inst->operand_count != 1 || inst->operands[0].kind != PTX_OPERAND_INT) return false;
        op->aux = (uint64_t)inst->operands[0].value;
        op->full = op->masked = sim_wgmma_wait;
        return true;
    default: break;
    }
    wgmma_form *f = sim_keep(d, sizeof *f);
    *why = "no memory";
    if (!f) return false;
    f->base.isa = d->isa;
    op->aux = (uint64_t)(uintptr_t)f;
    return product_form(d, inst, op, f, why);
}

// ---- moves -----------------------------------------------------------------------------------------------

static bool is_move(const ptx_inst *inst) {
    return inst->op == PTX_OP_MOV && inst->operand_count == 2 && inst->operands[0].kind == PTX_OPERAND_REG &&
           inst->operands[1].kind == PTX_OPERAND_REG && ptx_type_bits(inst->types[0]) == 32;
}

// Registers that products write, and those that they are copied to, however often.
void sim_wgmma_find_accumulators(sim_decoder *d) {
    const ptx_function *f = d->code->function;
    uint8_t *marks = NULL;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (f->insts[i].op != PTX_OP_WGMMA_MMA_ASYNC || !f->insts[i].operand_count) continue;
        if (!marks && !(marks = d->code->reg_is_accumulator = sim_keep(d, f->reg_count + 1))) return;
        const ptx_operand *to = &f->insts[i].operands[0];
        for (uint32_t k = 0; k < to->element_count; k++)
            if (to->elements[k].kind == PTX_OPERAND_REG) marks[to->elements[k].reg] = 1;
    }
    for (bool more = marks != NULL; more;) {
        more = false;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            const ptx_operand *o = f->insts[i].operands;
            if (!is_move(&f->insts[i]) || !marks[o[1].reg] || marks[o[0].reg]) continue;
            marks[o[0].reg] = 1;
            more = true;
        }
    }
}

bool sim_select_wgmma_move(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    const uint8_t *marks = d->code->reg_is_accumulator;
    if (!marks || !is_move(inst) || !marks[inst->operands[1].reg]) return false;
    op->d = sim_destination(d, &inst->operands[0], inst->types[0]);
    op->a = sim_source(d, &inst->operands[1], inst->types[0]);
    op->full = op->masked = sim_wgmma_move;
    return true;
}
