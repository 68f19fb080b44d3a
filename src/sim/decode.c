// From PTX to a kernel that can be run: which functions it reaches, how deep its stacks are, whether its
// blocks communicate. The rest of the decoder: decode_frame.c, decode_inst.c, decode_basic_block.c.

#include "sim/async.h"

#include <stdlib.h>
#include <string.h>

// Places for a function's registers and for its variables in local memory.
static sim_code *open_code(sim_decoder *d, const ptx_function *f) {
    sim_code *code = sim_keep(d, sizeof *code);
    if (!code) return NULL;
    *code = (sim_code){.function = f,
                       .kernel = d->kernel,
                       .carry_at = SIM_NOWHERE,
                       .sink_at = SIM_NOWHERE,
                       .stack_at = SIM_NOWHERE};
    code->reg_at = sim_keep(d, (f->reg_count + 1) * sizeof *code->reg_at);
    code->reg_is_constant = sim_keep(d, f->reg_count + 1);
    code->slots = sim_keep(d, (f->local_count + f->param_count + f->return_count + 1) * sizeof *code->slots);
    if (d->status != KZ_OK) return NULL;
    for (uint32_t i = 0; i < f->reg_count; i++)
        code->reg_at[i] = sim_frame_take(code, sim_slot_bits(f->regs[i].type));
    ptx_variable **lists[] = {f->locals, f->is_entry ? NULL : f->params, f->returns};
    uint32_t counts[] = {f->local_count, f->is_entry ? 0 : f->param_count, f->return_count};
    for (int l = 0; l < 3; l++)
        for (uint32_t i = 0; i < counts[l]; i++) {
            const ptx_variable *v = lists[l][i];
            if (v->space != PTX_MOD_LOCAL && v->space != PTX_MOD_PARAM) continue;
            uint32_t align = v->align ? v->align : 1;
            code->local_bytes = (code->local_bytes + align - 1) / align * align;
            code->slots[code->slot_count++] = (sim_variable_slot){v, code->local_bytes};
            code->local_bytes += (uint32_t)v->size;
            if (v->space == PTX_MOD_LOCAL) code->stack_frame += (uint32_t)v->size;
        }
    code->local_bytes = (code->local_bytes + 15) / 16 * 16;
    // Parameters travel in registers; the return address and at least one register are saved. An H200 takes 24 bytes
    // and more for a call without variables.
    code->stack_frame = (code->stack_frame + 15) / 16 * 16 + (f->is_entry ? 0 : 16);
    if (sim_uses_stack(f)) code->stack_at = sim_frame_take(code, 32);
    return code;
}

// ---- what a kernel reaches --------------------------------------------------------------------------

static void reach(sim_decoder *d, const ptx_function *f) {
    sim_kernel *k = d->kernel;
    if (k->code_of[f->index] || d->status != KZ_OK) return;
    sim_code *code = open_code(d, f);
    if (!code) return;
    k->code_of[f->index] = code;
    k->codes[k->code_count++] = code;
}

static bool is_indirect_call(const ptx_inst *inst) {
    return inst->op == PTX_OP_CALL && inst->operand_count > 1 &&
           inst->operands[1].kind != PTX_OPERAND_FUNCTION;
}

static void reach_all(sim_decoder *d) {
    const ptx_module *module = d->kernel->program->module;
    bool indirect = false;
    for (uint32_t next = 0; next < d->kernel->code_count && d->status == KZ_OK; next++) {
        const ptx_function *f = d->kernel->codes[next]->function;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            const ptx_inst *inst = &f->insts[i];
            if (inst->op == PTX_OP_CALL && inst->operand_count > 1 &&
                inst->operands[1].kind == PTX_OPERAND_FUNCTION && inst->operands[1].function->has_body)
                reach(d, inst->operands[1].function);
            if (!indirect && is_indirect_call(inst)) {
                indirect = true; // whatever has an address may be called
                for (uint32_t g = 0; g < module->function_count; g++)
                    if (module->functions[g]->has_body && !module->functions[g]->is_entry)
                        reach(d, module->functions[g]);
            }
        }
    }
    if (indirect) d->kernel->recursive = true;
}

