// Decoding: asynchronous copies, mbarriers, clusters, cache policies. Rows of ops.def leave the operands of
// most of these unchecked, so each is looked at here.

#include "sim/tensor.h"

#include <string.h>

// ---- operands ------------------------------------------------------------------------------------------

bool sim_async_address_of(sim_decoder *d, const ptx_inst *inst, uint32_t index, uint16_t space,
                          async_address_operand *operand) {
    if (index >= inst->operand_count || inst->operands[index].kind != PTX_OPERAND_ADDRESS) return false;
    sim_op at = {.a = SIM_NOWHERE};
    bool narrow = space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA || space == PTX_MOD_SHARED_CLUSTER;
    unsigned bits = sim_address(d, &inst->operands[index], narrow ? 32 : 64, &at);
    *operand =
        (async_address_operand){.at = at.a, .offset = at.offset, .bits = (uint8_t)bits, .space = space};
    return bits == 32 || bits == 64;
}

bool sim_async_value_of(sim_decoder *d, const ptx_operand *o, unsigned bits, uint32_t *at) {
    static const struct {
        unsigned bits;
        ptx_type type;
    } types[] = {{1, PTX_PRED}, {16, PTX_U16}, {32, PTX_U32}, {64, PTX_U64}};
    bool scalar = o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_INT || o->kind == PTX_OPERAND_SPECIAL;
    for (size_t i = 0; scalar && i < BASE_COUNT(types); i++)
        if (types[i].bits == bits && sim_operand_bits(d, o, types[i].type) == bits) {
            *at = sim_source(d, o, types[i].type);
            return true;
        }
    return false;
}

static bool value_of(sim_decoder *d, const ptx_inst *inst, uint32_t index, unsigned bits, uint32_t *at) {
    return index < inst->operand_count && sim_async_value_of(d, &inst->operands[index], bits, at);
}

uint16_t sim_async_space_at(const ptx_inst *inst, unsigned index) {
    for (uint32_t i = 0; i < inst->mod_count; i++)
        if (ptx_mod_category(inst->op, (ptx_mod)inst->mods[i]) == PTX_CAT_SPACE && index-- == 0)
            return inst->mods[i];
    return PTX_MOD_NONE;
}

bool sim_async_has_mod(const ptx_inst *inst, ptx_mod mod) {
    for (uint32_t i = 0; i < inst->mod_count; i++)
        if (inst->mods[i] == mod) return true;
    return false;
}

static async_form *new_form(sim_decoder *d, sim_op *op) {
    async_form *f = sim_keep(d, sizeof *f);
    if (!f) return NULL;
    *f = (async_form){.size = SIM_NOWHERE,
                      .source_size = SIM_NOWHERE,
                      .ignore = SIM_NOWHERE,
                      .mask = SIM_NOWHERE,
                      .state = SIM_NOWHERE};
    op->aux = (uint64_t)(uintptr_t)f;
    return f;
}

static bool execute(sim_op *op, sim_exec run) {
    op->full = op->masked = run;
    return true;
}

// ---- cp.async ------------------------------------------------------------------------------------------

// cp.async [to], [from], bytes {, bytes to read | predicate: read nothing} {, policy}
static bool copy_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    async_form *f = new_form(d, op);
    uint32_t last = inst->operand_count - (inst->flags & PTX_FLAG(L2_CACHE_HINT) ? 1 : 0);
    if (!f || inst->operand_count < 3 || inst->operands[2].kind != PTX_OPERAND_INT || last < 3 || last > 4)
        return false;
    int64_t bytes = inst->operands[2].value;
    bool whole_lines = inst->by_category[PTX_CAT_CACHE] == PTX_MOD_CG;
    if (bytes != 16 && (whole_lines || (bytes != 4 && bytes != 8))) return false;
    f->cp_bytes = (uint8_t)bytes;
    if (!sim_async_address_of(d, inst, 0, sim_async_space_at(inst, 0), &f->to) ||
        !sim_async_address_of(d, inst, 1, PTX_MOD_GLOBAL, &f->from))
        return false;
    if (last == 4 && sim_operand_bits(d, &inst->operands[3], PTX_U32) == 1) {
        f->ignore_negated = inst->operands[3].negated;
        if (!value_of(d, inst, 3, 1, &f->ignore)) return false;
    } else if (last == 4 && !value_of(d, inst, 3, 32, &f->source_size))
        return false;
    op->c = d->kernel->memory_op_count++;
    return execute(op, sim_cp_async);
}

