// What went wrong, in words: what, where in the grid, where in the source, at which address, near which
// buffer.

#include "sim/core.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_thread(const sim_block *b, uint32_t warp, uint32_t lane, base_text *out) {
    const uint32_t *size = b->grid->launch->block;
    uint32_t thread = warp * SIM_LANES + lane;
    base_text_add(out, "block (%u,%u,%u), thread (%u,%u,%u)", b->at[0], b->at[1], b->at[2], thread % size[0],
                  thread / size[0] % size[1], thread / size[0] / size[1]);
}

static void add_source(const sim_grid *g, const ptx_inst *inst, base_text *out) {
    if (!inst) return;
    base_text_add(out, "\n  at ");
    ptx_print_source(g->program->module, inst, out);
}

static void add_instruction(const sim_grid *g, const sim_op *op, base_text *out) {
    if (!op || !op->inst) return;
    for (uint32_t i = 0; i < g->kernel->code_count; i++) {
        const ptx_function *f = g->kernel->codes[i]->function;
        if (op->inst < f->insts || op->inst >= f->insts + f->inst_count) continue;
        base_text_add(out, "\n  instruction: ");
        ptx_print_inst(g->program->module, f, op->inst, out);
    }
}

// Threads are still as they were: a debugger may look at them now.
static void emit_fault(sim_worker *worker, const sim_fault_info *info, const char *message) {
    sim_listener *listener = worker->listener;
    if (!listener || !listener->fault) return;
    sim_warp *at = worker->warp;
    for (uint32_t i = 0; i < worker->resident_count; i++) {
        sim_block *b = worker->resident[i];
        if (b->index == info->block && info->thread < b->threads) at = &b->warps[info->thread / SIM_LANES];
    }
    if (!at) return;
    sim_event event = {.inst = info->inst,
                       .self = at,
                       .block = at->block->index,
                       .warp = at->index,
                       .mask = UINT32_C(1) << info->thread % SIM_LANES};
    listener->fault(listener, &event, message);
}

static _Noreturn void stop(sim_worker *worker, kz_status status, const sim_fault_info *info,
                           base_text *text) {
    sim_fault fault = {.status = status, .block = info->block, .info = *info};
    snprintf(fault.message, sizeof fault.message, "%s", text->data ? text->data : "out of memory");
    base_text_free(text);
    emit_fault(worker, info, fault.message);
    sim_grid_fault(worker, &fault);
}

// "_ZZ6kernelPfE4tile" is kernel's variable tile: the last name of a mangled one, which is what the source
// says.
static const char *source_name(const char *name) {
    if (strncmp(name, "_ZZ", 3)) return name;
    const char *last = strrchr(name, 'E');
    while (last && last > name && !isdigit((unsigned char)last[1])) {
        const char *at = last;
        last = NULL;
        while (at-- > name)
            if (*at == 'E') {
                last = at;
                break;
            }
    }
    if (!last || last == name) return name;
    last++;
    while (isdigit((unsigned char)*last)) last++;
    return *last ? last : name;
}

static void explain_shared(const sim_grid *g, const sim_warp *w, uint64_t offset, base_text *out) {
    const sim_kernel *k = g->kernel;
    base_text_add(out, "the block has %u bytes of shared memory (%u static, %u dynamic)", g->own_shared_bytes,
                  k->static_shared, g->launch->dynamic_shared_bytes);
    const sim_variable_slot *nearest = NULL;
    if ((uint32_t)offset > INT32_MAX) { // it wrapped
        base_text_add(out, "\n  %" PRIu64 " bytes before its start", (UINT64_C(1) << 32) - (uint32_t)offset);
        return;
    }
    for (uint32_t i = 0; i < k->shared_slot_count; i++) {
        const sim_variable_slot *slot = &k->shared_slots[i];
        if (offset >= slot->offset && offset - slot->offset < slot->variable->size) {
            base_text_add(out, "\n  it begins in %s, %" PRIu64 " bytes before that one's end",
                          source_name(slot->variable->name), slot->offset + slot->variable->size - offset);
            return;
        }
        if (offset >= slot->offset + slot->variable->size && (!nearest || slot->offset > nearest->offset))
            nearest = slot;
    }
    if (nearest) {
        uint64_t past = offset - (nearest->offset + nearest->variable->size);
        if (past)
            base_text_add(out, "\n  %" PRIu64 " bytes past the end of %s", past,
                          source_name(nearest->variable->name));
        else
            base_text_add(out, "\n  just past the end of %s", source_name(nearest->variable->name));
    } else if (g->launch->dynamic_shared_bytes == 0) {
        base_text_add(out, "\n  was dynamic shared memory asked for at the launch?");
    }
}

