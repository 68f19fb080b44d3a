// Decoding: a function's basic blocks, the straight pieces between points where lanes can diverge, reconverge or wait.

#include "sim/wgmma.h"

#include <string.h>

// ---- shared bases ----------------------------------------------------------------------------------------

static bool writes_slot(const sim_decoder *d, const ptx_operand *operand, uint32_t at) {
    if (operand->kind == PTX_OPERAND_VECTOR)
        for (uint32_t i = 0; i < operand->element_count; i++)
            if (writes_slot(d, &operand->elements[i], at)) return true;
    return operand->kind == PTX_OPERAND_REG && operand->reg >= 0 && d->code->reg_at[operand->reg] == at;
}

void sim_do_nothing(sim_warp *warp, const sim_op *op) {}

// The first access of a basic block through a base register that is used again, unchanged, is preceded by an
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
        uint32_t summary_at = sim_frame_take(d->code, 16);
        sim_add_op(d);
        if (d->status != KZ_OK) return;
        memmove(&k->ops[i + 1], &k->ops[i], (k->op_count - 1 - i) * sizeof *k->ops);
        k->ops[i] = (sim_op){.a = base,
                             .d = summary_at,
                             .b = SIM_NOWHERE,
                             .c = SIM_NOWHERE,
                             .guard = -1,
                             .inst = k->ops[i + 1].inst};
        k->ops[i].masked = sim_do_nothing;
        for (uint32_t j = i + 1; j <= last + 1; j++)
            if (k->ops[j].a == base && d->isa->share_base(&k->ops[j], &k->ops[i])) k->ops[j].b = summary_at;
        i++;
    }
}

// ---- functions -------------------------------------------------------------------------------------------

static void mark_leaders(const ptx_function *f, uint8_t *leader) {
    leader[0] = 1;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_inst *inst = &f->insts[i];
        for (uint32_t o = 0; o < inst->operand_count; o++)
            if (inst->operands[o].kind == PTX_OPERAND_LABEL) leader[inst->operands[o].value] = 1;
        if (ptx_op_get(inst->op)->end != PTX_END_FALL) leader[i + 1] = 1;
    }
    for (uint32_t t = 0; t < f->table_count; t++)
        for (uint32_t i = 0; f->tables[t].labels && i < f->tables[t].count; i++)
            leader[f->tables[t].labels[i]] = 1;
}

// The basic blocks of one function, first in the order of the text.
typedef struct draft_code {
    sim_basic_block *basic_blocks;
    uint32_t *basic_block_of; // by instruction
    uint32_t count;
} draft_code;

static void close_basic_block(sim_decoder *d, sim_basic_block *basic_block) {
    if (d->status == KZ_OK) share_bases(d, basic_block->first);
    basic_block->count = d->kernel->op_count - basic_block->first;
}

static void decode_runs(sim_decoder *d, draft_code *draft, const uint8_t *leader) {
    const ptx_function *f = d->code->function;
    sim_basic_block *basic_block = NULL;
    for (uint32_t i = 0; i < f->inst_count && d->status != KZ_NO_MEMORY; i++) {
        const ptx_inst *inst = &f->insts[i];
        d->inst = inst;
        if (leader[i]) {
            if (basic_block && basic_block->end == PTX_END_FALL) close_basic_block(d, basic_block);
            basic_block = &draft->basic_blocks[draft->count];
            *basic_block = (sim_basic_block){
                .first = d->kernel->op_count, .end = PTX_END_FALL, .first_inst = inst, .code = d->code};
            draft->count++;
        }
        draft->basic_block_of[i] = draft->count - 1;
        basic_block->instructions++;
        ptx_end end = ptx_op_get(inst->op)->end;
        if (end != PTX_END_FALL) {
            close_basic_block(d, basic_block);
            basic_block->end = end;
            sim_decode_end(d, inst, end);
        } else
            sim_decode_plain(d, inst);
    }
    if (basic_block && basic_block->end == PTX_END_FALL) close_basic_block(d, basic_block);
    // A function whose text runs off its end returns there.
    draft->basic_block_of[f->inst_count] = draft->count;
    draft->basic_blocks[draft->count++] =
        (sim_basic_block){.first = d->kernel->op_count, .end = PTX_END_RETURN, .code = d->code};
}

static const ptx_table *table_of(const sim_code *code, const ptx_inst *inst) {
    const ptx_operand *o = &inst->operands[inst->operand_count - 1];
    return o->kind == PTX_OPERAND_TABLE ? &code->function->tables[o->value] : NULL;
}