static bool wait_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, sim_exec run) {
    return value_of(d, inst, 0, 32, &op->a) && execute(op, run);
}

// ---- bulk ----------------------------------------------------------------------------------------------

static bool reduction_of(const ptx_inst *inst, memory_form *data) {
    if (inst->type_count != 1) return false;
    data->type = inst->types[0];
    data->bytes = (uint8_t)(ptx_type_bits(data->type) / 8);
    data->count = 1;
    data->operation = inst->by_category[PTX_CAT_ATOMIC] ? inst->by_category[PTX_CAT_ATOMIC]
                                                        : inst->by_category[PTX_CAT_BOOL];
    data->compare = SIM_NOWHERE;
    bool known = data->operation != PTX_MOD_NONE && data->operation != PTX_MOD_CAS &&
                 data->operation != PTX_MOD_EXCH && data->operation != PTX_MOD_POPC;
    return known && (data->bytes == 2 || data->bytes == 4 || data->bytes == 8);
}

// cp.async.bulk [to], [from], bytes, [mbarrier] {, blocks} {, policy}, or without mbarrier towards global
// memory, where a mask of bytes may come last.
static bool bulk_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    async_form *f = new_form(d, op);
    if (!f || !sim_async_address_of(d, inst, 0, sim_async_space_at(inst, 0), &f->to) ||
        !sim_async_address_of(d, inst, 1, sim_async_space_at(inst, 1), &f->from) ||
        !value_of(d, inst, 2, 32, &f->size))
        return false;
    bool to_global = f->to.space == PTX_MOD_GLOBAL, hint = inst->flags & PTX_FLAG(L2_CACHE_HINT);
    uint32_t next = 3;
    if (f->to.space == PTX_MOD_NONE || f->from.space == PTX_MOD_NONE) return false;
    if (to_global != sim_async_has_mod(inst, PTX_MOD_BULK_GROUP) ||
        (to_global && f->from.space == PTX_MOD_GLOBAL))
        return false;
    if (!to_global) {
        // The object may be the cluster's wherever the bytes may.
        uint16_t space = f->to.space;
        if (!(inst->flags & PTX_FLAG(MBARRIER_COMPLETE_TX_BYTES)) ||
            !sim_async_address_of(d, inst, next++, space, &f->barrier))
            return false;
    }
    f->multicast = inst->flags & PTX_FLAG(MULTICAST_CLUSTER);
    if (f->multicast && (to_global || !value_of(d, inst, next++, 16, &f->mask))) return false;
    next += hint;
    f->masked_bytes = sim_async_has_mod(inst, PTX_MOD_CP_MASK);
    if (f->masked_bytes && (!to_global || !value_of(d, inst, next++, 16, &f->mask))) return false;
    if (inst->operand_count != next) return false;
    if (inst->op == PTX_OP_CP_REDUCE_ASYNC_BULK && !reduction_of(inst, &f->data)) return false;
    return execute(op, sim_bulk_copy);
}