static void explain_window(const sim_grid *g, const sim_warp *w, sim_space space, uint64_t offset,
                           base_text *out) {
    switch (space) {
    case SIM_SHARED: explain_shared(g, w, offset, out); break;
    case SIM_LOCAL:
        base_text_add(out, "the thread has %u bytes of local memory", g->kernel->local_room);
        break;
    default: base_text_add(out, "the kernel's parameters are %u bytes", g->kernel->param_bytes);
    }
}

static bool was_freed(const sim_memory *memory, uint64_t address) {
    for (size_t i = 0; i < memory->count; i++) {
        const sim_allocation *a = &memory->allocations[i];
        if (!a->live && address >= a->address && address - a->address < a->bytes) return true;
    }
    return false;
}

static const char *action_of(const ptx_inst *inst) {
    ptx_class class = ptx_op_get(inst->op)->class;
    if (class == PTX_CLASS_LOAD) return "load";
    if (class == PTX_CLASS_STORE) return "store";
    return class == PTX_CLASS_ATOMIC || class == PTX_CLASS_REDUCTION ? "atomic" : "access";
}

_Noreturn void sim_fault_access(sim_warp *w, const sim_op *op, uint32_t lane, uint64_t address,
                                uint32_t bytes, sim_space space, const char *what) {
    static const char *const names[] = {
        "global", "shared", "local", "parameter", "constant", "distributed shared", "texture"};
    const sim_grid *g = w->block->grid;
    const char *action = action_of(op->inst);
    // Constants lie among the global variables; the program calls them by their own name.
    bool constant = space == SIM_GLOBAL && op->inst->by_category[PTX_CAT_SPACE] == PTX_MOD_CONST;
    const char *name = names[constant ? SIM_CONST : space];
    base_text t = {0};
    bool misaligned = what && !strcmp(what, "is misaligned");
    if (misaligned) {
        base_text_add(&t, "misaligned %s of %u bytes at 0x%" PRIx64 " in %s memory, in kernel %s", action,
                      bytes, address, name, g->kernel->entry->name);
    } else if (what) {
        base_text_add(&t, "%s of %u bytes at 0x%" PRIx64 " %s, in kernel %s", action, bytes, address, what,
                      g->kernel->entry->name);
    } else {
        base_text_add(&t, "%s of %u bytes at 0x%" PRIx64 " in %s memory is out of bounds, in kernel %s",
                      action, bytes, address, name, g->kernel->entry->name);
    }
    base_text_add(&t, "\n  by ");
    add_thread(w->block, w->index, lane, &t);
    add_source(g, op->inst, &t);
    add_instruction(g, op, &t);
    base_text_add(&t, "\n  ");
    if (misaligned && (op->inst->op == PTX_OP_LDMATRIX || op->inst->op == PTX_OP_STMATRIX))
        base_text_add(
            &t,
            "the address of each row of a matrix must be a multiple of %u\n"
            "  likely cause: rows of an array whose length in bytes is no multiple of %u (padding by one "
            "element), or an "
            "array without __align__(%u)\n"
            "  what to do: pad rows by 16 bytes (8 halves), and declare the array with __align__(16)",
            bytes, bytes, bytes);
    else if (misaligned && ptx_op_get(op->inst->op)->class == PTX_CLASS_ASYNC)
        base_text_add(&t,
                      "both sides of an asynchronous copy begin at a multiple of %u\n"
                      "  likely cause: it begins in the middle of a row, rows have another length than a "
                      "multiple of %u bytes, or a "
                      "shared array lacks __align__(%u)\n"
                      "  what to do: begin at a multiple of %u bytes, and copy what lies before it by "
                      "ordinary loads and stores",
                      bytes, bytes, bytes, bytes);
    else if (misaligned)
        base_text_add(
            &t,
            "the address must be a multiple of %u: look at the pointer's alignment, or use narrower accesses",
            bytes);
    else if (space == SIM_GLOBAL && !what)
        sim_memory_explain(g->memory, address, bytes, &t);
    else if (!what)
        explain_window(g, w, space, address, &t);
    sim_fault_info info = {.kind = misaligned ? SIM_FAULT_MISALIGNED
                                   : what     ? SIM_FAULT_READ_ONLY
                                   : space == SIM_GLOBAL && was_freed(g->memory, address) ? SIM_FAULT_FREED
                                                                                          : SIM_FAULT_BOUNDS,
                           .inst = op->inst,
                           .block = w->block->index,
                           .thread = w->index * SIM_LANES + lane,
                           .mask = w->mask,
                           .address = address,
                           .bytes = bytes,
                           .is_write = !strcmp(action, "store") || !strcmp(action, "atomic"),
                           .space = constant ? SIM_CONST : space};
    stop(w->block->worker, KZ_FAULT, &info, &t);
}

