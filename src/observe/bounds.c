// Accesses out of bounds, in words. See bounds.h.
#include "observe/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void observe_declared_add(observe_declared *declared, const observe_buffer *buffer) {
    if (declared->count == OBSERVE_DECLARED || !buffer->element) return;
    snprintf(declared->names[declared->count], OBSERVE_NAME, "%s", buffer->name ? buffer->name : "a buffer");
    declared->buffers[declared->count++] = *buffer;
}

// ---- which parameter ------------------------------------------------------------------------------------

typedef struct search {
    const ptx_function *entry;
    uint64_t pointers, found; // bits of parameters
    bool *seen;               // registers
    int32_t *todo;
    size_t count;
} search;

static void want(search *s, int32_t reg) {
    if (reg < 0 || (uint32_t)reg >= s->entry->reg_count || s->seen[reg]) return;
    if (s->entry->regs[reg].type == PTX_PRED) return; // who chooses is not what is chosen
    s->seen[reg] = true;
    s->todo[s->count++] = reg;
}

static void want_operand(search *s, const ptx_operand *o) {
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_ADDRESS) want(s, o->reg);
    for (uint32_t i = 0; i < o->element_count; i++) want_operand(s, &o->elements[i]);
}

static bool sets(const ptx_operand *o, int32_t reg) {
    if (o->kind == PTX_OPERAND_REG && o->reg == reg) return true;
    for (uint32_t i = 0; i < o->element_count; i++)
        if (sets(&o->elements[i], reg)) return true;
    return false;
}

// What a register is made from. Numbers that come from memory are indices: an address is no pointer's for that.
static void follow(search *s, const ptx_inst *inst) {
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    if (inst->op == PTX_OP_LD && (space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY)) {
        for (uint32_t i = 0; i < s->entry->param_count && i < 64; i++)
            if (s->entry->params[i] == inst->operands[1].variable) s->found |= s->pointers & UINT64_C(1) << i;
        return;
    }
    ptx_class class = ptx_op_get(inst->op)->class;
    if (class == PTX_CLASS_LOAD || class == PTX_CLASS_ATOMIC || class == PTX_CLASS_SHUFFLE ||
        class == PTX_CLASS_CONTROL)
        return;
    for (uint32_t i = 1; i < inst->operand_count; i++) want_operand(s, &inst->operands[i]);
}

static int only_bit(uint64_t bits) {
    if (!bits || bits & (bits - 1)) return -1;
    int i = 0;
    while (!(bits >> i & 1)) i++;
    return i;
}

int observe_address_parameter(const ptx_function *entry, const ptx_inst *inst, uint64_t pointers) {
    if (!entry || !entry->is_entry || inst < entry->insts || inst >= entry->insts + entry->inst_count)
        return -1;
    search s = {.entry = entry,
                .pointers = pointers,
                .seen = calloc(entry->reg_count + 1, sizeof *s.seen),
                .todo = calloc(entry->reg_count + 1, sizeof *s.todo)};
    for (uint32_t i = 0; s.seen && s.todo && i < inst->operand_count; i++)
        if (inst->operands[i].kind == PTX_OPERAND_ADDRESS) {
            want(&s, inst->operands[i].reg);
            break; // copies have two; the first is the one that is written
        }
    while (s.count) {
        int32_t reg = s.todo[--s.count];
        for (uint32_t i = 0; i < entry->inst_count; i++)
            if (entry->insts[i].operand_count && sets(&entry->insts[i].operands[0], reg))
                follow(&s, &entry->insts[i]);
    }
    free(s.seen);
    free(s.todo);
    return only_bit(s.found);
}

// ---- the words ------------------------------------------------------------------------------------------

static const observe_buffer *meant(const observe_declared *declared, const ptx_function *entry,
                                   const sim_fault_info *fault) {
    uint64_t pointers = 0;
    for (size_t i = 0; i < declared->count; i++)
        if (declared->buffers[i].parameter > 0 && declared->buffers[i].parameter <= 64)
            pointers |= UINT64_C(1) << (declared->buffers[i].parameter - 1);
    int parameter = observe_address_parameter(entry, fault->inst, pointers);
    for (size_t i = 0; i < declared->count; i++)
        if (parameter >= 0 && declared->buffers[i].parameter == (uint32_t)parameter + 1)
            return &declared->buffers[i];
    for (size_t i = 0; i < declared->count;
         i++) { // where the program does not tell: one whose end it touches
        const observe_buffer *b = &declared->buffers[i];
        uint64_t end = b->data + b->bytes;
        if (fault->address < end + fault->bytes && fault->address + fault->bytes >= b->base) return b;
    }
    return NULL;
}