// The deepest stack of calls: bytes of registers and of local memory. False when it has no bound.
static bool call_depth(sim_decoder *d, sim_code *code, uint8_t *state, uint64_t *registers, uint64_t *local,
                       unsigned level) {
    uint32_t index = code->function->index;
    if (state[index] == 1 || level > 200) return false;
    state[index] = 1;
    uint64_t deepest_registers = 0, deepest_local = 0;
    for (uint32_t i = 0; i < code->function->inst_count; i++) {
        const ptx_inst *inst = &code->function->insts[i];
        if (is_indirect_call(inst)) return false;
        if (inst->op != PTX_OP_CALL || inst->operand_count < 2 || !inst->operands[1].function->has_body)
            continue;
        uint64_t r, l;
        if (!call_depth(d, d->kernel->code_of[inst->operands[1].function->index], state, &r, &l, level + 1))
            return false;
        if (r > deepest_registers) deepest_registers = r;
        if (l > deepest_local) deepest_local = l;
    }
    state[index] = 0;
    *registers = code->frame_bytes + deepest_registers;
    *local = code->local_bytes + deepest_local;
    return true;
}

// What the deepest chain of calls takes of a GPU's stack, where functions are called by name and none a second time.
static uint32_t named_calls(const sim_kernel *k, const sim_code *code, uint32_t *known, unsigned level) {
    uint32_t *mine = &known[code->function->index], deepest = 0;
    if (*mine || level > 200) return *mine;
    *mine = code->stack_frame; // a recursion counts once
    for (uint32_t i = 0; i < code->function->inst_count; i++) {
        const ptx_inst *inst = &code->function->insts[i];
        if (inst->op != PTX_OP_CALL || inst->operand_count < 2 || is_indirect_call(inst) ||
            !inst->operands[1].function->has_body)
            continue;
        uint32_t below = named_calls(k, k->code_of[inst->operands[1].function->index], known, level + 1);
        if (below > deepest) deepest = below;
    }
    return *mine = code->stack_frame + deepest;
}

static void size_stacks(sim_decoder *d) {
    sim_kernel *k = d->kernel;
    uint8_t *state = sim_keep(d, k->program->module->function_count + 1);
    uint32_t *known = sim_keep(d, (k->program->module->function_count + 1) * sizeof *known);
    uint64_t registers = 0, local = 0;
    if (!state || !known) return;
    k->least_stack = named_calls(k, k->codes[0], known, 0);
    if (!call_depth(d, k->codes[0], state, &registers, &local, 0)) {
        k->recursive = true;
        registers = UINT64_C(64) << 20;
    } else if (k->code_count > 1) {
        // Lanes that have diverged may be in calls at the same time: at most 32 stacks side by side.
        registers = k->codes[0]->frame_bytes + (registers - k->codes[0]->frame_bytes) * SIM_LANES;
    }
    k->register_bytes = (uint32_t)((registers + 4095) / 4096 * 4096);
    for (uint32_t i = 0; i < k->code_count; i++)
        if (k->codes[i]->stack_at != SIM_NOWHERE) k->allocates_stack = true;
    k->local_frames = (uint32_t)local;
    sim_kernel_size_stack(k, k->program->machine->config.stack_bytes);
}

void sim_kernel_size_stack(sim_kernel *k, uint32_t stack) {
    enum { CALLS = 64 << 10 }; // for frames with the parameters, which a GPU has in registers
    uint32_t calls = stack > k->least_stack ? stack : k->least_stack;
    uint32_t frames = k->recursive ? k->codes[0]->local_bytes + CALLS + 2 * calls : k->local_frames;
    k->stack_bytes = k->allocates_stack ? stack / 16 * 16 : 0;
    k->local_room = (frames + 15) / 16 * 16 + k->stack_bytes;
}