static kz_status status_of(sim_fault_kind kind) {
    return kind == SIM_FAULT_NO_MEMORY ? KZ_NO_MEMORY : kind == SIM_FAULT_LIMIT ? KZ_LIMIT : KZ_FAULT;
}

// The text is what happened, perhaps with a line "likely cause: "; where it happened comes between the two.
_Noreturn void sim_fault_here(sim_warp *w, const sim_op *op, uint32_t lane, sim_fault_kind kind,
                              const char *format, ...) {
    const sim_grid *g = w->block->grid;
    base_text said = {0}, t = {0};
    va_list list;
    va_start(list, format);
    base_text_add_v(&said, format, list);
    va_end(list);
    const char *text = said.data ? said.data : "", *cause = strstr(text, "\nlikely cause: ");
    base_text_add(&t, "%.*s\n  in kernel %s, ", cause ? (int)(cause - text) : (int)strlen(text), text,
                  g->kernel->entry->name);
    add_thread(w->block, w->index, lane, &t);
    if (op) add_source(g, op->inst, &t);
    add_instruction(g, op, &t);
    if (cause) base_text_add(&t, "%s", cause);
    base_text_free(&said);
    stop(w->block->worker, status_of(kind),
         &(sim_fault_info){.kind = kind,
                           .inst = op ? op->inst : NULL,
                           .block = w->block->index,
                           .thread = w->index * SIM_LANES + lane},
         &t);
}

// ---- deadlocks -------------------------------------------------------------------------------------------

static const ptx_inst *path_inst(const sim_kernel *k, const sim_path *p) {
    if (p->state == SIM_PATH_AT_BARRIER || p->state == SIM_PATH_AT_CLUSTER) return p->barrier_op->inst;
    const sim_basic_block *basic_block = &k->basic_blocks[p->basic_block];
    if (p->state == SIM_PATH_AT_SYNC) return basic_block->last->inst;
    return basic_block->first_inst ? basic_block->first_inst : NULL;
}

static void describe_path(const sim_block *b, const sim_warp *w, const sim_path *p, base_text *out) {
    const sim_kernel *k = b->grid->kernel;
    const ptx_inst *inst = path_inst(k, p);
    base_text_add(out, "\n  block (%u,%u,%u) warp %u lanes 0x%08x ", b->at[0], b->at[1], b->at[2], w->index,
                  p->mask);
    if (p->state == SIM_PATH_AT_BARRIER) {
        const sim_barrier *barrier = &b->barriers[p->barrier];
        base_text_add(out, "wait at barrier %u (%u of %u threads have come)", p->barrier, barrier->arrived,
                      barrier->expected ? barrier->expected : b->alive);
    } else if (p->state == SIM_PATH_AT_SYNC) {
        uint32_t missing = p->sync_mask & ~w->exited;
        for (uint32_t i = 0; i < w->path_count; i++)
            if (w->paths[i].state == SIM_PATH_AT_SYNC && w->paths[i].sync_mask == p->sync_mask)
                missing &= ~w->paths[i].mask;
        if (missing)
            base_text_add(out, "wait for lanes 0x%08x of their member mask 0x%08x", missing, p->sync_mask);
        else
            sim_wgmma_describe(w, k->basic_blocks[p->basic_block].last, out);
    } else if (p->state == SIM_PATH_AT_CLUSTER)
        base_text_add(out, "wait at the cluster's barrier");
    else if (p->at_end && k->basic_blocks[p->basic_block].end == PTX_END_REGISTERS &&
             (p->mask | w->exited) != SIM_ALL)
        base_text_add(out, "wait at setmaxnreg for lanes 0x%08x of the warp", ~(p->mask | w->exited));
    else if (p->at_end && k->basic_blocks[p->basic_block].end == PTX_END_REGISTERS)
        base_text_add(
            out,
            "wait for registers: setmaxnreg.inc, and others of the block have given too few (%u of a thread)",
            b->free_registers);
    else if (!sim_mbarrier_describe(w, p->mask, out, &inst))
        base_text_add(out, "go round in a loop");
    if (inst) {
        base_text_add(out, " at ");
        ptx_print_source(b->grid->program->module, inst, out);
    }
}

