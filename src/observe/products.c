// Registers of products that are under way (wgmma): accumulators and fragments of A that are touched too early, products without
// wgmma.fence before them, kernels that end with products under way.
//
// Followed are the registers that some wgmma of a function names, and those that are moved to or from them: compilers copy them
// between registers while they are under way, and put moves, of constants too, behind the fence of the source; ptxas makes one
// register of them. So a move hands on what is known, and needs no fence. Kernels without wgmma are not listened to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "ptx/matrix.h"

enum { GROUPS = 32, NO_ID = 0 };

// What is known of one register in a warp. Products are counted from 1, so that 0 means none.
typedef struct register_state {
    uint32_t written, read;          // by these products: as accumulator, as fragment of A
    const ptx_inst *writer, *reader; // their instructions
    const ptx_inst *touched;         // the latest other access since the fence; NULL: none
    bool is_own;                     // named by the product itself, not a copy of its accumulator
} register_state;

typedef struct warp_state {
    uint32_t issued, done, commits;
    uint32_t at_commit[GROUPS];
    uint32_t waited_at, fenced_at; // products that there were at the latest wait, and fence
    bool fenced;                   // at least once
    const ptx_inst *last;
    register_state *registers; // by id
} warp_state;

typedef struct product_block {
    struct product_block *next;
    uint32_t index, warp_count;
    warp_state warps[];
} product_block;

typedef struct detector {
    observe_detector detector; // first
    observe_findings *findings;
    uint32_t **ids; // by function: of its registers, NO_ID for those that are not followed; NULL: no wgmma
    uint32_t function_count, id_count;
    uint32_t *function_of; // by serial of an instruction that is followed: the function's index + 1
    uint32_t inst_count;
    product_block *blocks;
    observe_finding finding;
} detector;

// ---- which registers -------------------------------------------------------------------------------------

typedef void each_register(void *context, int32_t reg);

static void visit(const ptx_operand *o, each_register *call, void *context) {
    if ((o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_ADDRESS) && o->reg >= 0) call(context, o->reg);
    if ((o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_SINK) && o->second >= 0)
        call(context, o->second);
    for (uint32_t i = 0; i < o->element_count; i++) visit(&o->elements[i], call, context);
}

static bool is_product(const ptx_inst *inst) { return inst->op == PTX_OP_WGMMA_MMA_ASYNC; }

static bool is_move(const ptx_inst *inst) {
    return inst->op == PTX_OP_MOV && inst->operand_count == 2 && inst->operands[0].kind == PTX_OPERAND_REG &&
           inst->operands[1].kind == PTX_OPERAND_REG && ptx_type_bits(inst->types[0]) == 32;
}

typedef struct marker {
    uint32_t *ids, *count;
} marker;

static void mark(void *context, int32_t reg) {
    marker *m = context;
    if (m->ids[reg] == NO_ID) m->ids[reg] = ++*m->count;
}

// Of the operands of a product only accumulators and fragments of A are used while it is under way.
static void mark_products(const ptx_function *f, marker *m) {
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_inst *inst = &f->insts[i];
        if (!is_product(inst) || inst->operand_count < 2) continue;
        visit(&inst->operands[0], mark, m);
        if (inst->operands[1].kind == PTX_OPERAND_VECTOR) visit(&inst->operands[1], mark, m);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            const ptx_operand *o = f->insts[i].operands;
            if (!is_move(&f->insts[i]) || !m->ids[o[1].reg] == !m->ids[o[0].reg]) continue;
            mark(m, o[0].reg);
            mark(m, o[1].reg);
            more = true;
        }
    }
}

static bool has_products(const ptx_function *f) {
    for (uint32_t i = 0; i < f->inst_count; i++)
        if (is_product(&f->insts[i])) return true;
    return false;
}

typedef struct finder {
    const uint32_t *ids;
    bool found;
} finder;

static void find(void *context, int32_t reg) {
    finder *f = context;
    f->found |= f->ids[reg] != NO_ID;
}

static void note_instructions(detector *self, uint32_t index, const ptx_function *f) {
    for (uint32_t i = 0; i < f->inst_count; i++) {
        finder seen = {self->ids[index], false};
        const ptx_inst *inst = &f->insts[i];
        for (uint32_t k = 0; k < inst->operand_count; k++) visit(&inst->operands[k], find, &seen);
        if (seen.found && inst->serial < self->inst_count) self->function_of[inst->serial] = index + 1;
    }
}

static void forget_module(detector *self) {
    for (uint32_t i = 0; i < self->function_count; i++) free(self->ids[i]);
    free(self->ids);
    free(self->function_of);
    self->ids = NULL;
    self->function_of = NULL;
    self->function_count = self->id_count = self->inst_count = 0;
}

