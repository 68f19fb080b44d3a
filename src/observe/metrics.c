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

static observe_class class_of_memory(const ptx_inst *inst) {
    bool store = inst->op == PTX_OP_ST;
    switch (inst->by_category[PTX_CAT_SPACE]) {
    case PTX_MOD_GLOBAL: return store ? OBSERVE_CLASS_STORE_GLOBAL : OBSERVE_CLASS_LOAD_GLOBAL;
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: return store ? OBSERVE_CLASS_STORE_SHARED : OBSERVE_CLASS_LOAD_SHARED;
    case PTX_MOD_LOCAL: return store ? OBSERVE_CLASS_STORE_LOCAL : OBSERVE_CLASS_LOAD_LOCAL;
    case PTX_MOD_CONST: return OBSERVE_CLASS_LOAD_CONST;
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY:
    case PTX_MOD_PARAM_FUNC: return store ? OBSERVE_CLASS_STORE_LOCAL : OBSERVE_CLASS_LOAD_PARAM;
    default: return store ? OBSERVE_CLASS_STORE_GENERIC : OBSERVE_CLASS_LOAD_GENERIC;
    }
}

static observe_class class_of(const ptx_inst *inst) {
    switch (inst->op) {
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT: {
        observe_class class = class_by_type(inst);
        return class == OBSERVE_CLASS_INTEGER ? class : OBSERVE_CLASS_SPECIAL;
    }
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH: return OBSERVE_CLASS_SPECIAL;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_CNOT:
    case PTX_OP_LOP3:
    case PTX_OP_SHF:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BFIND:
    case PTX_OP_FNS:
    case PTX_OP_BREV:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_BMSK:
    case PTX_OP_SZEXT:
    case PTX_OP_PRMT: return OBSERVE_CLASS_LOGIC;
    case PTX_OP_MOV:
    case PTX_OP_SELP:
    case PTX_OP_SLCT:
    case PTX_OP_CVTA:
    case PTX_OP_MAPA:
    case PTX_OP_ISSPACEP: return OBSERVE_CLASS_MOVE;
    case PTX_OP_CVT:
    case PTX_OP_CVT_PACK: return OBSERVE_CLASS_CONVERSION;
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: return class_of_memory(inst);
    case PTX_OP_ATOM: return OBSERVE_CLASS_ATOMIC;
    case PTX_OP_RED: return OBSERVE_CLASS_REDUCTION;
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_FENCE_PROXY:
    case PTX_OP_FENCE_MBARRIER_INIT: return OBSERVE_CLASS_FENCE;
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BAR_RED:
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BARRIER_ARRIVE:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_CLUSTER: return OBSERVE_CLASS_BARRIER;
    case PTX_OP_BAR_WARP:
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_REDUX:
    case PTX_OP_ELECT: return OBSERVE_CLASS_WARP;
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX:
    case PTX_OP_CALL:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT: return OBSERVE_CLASS_CONTROL;
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_TXQ:
    case PTX_OP_SULD:
    case PTX_OP_SUQ: return OBSERVE_CLASS_LOAD_TEXTURE;
    case PTX_OP_SUST:
    case PTX_OP_SURED: return OBSERVE_CLASS_STORE_GENERIC;
    case PTX_OP_WMMA:
    case PTX_OP_MMA:
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX:
    case PTX_OP_MOVMATRIX:
    case PTX_OP_WGMMA_FENCE:
    case PTX_OP_WGMMA_MMA_ASYNC:
    case PTX_OP_WGMMA_COMMIT_GROUP:
    case PTX_OP_WGMMA_WAIT_GROUP: return OBSERVE_CLASS_TENSOR;
    default: break;
    }
    if (inst->op >= PTX_OP_CP_ASYNC && inst->op <= PTX_OP_TENSORMAP) return OBSERVE_CLASS_ASYNC;
    if (inst->op >= PTX_OP_ADD && inst->op <= PTX_OP_SETP) return class_by_type(inst);
    if (inst->op >= PTX_OP_VADD && inst->op < PTX_OP_CP_ASYNC) return OBSERVE_CLASS_INTEGER;
    return OBSERVE_CLASS_OTHER;
}

// ---- flops ------------------------------------------------------------------------------------------

static void flops_of(const ptx_inst *inst, observe_inst_info *info) {
    uint8_t each = 0;
    switch (inst->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL: each = 1; break;
    case PTX_OP_FMA:
    case PTX_OP_MAD: each = 2; break;
    default: return;
    }
    switch (inst->type_count ? (ptx_type)inst->types[0] : PTX_TYPE_NONE) {
    case PTX_F16:
    case PTX_BF16: info->flop_type = 0; break;
    case PTX_F16X2:
    case PTX_BF16X2: info->flop_type = 0, each *= 2; break;
    case PTX_F32: info->flop_type = 1; break;
    case PTX_F32X2: info->flop_type = 1, each *= 2; break;
    case PTX_F64: info->flop_type = 2; break;
    default: return;
    }
    info->flop_lane = each;
    info->guarded_flops = inst->guard >= 0;
}

// "m16n8k16": 2 * 16 * 8 * 16.
static uint32_t flops_of_shape(const char *shape) {
    uint32_t product = 2;
    for (const char *letters = "mnk"; *letters; letters++) {
        if (*shape != *letters) return 0;
        char *end;
        unsigned long size = strtoul(shape + 1, &end, 10);
        if (size == 0 || size > 1024) return 0;
        product *= (uint32_t)size;
        shape = end;
    }
    return *shape ? 0 : product;
}

static uint32_t flops_of_tensor(const ptx_inst *inst) {
    if (inst->op != PTX_OP_MMA && inst->op != PTX_OP_WMMA && inst->op != PTX_OP_WGMMA_MMA_ASYNC) return 0;
    bool multiplies = inst->op != PTX_OP_WMMA;
    uint32_t flops = 0;
    for (unsigned i = 0; i < inst->mod_count; i++) {
        const char *text = ptx_mod_text(inst->mods[i]);
        if (!strcmp(text, "mma")) multiplies = true;
        uint32_t found = flops_of_shape(text);
        if (found) flops = found;
    }
    if (inst->op == PTX_OP_WGMMA_MMA_ASYNC) flops /= 4; // four warps share it
    return multiplies ? flops : 0;
}

observe_inst_info observe_inst_describe(const ptx_inst *inst) {
    observe_inst_info info = {.class = (uint8_t)class_of(inst),
                              .is_shuffle = inst->op == PTX_OP_SHFL,
                              .is_vote = inst->op == PTX_OP_VOTE || inst->op == PTX_OP_MATCH ||
                                         inst->op == PTX_OP_ACTIVEMASK,
                              .flop_warp = flops_of_tensor(inst)};
    flops_of(inst, &info);
    return info;
}
