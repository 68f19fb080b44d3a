// Finds values that were never written and decide something: the listener. See undefined.h.
//
// All is done before an instruction is executed, when its sources still hold what it will read: a destination
// may be one of them.
#include "observe/undefined.h"

#include <stdlib.h>
#include <string.h>

#include "sim/inspect.h"

static undefined_self *self_of(sim_listener *listener) { return (undefined_self *)listener; }

// ---- frames -----------------------------------------------------------------------------------------

// Whether the instruction merely names a constant, as far as `masks` (0: a constant) tells of its sources.
static bool names_constant(const ptx_inst *inst, bool is_entry, const uint32_t *masks) {
    if (inst->guard >= 0 || inst->operand_count < 2) return false;
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    if (inst->op == PTX_OP_LD)
        return is_entry && (space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY) &&
               inst->operands[1].reg < 0;
    if (inst->op != PTX_OP_MOV && inst->op != PTX_OP_CVTA) return false;
    switch (inst->operands[1].kind) {
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
    case PTX_OPERAND_SPECIAL:
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_FUNCTION: return true;
    case PTX_OPERAND_REG: return masks[inst->operands[1].reg] == 0;
    default: return false;
    }
}

// Registers that name a constant are never told of, and are defined from the start.
static void fill_masks(const ptx_function *function, uint32_t *masks) {
    memset(masks, 0xff, function->reg_count * sizeof *masks);
    masks[function->reg_count] = 0; // the carry
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const ptx_inst *inst = &function->insts[i];
        if (!names_constant(inst, function->is_entry, masks)) continue;
        const ptx_operand *to = &inst->operands[0];
        if (to->kind == PTX_OPERAND_REG && to->reg >= 0) masks[to->reg] = 0;
        for (uint32_t k = 0; to->kind == PTX_OPERAND_VECTOR && k < to->element_count; k++)
            if (to->elements[k].reg >= 0) masks[to->elements[k].reg] = 0;
    }
}

static bool push_frame(undefined_warp *warp, const ptx_function *function, uint32_t number, uint32_t base) {
    uint32_t regs = function->reg_count + 1, capacity = warp->register_capacity;
    if (!observe_undefined_reserve((void **)&warp->frames, &warp->frame_capacity, number + 1,
                                   sizeof *warp->frames))
        return false;
    uint32_t room[3] = {capacity, capacity, capacity};
    if (!observe_undefined_reserve((void **)&warp->undefined, &room[0], base + regs,
                                   sizeof *warp->undefined) ||
        !observe_undefined_reserve((void **)&warp->known, &room[1], base + regs, sizeof *warp->known) ||
        !observe_undefined_reserve((void **)&warp->details, &room[2], base + regs, sizeof *warp->details))
        return false;
    warp->register_capacity = room[0];
    warp->frames[number] = (undefined_frame){.function = function, .base = base};
    warp->frame_count = number + 1;
    memset(warp->known + base, 0, regs * sizeof *warp->known);
    return true;
}

static void select_frame(undefined_warp *warp, uint32_t number, undefined_at *at) {
    const undefined_frame *frame = &warp->frames[number];
    at->warp = warp;
    at->frame = number;
    at->function = frame->function;
    at->undefined = warp->undefined + frame->base;
    at->known = warp->known + frame->base;
    at->details = warp->details + frame->base;
}

static void on_call(sim_listener *listener, const sim_event *event, const ptx_function *function,
                    uint32_t number) {
    undefined_self *self = self_of(listener);
    self->at_who = NULL;
    undefined_block *block = observe_undefined_block_at(self, event->block);
    if (!block || event->warp >= block->warp_count || number == 0) return;
    undefined_warp *warp = &block->warps[event->warp];
    // Frames below stay; those above have been left.
    if (number > warp->frame_count) return;
    const undefined_frame *below = &warp->frames[number - 1];
    uint32_t base = below->base + below->function->reg_count + 1;
    if (!push_frame(warp, function, number, base)) {
        self->out_of_memory = true;
        return;
    }
    fill_masks(function, warp->undefined + base);
    warp->frames[number].fresh = true;
}

// ---- blocks -----------------------------------------------------------------------------------------

undefined_block *observe_undefined_block_at(undefined_self *self, uint32_t index) {
    if (self->last && self->last->index == index) return self->last;
    undefined_block *block = self->buckets[index % UNDEFINED_BUCKETS];
    while (block && block->index != index) block = block->next;
    if (block) self->last = block;
    return block;
}