static void know_module(detector *self, const sim_launch_event *event) {
    const ptx_module *module = event->module;
    bool any = false;
    for (uint32_t i = 0; i < module->function_count; i++)
        any |= (!module->functions[i]->is_entry || module->functions[i] == event->entry) &&
               has_products(module->functions[i]);
    if (!any) return;
    self->ids = calloc(module->function_count, sizeof *self->ids);
    self->function_of = calloc(module->inst_count + 1, sizeof *self->function_of);
    if (!self->ids || !self->function_of) return;
    self->function_count = module->function_count;
    self->inst_count = module->inst_count;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *f = module->functions[i];
        if ((f->is_entry && f != event->entry) || !has_products(f)) continue;
        if (!(self->ids[i] = calloc(f->reg_count + 1, sizeof **self->ids))) return;
        marker m = {self->ids[i], &self->id_count};
        mark_products(f, &m);
        note_instructions(self, i, f);
    }
}

// ---- telling ---------------------------------------------------------------------------------------------

static void report(detector *self, observe_finding_kind kind, const sim_event *at, const ptx_inst *first,
                   bool is_write, const ptx_inst *second, const char *what, const char *advice) {
    observe_finding *finding = &self->finding;
    uint32_t lane = at->mask ? (uint32_t)__builtin_ctz(at->mask) : 0;
    *finding = (observe_finding){
        .kind = kind,
        .first = {.inst = first, .block = at->block, .thread = at->warp * 32 + lane, .is_write = is_write},
        .second = {.inst = second, .block = at->block, .thread = at->warp * 32}};
    snprintf(finding->text, sizeof finding->text, "%s\n%s", what, advice);
    observe_findings_add(self->findings, finding);
}

// Why a product is still under way.
static const char *cause_of(const warp_state *w, uint32_t product) {
    uint32_t committed = w->commits ? w->at_commit[(w->commits - 1) % GROUPS] : 0;
    if (product > committed && w->waited_at >= product)
        return "likely cause: the product was never committed, and wgmma.wait_group waits for committed "
               "groups alone\n"
               "what to do: wgmma.commit_group behind the product, then wgmma.wait_group";
    if (product > committed)
        return "likely cause: neither wgmma.commit_group nor wgmma.wait_group came between\n"
               "what to do: wgmma.commit_group behind the product and wgmma.wait_group before its registers "
               "are used; if they are "
               "there, the compiler moved the access: give the registers to an empty asm volatile behind the "
               "wait";
    return "likely cause: no wgmma.wait_group came between, or one that lets the product's group be under "
           "way\n"
           "what to do: wgmma.wait_group with a smaller number; if it is there, the compiler moved the "
           "access: give the registers to "
           "an empty asm volatile behind the wait";
}

static void report_touch(detector *self, const sim_event *at, warp_state *w, register_state *r,
                         bool is_write) {
    if (r->written > w->done) {
        report(self, OBSERVE_WGMMA_REGISTERS, at, at->inst, is_write, r->writer,
               is_write ? "a thread writes an accumulator of a product (wgmma) that is under way"
                        : "a thread reads an accumulator of a product (wgmma) that is under way",
               cause_of(w, r->written));
        r->written = 0; // once
    } else if (is_write && r->read > w->done) {
        report(self, OBSERVE_WGMMA_REGISTERS, at, at->inst, true, r->reader,
               "a thread writes a register of A that a product (wgmma) under way reads",
               cause_of(w, r->read));
        r->read = 0;
    }
}

// ---- blocks ----------------------------------------------------------------------------------------------

static void free_block(product_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) free(block->warps[i].registers);
    free(block);
}

static void on_block_begin(sim_listener *listener, uint32_t index, uint32_t warps) {
    detector *self = (detector *)listener;
    if (!self->id_count) return;
    product_block *block = calloc(1, sizeof *block + warps * sizeof *block->warps);
    if (!block) return;
    block->index = index;
    block->warp_count = warps;
    block->next = self->blocks;
    self->blocks = block;
}

static void on_block_end(sim_listener *listener, uint32_t index) {
    detector *self = (detector *)listener;
    for (product_block **at = &self->blocks; *at; at = &(*at)->next) {
        product_block *block = *at;
        if (block->index != index) continue;
        *at = block->next;
        free_block(block);
        return;
    }
}

static warp_state *warp_of(detector *self, const sim_event *at) {
    for (product_block *block = self->blocks; block; block = block->next) {
        if (block->index != at->block || at->warp >= block->warp_count) continue;
        warp_state *w = &block->warps[at->warp];
        if (!w->registers) w->registers = calloc(self->id_count + 1, sizeof *w->registers);
        return w->registers ? w : NULL;
    }
    return NULL;
}

