// From PTX to operations: places for registers and constants, runs, ends of runs.
//
// A register that is written once, unguarded, with what is constant for a thread (a parameter, a
// special register, the address of a variable) shares the constant's slot, and the instruction
// needs no operation; it is counted all the same.

#include "sim/decode.h"

#include <stdlib.h>
#include <string.h>

// ---- frames ----------------------------------------------------------------------------------------

static unsigned slot_bits(ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    return type == PTX_PRED ? 1 : bits <= 16 ? 16 : bits;
}

static uint32_t frame_take(sim_code *code, unsigned bits) {
    if (bits == 1) {
        // Predicates share a cache line, sixteen at a time.
        if (code->predicate_room == 0) {
            code->predicate_next = code->frame_bytes;
            code->frame_bytes += 64;
            code->predicate_room = 16;
        }
        code->predicate_room--;
        code->predicate_next += 4;
        return code->predicate_next - 4;
    }
    uint32_t at = code->frame_bytes;
    code->frame_bytes += bits / 8 * SIM_LANES;
    return at;
}

static bool grow(sim_decoder *d, void *list, uint32_t count, uint32_t *capacity, size_t element) {
    if (count < *capacity) return true;
    uint32_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = base_arena_alloc(d->kernel->arena, wanted * element);
    if (!grown) {
        d->status = KZ_NO_MEMORY;
        return false;
    }
    void **pointer = list;
    if (count) memcpy(grown, *pointer, count * element);
    *pointer = grown;
    *capacity = wanted;
    return true;
}

static uint32_t constant_hash(const sim_constant *c) {
    uint64_t h =
        c->bits * UINT64_C(0x9e3779b97f4a7c15) + c->kind * 31u + c->width * 7u + c->bytes * 3u + c->is_signed;
    return (uint32_t)(h ^ (h >> 29));
}

static bool same_constant(const sim_constant *a, const sim_constant *b) {
    return a->kind == b->kind && a->width == b->width && a->bits == b->bits && a->bytes == b->bytes &&
           a->is_signed == b->is_signed;
}

static void rehash_constants(sim_decoder *d, sim_code *code) {
    uint32_t size = code->constant_table_size ? code->constant_table_size * 2 : 128;
    uint32_t *table = base_arena_alloc(d->kernel->arena, size * sizeof *table);
    if (!table) {
        d->status = KZ_NO_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < code->constant_count; i++) {
        uint32_t h = constant_hash(&code->constants[i]) & (size - 1);
        while (table[h]) h = (h + 1) & (size - 1);
        table[h] = i + 1;
    }
    code->constant_table = table;
    code->constant_table_size = size;
}

// The slot of a constant, made when first asked for.
uint32_t sim_constant_at(sim_decoder *d, sim_constant wanted) {
    sim_code *code = d->code;
    if (code->constant_count * 2 >= code->constant_table_size) rehash_constants(d, code);
    if (d->status != KZ_OK) return 0;
    uint32_t size = code->constant_table_size, h = constant_hash(&wanted) & (size - 1);
    for (; code->constant_table[h]; h = (h + 1) & (size - 1)) {
        const sim_constant *c = &code->constants[code->constant_table[h] - 1];
        if (same_constant(c, &wanted)) return c->at;
    }
    if (!grow(d, &code->constants, code->constant_count, &code->constant_capacity, sizeof(sim_constant)))
        return 0;
    wanted.at = frame_take(code, wanted.width);
    code->constants[code->constant_count++] = wanted;
    code->constant_table[h] = code->constant_count;
    return wanted.at;
}

uint32_t sim_constant_bits(sim_decoder *d, unsigned width, uint64_t bits) {
    return sim_constant_at(d,
                           (sim_constant){.kind = SIM_CONSTANT_BITS, .width = (uint8_t)width, .bits = bits});
}

uint32_t sim_carry(sim_decoder *d) {
    if (d->code->carry_at == SIM_NOWHERE) d->code->carry_at = frame_take(d->code, 1);
    return d->code->carry_at;
}

void *sim_keep(sim_decoder *d, size_t bytes) {
    void *memory = base_arena_alloc(d->kernel->arena, bytes);
    if (!memory) d->status = KZ_NO_MEMORY;
    return memory;
}

// ---- variables ---------------------------------------------------------------------------------------

static bool is_formal(const ptx_function *function, const ptx_variable *variable) {
    for (uint32_t i = 0; i < function->param_count; i++)
        if (function->params[i] == variable) return true;
    return false;
}

