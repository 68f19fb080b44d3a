// Reads that may race with atomics: the first guess of a loop around compare-and-swap. The loop is how CUDA's own
// guide builds atomics that the hardware lacks; a guess that is out of date costs one more round, no more.
#include "observe/races.h"

enum { COPIES_FOLLOWED = 8 };

const ptx_function *observe_races_function_of(const ptx_module *module, const ptx_inst *inst) {
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *f = module->functions[i];
        if (f->inst_count && inst >= f->insts && inst < f->insts + f->inst_count) return f;
    }
    return NULL;
}

static bool copies(const ptx_inst *inst, int32_t reg) {
    return inst->op == PTX_OP_MOV && inst->operand_count == 2 && inst->operands[0].kind == PTX_OPERAND_REG &&
           inst->operands[1].kind == PTX_OPERAND_REG && inst->operands[1].reg == reg;
}

// The variable whose address a register holds, if it is set once.
static const ptx_variable *variable_in(const ptx_function *f, int32_t reg) {
    const ptx_variable *found = NULL;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_inst *inst = &f->insts[i];
        if (inst->operand_count < 2 || inst->operands[0].kind != PTX_OPERAND_REG ||
            inst->operands[0].reg != reg)
            continue;
        if (found || inst->op != PTX_OP_MOV || inst->operands[1].kind != PTX_OPERAND_VARIABLE ||
            inst->operands[1].value != 0)
            return NULL;
        found = inst->operands[1].variable;
    }
    return found;
}

static bool same_address(const ptx_function *f, const ptx_operand *a, const ptx_operand *b) {
    if (a->kind != PTX_OPERAND_ADDRESS || b->kind != PTX_OPERAND_ADDRESS || a->value != b->value)
        return false;
    if (a->reg >= 0 && a->reg == b->reg) return true;
    const ptx_variable *left = a->reg >= 0 ? variable_in(f, a->reg) : a->variable;
    const ptx_variable *right = b->reg >= 0 ? variable_in(f, b->reg) : b->variable;
    return left && left == right;
}

// Whether `reg`, or a copy of it, is what a compare-and-swap at `address` compares with.
static bool is_compared(const ptx_function *f, int32_t reg, const ptx_operand *address, unsigned bits) {
    int32_t holds[COPIES_FOLLOWED] = {reg};
    uint32_t count = 1;
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t i = 0; i < f->inst_count; i++) {
            const ptx_inst *inst = &f->insts[i];
            if (inst->op == PTX_OP_ATOM && inst->by_category[PTX_CAT_ATOMIC] == PTX_MOD_CAS &&
                inst->operand_count >= 4 && inst->operands[2].kind == PTX_OPERAND_REG &&
                inst->operands[2].reg == holds[at] && inst->type_count &&
                ptx_type_bits(inst->types[0]) == bits && same_address(f, address, &inst->operands[1]))
                return true;
            if (!copies(inst, holds[at]) || count == COPIES_FOLLOWED) continue;
            uint32_t known = 0;
            while (known < count && holds[known] != inst->operands[0].reg) known++;
            if (known == count) holds[count++] = inst->operands[0].reg;
        }
    return false;
}

static bool is_guess(const ptx_module *module, const ptx_inst *inst) {
    if (inst->op != PTX_OP_LD || inst->operand_count != 2 || !inst->type_count ||
        inst->operands[0].kind != PTX_OPERAND_REG)
        return false;
    const ptx_function *f = observe_races_function_of(module, inst);
    return f && is_compared(f, inst->operands[0].reg, &inst->operands[1], ptx_type_bits(inst->types[0]));
}

bool observe_races_is_guess(races *self, uint32_t tag, uint32_t other) {
    if ((tag | other) & RACES_TAG_KIND) return false; // threads alone
    uint32_t read = tag & RACES_TAG_ATOMIC ? other : tag;
    if (!((tag ^ other) & RACES_TAG_ATOMIC) || read & (RACES_TAG_WRITE | RACES_TAG_STRONG)) return false;
    uint32_t serial = read >> RACES_TAG_SERIAL_SHIFT;
    const ptx_inst *inst = serial < self->inst_capacity ? self->insts[serial] : NULL;
    if (!inst) return false;
    if (self->guess != inst) { // the last one is remembered: a loop asks again and again
        self->guess = inst;
        self->is_guess = is_guess(self->module, inst);
    }
    return self->is_guess;
}
