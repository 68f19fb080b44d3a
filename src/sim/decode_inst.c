// Decoding: one instruction to an operation, or to the end of a basic block.
//
// A register that is written once, unguarded, with what is constant for a thread (a parameter, a
// special register, the address of a variable) shares the constant's slot, and the instruction
// needs no operation; it is counted all the same.

#include "sim/wgmma.h"

#include <string.h>

// ---- instructions --------------------------------------------------------------------------------------

// A kernel parameter read at an offset known now: the constant, or false.
static bool param_constant(sim_decoder *d, const ptx_inst *inst, const ptx_operand *to, uint32_t element,
                           sim_constant *c) {
    const ptx_operand *from = &inst->operands[1];
    if (inst->op != PTX_OP_LD || from->reg >= 0 || !from->variable || !sim_is_kernel_param(d, from->variable))
        return false;
    unsigned bytes = ptx_type_bits(inst->types[0]) / 8;
    int64_t offset = from->value + (int64_t)element * bytes;
    if (bytes == 0 || bytes > 8 || offset < 0 || (uint64_t)offset + bytes > from->variable->size)
        return false;
    unsigned width = to->kind == PTX_OPERAND_REG ? sim_slot_bits(d->code->function->regs[to->reg].type)
                                                 : sim_slot_bits(inst->types[0]);
    *c = (sim_constant){.kind = SIM_CONSTANT_PARAM,
                        .width = (uint8_t)width,
                        .bytes = (uint8_t)bytes,
                        .is_signed = ptx_type_class(inst->types[0]) == 's',
                        .bits = d->kernel->param_offset[from->variable->index] + (uint64_t)offset};
    return true;
}

static void count_writes(const ptx_function *f, const ptx_operand *operand, uint8_t *writes) {
    if (operand->kind == PTX_OPERAND_VECTOR)
        for (uint32_t i = 0; i < operand->element_count; i++) count_writes(f, &operand->elements[i], writes);
    if (operand->kind != PTX_OPERAND_REG) return;
    if (operand->reg >= 0 && writes[operand->reg] < 2) writes[operand->reg]++;
    if (operand->second >= 0 && writes[operand->second] < 2) writes[operand->second]++;
}

// Where `inst` gives its destination register a constant: that constant's slot.
static uint32_t constant_result(sim_decoder *d, const ptx_inst *inst) {
    const ptx_operand *to = &inst->operands[0];
    const ptx_operand *from = &inst->operands[1];
    unsigned width = sim_slot_bits(d->code->function->regs[to->reg].type);
    sim_constant c;
    if (inst->op == PTX_OP_LD)
        return param_constant(d, inst, to, 0, &c) ? sim_constant_at(d, c) : SIM_NOWHERE;
    if (inst->op == PTX_OP_CVTA && inst->by_category[PTX_CAT_SPACE] == PTX_MOD_GLOBAL &&
        from->kind == PTX_OPERAND_REG)
        return d->code->reg_is_constant[from->reg] ? d->code->reg_at[from->reg] : SIM_NOWHERE;
    if (inst->op != PTX_OP_MOV) return SIM_NOWHERE;
    switch (from->kind) {
    case PTX_OPERAND_SPECIAL:
        if (sim_is_clock(from->special) || width != sim_slot_bits(inst->types[0])) return SIM_NOWHERE;
        return sim_source(d, from, inst->types[0]);
    case PTX_OPERAND_VARIABLE:
        return width >= 32 ? sim_source(d, from, width == 64 ? PTX_U64 : PTX_U32) : SIM_NOWHERE;
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
        return width == sim_slot_bits(inst->types[0]) && width > 1 ? sim_source(d, from, inst->types[0])
                                                                   : SIM_NOWHERE;
    case PTX_OPERAND_REG:
        return d->code->reg_is_constant[from->reg] && width == sim_operand_bits(d, from, PTX_B32)
                   ? d->code->reg_at[from->reg]
                   : SIM_NOWHERE;
    default: return SIM_NOWHERE;
    }
}