static bool is_kernel_param(const sim_decoder *d, const ptx_variable *variable) {
    return variable->space == PTX_MOD_PARAM && d->code->function->is_entry &&
           is_formal(d->code->function, variable);
}

static uint32_t shared_place(sim_decoder *d, const ptx_variable *variable) {
    sim_kernel *k = d->kernel;
    for (uint32_t i = 0; i < k->shared_place_count; i++)
        if (k->shared_places[i].variable == variable) return k->shared_places[i].offset;
    if (!grow(d, &k->shared_places, k->shared_place_count, &k->shared_place_capacity, sizeof(sim_place)))
        return 0;
    uint32_t align = variable->align ? variable->align : 1;
    k->static_shared = (k->static_shared + align - 1) / align * align;
    k->shared_places[k->shared_place_count++] = (sim_place){variable, k->static_shared};
    uint32_t at = k->static_shared;
    k->static_shared += (uint32_t)variable->size;
    return at;
}

static const sim_place *local_place(const sim_decoder *d, const ptx_variable *variable) {
    for (uint32_t i = 0; i < d->code->place_count; i++)
        if (d->code->places[i].variable == variable) return &d->code->places[i];
    return NULL;
}

// The address of a variable in its own space, as a constant of `width` bits.
static sim_constant variable_address(sim_decoder *d, const ptx_variable *variable, int64_t offset,
                                     unsigned width) {
    sim_constant c = {.kind = SIM_CONSTANT_BITS, .width = (uint8_t)width, .bits = (uint64_t)offset};
    switch (variable->space) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
        if (variable->size == 0) {
            c.kind = SIM_CONSTANT_SHARED_DYNAMIC;
            if (variable->align > d->kernel->dynamic_align) d->kernel->dynamic_align = variable->align;
        } else
            c.bits += shared_place(d, variable);
        break;
    case PTX_MOD_LOCAL:
    case PTX_MOD_PARAM:
        if (is_kernel_param(d, variable)) {
            c.bits += d->kernel->param_offset[variable->index];
        } else {
            const sim_place *place = local_place(d, variable);
            c.kind = SIM_CONSTANT_LOCAL;
            c.bits += place ? place->offset : 0;
        }
        break;
    default: c.bits += sim_program_variable(d->kernel->program, variable);
    }
    return c;
}

// ---- operands ----------------------------------------------------------------------------------------

static bool is_clock(ptx_special special) {
    return special == PTX_SPECIAL_CLOCK || special == PTX_SPECIAL_CLOCK_HI ||
           special == PTX_SPECIAL_CLOCK64 || special == PTX_SPECIAL_GLOBALTIMER ||
           special == PTX_SPECIAL_GLOBALTIMER_LO || special == PTX_SPECIAL_GLOBALTIMER_HI;
}

static bool changes_by_block(const sim_constant *c) {
    if (c->kind != SIM_CONSTANT_SPECIAL) return false;
    switch ((ptx_special)c->bits) {
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z:
    case PTX_SPECIAL_CLUSTERID_X:
    case PTX_SPECIAL_CLUSTERID_Y:
    case PTX_SPECIAL_CLUSTERID_Z:
    case PTX_SPECIAL_SMID: return true;
    default: return false;
    }
}

static sim_op *add_op(sim_decoder *d) {
    sim_kernel *k = d->kernel;
    if (!grow(d, &k->ops, k->op_count, &k->op_capacity, sizeof(sim_op))) return &d->nowhere;
    sim_op *op = &k->ops[k->op_count++];
    *op = (sim_op){
        .d = SIM_NOWHERE, .a = SIM_NOWHERE, .b = SIM_NOWHERE, .c = SIM_NOWHERE, .guard = -1, .inst = d->inst};
    return op;
}

static void read_clock(sim_warp *warp, const sim_op *op) {
    // No time passes in the simulator: the clock is the number of instructions the block has executed.
    uint64_t now = warp->block->clock + warp->issued;
    warp->block->worker->changes++; // whoever looks at a clock may yet leave a loop by it
    if (op->aux8 == 64) {
        uint64_t *d = SIM_REG(uint64_t, warp, op->d);
        for (int i = 0; i < SIM_LANES; i++) d[i] = now >> op->aux16;
    } else {
        uint32_t *d = SIM_REG(uint32_t, warp, op->d);
        for (int i = 0; i < SIM_LANES; i++) d[i] = (uint32_t)(now >> op->aux16);
    }
}

static uint32_t clock_slot(sim_decoder *d, ptx_special special, unsigned width) {
    sim_op *op = add_op(d);
    op->full = op->masked = read_clock;
    op->aux8 = (uint8_t)width;
    op->aux16 = special == PTX_SPECIAL_CLOCK_HI || special == PTX_SPECIAL_GLOBALTIMER_HI ? 32 : 0;
    op->d = frame_take(d->code, width);
    return op->d;
}