// st.async [to], value, [mbarrier]; red.async the same
static bool store_async_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    async_form *f = new_form(d, op);
    uint16_t space = sim_async_space_at(inst, 0);
    bool counted = inst->flags & PTX_FLAG(MBARRIER_COMPLETE_TX_BYTES);
    if (!f || inst->operand_count != 3 || inst->type_count != 1 || !counted || space == PTX_MOD_GLOBAL)
        return false;
    if (!sim_async_address_of(d, inst, 0, space, &f->to) ||
        !sim_async_address_of(d, inst, 2, space, &f->barrier))
        return false;
    if (inst->op == PTX_OP_RED_ASYNC && !reduction_of(inst, &f->data)) return false;
    const ptx_operand *value = &inst->operands[1];
    const ptx_operand *list = value->kind == PTX_OPERAND_VECTOR ? value->elements : value;
    uint32_t count = value->kind == PTX_OPERAND_VECTOR ? value->element_count : 1;
    unsigned bits = ptx_type_bits(inst->types[0]);
    f->data.type = inst->types[0];
    f->data.bytes = (uint8_t)(bits / 8);
    f->data.count = (uint8_t)count;
    f->data.reg_bits = (uint8_t)bits;
    if ((bits != 32 && bits != 64) || count == 0 || count > 4 || bits * count > 256) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool constant = list[i].kind == PTX_OPERAND_INT || list[i].kind == PTX_OPERAND_FLOAT;
        if (!constant &&
            (list[i].kind != PTX_OPERAND_REG || sim_operand_bits(d, &list[i], f->data.type) != bits))
            return false;
        f->data.regs[i] = constant ? sim_constant_bits(d, bits, ptx_immediate(&list[i], f->data.type))
                                   : sim_source(d, &list[i], f->data.type);
    }
    return execute(op, sim_store_async);
}

// st.bulk [to], bytes, 0
static bool store_bulk_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    async_form *f = new_form(d, op);
    if (!f || !sim_async_address_of(d, inst, 0, sim_async_space_at(inst, 0), &f->to)) return false;
    f->state_bits = value_of(d, inst, 1, 64, &f->size) ? 64 : 32;
    if (f->state_bits == 32 && !value_of(d, inst, 1, 32, &f->size)) return false;
    return execute(op, sim_store_bulk);
}

// ---- mbarriers -----------------------------------------------------------------------------------------

static bool barrier_form(sim_decoder *d, const ptx_inst *inst, sim_op *op, uint32_t at, sim_exec run) {
    async_form *f = new_form(d, op);
    if (!f || !sim_async_address_of(d, inst, at, sim_async_space_at(inst, 0), &f->barrier)) return false;
    if (inst->operand_count > at + 1 && !value_of(d, inst, at + 1, 32, &f->size)) return false;
    return execute(op, run);
}

static bool arrive_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    if (inst->operand_count < 2) return false;
    const ptx_operand *to = &inst->operands[0];
    if (to->kind == PTX_OPERAND_REG && sim_operand_bits(d, to, PTX_B64) == 64)
        op->d = sim_destination(d, to, PTX_B64);
    else if (to->kind != PTX_OPERAND_SINK)
        return false;
    return barrier_form(d, inst, op, 1, sim_mbarrier_arrive);
}

static bool look_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    async_form *f = new_form(d, op);
    bool parity = inst->flags & PTX_FLAG(PARITY);
    if (!f || inst->operand_count < 3 ||
        !sim_async_address_of(d, inst, 1, sim_async_space_at(inst, 0), &f->barrier) ||
        !value_of(d, inst, 2, parity ? 32 : 64, &f->state))
        return false;
    f->state_bits = parity ? 32 : 64;
    op->d = inst->operands[0].kind == PTX_OPERAND_REG ? sim_destination(d, &inst->operands[0], PTX_PRED)
                                                      : sim_frame_take(d->code, 1);
    return execute(op, sim_mbarrier_look);
}

// ---- clusters ------------------------------------------------------------------------------------------

static bool address_value(sim_decoder *d, const ptx_inst *inst, sim_op *op, unsigned bits) {
    const ptx_operand *o = &inst->operands[1];
    if (o->kind == PTX_OPERAND_VARIABLE) {
        op->a = sim_source(d, o, bits == 64 ? PTX_U64 : PTX_U32);
        op->aux8 = (uint8_t)bits;
        return true;
    }
    if (o->kind != PTX_OPERAND_REG && o->kind != PTX_OPERAND_INT) return false;
    op->aux8 = (uint8_t)sim_operand_bits(d, o, bits == 64 ? PTX_U64 : PTX_U32);
    op->a = sim_source(d, o, bits == 64 ? PTX_U64 : PTX_U32);
    return op->aux8 == 32 || op->aux8 == 64;
}

