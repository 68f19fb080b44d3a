// Looking into a running warp.

#include "sim/inspect.h"

#include <string.h>

#include "sim/core.h"

// ---- where a warp is --------------------------------------------------------------------------------

void sim_inspect_at(const sim_warp *w, sim_inspect_where *where) {
    const sim_block *b = w->block;
    const sim_grid *g = b->grid;
    *where = (sim_inspect_where){.block_index = b->index,
                                 .warp = w->index,
                                 .warps = b->warp_count,
                                 .threads = b->threads,
                                 .exited = w->exited,
                                 .module = g->program->module,
                                 .entry = g->kernel->entry};
    memcpy(where->grid, g->launch->grid, sizeof where->grid);
    memcpy(where->block, g->launch->block, sizeof where->block);
    memcpy(where->block_at, b->at, sizeof where->block_at);
}

const sim_warp *sim_inspect_warp(const sim_warp *w, uint32_t index) {
    return index < w->block->warp_count ? &w->block->warps[index] : NULL;
}

uint32_t sim_inspect_resident(const sim_warp *w) { return w->block->worker->resident_count; }

const sim_warp *sim_inspect_block(const sim_warp *w, uint32_t resident) {
    const sim_worker *worker = w->block->worker;
    return resident < worker->resident_count ? &worker->resident[resident]->warps[0] : NULL;
}

static const sim_basic_block *basic_block_at(const sim_warp *w, uint32_t index) {
    const sim_kernel *k = w->block->grid->kernel;
    return index < k->basic_block_count ? &k->basic_blocks[index] : NULL;
}

// A warp is in the midst of a basic block only while it runs; all others stand where a basic block begins, or at the
// operation that ends it.
static const ptx_inst *inst_of(const sim_warp *w, const sim_path *p) {
    bool waits = p->state == SIM_PATH_AT_BARRIER || p->state == SIM_PATH_AT_CLUSTER;
    if (waits && p->barrier_op) return p->barrier_op->inst;
    const sim_basic_block *basic_block = basic_block_at(w, p->basic_block);
    if (!basic_block) return NULL;
    bool at_end = p->state == SIM_PATH_AT_SYNC || p->at_end;
    return at_end && basic_block->last ? basic_block->last->inst : basic_block->first_inst;
}

uint32_t sim_inspect_paths(const sim_warp *w) { return w->path_count; }

bool sim_inspect_path_at(const sim_warp *w, uint32_t index, sim_inspect_path *path) {
    if (index >= w->path_count) return false;
    const sim_path *p = &w->paths[index];
    *path = (sim_inspect_path){.mask = p->mask, .frame = p->frame, .inst = inst_of(w, p)};
    switch (p->state) {
    case SIM_PATH_READY:
        path->state =
            w->block->worker->warp == w && index == w->current ? SIM_INSPECT_RUNNING : SIM_INSPECT_READY;
        break;
    case SIM_PATH_AT_BARRIER: {
        const sim_barrier *barrier = &w->block->barriers[p->barrier % SIM_BARRIERS];
        path->state = SIM_INSPECT_AT_BARRIER;
        path->barrier = p->barrier;
        path->arrived = barrier->arrived;
        path->expected = barrier->expected ? barrier->expected : w->block->alive;
        break;
    }
    case SIM_PATH_AT_SYNC:
        path->state = SIM_INSPECT_AT_SYNC;
        path->lanes = p->sync_mask;
        break;
    case SIM_PATH_AT_CLUSTER: path->state = SIM_INSPECT_AT_CLUSTER; break;
    }
    return true;
}

bool sim_inspect_mbarrier(const sim_warp *w, uint32_t lanes, base_text *out) {
    const ptx_inst *inst;
    return sim_mbarrier_describe(w, lanes, out, &inst);
}

void sim_inspect_steps(const sim_launch_event *launch, bool *has_step, uint32_t count) {
    const sim_kernel *k = launch->kernel;
    for (uint32_t i = 0; i < count; i++) has_step[i] = false;
    for (uint32_t i = 0; i < k->op_count; i++) {
        const sim_op *op = &k->ops[i];
        if (op->inst && op->masked != sim_do_nothing && op->inst->serial < count)
            has_step[op->inst->serial] = true;
    }
    for (uint32_t i = 0; i < k->basic_block_count; i++) {
        const sim_op *last = k->basic_blocks[i].last;
        if (last && last->inst && last->inst->serial < count) has_step[last->inst->serial] = true;
    }
}

// ---- calls and registers ----------------------------------------------------------------------------

uint32_t sim_inspect_frame(const sim_warp *w) {
    return w->current < w->path_count ? w->paths[w->current].frame : 0;
}

// A frame belongs to the function of the path that stands in it, or to the one its callee returns to.
static const sim_code *code_of(const sim_warp *w, uint32_t frame) {
    if (frame == 0) return w->block->grid->kernel->codes[0];
    if (frame >= w->frame_count) return NULL;
    const sim_basic_block *basic_block = NULL;
    for (uint32_t i = 0; i < w->path_count && !basic_block; i++)
        if (w->paths[i].frame == frame) basic_block = basic_block_at(w, w->paths[i].basic_block);
    for (uint32_t i = 1; i < w->frame_count && !basic_block; i++)
        if (w->frames[i].caller == frame) basic_block = basic_block_at(w, w->frames[i].back);
    return basic_block ? basic_block->code : NULL;
}

const ptx_function *sim_inspect_function(const sim_warp *w, uint32_t frame) {
    const sim_code *code = code_of(w, frame);
    return code ? code->function : NULL;
}

bool sim_inspect_caller(const sim_warp *w, uint32_t frame, uint32_t *caller, const ptx_inst **back) {
    if (frame == 0 || frame >= w->frame_count) return false;
    const sim_basic_block *basic_block = basic_block_at(w, w->frames[frame].back);
    *caller = w->frames[frame].caller;
    *back = basic_block ? basic_block->first_inst : NULL;
    return true;
}