uint32_t sim_source(sim_decoder *d, const ptx_operand *operand, ptx_type type) {
    unsigned width = slot_bits(type);
    switch (operand->kind) {
    case PTX_OPERAND_REG: return d->code->reg_at[operand->reg];
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT: return sim_constant_bits(d, width, ptx_immediate(operand, type));
    case PTX_OPERAND_SPECIAL:
        if (is_clock(operand->special)) return clock_slot(d, operand->special, width);
        return sim_constant_at(
            d,
            (sim_constant){.kind = SIM_CONSTANT_SPECIAL, .width = (uint8_t)width, .bits = operand->special});
    case PTX_OPERAND_VARIABLE:
        return sim_constant_at(d, variable_address(d, operand->variable, operand->value, width));
    case PTX_OPERAND_FUNCTION:
        return sim_constant_bits(d, width, SIM_CODE_WINDOW + 16 * ((uint64_t)operand->function->index + 1));
    default: return sim_constant_bits(d, width, 0);
    }
}

uint32_t sim_destination(sim_decoder *d, const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_REG && operand->reg >= 0) return d->code->reg_at[operand->reg];
    if (d->code->sink_at == SIM_NOWHERE) d->code->sink_at = frame_take(d->code, 128);
    return d->code->sink_at;
}

unsigned sim_operand_bits(sim_decoder *d, const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_REG) return slot_bits(d->code->function->regs[operand->reg].type);
    return slot_bits(type);
}

unsigned sim_address(sim_decoder *d, const ptx_operand *operand, unsigned constant_bits, sim_op *op) {
    if (operand->reg >= 0) {
        op->a = d->code->reg_at[operand->reg];
        op->offset = operand->value;
        return slot_bits(d->code->function->regs[operand->reg].type);
    }
    op->offset = 0;
    sim_constant c = {
        .kind = SIM_CONSTANT_BITS, .width = (uint8_t)constant_bits, .bits = (uint64_t)operand->value};
    if (operand->variable) c = variable_address(d, operand->variable, operand->value, constant_bits);
    op->a = sim_constant_at(d, c);
    return constant_bits;
}

bool sim_param_is_local(sim_decoder *d, const ptx_operand *operand) {
    if (operand->variable) return !is_kernel_param(d, operand->variable);
    return !d->code->function->is_entry;
}

// ---- instructions --------------------------------------------------------------------------------------

// A kernel parameter read at a place known now: the constant, or false.
static bool param_constant(sim_decoder *d, const ptx_inst *inst, const ptx_operand *to, uint32_t element,
                           sim_constant *c) {
    const ptx_operand *from = &inst->operands[1];
    if (inst->op != PTX_OP_LD || from->reg >= 0 || !from->variable || !is_kernel_param(d, from->variable))
        return false;
    unsigned bytes = ptx_type_bits(inst->types[0]) / 8;
    int64_t offset = from->value + (int64_t)element * bytes;
    if (bytes == 0 || bytes > 8 || offset < 0 || (uint64_t)offset + bytes > from->variable->size)
        return false;
    unsigned width = to->kind == PTX_OPERAND_REG ? slot_bits(d->code->function->regs[to->reg].type)
                                                 : slot_bits(inst->types[0]);
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
    unsigned width = slot_bits(d->code->function->regs[to->reg].type);
    sim_constant c;
    if (inst->op == PTX_OP_LD)
        return param_constant(d, inst, to, 0, &c) ? sim_constant_at(d, c) : SIM_NOWHERE;
    if (inst->op == PTX_OP_CVTA && inst->by_category[PTX_CAT_SPACE] == PTX_MOD_GLOBAL &&
        from->kind == PTX_OPERAND_REG)
        return d->code->reg_is_constant[from->reg] ? d->code->reg_at[from->reg] : SIM_NOWHERE;
    if (inst->op != PTX_OP_MOV) return SIM_NOWHERE;
    switch (from->kind) {
    case PTX_OPERAND_SPECIAL:
        if (is_clock(from->special) || width != slot_bits(inst->types[0])) return SIM_NOWHERE;
        return sim_source(d, from, inst->types[0]);
    case PTX_OPERAND_VARIABLE:
        return width >= 32 ? sim_source(d, from, width == 64 ? PTX_U64 : PTX_U32) : SIM_NOWHERE;
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
        return width == slot_bits(inst->types[0]) && width > 1 ? sim_source(d, from, inst->types[0])
                                                               : SIM_NOWHERE;
    case PTX_OPERAND_REG:
        return d->code->reg_is_constant[from->reg] && width == sim_operand_bits(d, from, PTX_B32)
                   ? d->code->reg_at[from->reg]
                   : SIM_NOWHERE;
    default: return SIM_NOWHERE;
    }
}

