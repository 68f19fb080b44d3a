// Decoding: tensor copies and reductions, tensormap.replace, tensormap.cp_fenceproxy. The parser has checked how many
// operands there are and of which kind (check_tensor.c in ptx).

#include "sim/tensor.h"

static bool execute(sim_op *op, sim_exec run) {
    op->full = op->masked = run;
    return true;
}

static tensor_form *new_form(sim_decoder *d, sim_op *op) {
    tensor_form *f = sim_keep(d, sizeof *f);
    if (f) op->aux = (uint64_t)(uintptr_t)f;
    return f;
}

static uint8_t rank_of(const ptx_inst *inst) {
    switch (inst->by_category[PTX_CAT_SHAPE]) {
    case PTX_MOD_D1: return 1;
    case PTX_MOD_D2: return 2;
    case PTX_MOD_D3: return 3;
    case PTX_MOD_D4: return 4;
    default: return 5;
    }
}

// [map, {c0, c1, ...}]
static bool map_of(sim_decoder *d, const ptx_inst *inst, uint32_t index, tensor_form *f) {
    if (!sim_async_address_of(d, inst, index, PTX_MOD_NONE, &f->map)) return false;
    const ptx_operand *coordinates = &inst->operands[index].elements[0];
    for (uint32_t i = 0; i < f->rank; i++)
        if (!sim_async_value_of(d, &coordinates->elements[i], 32, &f->at[i])) return false;
    return true;
}

static bool offsets_of(sim_decoder *d, const ptx_inst *inst, uint32_t index, tensor_form *f) {
    const ptx_operand *offsets = &inst->operands[index];
    for (uint32_t i = 0; i + 2 < f->rank; i++)
        if (!sim_async_value_of(d, &offsets->elements[i], 16, &f->offset[i])) return false;
    return true;
}

static bool load_form(sim_decoder *d, const ptx_inst *inst, tensor_form *f) {
    uint16_t space = sim_async_space_at(inst, 0);
    uint32_t next = 3;
    f->is_load = true;
    f->multicast = inst->flags & PTX_FLAG(MULTICAST_CLUSTER);
    if (!sim_async_address_of(d, inst, 0, space, &f->shared) || !map_of(d, inst, 1, f) ||
        !sim_async_address_of(d, inst, 2, space, &f->barrier))
        return false;
    if (f->im2col && !offsets_of(d, inst, next++, f)) return false;
    return !f->multicast || sim_async_value_of(d, &inst->operands[next], 16, &f->mask);
}

static bool prefetch_form(sim_decoder *d, const ptx_inst *inst, tensor_form *f) {
    f->is_load = f->is_prefetch = true;
    return map_of(d, inst, 0, f) && (!f->im2col || offsets_of(d, inst, 1, f));
}

static bool copy_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    tensor_form *f = new_form(d, op);
    if (!f) return false;
    f->rank = rank_of(inst);
    f->im2col = sim_async_has_mod(inst, PTX_MOD_IM2COL) || sim_async_has_mod(inst, PTX_MOD_IM2COL_NO_OFFS);
    if (inst->op == PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR)
        return prefetch_form(d, inst, f) && execute(op, sim_tensor_copy);
    if (inst->op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR)
        f->reduce = (ptx_mod)(inst->by_category[PTX_CAT_ATOMIC] ? inst->by_category[PTX_CAT_ATOMIC]
                                                                : inst->by_category[PTX_CAT_BOOL]);
    bool to_global = sim_async_space_at(inst, 0) == PTX_MOD_GLOBAL;
    bool good =
        to_global ? map_of(d, inst, 0, f) && sim_async_address_of(d, inst, 1, PTX_MOD_SHARED_CTA, &f->shared)
                  : load_form(d, inst, f);
    return good && execute(op, sim_tensor_copy);
}

// tensormap.replace [map], {dimension,} value
static bool replace_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    tensor_form *f = new_form(d, op);
    if (!f || !sim_async_address_of(d, inst, 0, sim_async_space_at(inst, 0), &f->map)) return false;
    for (uint32_t i = 0; i < inst->mod_count; i++)
        if (sim_tensor_field_of((ptx_mod)inst->mods[i], 0).bits) f->field = (ptx_mod)inst->mods[i];
    f->bits = f->field == PTX_MOD_GLOBAL_ADDRESS || f->field == PTX_MOD_GLOBAL_STRIDE ? 64 : 32;
    if (inst->operand_count == 3) f->ordinal = (uint32_t)inst->operands[1].value;
    return sim_async_value_of(d, &inst->operands[inst->operand_count - 1], f->bits, &f->value) &&
           execute(op, sim_tensor_replace);
}

// tensormap.cp_fenceproxy [to], [from], 128
static bool publish_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    tensor_form *f = new_form(d, op);
    return f && sim_async_address_of(d, inst, 0, PTX_MOD_GLOBAL, &f->map) &&
           sim_async_address_of(d, inst, 1, PTX_MOD_SHARED_CTA, &f->shared) &&
           execute(op, sim_tensor_publish);
}

bool sim_select_tensor(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    switch (inst->op) {
    case PTX_OP_CP_ASYNC_BULK_TENSOR:
    case PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR: return copy_form(d, inst, op);
    case PTX_OP_TENSORMAP_REPLACE: return replace_form(d, inst, op);
    case PTX_OP_TENSORMAP_CP_FENCEPROXY: return publish_form(d, inst, op);
    default: return false;
    }
}