// Draft indices of what can follow a basic block.
static uint32_t successors_of(const sim_decoder *d, const draft_code *draft, uint32_t index, uint32_t *out) {
    const sim_basic_block *basic_block = &draft->basic_blocks[index];
    const sim_op *last = basic_block->end == PTX_END_FALL || !basic_block->first_inst
                             ? NULL
                             : &d->kernel->ops[basic_block->first + basic_block->count];
    uint32_t count = 0;
    bool guarded = last && last->inst->guard >= 0;
    bool falls = basic_block->end != PTX_END_TABLE && basic_block->end != PTX_END_TRAP &&
                 ((basic_block->end != PTX_END_BRANCH && basic_block->end != PTX_END_RETURN &&
                   basic_block->end != PTX_END_EXIT) ||
                  guarded);
    if (falls && index + 1 < draft->count) out[count++] = index + 1;
    if (basic_block->end == PTX_END_BRANCH)
        out[count++] = draft->basic_block_of[last->inst->operands[0].value];
    if (basic_block->end == PTX_END_TABLE) {
        const ptx_table *table = table_of(basic_block->code, last->inst);
        for (uint32_t i = 0; table && i < table->count; i++)
            out[count++] = draft->basic_block_of[table->labels[i]];
        if (guarded && index + 1 < draft->count) out[count++] = index + 1;
    }
    return count;
}

// Marks the basic blocks of loops that nothing leaves: a thread that is there stays there for ever.
static void mark_ways_out(draft_code *draft, const uint32_t *list, const uint32_t *start) {
    for (uint32_t i = 0; i < draft->count; i++) {
        ptx_end end = draft->basic_blocks[i].end;
        draft->basic_blocks[i].has_no_way_out = end != PTX_END_RETURN && end != PTX_END_EXIT &&
                                                end != PTX_END_TRAP && end != PTX_END_CALL &&
                                                start[i] < start[i + 1];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = draft->count; i-- > 0;)
            for (uint32_t e = start[i]; draft->basic_blocks[i].has_no_way_out && e < start[i + 1]; e++)
                if (!draft->basic_blocks[list[e]].has_no_way_out) {
                    draft->basic_blocks[i].has_no_way_out = false;
                    changed = true;
                }
    }
}

static void order_runs(sim_decoder *d, draft_code *draft) {
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
    mark_ways_out(draft, list, start);
    if (!sim_order_runs(k->arena, list, start, draft->count, order)) {
        d->status = KZ_NO_MEMORY;
        return;
    }
    uint32_t base = k->basic_block_count, *position = sim_keep(d, draft->count * sizeof *position);
    if (!position) return;
    for (uint32_t i = 0; i < draft->count; i++) position[order[i]] = base + i;
    for (uint32_t i = 0; i < draft->count; i++) {
        if (!sim_grow(d, &k->basic_blocks, k->basic_block_count, &k->basic_block_capacity,
                      sizeof(sim_basic_block)))
            return;
        uint32_t from = order[i];
        sim_basic_block basic_block = draft->basic_blocks[from];
        basic_block.next = from + 1 < draft->count ? position[from + 1] : position[from];
        const sim_op *last = basic_block.end != PTX_END_FALL && basic_block.first_inst
                                 ? &k->ops[basic_block.first + basic_block.count]
                                 : NULL;
        if (basic_block.end == PTX_END_BRANCH)
            basic_block.target = position[draft->basic_block_of[last->inst->operands[0].value]];
        if (basic_block.end == PTX_END_TABLE) {
            const ptx_table *table = table_of(d->code, last->inst);
            uint32_t *targets = sim_keep(d, (table ? table->count : 0) * sizeof *targets + 4);
            for (uint32_t t = 0; targets && table && t < table->count; t++)
                targets[t] = position[draft->basic_block_of[table->labels[t]]];
            k->ops[basic_block.first + basic_block.count].aux = (uint64_t)(uintptr_t)targets;
            k->ops[basic_block.first + basic_block.count].offset = table ? table->count : 0;
        }
        k->basic_blocks[k->basic_block_count++] = basic_block;
    }
    d->code->entry_basic_block = position[0];
}

void sim_decode_function(sim_decoder *d, sim_code *code) {
    const ptx_function *f = code->function;
    d->code = code;
    sim_share_constants(d);
    sim_wgmma_find_accumulators(d);
    uint8_t *leader = sim_keep(d, f->inst_count + 2);
    draft_code draft = {.basic_blocks = sim_keep(d, (f->inst_count + 2) * sizeof *draft.basic_blocks),
                        .basic_block_of = sim_keep(d, (f->inst_count + 2) * sizeof *draft.basic_block_of)};
    if (d->status != KZ_OK) return;
    mark_leaders(f, leader);
    decode_runs(d, &draft, leader);
    if (d->status == KZ_OK) order_runs(d, &draft);
    code->block_constants = sim_keep(d, (code->constant_count + 1) * sizeof *code->block_constants);
    for (uint32_t i = 0; code->block_constants && i < code->constant_count; i++)
        if (sim_changes_by_block(&code->constants[i]))
            code->block_constants[code->block_constant_count++] = i;
}
