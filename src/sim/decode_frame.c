// Decoding: the offsets of registers, constants and variables in a frame, and operands as frame offsets.

#include "sim/decode.h"

#include <string.h>

// ---- frames ----------------------------------------------------------------------------------------

unsigned sim_slot_bits(ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    return type == PTX_PRED ? 1 : bits <= 16 ? 16 : bits;
}

uint32_t sim_frame_take(sim_code *code, unsigned bits) {
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

bool sim_grow(sim_decoder *d, void *list, uint32_t count, uint32_t *capacity, size_t element) {
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
    if (!sim_grow(d, &code->constants, code->constant_count, &code->constant_capacity, sizeof(sim_constant)))
        return 0;
    wanted.at = sim_frame_take(code, wanted.width);
    code->constants[code->constant_count++] = wanted;
    code->constant_table[h] = code->constant_count;
    return wanted.at;
}

uint32_t sim_constant_bits(sim_decoder *d, unsigned width, uint64_t bits) {
    return sim_constant_at(d,
                           (sim_constant){.kind = SIM_CONSTANT_BITS, .width = (uint8_t)width, .bits = bits});
}

uint32_t sim_carry(sim_decoder *d) {
    if (d->code->carry_at == SIM_NOWHERE) d->code->carry_at = sim_frame_take(d->code, 1);
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

bool sim_is_kernel_param(const sim_decoder *d, const ptx_variable *variable) {
    return variable->space == PTX_MOD_PARAM && d->code->function->is_entry &&
           is_formal(d->code->function, variable);
}

static uint32_t shared_offset(sim_decoder *d, const ptx_variable *variable) {
    sim_kernel *k = d->kernel;
    for (uint32_t i = 0; i < k->shared_slot_count; i++)
        if (k->shared_slots[i].variable == variable) return k->shared_slots[i].offset;
    if (!sim_grow(d, &k->shared_slots, k->shared_slot_count, &k->shared_slot_capacity,
                  sizeof(sim_variable_slot)))
        return 0;
    uint32_t align = variable->align ? variable->align : 1;
    k->static_shared = (k->static_shared + align - 1) / align * align;
    uint32_t at = k->reserved_shared + k->static_shared;
    k->shared_slots[k->shared_slot_count++] = (sim_variable_slot){variable, at};
    k->static_shared += (uint32_t)variable->size;
    return at;
}

void sim_place_shared(sim_decoder *d, const sim_code *code) {
    for (uint32_t i = 0; i < code->function->local_count; i++) {
        const ptx_variable *v = code->function->locals[i];
        if ((v->space == PTX_MOD_SHARED || v->space == PTX_MOD_SHARED_CTA) && v->size) shared_offset(d, v);
    }
}

const sim_variable_slot *sim_local_slot(const sim_decoder *d, const ptx_variable *variable) {
    for (uint32_t i = 0; i < d->code->slot_count; i++)
        if (d->code->slots[i].variable == variable) return &d->code->slots[i];
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
            c.bits += shared_offset(d, variable);
        break;
    case PTX_MOD_LOCAL:
    case PTX_MOD_PARAM:
        if (sim_is_kernel_param(d, variable)) {
            c.bits += d->kernel->param_offset[variable->index];
        } else {
            const sim_variable_slot *slot = sim_local_slot(d, variable);
            c.kind = SIM_CONSTANT_LOCAL;
            c.bits += slot ? slot->offset : 0;
        }
        break;
    default: c.bits += sim_program_variable(d->kernel->program, variable);
    }
    return c;
}

// ---- operands ----------------------------------------------------------------------------------------

bool sim_is_clock(ptx_special special) {
    return special == PTX_SPECIAL_CLOCK || special == PTX_SPECIAL_CLOCK_HI ||
           special == PTX_SPECIAL_CLOCK64 || special == PTX_SPECIAL_GLOBALTIMER ||
           special == PTX_SPECIAL_GLOBALTIMER_LO || special == PTX_SPECIAL_GLOBALTIMER_HI;
}

bool sim_changes_by_block(const sim_constant *c) {
    if (c->kind != SIM_CONSTANT_SPECIAL) return false;
    switch ((ptx_special)c->bits) {
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z:
    case PTX_SPECIAL_CLUSTERID_X:
    case PTX_SPECIAL_CLUSTERID_Y:
    case PTX_SPECIAL_CLUSTERID_Z:
    case PTX_SPECIAL_CLUSTER_CTAID_X:
    case PTX_SPECIAL_CLUSTER_CTAID_Y:
    case PTX_SPECIAL_CLUSTER_CTAID_Z:
    case PTX_SPECIAL_CLUSTER_CTARANK:
    case PTX_SPECIAL_SMID: return true;
    default: return false;
    }
}

sim_op *sim_add_op(sim_decoder *d) {
    sim_kernel *k = d->kernel;
    if (!sim_grow(d, &k->ops, k->op_count, &k->op_capacity, sizeof(sim_op))) return &d->nowhere;
    sim_op *op = &k->ops[k->op_count++];
    *op = (sim_op){
        .d = SIM_NOWHERE, .a = SIM_NOWHERE, .b = SIM_NOWHERE, .c = SIM_NOWHERE, .guard = -1, .inst = d->inst};
    return op;
}

// No time passes in the simulator: the clock is the number of instructions the block has executed. Reading it
// takes a few dozen cycles of hardware, and does so here, that kernels which wait by it are done sooner.
#define CLOCK_READ 32

static void read_clock(sim_warp *warp, const sim_op *op) {
    sim_block *block = warp->block;
    uint64_t now = block->clock + warp->issued + block->waited;
    block->waited += CLOCK_READ;
    block->worker->changes++; // whoever looks at a clock may yet leave a loop by it
    if (op->aux8 == 64) {
        uint64_t *d = SIM_REG(uint64_t, warp, op->d);
        for (int i = 0; i < SIM_LANES; i++) d[i] = now >> op->aux16;
    } else {
        uint32_t *d = SIM_REG(uint32_t, warp, op->d);
        for (int i = 0; i < SIM_LANES; i++) d[i] = (uint32_t)(now >> op->aux16);
    }
}

static uint32_t clock_slot(sim_decoder *d, ptx_special special, unsigned width) {
    sim_op *op = sim_add_op(d);
    op->full = op->masked = read_clock;
    op->aux8 = (uint8_t)width;
    op->aux16 = special == PTX_SPECIAL_CLOCK_HI || special == PTX_SPECIAL_GLOBALTIMER_HI ? 32 : 0;
    op->d = sim_frame_take(d->code, width);
    return op->d;
}

uint32_t sim_source(sim_decoder *d, const ptx_operand *operand, ptx_type type) {
    unsigned width = sim_slot_bits(type);
    switch (operand->kind) {
    case PTX_OPERAND_REG: return d->code->reg_at[operand->reg];
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT: return sim_constant_bits(d, width, ptx_immediate(operand, type));
    case PTX_OPERAND_SPECIAL:
        if (sim_is_clock(operand->special)) return clock_slot(d, operand->special, width);
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
    if (d->code->sink_at == SIM_NOWHERE) d->code->sink_at = sim_frame_take(d->code, 128);
    return d->code->sink_at;
}

unsigned sim_operand_bits(sim_decoder *d, const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_REG) return sim_slot_bits(d->code->function->regs[operand->reg].type);
    return sim_slot_bits(type);
}

unsigned sim_address(sim_decoder *d, const ptx_operand *operand, unsigned constant_bits, sim_op *op) {
    if (operand->reg >= 0) {
        op->a = d->code->reg_at[operand->reg];
        op->offset = operand->value;
        return sim_slot_bits(d->code->function->regs[operand->reg].type);
    }
    op->offset = 0;
    sim_constant c = {
        .kind = SIM_CONSTANT_BITS, .width = (uint8_t)constant_bits, .bits = (uint64_t)operand->value};
    if (operand->variable) c = variable_address(d, operand->variable, operand->value, constant_bits);
    op->a = sim_constant_at(d, c);
    return constant_bits;
}

bool sim_param_is_local(sim_decoder *d, const ptx_operand *operand) {
    if (operand->variable) return !sim_is_kernel_param(d, operand->variable);
    return !d->code->function->is_entry;
}