// ---- do blocks communicate? -----------------------------------------------------------------------------

static bool is_outside(const ptx_inst *inst) {
    switch (inst->by_category[PTX_CAT_SPACE]) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER:
    case PTX_MOD_LOCAL:
    case PTX_MOD_PARAM:
    case PTX_MOD_CONST: return false;
    default: return true;
    }
}

// Integer additions, minima and the like give the same result in any order. Of a tensor the map has the type.
static bool order_shows(const ptx_inst *inst) {
    char class = inst->type_count ? ptx_type_class(inst->types[0]) : 'o';
    uint16_t operation = inst->by_category[PTX_CAT_ATOMIC];
    if (inst->op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR && operation == PTX_MOD_ADD) return true;
    return class == 'f' || class == 'v' || operation == PTX_MOD_INC || operation == PTX_MOD_DEC;
}

static bool is_strong(const ptx_inst *inst) {
    uint16_t order = inst->by_category[PTX_CAT_ORDER];
    return (order != PTX_MOD_NONE && order != PTX_MOD_WEAK) || inst->by_category[PTX_CAT_CACHE] == PTX_MOD_CV;
}

static void note_builtin(sim_kernel *k, const ptx_inst *call) {
    const ptx_operand *callee = &call->operands[1];
    if (callee->kind != PTX_OPERAND_FUNCTION || callee->function->has_body) return;
    sim_builtin b = sim_builtin_of(callee->function->name);
    k->prints |= b == SIM_BUILTIN_VPRINTF;
    k->allocates_heap |= b == SIM_BUILTIN_MALLOC || b == SIM_BUILTIN_FREE;
    k->communicates |= k->allocates_heap;
}

static void note_effect(sim_kernel *k, const ptx_inst *inst) {
    uint16_t scope = inst->by_category[PTX_CAT_SCOPE];
    switch (ptx_op_get(inst->op)->effect) {
    case PTX_EFFECT_PRIVATE: break;
    case PTX_EFFECT_ATOMIC: k->communicates |= is_outside(inst); break;
    case PTX_EFFECT_REDUCTION: k->communicates |= is_outside(inst) && order_shows(inst); break;
    case PTX_EFFECT_STRONG: k->communicates |= is_outside(inst) && is_strong(inst); break;
    case PTX_EFFECT_FENCE: k->communicates |= scope != PTX_MOD_CTA && scope != PTX_MOD_CLUSTER; break;
    case PTX_EFFECT_HEAP: note_builtin(k, inst); break;
    case PTX_EFFECT_CLUSTER: k->clusters = true; break;
    }
}

static void find_effects(sim_kernel *k) {
    for (uint32_t c = 0; c < k->code_count; c++) {
        const ptx_function *f = k->codes[c]->function;
        for (uint32_t i = 0; i < f->inst_count; i++) note_effect(k, &f->insts[i]);
    }
}

static bool names_reserved_shared(const ptx_inst *inst) {
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (inst->operands[i].kind != PTX_OPERAND_SPECIAL) continue;
        switch (inst->operands[i].special) {
        case PTX_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN:
        case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END:
        case PTX_SPECIAL_RESERVED_SMEM_OFFSET_CAP:
        case PTX_SPECIAL_RESERVED_SMEM_OFFSET_0:
        case PTX_SPECIAL_RESERVED_SMEM_OFFSET_1: return true;
        default: break;
        }
    }
    return false;
}

// Cooperative groups keep the barriers of tiles of several warps in the reserved bytes. As on a GPU, they lie in front
// of the kernel's own; kernels that never ask where they are have none, so that every stray access is seen.
static void find_reserved_shared(sim_kernel *k) {
    for (uint32_t c = 0; c < k->code_count; c++) {
        const ptx_function *f = k->codes[c]->function;
        for (uint32_t i = 0; i < f->inst_count; i++)
            if (names_reserved_shared(&f->insts[i]))
                k->reserved_shared = sim_shared_reserved(k->program->machine->config.sm);
    }
}

