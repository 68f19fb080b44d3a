// What the race detector reads off a kernel's text before it runs: its instructions by number, and in which ways it
// orders threads.
#include <stdlib.h>

#include "observe/races.h"

// bar.sync 0: all threads of the block, named by a constant.
bool observe_races_is_whole_block(const ptx_inst *inst) {
    uint32_t name = ptx_op_has_destination(inst->op) ? 1 : 0, last = name + (name ? 2 : 1);
    return inst->operand_count == last && inst->operands[name].kind == PTX_OPERAND_INT &&
           inst->operands[name].value == 0;
}

// Whether an instruction orders threads other than by a barrier of the whole block or a warp synchronisation.
static bool orders(const ptx_inst *inst) {
    const ptx_op_info *row = ptx_op_get(inst->op);
    if (row->end == PTX_END_BARRIER) return !observe_races_is_whole_block(inst);
    if (row->class == PTX_CLASS_BARRIER || row->class == PTX_CLASS_FENCE || row->class == PTX_CLASS_ASYNC)
        return true;
    switch (inst->by_category[PTX_CAT_ORDER]) {
    case PTX_MOD_ACQUIRE:
    case PTX_MOD_RELEASE:
    case PTX_MOD_ACQ_REL:
    case PTX_MOD_SC: return true;
    default: return false;
    }
}

static bool is_wide_fence(const ptx_inst *inst) {
    return ptx_op_get(inst->op)->class == PTX_CLASS_FENCE && inst->op != PTX_OP_FENCE_PROXY &&
           observe_races_scope_of(inst, 2) == 2;
}

static bool is_volatile_data(races *self, const ptx_inst *inst) {
    return inst->op == PTX_OP_LD && inst->by_category[PTX_CAT_ORDER] == PTX_MOD_VOLATILE &&
           observe_races_is_data(self, inst->serial << RACES_TAG_SERIAL_SHIFT);
}

bool observe_races_know_module(races *self, const sim_launch_event *event) {
    const ptx_module *module = event->module;
    if (module->inst_count > self->inst_capacity) {
        const ptx_inst **grown = realloc(self->insts, module->inst_count * sizeof *grown);
        if (!grown) return false;
        self->insts = grown;
        self->inst_capacity = module->inst_count;
    }
    free(self->polls);
    self->polls = NULL;
    self->exact = self->has_clusters || event->launch->cooperative;
    self->presumes_fences = self->presumes_relaxed = false;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *f = module->functions[i];
        bool reached = !f->is_entry || f == event->entry;
        for (uint32_t j = 0; j < f->inst_count; j++) {
            if (f->insts[j].serial < self->inst_capacity) self->insts[f->insts[j].serial] = &f->insts[j];
            if (!reached) continue;
            self->exact |= orders(&f->insts[j]);
            self->presumes_fences |= is_wide_fence(&f->insts[j]);
            self->presumes_relaxed |= is_volatile_data(self, &f->insts[j]);
        }
    }
    return true;
}

races_kind observe_races_kind_of(const sim_access *access) {
    const ptx_inst *inst = access->at.inst;
    bool at_once = inst->op == PTX_OP_ST_BULK || inst->op == PTX_OP_TENSORMAP_CP_FENCEPROXY;
    if (access->agent == SIM_THREAD || at_once) return RACES_THREAD;
    if (access->agent == SIM_ASYNC_COPY) return RACES_COPY;
    if (access->agent == SIM_PRODUCT) return RACES_PRODUCT;
    if (inst->by_category[PTX_CAT_MODE] != PTX_MOD_BULK_GROUP) {
        bool group = false;
        for (unsigned i = 0; i < inst->mod_count; i++) group |= inst->mods[i] == PTX_MOD_BULK_GROUP;
        if (!group) return RACES_TRACKED;
    }
    return access->kind == SIM_LOAD ? RACES_BULK_READ : RACES_BULK_WRITE;
}

// ---- what kind of access ---------------------------------------------------------------------------------

static bool is_strong(const sim_access *access) {
    if (access->kind == SIM_ATOMIC) return true;
    if (access->at.inst->op == PTX_OP_TENSORMAP_CP_FENCEPROXY)
        return false; // its order is that of the fence in it
    switch (access->at.inst->by_category[PTX_CAT_ORDER]) {
    case PTX_MOD_NONE:
    case PTX_MOD_WEAK: return false;
    default: return true;
    }
}

static unsigned scope_of(const sim_access *access) {
    uint16_t order = access->at.inst->by_category[PTX_CAT_ORDER];
    if (order == PTX_MOD_VOLATILE || order == PTX_MOD_MMIO) return 2;
    return observe_races_scope_of(access->at.inst, 2);
}

static bool is_volatile(const sim_access *access) {
    return access->at.inst->by_category[PTX_CAT_ORDER] == PTX_MOD_VOLATILE;
}

uint32_t observe_races_tag_of(const sim_access *access, races_kind kind) {
    bool strong = is_strong(access), writes = access->kind != SIM_LOAD;
    return access->at.inst->serial << RACES_TAG_SERIAL_SHIFT | (uint32_t)kind |
           (strong ? RACES_TAG_STRONG | scope_of(access) << RACES_TAG_SCOPE_SHIFT : 0) |
           (writes ? RACES_TAG_WRITE : 0) | (access->kind == SIM_ATOMIC ? RACES_TAG_ATOMIC : 0) |
           (is_volatile(access) ? RACES_TAG_VOLATILE : 0);
}