static bool begin_warps(undefined_self *self, undefined_block *block, uint32_t warps) {
    if (!observe_undefined_reserve((void **)&block->warps, &block->warp_capacity, warps,
                                   sizeof *block->warps))
        return false;
    block->warp_count = warps;
    for (uint32_t i = 0; i < warps; i++) {
        undefined_warp *warp = &block->warps[i];
        if (!push_frame(warp, self->entry, 0, 0)) return false;
        memcpy(warp->undefined, self->entry_template,
               (self->entry->reg_count + 1) * sizeof *self->entry_template);
        if (warp->local) memset(warp->local, 0, warp->local_used * sizeof *warp->local);
        warp->local_used = 0;
    }
    return true;
}

static void on_block_begin(sim_listener *listener, uint32_t index, uint32_t warps) {
    undefined_self *self = self_of(listener);
    self->at_who = NULL;
    if (!self->entry || self->out_of_memory) return;
    undefined_block *block = self->spare;
    if (block)
        self->spare = block->next;
    else
        block = calloc(1, sizeof *block);
    size_t words = self->shared_bytes / 64 + 2;
    if (block && !block->shared) block->shared = malloc(words * sizeof *block->shared);
    if (!block || !block->shared || !begin_warps(self, block, warps)) {
        self->out_of_memory = true;
        return;
    }
    size_t reserved = self->reserved_shared_bytes / 64; // the system's, and set
    memset(block->shared, 0, reserved * sizeof *block->shared);
    memset(block->shared + reserved, 0xff, (words - reserved) * sizeof *block->shared);
    block->shared_missing = self->shared_bytes - self->reserved_shared_bytes;
    observe_shadow_clear_table(&block->words);
    block->index = index;
    block->next = self->buckets[index % UNDEFINED_BUCKETS];
    self->buckets[index % UNDEFINED_BUCKETS] = block;
}

static void on_block_end(sim_listener *listener, uint32_t index) {
    undefined_self *self = self_of(listener);
    undefined_block **at = &self->buckets[index % UNDEFINED_BUCKETS];
    while (*at && (*at)->index != index) at = &(*at)->next;
    undefined_block *block = *at;
    if (!block) return;
    if (self->last == block) self->last = NULL;
    self->at_who = NULL;
    *at = block->next;
    block->next = self->spare;
    self->spare = block;
}

static void free_block(undefined_block *block) {
    for (uint32_t i = 0; i < block->warp_capacity; i++) {
        undefined_warp *warp = &block->warps[i];
        for (uint32_t k = 0; k < warp->register_capacity; k++) free(warp->details[k]);
        free(warp->details);
        free(warp->undefined);
        free(warp->known);
        free(warp->frames);
        free(warp->local);
    }
    free(block->warps);
    free(block->shared);
    observe_shadow_free_table(&block->words);
    free(block);
}

// Blocks are as large as their launch needs them: another launch begins anew.
static void drop_blocks(undefined_self *self) {
    for (uint32_t i = 0; i < UNDEFINED_BUCKETS; i++)
        while (self->buckets[i]) on_block_end(&self->base.listener, self->buckets[i]->index);
    while (self->spare) {
        undefined_block *block = self->spare;
        self->spare = block->next;
        free_block(block);
    }
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    undefined_self *self = self_of(listener);
    drop_blocks(self);
    self->module = event->module;
    self->entry = event->entry;
    self->threads = 1;
    for (int i = 0; i < 3; i++) self->threads *= event->launch->block[i] ? event->launch->block[i] : 1;
    self->shared_bytes = event->shared_bytes;
    self->reserved_shared_bytes = event->reserved_shared_bytes;
    self->local_bytes = event->local_bytes;
    self->epoch++; // modules come and go: what was compiled may be about another one
    self->list_count = 0;
    self->copy.inst = NULL;
    if (!observe_undefined_reserve((void **)&self->entry_template, &self->template_capacity,
                                   event->entry->reg_count + 1, sizeof *self->entry_template)) {
        self->out_of_memory = true;
        return;
    }
    fill_masks(event->entry, self->entry_template);
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    undefined_self *self = self_of(listener);
    drop_blocks(self);
    self->entry = NULL;
}

// ---- registers --------------------------------------------------------------------------------------