// Gives registers that are constant the constant's slot.
static void share_constants(sim_decoder *d) {
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
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_FENCE_PROXY:
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_PMEVENT:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD: return true;
    case PTX_OP_LD:
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
        return inst->guard < 0 && inst->operands[0].kind == PTX_OPERAND_REG &&
               d->code->reg_is_constant[inst->operands[0].reg];
    default: return false;
    }
}

static void set_guard(sim_decoder *d, sim_op *op, const ptx_inst *inst) {
    if (inst->guard < 0) return;
    op->guard = (int32_t)d->code->reg_at[inst->guard];
    op->guard_negated = inst->guard_negated;
}

static void do_nothing(sim_warp *warp, const sim_op *op) {}

static void active_mask(sim_warp *warp, const sim_op *op) {
    uint32_t *d = SIM_REG(uint32_t, warp, op->d);
    uint32_t mask = warp->mask;
    for (int i = 0; i < SIM_LANES; i++)
        if (mask >> i & 1) d[i] = mask;
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
    sim_op *op = add_op(d);
    if (!d->isa->select_arith(d, &move, op)) d->status = KZ_INTERNAL;
    op->a = at;
    op->inst = inst;
    set_guard(d, op, inst);
}

// ld.param of a kernel's parameter at a known place, into registers that are written elsewhere too.
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
    const ptx_module *module = d->kernel->program->module;
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
    base_fail_note(d->error, "  %s: %s", text.data ? text.data : "?", why ? why : "not simulated");
    base_text_free(&text);
}

static void decode_plain(sim_decoder *d, const ptx_inst *inst) {
    const char *why = NULL;
    if (inst->op == PTX_OP_NONE || !ptx_is_simulated(inst, &why)) {
        unsupported(d, inst, why);
        return;
    }
    if (needs_no_operation(d, inst) || decode_param_load(d, inst)) return;
    sim_op op = {
        .d = SIM_NOWHERE, .a = SIM_NOWHERE, .b = SIM_NOWHERE, .c = SIM_NOWHERE, .guard = -1, .inst = inst};
    const sim_isa *isa = d->isa;
    if (inst->op == PTX_OP_ACTIVEMASK) {
        op.full = op.masked = active_mask;
        op.d = sim_destination(d, &inst->operands[0], PTX_B32);
    } else if (!isa->select_memory(d, inst, &op) && !isa->select_arith(d, inst, &op) &&
               !isa->select_convert(d, inst, &op) && !isa->select_video(d, inst, &op)) {
        unsupported(d, inst, "this combination of types and modifiers is not simulated");
        return;
    }
    set_guard(d, &op, inst);
    *add_op(d) = op;
}

// ---- ends of runs ----------------------------------------------------------------------------------------

static bool ends_run(const ptx_inst *inst, sim_end *end) {
    switch (inst->op) {
    case PTX_OP_BRA: *end = SIM_END_BRANCH; return true;
    case PTX_OP_BRX_IDX: *end = SIM_END_TABLE; return true;
    case PTX_OP_CALL: *end = SIM_END_CALL; return true;
    case PTX_OP_RET: *end = SIM_END_RETURN; return true;
    case PTX_OP_EXIT: *end = SIM_END_EXIT; return true;
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_ARRIVE: *end = SIM_END_BARRIER; return true;
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ELECT:
    case PTX_OP_BAR_WARP: *end = SIM_END_SYNC; return true;
    case PTX_OP_NANOSLEEP: *end = SIM_END_YIELD; return true;
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT: *end = SIM_END_TRAP; return true;
    default: return false;
    }
}

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

