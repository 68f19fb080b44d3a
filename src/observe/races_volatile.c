// Volatile accesses: two of them are strong, so the PTX memory model calls them no race. But `volatile` promises no more
// than that each access happens: which of two comes first nobody says. That is fine where a thread polls a word, or
// tests a flag; where the value is data, it is a mistake.
//
// A load polls when it lies in a loop that its own value ends; it tests when its value decides branches alone.
#include <stdlib.h>
#include <string.h>

#include "observe/guards.h"
#include "observe/races.h"

enum { SUCCESSORS = 64 };
enum { POLLS = 1, TESTS, IS_DATA }; // 0: not judged yet

// What is known of one load while it is looked at.
typedef struct slice {
    const ptx_function *f;
    uint8_t *depends; // by register: on what was loaded
    uint8_t *in_loop; // by instruction
    bool on_stack;    // it was put there: code that is not optimised keeps its variables there
} slice;

// ---- what depends on the value -----------------------------------------------------------------------------

static bool mark_register(slice *s, int32_t reg) {
    if (reg < 0 || s->depends[reg]) return false;
    s->depends[reg] = 1;
    return true;
}

static bool mark(slice *s, const ptx_operand *operand) {
    bool is_register = operand->kind == PTX_OPERAND_REG,
         changed = is_register && mark_register(s, operand->reg);
    if (is_register || operand->kind == PTX_OPERAND_SINK) changed |= mark_register(s, operand->second);
    for (uint32_t i = 0; i < operand->element_count; i++) changed |= mark(s, &operand->elements[i]);
    return changed;
}

static bool uses(const slice *s, const ptx_operand *operand) {
    if ((operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS) && operand->reg >= 0 &&
        s->depends[operand->reg])
        return true;
    for (uint32_t i = 0; i < operand->element_count; i++)
        if (uses(s, &operand->elements[i])) return true;
    return false;
}

// The operand of the instruction, from `first` on, that the value reaches.
static bool reads_value(const slice *s, const ptx_inst *inst, uint32_t first) {
    for (uint32_t i = first; i < inst->operand_count; i++)
        if (uses(s, &inst->operands[i])) return true;
    return false;
}

static const ptx_operand *address_in(const ptx_inst *inst) {
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == PTX_OPERAND_ADDRESS) return &inst->operands[i];
    return NULL;
}

static bool is_on_stack(const ptx_function *f, const ptx_inst *inst) {
    const ptx_operand *address = address_in(inst);
    if (!address || inst->by_category[PTX_CAT_ORDER] == PTX_MOD_VOLATILE) return false;
    if (inst->by_category[PTX_CAT_SPACE] == PTX_MOD_LOCAL) return true;
    return address->reg >= 0 && strcmp(f->regs[address->reg].name, "%SP") == 0;
}

// Registers that are computed from it. What goes through memory other than the stack is no longer followed.
static void spread(slice *s) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < s->f->inst_count; i++) {
            const ptx_inst *inst = &s->f->insts[i];
            bool writes = inst->operand_count && ptx_op_has_destination(inst->op);
            if (is_on_stack(s->f, inst) && !writes && !s->on_stack && reads_value(s, inst, 1))
                changed = s->on_stack = true;
            bool reaches = address_in(inst) ? is_on_stack(s->f, inst) && s->on_stack
                                            : inst->op != PTX_OP_CALL && reads_value(s, inst, 1);
            if (writes && reaches) changed |= mark(s, &inst->operands[0]);
        }
    }
}

// Whether it is data somewhere: stored, given to an atomic or a call, or an address.
static bool is_data(const slice *s) {
    for (uint32_t i = 0; i < s->f->inst_count; i++) {
        const ptx_inst *inst = &s->f->insts[i];
        if (is_on_stack(s->f, inst) || (!address_in(inst) && inst->op != PTX_OP_CALL)) continue;
        if (reads_value(s, inst, ptx_op_has_destination(inst->op) ? 1 : 0)) return true;
    }
    return false;
}

// ---- loops ---------------------------------------------------------------------------------------------

// Marks the loop that the branch at `latch` closes: what leads to it without coming by `head`. False where that is no
// loop, but code that was moved.
static bool find_loop(slice *s, uint32_t head, uint32_t latch) {
    uint32_t to[SUCCESSORS];
    memset(s->in_loop, 0, s->f->inst_count);
    s->in_loop[head] = s->in_loop[latch] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = s->f->inst_count; i-- > 0;) {
            if (s->in_loop[i]) continue;
            uint32_t count = observe_successors(s->f, i, to, SUCCESSORS);
            for (uint32_t k = 0; k < count && !s->in_loop[i]; k++)
                s->in_loop[i] = to[k] < s->f->inst_count && to[k] != head && s->in_loop[to[k]];
            changed |= s->in_loop[i];
        }
    }
    return head == 0 || !s->in_loop[0];
}

