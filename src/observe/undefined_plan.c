// Which registers an instruction, and a straight run of them, reads and writes: found once in a launch. See undefined.h.
#include <stdlib.h>
#include <string.h>

#include "observe/undefined.h"

bool observe_undefined_reserve(void **list, uint32_t *capacity, uint32_t wanted, size_t size) {
    if (wanted <= *capacity) return true;
    uint32_t room = *capacity ? *capacity : 64;
    while (room < wanted) room *= 2;
    void *grown = realloc(*list, (size_t)room * size);
    if (!grown) return false;
    memset((char *)grown + *capacity * size, 0, (room - *capacity) * size);
    *list = grown;
    *capacity = room;
    return true;
}

// ---- plans: which registers an instruction reads and writes -----------------------------------------

static void list_add(undefined_self *self, uint32_t reg, uint8_t *count) {
    if (*count == UINT8_MAX || !observe_undefined_reserve((void **)&self->lists, &self->list_capacity,
                                                          self->list_count + 1, sizeof *self->lists))
        return;
    self->lists[self->list_count++] = reg;
    ++*count;
}

static void list_operand(undefined_self *self, const ptx_operand *operand, uint8_t *count) {
    if (operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS)
        if (operand->reg >= 0) list_add(self, (uint32_t)operand->reg, count);
    bool may_pair = operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_SINK ||
                    operand->kind == PTX_OPERAND_VECTOR;
    if (may_pair && operand->second >= 0) list_add(self, (uint32_t)operand->second, count);
    for (uint32_t i = 0; i < operand->element_count; i++) list_operand(self, &operand->elements[i], count);
}

undefined_class observe_undefined_class_of(const ptx_inst *inst) {
    ptx_bits bits = ptx_op_get(inst->op)->bits;
    if (bits == PTX_BITS_NONE) return UNDEFINED_NOTHING;
    if (bits == PTX_BITS_EXCHANGE) return UNDEFINED_EXCHANGE;
    if (bits == PTX_BITS_MEMORY) return UNDEFINED_MEMORY;
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == PTX_OPERAND_ADDRESS) return UNDEFINED_MEMORY;
    return UNDEFINED_PLAIN;
}

// A carry is one more register, behind the others.
static bool reads_carry(const ptx_inst *inst) { return ptx_op_get(inst->op)->bits == PTX_BITS_CARRY; }

static void compile(undefined_self *self, const ptx_inst *inst, const ptx_function *function,
                    undefined_plan *plan) {
    *plan = (undefined_plan){
        .epoch = self->epoch, .at = self->list_count, .class = (uint8_t)observe_undefined_class_of(inst)};
    uint32_t first = 0;
    if (inst->operand_count && inst->operands[0].kind != PTX_OPERAND_ADDRESS &&
        ptx_op_has_destination(inst->op))
        first = 1;
    bool memory = plan->class == UNDEFINED_MEMORY;
    for (uint32_t i = first; i < inst->operand_count; i++)
        if (!memory || inst->operands[i].kind == PTX_OPERAND_ADDRESS)
            list_operand(self, &inst->operands[i], &plan->sources);
    if (inst->guard >= 0) list_add(self, (uint32_t)inst->guard, &plan->sources);
    if (reads_carry(inst)) list_add(self, function->reg_count, &plan->sources);
    if (first) list_operand(self, &inst->operands[0], &plan->destinations);
    if (inst->flags & PTX_FLAG(CC)) list_add(self, function->reg_count, &plan->destinations);
    for (uint32_t i = first; memory && i < inst->operand_count; i++)
        if (inst->operands[i].kind != PTX_OPERAND_ADDRESS)
            list_operand(self, &inst->operands[i], &plan->data);
}

undefined_plan *observe_undefined_compile(undefined_self *self, const ptx_inst *inst,
                                          const ptx_function *function) {
    if (inst->serial >= self->plan_capacity &&
        !observe_undefined_reserve((void **)&self->plans, &self->plan_capacity, inst->serial + 1,
                                   sizeof *self->plans))
        return NULL;
    undefined_plan *plan = &self->plans[inst->serial];
    if (plan->epoch != self->epoch) compile(self, inst, function, plan);
    return plan;
}

// ---- runs -------------------------------------------------------------------------------------------

static bool run_add(undefined_self *self, undefined_run *run, uint32_t reg, bool needed) {
    if (self->marks[reg]) return true;
    if (!observe_undefined_reserve((void **)&self->lists, &self->list_capacity, self->list_count + 1,
                                   sizeof *self->lists))
        return false;
    self->marks[reg] = 1;
    self->lists[self->list_count++] = reg;
    if (needed) { // the needed ones are together, before the others
        uint32_t *first_made = &self->lists[run->at + run->needs++];
        self->lists[self->list_count - 1] = *first_made;
        *first_made = reg;
    } else {
        run->makes++;
    }
    return true;
}

// What a guard may leave as it was has to be defined before.
static bool run_step(undefined_self *self, undefined_run *run, const ptx_inst *inst,
                     const ptx_function *function) {
    const undefined_plan *compiled = observe_undefined_plan_of(self, inst, function);
    if (!compiled) return false;
    undefined_plan plan = *compiled;
    if (plan.class == UNDEFINED_NOTHING || plan.class == UNDEFINED_EXCHANGE) return true;
    uint32_t total = (uint32_t)plan.sources + plan.destinations + plan.data;
    bool good = true;
    for (uint32_t i = 0; good && i < total; i++)
        if (i < plan.sources || i >= (uint32_t)plan.sources + plan.destinations)
            good = run_add(self, run, self->lists[plan.at + i], true);
    for (uint32_t i = plan.sources; good && i < (uint32_t)plan.sources + plan.destinations; i++)
        good = run_add(self, run, self->lists[plan.at + i], inst->guard >= 0);
    return good;
}

const undefined_run *observe_undefined_gather_run(undefined_self *self, const ptx_inst *first, uint32_t count,
                                                  const ptx_function *function) {
    if (!observe_undefined_reserve((void **)&self->runs, &self->run_capacity, first->serial + 1,
                                   sizeof *self->runs) ||
        !observe_undefined_reserve((void **)&self->marks, &self->mark_capacity, function->reg_count + 1,
                                   sizeof *self->marks))
        return NULL;
    memset(self->marks, 0, function->reg_count + 1);
    for (uint32_t i = 0; i < count; i++) // their lists first
        if (!observe_undefined_plan_of(self, &first[i], function)) return NULL;
    undefined_run run = {.epoch = self->epoch, .count = count, .at = self->list_count};
    for (uint32_t i = 0; i < count; i++)
        if (!run_step(self, &run, &first[i], function)) return NULL;
    self->runs[first->serial] = run;
    return &self->runs[first->serial];
}
