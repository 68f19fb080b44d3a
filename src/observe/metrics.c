// The table of metrics as data, and the classes of instructions.
#include "observe/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "observe/record.h"

// ---- the table -------------------------------------------------------------------------------------------

static const observe_metric table[] = {
#define OBSERVE_SUM(id, name, unit, text)         {name, unit, text, true},
#define OBSERVE_RATIO(id, name, unit, a, b, text) {name, unit, text, true},
#define OBSERVE_LESS(id, name, unit, a, b, text)  {name, unit, text, true},
#define OBSERVE_GIVEN(id, name, unit, text)       {name, unit, text, false},
#include "observe/metrics.def"
};

const observe_metric *observe_metrics(size_t *count) {
    *count = BASE_COUNT(table);
    return table;
}

void observe_sums_add(observe_sums *to, const observe_sums *from) {
    for (size_t i = 0; i < OBSERVE_SUM_COUNT; i++) to->value[i] += from->value[i];
}

typedef enum row_kind { ROW_SUM, ROW_RATIO, ROW_LESS } row_kind;

static const struct {
    row_kind kind;
    const char *name;
    observe_sum_index a, b;
} rows[] = {
#define OBSERVE_SUM(id, name, unit, text)         {ROW_SUM, name, OBSERVE_SUM_##id, OBSERVE_SUM_##id},
#define OBSERVE_RATIO(id, name, unit, a, b, text) {ROW_RATIO, name, OBSERVE_SUM_##a, OBSERVE_SUM_##b},
#define OBSERVE_LESS(id, name, unit, a, b, text)  {ROW_LESS, name, OBSERVE_SUM_##a, OBSERVE_SUM_##b},
#include "observe/metrics.def"
};

const char *observe_sum_name(observe_sum_index index) {
    static const char *const names[] = {
#define OBSERVE_SUM(id, name, unit, text) name,
#include "observe/metrics.def"
    };
    return names[index];
}

void observe_sums_write(const observe_sums *sums, bool zeros, base_text *out) {
    const char *before = "";
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        uint64_t a = sums->value[rows[i].a], b = sums->value[rows[i].b];
        if (rows[i].kind == ROW_RATIO ? b == 0 : !zeros && (rows[i].kind == ROW_SUM ? a == 0 : a <= b))
            continue;
        base_text_add(out, "%s\"%s\":", before, rows[i].name);
        if (rows[i].kind == ROW_RATIO)
            observe_write_number(out, (double)a / (double)b);
        else
            base_text_add(out, "%llu",
                          (unsigned long long)(rows[i].kind == ROW_LESS ? (a > b ? a - b : 0) : a));
        before = ",";
    }
}

// ---- classes of instructions -----------------------------------------------------------------------------

static observe_class class_by_type(const ptx_inst *inst) {
    // The last type is what is computed on: set.u32.f32 compares floats.
    ptx_type type = inst->type_count ? inst->types[inst->type_count - 1] : PTX_TYPE_NONE;
    switch (type) {
    case PTX_F32:
    case PTX_F32X2:
    case PTX_TF32: return OBSERVE_CLASS_FP32;
    case PTX_F64: return OBSERVE_CLASS_FP64;
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return OBSERVE_CLASS_FP16;
    default: return OBSERVE_CLASS_INTEGER;
    }
}

static observe_class class_of_load(const ptx_inst *inst) {
    switch (inst->by_category[PTX_CAT_SPACE]) {
    case PTX_MOD_GLOBAL: return OBSERVE_CLASS_LOAD_GLOBAL;
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: return OBSERVE_CLASS_LOAD_SHARED;
    case PTX_MOD_LOCAL: return OBSERVE_CLASS_LOAD_LOCAL;
    case PTX_MOD_CONST: return OBSERVE_CLASS_LOAD_CONST;
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY:
    case PTX_MOD_PARAM_FUNC: return OBSERVE_CLASS_LOAD_PARAM;
    default: return OBSERVE_CLASS_LOAD_GENERIC;
    }
}

static observe_class class_of_store(const ptx_inst *inst) {
    switch (inst->by_category[PTX_CAT_SPACE]) {
    case PTX_MOD_GLOBAL: return OBSERVE_CLASS_STORE_GLOBAL;
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: return OBSERVE_CLASS_STORE_SHARED;
    case PTX_MOD_LOCAL:
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY:
    case PTX_MOD_PARAM_FUNC: return OBSERVE_CLASS_STORE_LOCAL;
    default: return OBSERVE_CLASS_STORE_GENERIC;
    }
}