// Gives registers that are constant the constant's slot.
void sim_share_constants(sim_decoder *d) {
    const ptx_function *f = d->code->function;
    uint8_t *writes = sim_keep(d, f->reg_count + 1);
    if (!writes) return;
    for (uint32_t i = 0; i < f->inst_count; i++)
        if (f->insts[i].operand_count) count_writes(f, &f->insts[i].operands[0], writes);
    for (uint32_t i = 0; i < f->inst_count && d->status == KZ_OK; i++) {
        const ptx_inst *inst = &f->insts[i];
        if (inst->guard >= 0 || inst->operand_count != 2 || inst->operands[0].kind != PTX_OPERAND_REG)
            continue;
        int32_t reg = inst->operands[0].reg;
        if (writes[reg] != 1 || f->regs[reg].type == PTX_PRED) continue;
        uint32_t at = constant_result(d, inst);
        if (at == SIM_NOWHERE) continue;
        d->code->reg_at[reg] = at;
        d->code->reg_is_constant[reg] = 1;
    }
}

static bool needs_no_operation(const sim_decoder *d, const ptx_inst *inst) {
    switch (inst->op) {
    case PTX_OP_LD:
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
        return inst->guard < 0 && inst->operands[0].kind == PTX_OPERAND_REG &&
               d->code->reg_is_constant[inst->operands[0].reg];
    case PTX_OP_GRIDDEPCONTROL: return inst->by_category[PTX_CAT_MODE] != PTX_MOD_WAIT;
    default: return ptx_has_no_effect(inst->op);
    }
}

static void set_guard(sim_decoder *d, sim_op *op, const ptx_inst *inst) {
    if (inst->guard < 0) return;
    op->guard = (int32_t)d->code->reg_at[inst->guard];
    op->guard_negated = inst->guard_negated;
}

static void active_mask(sim_warp *warp, const sim_op *op) {
    uint32_t *d = SIM_REG(uint32_t, warp, op->d);
    uint32_t mask = warp->mask;
    for (int i = 0; i < SIM_LANES; i++)
        if (mask >> i & 1) d[i] = mask;
}

// Lanes see each other's writes in the order made, so a fence does nothing; but instruments hear of it.
static void fence(sim_warp *warp, const sim_op *op) {
    sim_emit_sync(warp, op->inst, warp->mask, SIM_FENCE, SIM_THREAD, 0, 0);
}

// Grids run one after the other: nothing is left to wait for, but instruments hear of it.
static void wait_for_grids(sim_warp *warp, const sim_op *op) {
    sim_emit_sync(warp, op->inst, warp->mask, SIM_GRID_WAIT, SIM_THREAD, 0, 0);
}

static void copy_constant(sim_decoder *d, const ptx_operand *to, sim_constant c, const ptx_inst *inst) {
    ptx_operand from = {.kind = PTX_OPERAND_REG, .reg = -1, .second = -1};
    ptx_inst move = *inst; // a plain mov of the constant's slot: the arithmetic selector does the rest
    ptx_operand operands[2] = {*to, from};
    move.op = PTX_OP_MOV;
    move.types[0] = c.width == 64 ? PTX_B64 : c.width == 32 ? PTX_B32 : PTX_B16;
    move.type_count = 1;
    move.flags = 0;
    operands[1] = (ptx_operand){.kind = PTX_OPERAND_INT, .reg = -1, .second = -1};
    move.operands = operands;
    move.operand_count = 2;
    uint32_t at = sim_constant_at(d, c);
    sim_op *op = sim_add_op(d);
    if (!d->isa->select_arith(d, &move, op)) d->status = KZ_INTERNAL;
    op->a = at;
    op->inst = inst;
    set_guard(d, op, inst);
}

// ld.param of a kernel's parameter at a known offset, into registers that are written elsewhere too.
static bool decode_param_load(sim_decoder *d, const ptx_inst *inst) {
    if (inst->op != PTX_OP_LD || inst->operand_count < 2) return false;
    const ptx_operand *to = &inst->operands[0];
    uint32_t count = to->kind == PTX_OPERAND_VECTOR ? to->element_count : 1;
    sim_constant c;
    if (!param_constant(d, inst, to->kind == PTX_OPERAND_VECTOR ? &to->elements[0] : to, 0, &c)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const ptx_operand *element = to->kind == PTX_OPERAND_VECTOR ? &to->elements[i] : to;
        if (element->kind != PTX_OPERAND_REG) continue;
        if (!param_constant(d, inst, element, i, &c)) return false;
        copy_constant(d, element, c, inst);
    }
    return true;
}