static const uint32_t *ids_of(const detector *self, const ptx_inst *inst) {
    uint32_t index = inst && inst->serial < self->inst_count ? self->function_of[inst->serial] : 0;
    return index ? self->ids[index - 1] : NULL;
}

// ---- other instructions ----------------------------------------------------------------------------------

typedef struct toucher {
    detector *self;
    const sim_event *at;
    warp_state *warp;
    const uint32_t *ids;
    bool is_write;
} toucher;

static void touch(void *context, int32_t reg) {
    const toucher *t = context;
    uint32_t id = t->ids[reg];
    if (id == NO_ID) return;
    register_state *r = &t->warp->registers[id];
    report_touch(t->self, t->at, t->warp, r, t->is_write);
    // Fragments of A may be read by all at once.
    if (t->is_write || r->written) r->touched = t->at->inst;
}

static bool is_constant_move(const ptx_inst *inst) {
    return inst->op == PTX_OP_MOV && inst->operand_count == 2 && inst->operands[0].kind == PTX_OPERAND_REG &&
           (inst->operands[1].kind == PTX_OPERAND_INT || inst->operands[1].kind == PTX_OPERAND_FLOAT);
}

// `from` NULL: a constant.
static void move(detector *self, const sim_event *at, warp_state *w, register_state *to,
                 const register_state *from) {
    bool carries = from && from->written > w->done;
    if (to->is_own && (!carries || to->read > w->done)) report_touch(self, at, w, to, true);
    const ptx_inst *touched = to->touched;
    *to = from ? *from : (register_state){0};
    if (!to->touched) to->touched = touched;
    to->read = 0;
    to->is_own = false;
}

static void on_step(sim_listener *listener, const sim_event *event) {
    detector *self = (detector *)listener;
    const uint32_t *ids = ids_of(self, event->inst);
    if (!ids || !event->mask || is_product(event->inst)) return;
    warp_state *w = warp_of(self, event);
    if (!w) return;
    const ptx_operand *o = event->inst->operands;
    bool constant = is_constant_move(event->inst);
    if (constant || (is_move(event->inst) && ids[o[1].reg])) {
        move(self, event, w, &w->registers[ids[o[0].reg]], constant ? NULL : &w->registers[ids[o[1].reg]]);
        return;
    }
    uint32_t first = ptx_op_has_destination(event->inst->op) && o[0].kind != PTX_OPERAND_ADDRESS ? 1 : 0;
    toucher t = {self, event, w, ids, false};
    for (uint32_t i = first; i < event->inst->operand_count; i++) visit(&o[i], touch, &t);
    t.is_write = true;
    if (first && event->inst->operand_count) visit(&o[0], touch, &t);
}

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    return ids_of((detector *)listener, inst) && !is_product(inst) ? SIM_WANT_STEP : 0;
}

// ---- products --------------------------------------------------------------------------------------------

static bool same_shape(const ptx_inst *a, const ptx_inst *b) {
    ptx_matrix x, y;
    const char *why;
    if (a == b || !ptx_matrix_of(a, &x, &why) || !ptx_matrix_of(b, &y, &why)) return true;
    return x.n == y.n && x.types[PTX_MATRIX_D] == y.types[PTX_MATRIX_D];
}

typedef struct user {
    toucher t;
    bool is_a, told;
    const ptx_inst *of_shape; // the last that was found to have the product's own shape
} user;

// Registers of one accumulator have one writer: it is compared once.
static bool has_shape(user *u, const ptx_inst *writer) {
    if (u->of_shape == writer) return true;
    if (!same_shape(writer, u->t.at->inst)) return false;
    u->of_shape = writer;
    return true;
}

static const char no_fence_advice[] =
    "likely cause: without wgmma.fence the product may read the register before that access, or write it\n"
    "what to do: wgmma.fence (warpgroup_arrive) between the last access to the registers and the first "
    "product";