typedef struct advice {
    const char *likely, *next;
} advice;

// Who made the access, and where the index lies. What a cause says must fit them.
typedef struct position {
    int64_t index, count;
    int64_t x, y; // of the thread in the grid: blockIdx * blockDim + threadIdx
    bool is_known, is_plane;
    int64_t stride; // threads in x
    uint32_t lane, mask;
    bool is_last; // thread of the block
} position;

static position find_position(const observe_shape *shape, const sim_fault_info *fault, int64_t index,
                              int64_t count) {
    position p = {.index = index, .count = count, .lane = fault->thread % 32, .mask = fault->mask};
    const uint32_t *grid = shape->grid, *block = shape->block;
    if (!grid[0] || !grid[1] || !block[0] || !block[1]) return p;
    uint32_t threads = block[0] * block[1] * block[2];
    p.is_known = true;
    p.is_plane = (uint64_t)grid[1] * block[1] > 1 || (uint64_t)grid[2] * block[2] > 1;
    p.stride = (int64_t)grid[0] * block[0];
    p.x = (int64_t)(fault->block % grid[0]) * block[0] + fault->thread % block[0];
    p.y = (int64_t)(fault->block / grid[0] % grid[1]) * block[1] + fault->thread / block[0] % block[1];
    p.is_last = fault->thread + 1 == threads;
    return p;
}

static const char
    GUARD[] = "compare the index with the size first, if (i < n); where that is done, work the index "
              "out by hand for the thread above",
    BY_HAND[] = "work the index out by hand for the thread above",
    BOTH[] = "work the index out by hand for the thread above; compare x and y each with its own size";

static advice advise_below(const position *p) {
    if (p->is_known && p->x != 0)
        return (advice){"an index that counts down goes below 0, or a thread past the end came by",
                        p->is_plane ? BOTH : GUARD};
    return (advice){"an index below 0: the element before the first, or a difference of sizes",
                    "treat the first elements apart, or test the index before the access: if (i >= 0)"};
}

// The thread before came too, the one after did not, though there is one.
static bool is_one_too_many(const position *p) {
    bool has_before = p->lane == 0 || p->mask >> (p->lane - 1) & 1;
    return p->index == p->count && has_before && p->lane < 31 && !p->is_last && !(p->mask >> p->lane >> 1);
}

// Nothing that is multiplied with the thread's own numbers is to blame: they are 0.
static const advice AT_ORIGIN = {
    "a loop or an offset that goes past the end: <= for <, or the bound of another size",
    "work out the last round of the loop for the thread above, or test the index before "
    "the access"};

static advice advise_plane(const position *p) {
    if (p->x == 0 && p->y == 0) return AT_ORIGIN;
    if (p->index == p->x || p->index == p->y)
        return (advice){p->index == p->x
                            ? "an index along the wrong dimension (x where y belongs), or x is compared with "
                              "another size or with none"
                            : "an index along the wrong dimension (y where x belongs), or y is compared with "
                              "another size or with none",
                        BOTH};
    return (advice){"the length of a row is taken from the other size, row and column are exchanged, the "
                    "index is one too "
                    "large, or x or y is compared with another size or with none",
                    BOTH};
}

static advice advise_line(const position *p) {
    enum { NEAR = 4, ENOUGH = 32 };
    bool is_plain = p->index % p->stride == p->x; // in a loop over the grid too
    if (is_plain && is_one_too_many(p))
        return (advice){"a guard that lets one too many through: <= for <", "compare with <: if (i < n)"};
    if (is_plain)
        return (advice){
            "more threads than elements and no guard, a guard with another size, or an index that is "
            "meant for a larger buffer",
            GUARD};
    if (p->x < p->count && p->index == p->x + 1)
        return (advice){
            "an index that is one more than the thread's own: a neighbour past the end, or a count from 1",
            "count from 0; where a neighbour is meant, the last element has none"};
    if (p->x < p->count && p->index - p->x <= NEAR && p->count >= ENOUGH)
        return (advice){
            "a neighbour past the end: this thread's own element is inside, and the last ones have none "
            "behind them",
            "treat the last elements apart, or test the index before the access"};
    if (p->x == 0) return AT_ORIGIN;
    return (advice){
        "the index itself is wrong: multiplied by another size, an offset that is added twice, a loop that "
        "goes too far",
        BY_HAND};
}