const undefined_at *observe_undefined_look_for(undefined_self *self, const sim_event *event) {
    self->at_who = NULL;
    undefined_block *block = observe_undefined_block_at(self, event->block);
    if (!block || event->warp >= block->warp_count) return NULL;
    undefined_warp *warp = &block->warps[event->warp];
    uint32_t frame = 0;
    if (warp->frame_count > 1) {
        frame = event->self ? sim_inspect_frame(event->self) : warp->frame_count - 1;
        if (frame >= warp->frame_count) return NULL;
    } else { // a warp that calls nothing is where it was
        self->at_who = event->self;
        self->at_block = event->block;
    }
    self->at.block = block;
    select_frame(warp, frame, &self->at);
    return &self->at;
}

uint64_t observe_undefined_bits_of(const undefined_at *at, uint32_t reg, uint32_t lane) {
    if (!(at->undefined[reg] >> lane & 1)) return 0;
    return at->known[reg] >> lane & 1 ? at->details[reg]->bits[lane] : UINT64_MAX;
}

uint32_t observe_undefined_origin_of(const undefined_at *at, uint32_t reg, uint32_t lane) {
    bool known = at->undefined[reg] >> lane & at->known[reg] >> lane & 1;
    return known ? at->details[reg]->origin[lane] : 0;
}

void observe_undefined_set(const undefined_at *at, uint32_t reg, uint32_t lane, uint64_t bits,
                           uint32_t origin) {
    uint32_t bit = UINT32_C(1) << lane;
    if (!bits) {
        at->undefined[reg] &= ~bit;
        return;
    }
    if (!at->details[reg]) at->details[reg] = malloc(sizeof **at->details);
    at->undefined[reg] |= bit;
    if (!at->details[reg]) {
        at->known[reg] &= ~bit;
        return;
    }
    at->known[reg] |= bit;
    at->details[reg]->bits[lane] = bits;
    at->details[reg]->origin[lane] = origin;
}

static uint32_t undefined_lanes(const undefined_at *at, const uint32_t *regs, uint32_t count) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < count; i++) lanes |= at->undefined[regs[i]];
    return lanes;
}

// Says it once, and takes the value as defined from then on: what follows from it is no news.
static void complain(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                     const sim_event *event, uint32_t reg, uint32_t lanes, observe_finding_kind kind) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    observe_undefined_report(self, plan, event, lane, kind, observe_undefined_origin_of(at, reg, lane));
    at->undefined[reg] &= ~lanes;
}

static void check_address(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                          const sim_event *event) {
    const uint32_t *regs = self->lists + plan->at;
    for (uint32_t i = 0; i < plan->sources; i++) {
        uint32_t lanes = at->undefined[regs[i]] & event->mask;
        bool is_guard = event->inst->guard >= 0 && regs[i] == (uint32_t)event->inst->guard;
        if (lanes)
            complain(self, at, plan, event, regs[i], lanes,
                     is_guard ? OBSERVE_UNDEFINED_BRANCH : OBSERVE_UNDEFINED_ADDRESS);
    }
}

// ---- events -----------------------------------------------------------------------------------------

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    undefined_class class = observe_undefined_class_of(inst);
    bool nothing = class == UNDEFINED_NOTHING || class == UNDEFINED_EXCHANGE;
    return SIM_WANT_ACCESS | (nothing ? 0 : SIM_WANT_STEP_IN_DETAIL);
}

// A run whose sources are all defined is done with at once.
static bool on_enter(sim_listener *listener, const sim_event *event, uint32_t count) {
    undefined_self *self = self_of(listener);
    const undefined_at *at = observe_undefined_find(self, event);
    if (!at || (at->frame && at->warp->frames[at->frame].fresh)) return true;
    const undefined_run *run = observe_undefined_run_of(self, event->inst, count, at->function);
    if (!run) return true;
    const uint32_t *regs = self->lists + run->at;
    if (undefined_lanes(at, regs, run->needs) & event->mask) return true;
    regs += run->needs;
    for (uint32_t i = 0; i < run->makes; i++) at->undefined[regs[i]] &= ~event->mask;
    return false;
}