static void use(void *context, int32_t reg) {
    user *u = context;
    toucher *t = &u->t;
    warp_state *w = t->warp;
    register_state *r = &w->registers[t->ids[reg]];
    if (t->ids[reg] == NO_ID) return;
    if (r->touched && !u->told) {
        report(
            t->self, OBSERVE_WGMMA_NO_FENCE, t->at, t->at->inst, false, r->touched,
            u->is_a
                ? "a product (wgmma) reads a register of A that a thread wrote, with no wgmma.fence between"
                : "a product (wgmma) uses an accumulator that a thread accessed, with no wgmma.fence between",
            no_fence_advice);
        u->told = true;
    }
    // Accumulators of products of one shape are in order by themselves, of others by a fence.
    bool under_way = r->written > w->done;
    if (under_way && !u->told && (u->is_a || (r->written > w->fenced_at && !has_shape(u, r->writer)))) {
        report(t->self, OBSERVE_WGMMA_REGISTERS, t->at, t->at->inst, !u->is_a, r->writer,
               u->is_a ? "a product (wgmma) reads as A what another one that is under way is still to write"
                       : "a product (wgmma) uses the accumulator of one of another shape that is under way",
               cause_of(w, r->written));
        u->told = true;
    }
    r->touched = NULL;
    r->is_own = true;
    if (u->is_a) {
        r->read = w->issued;
        r->reader = t->at->inst;
    } else {
        r->written = w->issued;
        r->writer = t->at->inst;
    }
}

static void issue(detector *self, const sim_event *at, warp_state *w) {
    const ptx_inst *inst = at->inst;
    const uint32_t *ids = ids_of(self, inst);
    if (!ids || inst->operand_count < 2) return;
    w->issued++;
    w->last = inst;
    user u = {.t = {self, at, w, ids, false}};
    if (!w->fenced) {
        report(self, OBSERVE_WGMMA_NO_FENCE, at, inst, false, NULL,
               "the first product (wgmma) of a warp, with no wgmma.fence before it", no_fence_advice);
        w->fenced = u.told = true;
    }
    u.is_a = true;
    if (inst->operands[1].kind == PTX_OPERAND_VECTOR) visit(&inst->operands[1], use, &u);
    u.is_a = false;
    visit(&inst->operands[0], use, &u);
}

static void fence(const detector *self, warp_state *w) {
    w->fenced = true;
    w->fenced_at = w->issued;
    for (uint32_t i = 0; i <= self->id_count; i++) w->registers[i].touched = NULL;
}

static void wait(warp_state *w, const ptx_inst *inst) {
    uint64_t leave = inst->operand_count ? (uint64_t)inst->operands[0].value : 0;
    w->waited_at = w->issued;
    if (w->commits <= leave || leave >= GROUPS) return;
    uint32_t due = w->at_commit[(w->commits - (uint32_t)leave - 1) % GROUPS];
    if (due > w->done) w->done = due;
}

static void on_exchange(sim_listener *listener, const sim_exchange_event *event) {
    detector *self = (detector *)listener;
    const ptx_inst *inst = event->at.inst;
    if (!self->id_count || strncmp(ptx_op_root(inst->op), "wgmma", 5) != 0) return;
    warp_state *w = warp_of(self, &event->at);
    if (!w) return;
    switch (inst->op) {
    case PTX_OP_WGMMA_MMA_ASYNC: issue(self, &event->at, w); break;
    case PTX_OP_WGMMA_FENCE: fence(self, w); break;
    case PTX_OP_WGMMA_COMMIT_GROUP: w->at_commit[w->commits++ % GROUPS] = w->issued; break;
    case PTX_OP_WGMMA_WAIT_GROUP: wait(w, inst); break;
    default: break;
    }
}

static void on_leave(sim_listener *listener, const sim_event *event) {
    detector *self = (detector *)listener;
    warp_state *w = self->id_count ? warp_of(self, event) : NULL;
    if (!w || w->issued == w->done || !w->last) return;
    report(self, OBSERVE_WGMMA_NO_WAIT, event, w->last, false, NULL,
           "a thread ends while a product (wgmma) of its warpgroup is under way", cause_of(w, w->issued));
    w->done = w->issued;
}

// ---- launches --------------------------------------------------------------------------------------------

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    detector *self = (detector *)listener;
    while (self->blocks) on_block_end(listener, self->blocks->index);
    forget_module(self);
    know_module(self, event);
    bool any = self->id_count != 0;
    listener->step = any ? on_step : NULL;
    listener->exchange = any ? on_exchange : NULL;
    listener->leave = any ? on_leave : NULL;
    listener->block_begin = any ? on_block_begin : NULL;
    listener->block_end = any ? on_block_end : NULL;
}

static void close_detector(observe_detector *detector_) {
    detector *self = (detector *)detector_;
    while (self->blocks) on_block_end(&self->detector.listener, self->blocks->index);
    forget_module(self);
    free(self);
}

observe_detector *observe_products_open(observe_findings *findings) {
    detector *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->detector = (observe_detector){.listener = {.launch_begin = on_launch_begin, .wants = on_wants},
                                        .close = close_detector};
    return &self->detector;
}