static bool cluster_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    if (inst->type_count != 1) return false;
    unsigned bits = ptx_type_bits(inst->types[0]);
    bool maps = inst->op == PTX_OP_MAPA;
    op->aux = inst->by_category[PTX_CAT_SPACE] == PTX_MOD_NONE ? SIM_SHARED_WINDOW : 0;
    op->aux16 = (uint16_t)bits;
    op->d = sim_destination(d, &inst->operands[0], maps ? inst->types[0] : PTX_U32);
    if (!address_value(d, inst, op, bits)) return false;
    if (maps && !value_of(d, inst, 2, 32, &op->b)) return false;
    return execute(op, maps ? sim_cluster_map : sim_cluster_rank);
}

// ---- cache policies ------------------------------------------------------------------------------------

// A policy is opaque and without effect: the number says which instruction made it.
static void make_policy(sim_warp *w, const sim_op *op) {
    for (uint32_t m = w->mask; m; m &= m - 1) SIM_REG(uint64_t, w, op->d)[__builtin_ctz(m)] = op->aux;
}

static bool policy_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    if (inst->operand_count < 1 || inst->operands[0].kind != PTX_OPERAND_REG ||
        sim_operand_bits(d, &inst->operands[0], PTX_B64) != 64)
        return false;
    op->d = sim_destination(d, &inst->operands[0], PTX_B64);
    op->aux = UINT64_C(1) << 63 | (uint64_t)inst->by_category[PTX_CAT_MODE] << 16 |
              inst->by_category[PTX_CAT_EVICT];
    return execute(op, make_policy);
}

bool sim_select_async(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    switch (inst->op) {
    case PTX_OP_CP_ASYNC: return copy_form(d, inst, op);
    case PTX_OP_CP_ASYNC_COMMIT_GROUP: return execute(op, sim_cp_async_commit);
    case PTX_OP_CP_ASYNC_WAIT_GROUP: return wait_form(d, inst, op, sim_cp_async_wait_group);
    case PTX_OP_CP_ASYNC_WAIT_ALL: return execute(op, sim_cp_async_wait_all);
    case PTX_OP_CP_ASYNC_MBARRIER_ARRIVE: return barrier_form(d, inst, op, 0, sim_cp_async_arrive);
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK: return bulk_form(d, inst, op);
    case PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP: return execute(op, sim_bulk_commit);
    case PTX_OP_CP_ASYNC_BULK_WAIT_GROUP: return wait_form(d, inst, op, sim_bulk_wait);
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC: return store_async_form(d, inst, op);
    case PTX_OP_ST_BULK: return store_bulk_form(d, inst, op);
    case PTX_OP_MBARRIER_INIT:
        return inst->operand_count == 2 && barrier_form(d, inst, op, 0, sim_mbarrier_init);
    case PTX_OP_MBARRIER_INVAL: return barrier_form(d, inst, op, 0, sim_mbarrier_inval);
    case PTX_OP_MBARRIER_EXPECT_TX:
    case PTX_OP_MBARRIER_COMPLETE_TX:
        return inst->operand_count == 2 && barrier_form(d, inst, op, 0, sim_mbarrier_count_tx);
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_ARRIVE_DROP: return arrive_form(d, inst, op);
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT: return look_form(d, inst, op);
    case PTX_OP_MBARRIER_PENDING_COUNT:
        op->d = sim_destination(d, &inst->operands[0], PTX_U32);
        return value_of(d, inst, 1, 64, &op->a) && execute(op, sim_mbarrier_pending_count);
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK: return cluster_form(d, inst, op);
    case PTX_OP_BARRIER_CLUSTER_ARRIVE: return execute(op, sim_cluster_arrive);
    case PTX_OP_CREATEPOLICY: return policy_form(d, inst, op);
    default: return sim_select_tensor(d, inst, op);
    }
}