static void unsupported(sim_decoder *d, const ptx_inst *inst, const char *why) {
    const sim_program *program = d->kernel->program;
    const ptx_module *module = program->module;
    if (program->found) program->found(program->found_context, inst, why);
    if (d->status == KZ_OK) {
        d->status = KZ_UNSUPPORTED;
        base_fail(d->error, KZ_UNSUPPORTED,
                  "kernel %s contains what the simulator does not execute:", d->kernel->entry->name);
    }
    if (++d->unsupported_count > 8) return;
    base_text text = {0};
    ptx_print_inst(module, d->code->function, inst, &text);
    base_text_add(&text, "\n    at ");
    ptx_print_source(module, inst, &text);
    base_fail_note(d->error, "  %s: %s", text.data ? text.data : "?", why);
    base_text_free(&text);
}

void sim_decode_plain(sim_decoder *d, const ptx_inst *inst) {
    const char *why = NULL;
    if (!ptx_is_simulated(inst, &why)) {
        unsupported(d, inst, why);
        return;
    }
    if (needs_no_operation(d, inst) || decode_param_load(d, inst)) return;
    sim_op op = {
        .d = SIM_NOWHERE, .a = SIM_NOWHERE, .b = SIM_NOWHERE, .c = SIM_NOWHERE, .guard = -1, .inst = inst};
    const sim_isa *isa = d->isa;
    if (ptx_op_get(inst->op)->class == PTX_CLASS_FENCE) {
        op.full = op.masked = fence;
    } else if (inst->op == PTX_OP_GRIDDEPCONTROL) {
        op.full = op.masked = wait_for_grids;
    } else if (inst->op == PTX_OP_ACTIVEMASK) {
        op.full = op.masked = active_mask;
        op.d = sim_destination(d, &inst->operands[0], PTX_B32);
    } else if (!sim_select_wgmma_move(d, inst, &op) && !isa->select_memory(d, inst, &op) &&
               !isa->select_arith(d, inst, &op) && !isa->select_convert(d, inst, &op) &&
               !isa->select_video(d, inst, &op) && !sim_select_texture(d, inst, &op) &&
               !sim_select_async(d, inst, &op) && !sim_select_stack(d, inst, &op)) {
        unsupported(d, inst, "this combination of types and modifiers is not simulated");
        return;
    }
    set_guard(d, &op, inst);
    *sim_add_op(d) = op;
}

// ---- ends of basic blocks ------------------------------------------------------------------------------

static void decode_barrier(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    bool reduces = inst->op == PTX_OP_BAR_RED || inst->op == PTX_OP_BARRIER_RED;
    uint32_t next = 0;
    if (reduces) op->d = sim_destination(d, &inst->operands[next++], inst->types[0]);
    op->a = sim_source(d, &inst->operands[next++], PTX_U32);
    uint32_t left = inst->operand_count - next;
    if (left > (reduces ? 1u : 0u)) op->b = sim_source(d, &inst->operands[next++], PTX_U32);
    if (reduces) {
        op->c = sim_source(d, &inst->operands[next], PTX_PRED);
        op->aux8 = inst->operands[next].negated;
    }
}

// op->a, b, c: the sources; op->d and op->aux: the results; op->offset: the membermask, the last operand.
static void decode_sync(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    const ptx_operand *o = inst->operands;
    bool has_mask = (inst->flags & PTX_FLAG(SYNC)) || ptx_op_get(inst->op)->class == PTX_CLASS_WARP;
    uint32_t first = ptx_op_has_destination(inst->op) ? 1 : 0, end = inst->operand_count - has_mask;
    uint32_t *sources[] = {&op->a, &op->b, &op->c};
    op->aux = SIM_NOWHERE;
    op->offset = has_mask ? (int64_t)sim_source(d, &o[end], PTX_B32) : -1;
    if (first && o[0].second >= 0) op->aux = d->code->reg_at[o[0].second];
    if (first) op->d = sim_destination(d, &o[0], ptx_operand_type(inst, 0));
    for (uint32_t i = first; i < end && i - first < BASE_COUNT(sources); i++) {
        *sources[i - first] = sim_source(d, &o[i], ptx_operand_type(inst, i));
        op->aux8 |= o[i].negated;
    }
}