static kz_status lay_out_params(sim_decoder *d) {
    const ptx_function *f = d->kernel->entry;
    d->kernel->param_offset = sim_keep(d, (f->param_count + 1) * sizeof(uint32_t));
    if (!d->kernel->param_offset) return KZ_NO_MEMORY;
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->param_count; i++) {
        uint32_t align = f->params[i]->align ? f->params[i]->align : 1;
        at = (at + align - 1) / align * align;
        d->kernel->param_offset[i] = at;
        at += (uint32_t)f->params[i]->size;
    }
    d->kernel->param_bytes = at;
    return KZ_OK;
}

kz_status sim_decode_kernel(sim_program *program, const ptx_function *entry, sim_kernel **kernel,
                            kz_error *error) {
    base_arena *arena = base_arena_open();
    sim_kernel *k = arena ? base_arena_alloc(arena, sizeof *k) : NULL;
    uint32_t functions = program->module->function_count;
    if (!k) {
        base_arena_close(arena);
        return base_fail(error, KZ_NO_MEMORY, "out of memory while decoding kernel %s", entry->name);
    }
    *k = (sim_kernel){.program = program, .entry = entry, .arena = arena, .dynamic_align = 16};
    sim_decoder d = {.kernel = k, .isa = sim_isa_best(), .error = error, .status = KZ_OK};
    k->code_of = sim_keep(&d, (functions + 1) * sizeof *k->code_of);
    k->codes = sim_keep(&d, (functions + 1) * sizeof *k->codes);
    if (d.status == KZ_OK) d.status = lay_out_params(&d);
    // A kernel without an operation has a place for them too.
    if (d.status == KZ_OK) sim_grow(&d, &k->ops, 0, &k->op_capacity, sizeof *k->ops);
    if (d.status == KZ_OK) reach(&d, entry);
    if (d.status == KZ_OK) reach_all(&d);
    find_reserved_shared(k);
    for (uint32_t i = 0; i < k->code_count && (d.status == KZ_OK || d.status == KZ_UNSUPPORTED); i++)
        sim_decode_function(&d, k->codes[i]);
    for (uint32_t i = 0; i < k->code_count && d.status == KZ_OK; i++) sim_place_shared(&d, k->codes[i]);
    if (d.status == KZ_OK) {
        size_stacks(&d);
        find_effects(k);
        for (uint32_t i = 0; i < k->basic_block_count; i++)
            for (uint32_t o = 0; o < k->basic_blocks[i].count; o++)
                if (k->ops[k->basic_blocks[i].first + o].guard >= 0) k->basic_blocks[i].guarded = true;
        for (uint32_t i = 0; i < k->basic_block_count; i++)
            if (k->basic_blocks[i].end != PTX_END_FALL && k->basic_blocks[i].first_inst)
                k->basic_blocks[i].last = &k->ops[k->basic_blocks[i].first + k->basic_blocks[i].count];
    }
    if (d.status != KZ_OK) {
        if (d.status == KZ_UNSUPPORTED) {
            if (d.unsupported_count > 8) base_fail_note(error, "  ... and %u more", d.unsupported_count - 8);
            base_fail_note(
                error, "`kz ptx check FILE` lists all of them; docs/ptx_support.md says what is simulated");
        } else
            base_fail(error, d.status, "cannot decode kernel %s: %s", entry->name, kz_status_text(d.status));
        base_arena_close(arena);
        return d.status;
    }
    *kernel = k;
    return KZ_OK;
}

void sim_kernel_close(sim_kernel *kernel) {
    if (kernel) base_arena_close(kernel->arena);
}