// op->a, b, c: the sources; op->d and op->aux: the results; op->offset: the membermask.
static void decode_sync(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    const ptx_operand *o = inst->operands;
    ptx_type type = inst->type_count ? inst->types[0] : PTX_B32;
    const ptx_operand *mask = &o[inst->operand_count - 1];
    op->aux = SIM_NOWHERE;
    bool has_mask = (inst->flags & PTX_FLAG(SYNC)) || inst->op == PTX_OP_BAR_WARP || inst->op == PTX_OP_ELECT;
    op->offset = has_mask ? (int64_t)sim_source(d, mask, PTX_B32) : -1;
    if (inst->op == PTX_OP_BAR_WARP) return;
    if (o[0].second >= 0) op->aux = d->code->reg_at[o[0].second];
    op->d = sim_destination(d, &o[0], type);
    switch (inst->op) {
    case PTX_OP_SHFL:
        op->a = sim_source(d, &o[1], PTX_B32);
        op->b = sim_source(d, &o[2], PTX_B32);
        op->c = sim_source(d, &o[3], PTX_B32);
        break;
    case PTX_OP_VOTE:
        op->a = sim_source(d, &o[1], PTX_PRED);
        op->aux8 = o[1].negated;
        break;
    case PTX_OP_MATCH:
    case PTX_OP_REDUX: op->a = sim_source(d, &o[1], type); break;
    default: break;
    }
}

static sim_builtin builtin_of(const char *name) {
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

static sim_place *call_places(sim_decoder *d, const ptx_operand *list, uint32_t *count) {
    *count = list->kind == PTX_OPERAND_VECTOR ? list->element_count : 0;
    sim_place *places = sim_keep(d, (*count + 1) * sizeof *places);
    for (uint32_t i = 0; places && i < *count; i++) {
        const ptx_variable *variable = list->elements[i].variable;
        const sim_place *place = variable ? local_place(d, variable) : NULL;
        if (!place) return NULL;
        places[i] = *place;
    }
    return places;
}

static void decode_call(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    sim_call *call = sim_keep(d, sizeof *call);
    if (!call) return;
    const ptx_operand *callee = &inst->operands[1];
    call->pointer_at = SIM_NOWHERE;
    call->results = call_places(d, &inst->operands[0], &call->result_count);
    call->args = call_places(d, &inst->operands[2], &call->arg_count);
    if (!call->results || !call->args) {
        unsupported(d, inst, "only parameters in .param variables can be passed");
        return;
    }
    if (callee->kind == PTX_OPERAND_FUNCTION) {
        if (callee->function->has_body)
            call->callee = d->kernel->code_of[callee->function->index];
        else
            call->builtin = builtin_of(callee->function->name);
        if (!call->callee && call->builtin == SIM_BUILTIN_NONE) {
            unsupported(d, inst,
                        "the function has no body here: link the code that defines it, or it is a device "
                        "runtime function that is not simulated");
            return;
        }
    } else
        call->pointer_at = sim_source(d, callee, PTX_U64);
    op->aux = (uint64_t)(uintptr_t)call;
}

static void decode_end(sim_decoder *d, const ptx_inst *inst, sim_end end) {
    const char *why = NULL;
    if (!ptx_is_simulated(inst, &why)) {
        unsupported(d, inst, why);
        return;
    }
    sim_op op = {
        .d = SIM_NOWHERE, .a = SIM_NOWHERE, .b = SIM_NOWHERE, .c = SIM_NOWHERE, .guard = -1, .inst = inst};
    set_guard(d, &op, inst);
    switch (end) {
    case SIM_END_TABLE: op.a = sim_source(d, &inst->operands[0], PTX_U32); break;
    case SIM_END_BARRIER: decode_barrier(d, inst, &op); break;
    case SIM_END_SYNC: decode_sync(d, inst, &op); break;
    case SIM_END_CALL: decode_call(d, inst, &op); break;
    default: break;
    }
    *add_op(d) = op;
}

// ---- shared bases ----------------------------------------------------------------------------------------

static bool writes_slot(const sim_decoder *d, const ptx_operand *operand, uint32_t at) {
    if (operand->kind == PTX_OPERAND_VECTOR)
        for (uint32_t i = 0; i < operand->element_count; i++)
            if (writes_slot(d, &operand->elements[i], at)) return true;
    return operand->kind == PTX_OPERAND_REG && operand->reg >= 0 && d->code->reg_at[operand->reg] == at;
}

// The first access of a stretch through a base register that is used again, unchanged, is preceded by an
// operation that finds out how the 32 addresses lie; the others need not look again.
static void share_bases(sim_decoder *d, uint32_t first) {
    sim_kernel *k = d->kernel;
    for (uint32_t i = first; i < k->op_count; i++) {
        if (!d->isa->can_share_base(&k->ops[i])) continue;
        uint32_t base = k->ops[i].a, users = 1, last = i;
        for (uint32_t j = i + 1; j < k->op_count; j++) {
            const ptx_inst *inst = k->ops[j].inst;
            if (inst->operand_count && writes_slot(d, &inst->operands[0], base)) break;
            if (d->isa->can_share_base(&k->ops[j]) && k->ops[j].a == base) {
                users++;
                last = j;
            }
        }
        // An access that overwrites its own base is its last user.
        if (users < 3 || writes_slot(d, &k->ops[i].inst->operands[0], base)) continue;
        uint32_t summary_at = frame_take(d->code, 16);
        add_op(d);
        if (d->status != KZ_OK) return;
        memmove(&k->ops[i + 1], &k->ops[i], (k->op_count - 1 - i) * sizeof *k->ops);
        k->ops[i] = (sim_op){.a = base,
                             .d = summary_at,
                             .b = SIM_NOWHERE,
                             .c = SIM_NOWHERE,
                             .guard = -1,
                             .inst = k->ops[i + 1].inst};
        k->ops[i].masked = do_nothing;
        for (uint32_t j = i + 1; j <= last + 1; j++)
            if (k->ops[j].a == base && d->isa->share_base(&k->ops[j], &k->ops[i])) k->ops[j].b = summary_at;
        i++;
    }
}

// ---- functions -------------------------------------------------------------------------------------------

static void mark_leaders(const ptx_function *f, uint8_t *leader) {
    leader[0] = 1;
    sim_end end;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_inst *inst = &f->insts[i];
        for (uint32_t o = 0; o < inst->operand_count; o++)
            if (inst->operands[o].kind == PTX_OPERAND_LABEL) leader[inst->operands[o].value] = 1;
        if (ends_run(inst, &end)) leader[i + 1] = 1;
    }
    for (uint32_t t = 0; t < f->table_count; t++)
        for (uint32_t i = 0; f->tables[t].labels && i < f->tables[t].count; i++)
            leader[f->tables[t].labels[i]] = 1;
}