// Who is where, a dozen of them.
static void describe_all(const sim_worker *worker, base_text *t) {
    unsigned shown = 0, hidden = 0;
    for (uint32_t i = 0; i < worker->resident_count; i++) {
        const sim_block *b = worker->resident[i];
        for (uint32_t j = 0; j < b->warp_count; j++)
            for (uint32_t p = 0; p < b->warps[j].path_count; p++) {
                if (shown < 12) describe_path(b, &b->warps[j], &b->warps[j].paths[p], t);
                shown++;
            }
    }
    hidden = shown > 12 ? shown - 12 : 0;
    if (hidden) base_text_add(t, "\n  ... and %u more", hidden);
}

// The instruction that the first path of the first block stands at.
static const ptx_inst *first_inst(const sim_worker *worker) {
    for (uint32_t i = 0; i < worker->resident_count; i++)
        for (uint32_t j = 0; j < worker->resident[i]->warp_count; j++) {
            const sim_warp *w = &worker->resident[i]->warps[j];
            if (w->path_count) return path_inst(worker->grid->kernel, &w->paths[0]);
        }
    return NULL;
}

_Noreturn void sim_fault_interrupted(sim_worker *worker) {
    base_text t = {0};
    base_text_add(&t, "stopped in kernel %s, which had not ended", worker->grid->kernel->entry->name);
    describe_all(worker, &t);
    stop(worker, KZ_TIMEOUT,
         &(sim_fault_info){.kind = SIM_FAULT_INTERRUPTED,
                           .inst = first_inst(worker),
                           .block = worker->running ? worker->running->index : 0},
         &t);
}

static _Noreturn void stop_waiting(sim_worker *worker, sim_fault_kind kind, const ptx_inst *inst,
                                   const char *word, const char *what, const char *causes) {
    const sim_grid *g = worker->grid;
    base_text t = {0};
    base_text_add(&t, "%s in kernel %s: %s", word, g->kernel->entry->name, what);
    describe_all(worker, &t);
    if (t.data && strstr(t.data, "wait for the mbarrier"))
        causes = "arrivals or bytes of an mbarrier that do not add up (mbarrier.init, expect_tx and what the "
                 "copies bring), a wait for the wrong phase, a thread that does not arrive";
    base_text_add(&t, "\n  likely causes: %s", causes);
    if (t.data && (strstr(t.data, "bytes are missing") || strstr(t.data, "more than were expected")))
        base_text_add(&t,
                      "\nwhat to do: let expect_tx name the bytes of all copies of the phase; a tensor copy "
                      "brings its whole box, boxDim times the element's size, also what lies outside");
    stop(worker, KZ_DEADLOCK,
         &(sim_fault_info){.kind = kind,
                           .polled = worker->polled,
                           .inst = inst,
                           .block = worker->running ? worker->running->index : 0},
         &t);
}

_Noreturn void sim_fault_deadlock(sim_worker *worker, const char *what, const char *causes) {
    stop_waiting(worker, SIM_FAULT_DEADLOCK, first_inst(worker), "deadlock", what, causes);
}

_Noreturn void sim_fault_endless(sim_worker *worker) {
    stop_waiting(worker, SIM_FAULT_ENDLESS, first_inst(worker), "endless loop",
                 "it looks at nothing that could end it", "a condition that never changes, a step of 0");
}

_Noreturn void sim_fault_no_way_out(sim_worker *worker, const sim_path *path) {
    stop_waiting(worker, SIM_FAULT_ENDLESS, path_inst(worker->grid->kernel, path), "endless loop",
                 "it looks at nothing that could end it", "a condition that never changes, a step of 0");
}