sim_builtin sim_builtin_of(const char *name) {
    static const struct {
        const char *name;
        sim_builtin builtin;
    } table[] = {
        {"malloc", SIM_BUILTIN_MALLOC},
        {"free", SIM_BUILTIN_FREE},
        {"vprintf", SIM_BUILTIN_VPRINTF},
        {"__assertfail", SIM_BUILTIN_ASSERTFAIL},
    };
    for (size_t i = 0; i < BASE_COUNT(table); i++)
        if (!strcmp(table[i].name, name)) return table[i].builtin;
    return SIM_BUILTIN_NONE;
}

static sim_variable_slot *call_slots(sim_decoder *d, const ptx_operand *list, uint32_t *count) {
    *count = list->kind == PTX_OPERAND_VECTOR ? list->element_count : 0;
    sim_variable_slot *slots = sim_keep(d, (*count + 1) * sizeof *slots);
    for (uint32_t i = 0; slots && i < *count; i++) {
        const ptx_variable *variable = list->elements[i].variable;
        const sim_variable_slot *slot = variable ? sim_local_slot(d, variable) : NULL;
        if (!slot) return NULL;
        slots[i] = *slot;
    }
    return slots;
}

static void decode_call(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    sim_call *call = sim_keep(d, sizeof *call);
    if (!call) return;
    const ptx_operand *callee = &inst->operands[1];
    call->pointer_at = SIM_NOWHERE;
    call->inst = inst;
    call->results = call_slots(d, &inst->operands[0], &call->result_count);
    call->args = call_slots(d, &inst->operands[2], &call->arg_count);
    if (!call->results || !call->args) {
        unsupported(d, inst, "only parameters in .param variables can be passed");
        return;
    }
    if (callee->kind == PTX_OPERAND_FUNCTION) {
        if (callee->function->has_body)
            call->callee = d->kernel->code_of[callee->function->index];
        else
            call->builtin = sim_builtin_of(callee->function->name);
        if (!call->callee && call->builtin == SIM_BUILTIN_NONE) {
            unsupported(d, inst,
                        strncmp(callee->function->name, "__cudaCDP", 9) == 0
                            ? "kernels that launch kernels (dynamic parallelism) are not simulated"
                            : "the function has no body here: link the code that defines it");
            return;
        }
    } else
        call->pointer_at = sim_source(d, callee, PTX_U64);
    op->aux = (uint64_t)(uintptr_t)call;
}

static bool decode_matrix(sim_decoder *d, const ptx_inst *inst, sim_op *op, const char **why) {
    op->offset = (int64_t)sim_constant_bits(d, 32, SIM_ALL); // the member mask
    bool group = strncmp(ptx_op_root(inst->op), "wgmma", 5) == 0;
    return group ? sim_decode_wgmma(d, inst, op, why) : sim_decode_mma(d, inst, op, why);
}

void sim_decode_end(sim_decoder *d, const ptx_inst *inst, ptx_end end) {
    const char *why = NULL;
    sim_op op = {
        .d = SIM_NOWHERE, .a = SIM_NOWHERE, .b = SIM_NOWHERE, .c = SIM_NOWHERE, .guard = -1, .inst = inst};
    bool matrix = end == PTX_END_SYNC && ptx_op_get(inst->op)->class == PTX_CLASS_TENSOR;
    bool known = ptx_is_simulated(inst, &why) && (!matrix || decode_matrix(d, inst, &op, &why));
    if (!known || (end == PTX_END_SYNC && !matrix && !sim_can_exchange(inst->op))) {
        unsupported(d, inst, why ? why : "lanes do not exchange this yet");
        return;
    }
    set_guard(d, &op, inst);
    switch (end) {
    case PTX_END_TABLE:
    case PTX_END_YIELD: op.a = sim_source(d, &inst->operands[0], PTX_U32); break;
    case PTX_END_BARRIER:
    case PTX_END_ARRIVE: decode_barrier(d, inst, &op); break;
    case PTX_END_SYNC:
        if (!matrix) decode_sync(d, inst, &op);
        break;
    case PTX_END_CALL: decode_call(d, inst, &op); break;
    default: break;
    }
    *sim_add_op(d) = op;
}