// The runs of one function, first in the order of the text.
typedef struct draft_code {
    sim_stretch *runs;
    uint32_t *run_of; // by instruction
    uint32_t count;
} draft_code;

static void close_stretch(sim_decoder *d, sim_stretch *run) {
    if (d->status == KZ_OK) share_bases(d, run->first);
    run->count = d->kernel->op_count - run->first;
}

static void decode_runs(sim_decoder *d, draft_code *draft, const uint8_t *leader) {
    const ptx_function *f = d->code->function;
    sim_stretch *run = NULL;
    sim_end end;
    for (uint32_t i = 0; i < f->inst_count && d->status != KZ_NO_MEMORY; i++) {
        const ptx_inst *inst = &f->insts[i];
        d->inst = inst;
        if (leader[i]) {
            if (run && run->end == SIM_END_FALL) close_stretch(d, run);
            run = &draft->runs[draft->count];
            *run = (sim_stretch){
                .first = d->kernel->op_count, .end = SIM_END_FALL, .first_inst = inst, .code = d->code};
            draft->count++;
        }
        draft->run_of[i] = draft->count - 1;
        run->instructions++;
        if (ends_run(inst, &end)) {
            close_stretch(d, run);
            run->end = end;
            decode_end(d, inst, end);
        } else
            decode_plain(d, inst);
    }
    if (run && run->end == SIM_END_FALL) close_stretch(d, run);
    // A function whose text runs off its end returns there.
    draft->run_of[f->inst_count] = draft->count;
    draft->runs[draft->count++] =
        (sim_stretch){.first = d->kernel->op_count, .end = SIM_END_RETURN, .code = d->code};
}

static const ptx_table *table_of(const sim_code *code, const ptx_inst *inst) {
    const ptx_operand *o = &inst->operands[inst->operand_count - 1];
    return o->kind == PTX_OPERAND_TABLE ? &code->function->tables[o->value] : NULL;
}

// Draft indices of what can follow a run.
static uint32_t successors_of(const sim_decoder *d, const draft_code *draft, uint32_t index, uint32_t *out) {
    const sim_stretch *run = &draft->runs[index];
    const sim_op *last =
        run->end == SIM_END_FALL || !run->first_inst ? NULL : &d->kernel->ops[run->first + run->count];
    uint32_t count = 0;
    bool guarded = last && last->inst->guard >= 0;
    bool falls =
        run->end != SIM_END_TABLE && run->end != SIM_END_TRAP &&
        ((run->end != SIM_END_BRANCH && run->end != SIM_END_RETURN && run->end != SIM_END_EXIT) || guarded);
    if (falls && index + 1 < draft->count) out[count++] = index + 1;
    if (run->end == SIM_END_BRANCH) out[count++] = draft->run_of[last->inst->operands[0].value];
    if (run->end == SIM_END_TABLE) {
        const ptx_table *table = table_of(run->code, last->inst);
        for (uint32_t i = 0; table && i < table->count; i++) out[count++] = draft->run_of[table->labels[i]];
        if (guarded && index + 1 < draft->count) out[count++] = index + 1;
    }
    return count;
}