static advice advise(const position *p) {
    if (p->index < 0) return advise_below(p);
    if (p->is_known) return p->is_plane ? advise_plane(p) : advise_line(p);
    if (p->index == p->count)
        return (advice){
            "a guard that is missing or lets one too many through (<= for <), or an index that is one "
            "too large",
            GUARD};
    return (advice){"more threads than elements and no guard, a guard with another size, or a wrong index",
                    GUARD};
}

// Where the index is not the thread's own, its own numbers help to work it out.
static void say_position(const position *p, base_text *out) {
    if (!p->is_known || (!p->is_plane && p->index == p->x)) return;
    base_text_add(out, "\nhere blockIdx.x * blockDim.x + threadIdx.x is %lld", (long long)p->x);
    if (p->is_plane) base_text_add(out, ", and that of y is %lld", (long long)p->y);
}

// Of neighbouring lanes that take neighbouring elements, those inside stay away and those past the end come: what a
// guard does that asks the opposite. Where there is none, or one too weak, the lanes before take part as well.
static bool is_inverted(const position *p) {
    bool all_below_stay_away = p->lane > 0 && !(p->mask & ((UINT32_C(1) << p->lane) - 1));
    bool all_above_come = p->mask >> p->lane == UINT32_MAX >> p->lane;
    return all_below_stay_away && all_above_come && p->index >= p->count &&
           p->index - (int64_t)p->lane < p->count;
}

bool observe_explain_bounds(const observe_declared *declared, const ptx_function *entry,
                            const observe_shape *shape, const sim_fault_info *fault, base_text *out) {
    if (fault->kind != SIM_FAULT_BOUNDS || fault->space != SIM_GLOBAL || !fault->inst) return false;
    if (fault->address < 4096) return false; // a null pointer
    const observe_buffer *b = meant(declared, entry, fault);
    if (!b) return false;
    const char *name = declared->names[b - declared->buffers];
    int64_t element = (int64_t)b->element, distance = (int64_t)(fault->address - b->data);
    int64_t index = distance < 0 ? -((element - 1 - distance) / element) : distance / element;
    int64_t count = (int64_t)(b->bytes / b->element), last = index + (int64_t)fault->bytes / element - 1;
    ptx_class class = ptx_op_get(fault->inst->op)->class;
    bool is_atomic = class == PTX_CLASS_ATOMIC || class == PTX_CLASS_REDUCTION;
    base_text_add(out, "%s %s[%lld]",
                  is_atomic         ? "an atomic on"
                  : fault->is_write ? "writes"
                                    : "reads",
                  name, (long long)index);
    if (last > index) base_text_add(out, " to %s[%lld] at once", name, (long long)last);
    base_text_add(out, ", but %s has %lld element%s", name, (long long)count, count == 1 ? "" : "s");
    if (count == 1)
        base_text_add(out, " (index 0)");
    else if (count)
        base_text_add(out, " (indices 0..%lld)", (long long)count - 1);
    // Wide accesses begin inside.
    bool is_wide = last > index && index >= 0 && index < count;
    position p = find_position(shape, fault, is_wide ? count : index, count);
    advice a = advise(&p);
    if (is_wide)
        a = (advice){"the size is no multiple of the vector's, and the last vector reaches past the end",
                     "take vectors only as far as they fit, and the rest one by one"};
    else if (is_inverted(&p))
        a = (advice){"a guard that is inverted: the threads inside leave, and those past the end go on",
                     "let the others leave, if (i >= n) return; or do the work inside of if (i < n)"};
    else
        say_position(&p, out);
    base_text_add(out, "\nlikely cause: %s\nwhat to do: %s", a.likely, a.next);
    return true;
}