const void *sim_inspect_register(const sim_warp *w, uint32_t frame, int32_t reg) {
    const sim_code *code = code_of(w, frame);
    if (!code || reg < 0 || (uint32_t)reg >= code->function->reg_count) return NULL;
    uint32_t at = code->reg_at[reg];
    if (at == SIM_NOWHERE || at >= code->frame_bytes) return NULL;
    return w->registers + w->frames[frame].at + at;
}

// ---- memory -----------------------------------------------------------------------------------------

const uint8_t *sim_inspect_shared(const sim_warp *w, uint32_t *bytes) {
    *bytes = w->shared_bytes;
    return w->shared;
}

uint64_t sim_inspect_window(sim_space space) {
    switch (space) {
    case SIM_SHARED: return SIM_SHARED_WINDOW;
    case SIM_LOCAL: return SIM_LOCAL_WINDOW + SIM_LOCAL_FIRST;
    case SIM_PARAM: return SIM_PARAM_WINDOW;
    default: return 0;
    }
}

static const uint8_t *inside(const uint8_t *data, uint64_t size, uint64_t offset, uint32_t bytes) {
    return data && offset <= size && bytes <= size - offset ? data + offset : NULL;
}

static bool in_window(uint64_t address, uint64_t window) {
    return address >= window && address - window < SIM_WINDOW_BYTES;
}

// Of another block of the cluster, or the block's own.
static const uint8_t *find_shared(const sim_warp *w, uint64_t address, uint32_t bytes) {
    uint64_t shared_address = sim_cluster_address(w, address);
    const sim_worker *worker = w->block->worker;
    const uint8_t *shared = shared_address >> 32 == w->block->index ? w->shared : NULL;
    for (uint32_t i = 0; !shared && i < worker->resident_count; i++)
        if (worker->resident[i]->index == shared_address >> 32) shared = worker->resident[i]->shared;
    return inside(shared, w->shared_bytes, shared_address & UINT32_MAX, bytes);
}

static bool read_local(const sim_warp *w, uint32_t lane, uint64_t offset, uint8_t *to, uint32_t bytes) {
    uint64_t room = w->block->grid->kernel->local_room;
    if (lane >= SIM_LANES || offset > room || bytes > room - offset) return false;
    for (uint32_t i = 0; i < bytes; i++) to[i] = *sim_local(w, lane, offset + i);
    return true;
}

bool sim_inspect_memory(const sim_warp *w, uint32_t lane, uint64_t address, void *to, uint32_t bytes) {
    const sim_grid *g = w->block->grid;
    const uint8_t *from = NULL;
    if (in_window(address, SIM_SHARED_WINDOW)) {
        from = find_shared(w, address, bytes);
    } else if (in_window(address, SIM_LOCAL_WINDOW)) {
        return read_local(w, lane, address - (SIM_LOCAL_WINDOW + SIM_LOCAL_FIRST), to, bytes);
    } else if (in_window(address, SIM_PARAM_WINDOW)) {
        from = inside(g->params, g->kernel->param_bytes, address - SIM_PARAM_WINDOW, bytes);
    } else if (sim_memory_find(g->memory, address, bytes)) {
        from = sim_memory_host(g->memory, address);
    } else {
        from = sim_memory_registered(g->memory, address, bytes, false);
    }
    if (!from) return false;
    memcpy(to, from, bytes);
    return true;
}

static bool find_slot(const sim_variable_slot *slots, uint32_t count, const ptx_variable *variable,
                      uint32_t *offset) {
    for (uint32_t i = 0; i < count; i++)
        if (slots[i].variable == variable) {
            *offset = slots[i].offset;
            return true;
        }
    return false;
}

bool sim_inspect_variable(const sim_warp *w, uint32_t frame, const ptx_variable *variable,
                          uint64_t *address) {
    const sim_grid *g = w->block->grid;
    const sim_kernel *k = g->kernel;
    const sim_code *code = code_of(w, frame);
    uint32_t offset;
    switch (variable->space) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
        *address = SIM_SHARED_WINDOW + g->dynamic_shared_at;
        if (variable->size == 0) return true;
        if (!find_slot(k->shared_slots, k->shared_slot_count, variable, &offset)) return false;
        *address = SIM_SHARED_WINDOW + offset;
        return true;
    case PTX_MOD_LOCAL:
    case PTX_MOD_PARAM:
        if (!code) return false;
        for (uint32_t i = 0; code->function->is_entry && i < code->function->param_count; i++)
            if (code->function->params[i] == variable) {
                *address = SIM_PARAM_WINDOW + k->param_offset[i];
                return true;
            }
        if (!find_slot(code->slots, code->slot_count, variable, &offset)) return false;
        *address = SIM_LOCAL_WINDOW + SIM_LOCAL_FIRST + w->frames[frame].local + offset;
        return true;
    default: *address = sim_program_variable(g->program, variable); return *address != 0;
    }
}

const ptx_variable *sim_inspect_shared_variable(const sim_warp *w, uint32_t offset, uint32_t *begin) {
    const sim_kernel *k = w->block->grid->kernel;
    for (uint32_t i = 0; i < k->shared_slot_count; i++) {
        const sim_variable_slot *slot = &k->shared_slots[i];
        if (offset < slot->offset || offset - slot->offset >= slot->variable->size) continue;
        *begin = slot->offset;
        return slot->variable;
    }
    return NULL;
}

void sim_inspect_closely(sim_warp *w) { w->in_detail = true; }

_Noreturn void sim_inspect_end(const sim_warp *w) { sim_fault_interrupted(w->block->worker); }