static void place_runs(sim_decoder *d, draft_code *draft) {
    sim_kernel *k = d->kernel;
    uint32_t total = 0, *start = sim_keep(d, (draft->count + 2) * sizeof *start);
    uint32_t limit = draft->count * 2 + 2;
    for (uint32_t t = 0; t < d->code->function->table_count; t++)
        limit += d->code->function->tables[t].count * draft->count;
    if (limit > 64u << 20) limit = 64u << 20;
    uint32_t *list = sim_keep(d, (size_t)limit * sizeof *list),
             *order = sim_keep(d, (draft->count + 1) * sizeof *order);
    if (d->status != KZ_OK) return;
    for (uint32_t i = 0; i < draft->count; i++) {
        start[i] = total;
        total += successors_of(d, draft, i, list + total);
    }
    start[draft->count] = total;
    if (!sim_order_runs(k->arena, list, start, draft->count, order)) {
        d->status = KZ_NO_MEMORY;
        return;
    }
    uint32_t base = k->run_count, *position = sim_keep(d, draft->count * sizeof *position);
    if (!position) return;
    for (uint32_t i = 0; i < draft->count; i++) position[order[i]] = base + i;
    for (uint32_t i = 0; i < draft->count; i++) {
        if (!grow(d, &k->runs, k->run_count, &k->run_capacity, sizeof(sim_stretch))) return;
        uint32_t from = order[i];
        sim_stretch run = draft->runs[from];
        run.next = from + 1 < draft->count ? position[from + 1] : position[from];
        const sim_op *last =
            run.end != SIM_END_FALL && run.first_inst ? &k->ops[run.first + run.count] : NULL;
        if (run.end == SIM_END_BRANCH) run.target = position[draft->run_of[last->inst->operands[0].value]];
        if (run.end == SIM_END_TABLE) {
            const ptx_table *table = table_of(d->code, last->inst);
            uint32_t *targets = sim_keep(d, (table ? table->count : 0) * sizeof *targets + 4);
            for (uint32_t t = 0; targets && table && t < table->count; t++)
                targets[t] = position[draft->run_of[table->labels[t]]];
            k->ops[run.first + run.count].aux = (uint64_t)(uintptr_t)targets;
            k->ops[run.first + run.count].offset = table ? table->count : 0;
        }
        k->runs[k->run_count++] = run;
    }
    d->code->entry_run = position[0];
}

static void decode_function(sim_decoder *d, sim_code *code) {
    const ptx_function *f = code->function;
    d->code = code;
    share_constants(d);
    uint8_t *leader = sim_keep(d, f->inst_count + 2);
    draft_code draft = {.runs = sim_keep(d, (f->inst_count + 2) * sizeof *draft.runs),
                        .run_of = sim_keep(d, (f->inst_count + 2) * sizeof *draft.run_of)};
    if (d->status != KZ_OK) return;
    mark_leaders(f, leader);
    decode_runs(d, &draft, leader);
    if (d->status == KZ_OK) place_runs(d, &draft);
    code->block_constants = sim_keep(d, (code->constant_count + 1) * sizeof *code->block_constants);
    for (uint32_t i = 0; code->block_constants && i < code->constant_count; i++)
        if (changes_by_block(&code->constants[i])) code->block_constants[code->block_constant_count++] = i;
}

// Places for a function's registers and for its variables in local memory.
static sim_code *open_code(sim_decoder *d, const ptx_function *f) {
    sim_code *code = sim_keep(d, sizeof *code);
    if (!code) return NULL;
    *code = (sim_code){.function = f, .kernel = d->kernel, .carry_at = SIM_NOWHERE, .sink_at = SIM_NOWHERE};
    code->reg_at = sim_keep(d, (f->reg_count + 1) * sizeof *code->reg_at);
    code->reg_is_constant = sim_keep(d, f->reg_count + 1);
    code->places =
        sim_keep(d, (f->local_count + f->param_count + f->return_count + 1) * sizeof *code->places);
    if (d->status != KZ_OK) return NULL;
    for (uint32_t i = 0; i < f->reg_count; i++)
        code->reg_at[i] = frame_take(code, slot_bits(f->regs[i].type));
    ptx_variable **lists[] = {f->locals, f->is_entry ? NULL : f->params, f->returns};
    uint32_t counts[] = {f->local_count, f->is_entry ? 0 : f->param_count, f->return_count};
    for (int l = 0; l < 3; l++)
        for (uint32_t i = 0; i < counts[l]; i++) {
            const ptx_variable *v = lists[l][i];
            if (v->space != PTX_MOD_LOCAL && v->space != PTX_MOD_PARAM) continue;
            uint32_t align = v->align ? v->align : 1;
            code->local_bytes = (code->local_bytes + align - 1) / align * align;
            code->places[code->place_count++] = (sim_place){v, code->local_bytes};
            code->local_bytes += (uint32_t)v->size;
        }
    code->local_bytes = (code->local_bytes + 15) / 16 * 16;
    return code;
}