// Whether the value decides if the loop goes on.
static bool ends_loop(const slice *s) {
    uint32_t to[SUCCESSORS];
    for (uint32_t i = 0; i < s->f->inst_count; i++) {
        const ptx_inst *inst = &s->f->insts[i];
        bool decides = s->in_loop[i] && ((inst->guard >= 0 && s->depends[inst->guard]) ||
                                         (inst->op == PTX_OP_BRX_IDX && reads_value(s, inst, 0)));
        if (!decides) continue;
        uint32_t count = observe_successors(s->f, i, to, SUCCESSORS);
        ptx_end end = ptx_op_get(inst->op)->end;
        if (end == PTX_END_RETURN || end == PTX_END_EXIT) return true;
        for (uint32_t k = 0; k < count; k++)
            if (to[k] >= s->f->inst_count || !s->in_loop[to[k]]) return true;
    }
    return false;
}

static bool is_polled(slice *s, uint32_t at) {
    uint32_t to[SUCCESSORS];
    for (uint32_t i = at; i < s->f->inst_count; i++) {
        if (ptx_op_get(s->f->insts[i].op)->end != PTX_END_BRANCH) continue;
        uint32_t count = observe_successors(s->f, i, to, SUCCESSORS);
        for (uint32_t k = 0; k < count; k++)
            if (to[k] <= i && find_loop(s, to[k], i) && s->in_loop[at] && ends_loop(s)) return true;
    }
    return false;
}

// ---- asking --------------------------------------------------------------------------------------------

static uint8_t judge(const ptx_function *f, const ptx_inst *load) {
    slice s = {.f = f, .depends = calloc(f->reg_count + 1, 1), .in_loop = calloc(f->inst_count + 1, 1)};
    uint8_t found = POLLS;
    if (s.depends && s.in_loop) {
        mark(&s, &load->operands[0]);
        spread(&s);
        bool polled = is_polled(&s, (uint32_t)(load - f->insts));
        found = polled ? POLLS : is_data(&s) ? IS_DATA : TESTS;
    }
    free(s.depends);
    free(s.in_loop);
    return found;
}

bool observe_races_depends(const ptx_function *f, const ptx_inst *load, const ptx_inst *store) {
    slice s = {.f = f, .depends = calloc(f->reg_count + 1, 1)};
    bool found = false;
    if (s.depends) {
        mark(&s, &load->operands[0]);
        spread(&s);
        for (uint32_t i = 0; i < store->operand_count && !found; i++)
            found = store->operands[i].kind != PTX_OPERAND_ADDRESS && uses(&s, &store->operands[i]);
    }
    free(s.depends);
    return found;
}

static uint8_t use_of(races *self, uint32_t tag) {
    uint32_t serial = tag >> RACES_TAG_SERIAL_SHIFT;
    bool is_store = tag & RACES_TAG_WRITE && !(tag & RACES_TAG_ATOMIC);
    if (serial >= self->inst_capacity || is_store) return IS_DATA;
    if (!self->polls && !(self->polls = calloc(self->inst_capacity, 1))) return POLLS;
    if (!self->polls[serial]) {
        const ptx_inst *inst = self->insts[serial];
        const ptx_function *f = observe_races_function_of(self->module, inst);
        self->polls[serial] = f ? judge(f, inst) : POLLS;
    }
    return self->polls[serial];
}

static bool has_result(const ptx_inst *inst) {
    return inst->op != PTX_OP_RED && inst->operand_count && inst->operands[0].kind == PTX_OPERAND_REG;
}

bool observe_races_polls(races *self, uint32_t tag) {
    return !(tag & RACES_TAG_WRITE) && use_of(self, tag) == POLLS;
}

bool observe_races_is_ticket(races *self, uint32_t tag) {
    const ptx_inst *inst = tag & RACES_TAG_ATOMIC ? observe_races_inst_of(self, tag) : NULL;
    return inst && has_result(inst) && use_of(self, tag) != POLLS;
}

bool observe_races_is_data(races *self, uint32_t tag) {
    return tag & RACES_TAG_WRITE || use_of(self, tag) == IS_DATA;
}