static void on_step(sim_listener *listener, const sim_event *event) {
    undefined_self *self = self_of(listener);
    const undefined_at *at = event->mask ? observe_undefined_find(self, event) : NULL;
    if (!at) return;
    undefined_plan *plan = observe_undefined_plan_of(self, event->inst, at->function);
    if (!plan || plan->class == UNDEFINED_NOTHING || plan->class == UNDEFINED_EXCHANGE) return;
    if (__builtin_expect(at->frame && at->warp->frames[at->frame].fresh, 0)) {
        at->warp->frames[at->frame].fresh = false;
        observe_undefined_enter_locals(at, event);
    }
    const uint32_t *regs = self->lists + plan->at;
    if (__builtin_expect(undefined_lanes(at, regs, plan->sources) & event->mask, 0)) {
        if (plan->class == UNDEFINED_PLAIN) {
            observe_undefined_apply(self, at, plan, event);
            return;
        }
        check_address(self, at, plan, event);
    }
    regs += plan->sources;
    for (uint32_t i = 0; i < plan->destinations; i++) at->undefined[regs[i]] &= ~event->mask;
}

static void on_branch(sim_listener *listener, const sim_event *event, uint32_t taken) {
    undefined_self *self = self_of(listener);
    const undefined_at *at = observe_undefined_find(self, event);
    if (!at) return;
    const ptx_inst *inst = event->inst;
    int32_t reg = inst->op == PTX_OP_BRX_IDX && inst->operands[0].kind == PTX_OPERAND_REG
                      ? inst->operands[0].reg
                      : inst->guard;
    if (reg < 0 || !(at->undefined[reg] & event->mask)) return;
    undefined_plan *plan = observe_undefined_plan_of(self, inst, at->function);
    if (plan)
        complain(self, at, plan, event, (uint32_t)reg, at->undefined[reg] & event->mask,
                 OBSERVE_UNDEFINED_BRANCH);
}

// Lanes of one exchange may stand in different frames: the path with these lanes is looked for.
static const undefined_at *find_path(undefined_self *self, const sim_event *event) {
    const undefined_at *at = observe_undefined_find(self, event);
    if (!at || at->warp->frame_count == 1 || !event->self) return at;
    for (uint32_t i = 0; i < sim_inspect_paths(event->self); i++) {
        sim_inspect_path path;
        if (!sim_inspect_path_at(event->self, i, &path) || path.mask != event->mask) continue;
        if (path.frame >= at->warp->frame_count) return NULL;
        select_frame(at->warp, path.frame, &self->at);
        break;
    }
    return at;
}

static void shuffle(const undefined_at *at, const sim_exchange_event *event, uint32_t source) {
    const ptx_operand *to = &event->at.inst->operands[0];
    if (to->kind != PTX_OPERAND_REG || to->reg < 0) return;
    uint64_t bits[UNDEFINED_LANES];
    uint32_t origin[UNDEFINED_LANES];
    for (uint32_t lane = 0; lane < UNDEFINED_LANES; lane++) {
        bits[lane] = observe_undefined_bits_of(at, source, lane) & UINT32_MAX;
        origin[lane] = observe_undefined_origin_of(at, source, lane);
    }
    for (uint32_t m = event->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), from = event->from[lane] & 31;
        bool here =
            event->at.mask >> from & 1; // else it came from another place, whose register we do not know
        observe_undefined_set(at, (uint32_t)to->reg, lane, here ? bits[from] : 0, here ? origin[from] : 0);
    }
}

// What a lane gets from one that takes no part is undefined.
static void lose_outside(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                         const sim_exchange_event *event) {
    const ptx_operand *to = &event->at.inst->operands[0];
    if (to->kind != PTX_OPERAND_REG || to->reg < 0) return;
    for (uint32_t m = event->outside & event->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        observe_undefined_set(at, (uint32_t)to->reg, lane, UINT32_MAX,
                              observe_undefined_new_origin(self, plan, &event->at, lane, NULL, event));
    }
}

// Ballots are exact bit by bit; any and all where a lane with a defined value decides.
static uint64_t vote_bits(const undefined_at *at, const sim_exchange_event *event, uint32_t source) {
    const ptx_inst *inst = event->at.inst;
    uint32_t lanes = at->undefined[source] & event->at.mask;
    uint16_t mode = inst->by_category[PTX_CAT_MODE];
    if (mode == PTX_MOD_BALLOT) return lanes;
    const uint32_t *value =
        event->at.self ? sim_inspect_register(event->at.self, at->frame, (int32_t)source) : NULL;
    uint32_t yes = value ? (inst->operands[1].negated ? ~*value : *value) : 0;
    uint32_t defined = event->at.mask & ~lanes;
    if (value && mode == PTX_MOD_ANY && (yes & defined)) return 0;
    if (value && mode == PTX_MOD_ALL && (~yes & defined)) return 0;
    if (value && mode == PTX_MOD_UNI && (yes & defined) && (~yes & defined)) return 0;
    return UINT64_MAX;
}