// ---- what a kernel reaches
// ---------------------------------------------------------------------------------

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

static void size_stacks(sim_decoder *d) {
    sim_kernel *k = d->kernel;
    uint8_t *state = sim_keep(d, k->program->module->function_count + 1);
    uint64_t registers = 0, local = 0;
    if (!state) return;
    uint32_t stack = k->program->machine->config.stack_bytes;
    if (!call_depth(d, k->codes[0], state, &registers, &local, 0)) {
        k->recursive = true;
        local = stack;
        if (local < k->codes[0]->local_bytes + 1024) local = k->codes[0]->local_bytes + 1024;
        registers = UINT64_C(64) << 20;
    } else if (k->code_count > 1) {
        // Lanes that have parted may be in calls at the same time: at most 32 stacks side by side.
        registers = k->codes[0]->frame_bytes + (registers - k->codes[0]->frame_bytes) * SIM_LANES;
    }
    k->register_bytes = (uint32_t)((registers + 4095) / 4096 * 4096);
    k->local_stride = (uint32_t)((local + 15) / 16 * 16);
}

// ---- do blocks talk to each other? -----------------------------------------------------------------------

static bool talks(const ptx_inst *inst) {
    uint16_t space = inst->by_category[PTX_CAT_SPACE], order = inst->by_category[PTX_CAT_ORDER];
    uint16_t scope = inst->by_category[PTX_CAT_SCOPE];
    bool own = space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA || space == PTX_MOD_LOCAL ||
               space == PTX_MOD_PARAM || space == PTX_MOD_CONST;
    switch (inst->op) {
    case PTX_OP_ATOM: return !own;
    case PTX_OP_RED: // the order of integer additions does not show
        return !own && (ptx_type_class(inst->types[0]) == 'f' || ptx_type_class(inst->types[0]) == 'v' ||
                        inst->by_category[PTX_CAT_ATOMIC] == PTX_MOD_INC ||
                        inst->by_category[PTX_CAT_ATOMIC] == PTX_MOD_DEC);
    case PTX_OP_LD:
    case PTX_OP_ST:
        return !own && ((order != PTX_MOD_NONE && order != PTX_MOD_WEAK) ||
                        inst->by_category[PTX_CAT_CACHE] == PTX_MOD_CV);
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE: return scope != PTX_MOD_CTA;
    case PTX_OP_CALL: {
        const ptx_operand *callee = &inst->operands[1];
        if (callee->kind != PTX_OPERAND_FUNCTION || callee->function->has_body) return false;
        sim_builtin b = builtin_of(callee->function->name);
        return b == SIM_BUILTIN_MALLOC || b == SIM_BUILTIN_FREE;
    }
    default: return false;
    }
}

static void find_talk(sim_kernel *k) {
    for (uint32_t c = 0; c < k->code_count; c++) {
        const ptx_function *f = k->codes[c]->function;
        for (uint32_t i = 0; i < f->inst_count && !k->communicates; i++)
            k->communicates = talks(&f->insts[i]);
    }
}

static kz_status place_params(sim_decoder *d) {
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
    if (d.status == KZ_OK) d.status = place_params(&d);
    if (d.status == KZ_OK) reach(&d, entry);
    if (d.status == KZ_OK) reach_all(&d);
    for (uint32_t i = 0; i < k->code_count && (d.status == KZ_OK || d.status == KZ_UNSUPPORTED); i++)
        decode_function(&d, k->codes[i]);
    if (d.status == KZ_OK) {
        size_stacks(&d);
        find_talk(k);
        for (uint32_t i = 0; i < k->run_count; i++)
            for (uint32_t o = 0; o < k->runs[i].count; o++)
                if (k->ops[k->runs[i].first + o].guard >= 0) k->runs[i].guarded = true;
        for (uint32_t i = 0; i < k->run_count; i++)
            if (k->runs[i].end != SIM_END_FALL && k->runs[i].first_inst)
                k->runs[i].last = &k->ops[k->runs[i].first + k->runs[i].count];
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