// No default: a new ptx_class has to say here under what it is counted.
static observe_class class_of(const ptx_inst *inst) {
    switch (ptx_op_get(inst->op)->class) {
    case PTX_CLASS_ARITHMETIC: return class_by_type(inst);
    case PTX_CLASS_SPECIAL: {
        observe_class class = class_by_type(inst);
        return class == OBSERVE_CLASS_INTEGER ? class : OBSERVE_CLASS_SPECIAL;
    }
    case PTX_CLASS_LOGIC: return OBSERVE_CLASS_LOGIC;
    case PTX_CLASS_MOVE: return OBSERVE_CLASS_MOVE;
    case PTX_CLASS_CONVERSION: return OBSERVE_CLASS_CONVERSION;
    case PTX_CLASS_VIDEO: return OBSERVE_CLASS_INTEGER;
    case PTX_CLASS_LOAD: return class_of_load(inst);
    case PTX_CLASS_STORE: return class_of_store(inst);
    case PTX_CLASS_ATOMIC: return OBSERVE_CLASS_ATOMIC;
    case PTX_CLASS_REDUCTION: return OBSERVE_CLASS_REDUCTION;
    case PTX_CLASS_TEXTURE_LOAD: return OBSERVE_CLASS_LOAD_TEXTURE;
    case PTX_CLASS_TEXTURE_STORE: return OBSERVE_CLASS_STORE_GENERIC;
    case PTX_CLASS_ASYNC: return OBSERVE_CLASS_ASYNC;
    case PTX_CLASS_FENCE: return OBSERVE_CLASS_FENCE;
    case PTX_CLASS_BARRIER: return OBSERVE_CLASS_BARRIER;
    case PTX_CLASS_SHUFFLE:
    case PTX_CLASS_VOTE:
    case PTX_CLASS_WARP: return OBSERVE_CLASS_WARP;
    case PTX_CLASS_TENSOR: return OBSERVE_CLASS_TENSOR;
    case PTX_CLASS_CONTROL: return OBSERVE_CLASS_CONTROL;
    case PTX_CLASS_OTHER:
    case PTX_CLASS_COUNT: break;
    }
    return OBSERVE_CLASS_OTHER;
}

// ---- flops ------------------------------------------------------------------------------------------

static void flops_of_lane(const ptx_inst *inst, ptx_flops flops, observe_inst_info *info) {
    uint8_t elements = 1;
    switch (inst->type_count ? (ptx_type)inst->types[0] : PTX_TYPE_NONE) {
    case PTX_F16:
    case PTX_BF16: info->flop_type = 0; break;
    case PTX_F16X2:
    case PTX_BF16X2: info->flop_type = 0, elements = 2; break;
    case PTX_F32: info->flop_type = 1; break;
    case PTX_F32X2: info->flop_type = 1, elements = 2; break;
    case PTX_F64: info->flop_type = 2; break;
    default: return;
    }
    info->flop_lane = (uint8_t)(flops == PTX_FLOPS_2 ? 2 * elements : elements);
    info->guarded_flops = inst->guard >= 0;
}

static bool is_group_wait(ptx_op op) {
    return op == PTX_OP_CP_ASYNC_WAIT_GROUP || op == PTX_OP_CP_ASYNC_WAIT_ALL ||
           op == PTX_OP_CP_ASYNC_BULK_WAIT_GROUP || op == PTX_OP_WGMMA_WAIT_GROUP;
}

observe_inst_info observe_inst_describe(const ptx_inst *inst) {
    const ptx_op_info *row = ptx_op_get(inst->op);
    observe_inst_info info = {.class = (uint8_t)class_of(inst),
                              .is_shuffle = row->class == PTX_CLASS_SHUFFLE,
                              .is_vote = row->class == PTX_CLASS_VOTE,
                              .waits = is_group_wait(inst->op),
                              .cost = observe_inst_cost(inst)};
    info.waits_for_all = info.waits && (!inst->operand_count || inst->operands[0].value == 0);
    switch (row->flops) {
    case PTX_FLOPS_0: break;
    case PTX_FLOPS_1:
    case PTX_FLOPS_2: flops_of_lane(inst, row->flops, &info); break;
    case PTX_FLOPS_SHAPE:
        info.tensor = observe_tensor_of(inst);
        info.guarded_flops = info.tensor.ops && inst->guard >= 0;
        break;
    }
    return info;
}