static void on_exchange(sim_listener *listener, const sim_exchange_event *event) {
    undefined_self *self = self_of(listener);
    const undefined_at *at = find_path(self, &event->at);
    if (!at) return;
    const ptx_inst *inst = event->at.inst;
    undefined_plan *plan = observe_undefined_plan_of(self, inst, at->function);
    if (!plan || plan->class != UNDEFINED_EXCHANGE) return;
    if (ptx_op_get(inst->op)->class == PTX_CLASS_TENSOR) {
        observe_undefined_matrix(self, at, plan, &event->at);
        return;
    }
    const uint32_t *regs = self->lists + plan->at;
    uint32_t lanes = undefined_lanes(at, regs, plan->sources) & event->at.mask;
    const ptx_operand *value = inst->operand_count > 1 ? &inst->operands[1] : NULL;
    uint32_t source = value && value->kind == PTX_OPERAND_REG ? (uint32_t)value->reg : UINT32_MAX;
    uint64_t bits = 0;
    uint32_t origin = 0;
    if (__builtin_expect(lanes && source != UINT32_MAX && (at->undefined[source] & lanes), 0)) {
        if (event->is_shuffle) {
            shuffle(at, event, source);
            if (inst->operands[0].second >= 0) at->undefined[inst->operands[0].second] &= ~event->at.mask;
            lose_outside(self, at, plan, event);
            return;
        }
        origin =
            observe_undefined_origin_of(at, source, (uint32_t)__builtin_ctz(at->undefined[source] & lanes));
        bits = inst->op == PTX_OP_VOTE ? vote_bits(at, event, source) : UINT64_MAX;
    }
    regs += plan->sources;
    for (uint32_t i = 0; i < plan->destinations; i++) {
        if (!bits) {
            at->undefined[regs[i]] &= ~event->at.mask;
            continue;
        }
        for (uint32_t m = event->at.mask; m; m &= m - 1)
            observe_undefined_set(at, regs[i], (uint32_t)__builtin_ctz(m), bits, origin);
    }
    if (event->is_shuffle && event->outside) lose_outside(self, at, plan, event);
}

static void on_memory(sim_listener *listener, const sim_memory_event *event) {
    undefined_self *self = self_of(listener);
    switch (event->kind) {
    case SIM_MEMORY_ALLOC:
        observe_shadow_memory_mark(&self->memory, event->address, event->bytes, true);
        break;
    case SIM_MEMORY_FREE:
    case SIM_MEMORY_HOST_WRITE:
        observe_shadow_memory_mark(&self->memory, event->address, event->bytes, false);
        break;
    case SIM_MEMORY_COPY:
        observe_shadow_memory_copy(&self->memory, event->address, event->from, event->bytes);
        break;
    case SIM_MEMORY_HOST_READ: observe_undefined_host_read(self, event->address, event->bytes); break;
    }
}

static void close_detector(observe_detector *detector) {
    undefined_self *self = (undefined_self *)detector;
    drop_blocks(self);
    observe_shadow_memory_close(&self->memory);
    free(self->plans);
    free(self->runs);
    free(self->marks);
    free(self->lists);
    free(self->entry_template);
    free(self->origins);
    free(self);
}

observe_detector *observe_undefined_open(observe_findings *findings) {
    undefined_self *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->base.close = close_detector;
    self->base.listener = (sim_listener){
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .wants = on_wants,
        .enter = on_enter,
        .step = on_step,
        .branch = on_branch,
        .access = observe_undefined_access,
        .exchange = on_exchange,
        .call = on_call,
        .copy_local = observe_undefined_copy_local,
        .memory = on_memory,
    };
    if (observe_shadow_memory_open(&self->memory) &&
        observe_undefined_reserve((void **)&self->origins, &self->origin_capacity, 1,
                                  sizeof *self->origins)) {
        self->origin_count = 1;
        return &self->base;
    }
    close_detector(&self->base);
    return NULL;
}
