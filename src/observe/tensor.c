// See tensor.h.
#include "observe/tensor.h"

#include "observe/metrics.h"
#include "ptx/matrix.h"

// ---- the table -------------------------------------------------------------------------------------------

// The counts of a type's products. Types without sparse ones have no counts of them.
typedef struct tensor_counts {
    observe_sum_index inst, ops;
} tensor_counts;

static const struct {
    const char *name;
    bool is_float;
    tensor_counts dense;
} rows[OBSERVE_TENSOR_TYPES] = {
#define OBSERVE_TENSOR(id, name, what, unit)                                                                 \
    [OBSERVE_TENSOR_##id] = {                                                                                \
        name, sizeof what == sizeof "flops", {OBSERVE_SUM_TENSOR_INST_##id, OBSERVE_SUM_TENSOR_OPS_##id}},
#include "observe/tensor.def"
};

static tensor_counts counts_of(observe_tensor_type type, bool sparse) {
    static const tensor_counts of_sparse[OBSERVE_TENSOR_TYPES] = {
#define OBSERVE_TENSOR_SPARSE(id, name, what, unit)                                                          \
    [OBSERVE_TENSOR_##id] = {OBSERVE_SUM_SPARSE_INST_##id, OBSERVE_SUM_SPARSE_OPS_##id},
#include "observe/tensor.def"
    };
    return sparse && of_sparse[type].inst ? of_sparse[type] : rows[type].dense;
}

const char *observe_tensor_name(observe_tensor_type type) { return rows[type].name; }
bool observe_tensor_is_float(observe_tensor_type type) { return rows[type].is_float; }

double observe_tensor_ops(const observe_sums *sums, observe_tensor_type type, bool sparse) {
    observe_sum_index dense = rows[type].dense.ops, index = counts_of(type, sparse).ops;
    return sparse && index == dense ? 0 : (double)sums->value[index];
}

// ---- one instruction -------------------------------------------------------------------------------------

static bool type_of(ptx_type element, observe_tensor_type *type) {
    switch (element) {
    case PTX_F16: *type = OBSERVE_TENSOR_F16; return true;
    case PTX_BF16: *type = OBSERVE_TENSOR_BF16; return true;
    case PTX_TF32: *type = OBSERVE_TENSOR_TF32; return true;
    case PTX_F64: *type = OBSERVE_TENSOR_F64; return true;
    case PTX_E4M3:
    case PTX_E5M2: *type = OBSERVE_TENSOR_F8; return true;
    case PTX_S8:
    case PTX_U8: *type = OBSERVE_TENSOR_I8; return true;
    case PTX_S4:
    case PTX_U4: *type = OBSERVE_TENSOR_I4; return true;
    case PTX_B1: *type = OBSERVE_TENSOR_B1; return true;
    default: return false;
    }
}

static observe_sum_index path_of(const ptx_matrix *x, observe_tensor_type type) {
    unsigned sparse = x->sparse;
    switch (type) {
    case OBSERVE_TENSOR_F8:
        if (x->op == PTX_OP_WGMMA_MMA_ASYNC) return (observe_sum_index)(OBSERVE_SUM_PATH_FP8 + sparse);
        return (observe_sum_index)(OBSERVE_SUM_PATH_FP16_FP32 + sparse);
    case OBSERVE_TENSOR_F16:
        return (observe_sum_index)((x->types[PTX_MATRIX_D] == PTX_F16 ? OBSERVE_SUM_PATH_FP16_FP16
                                                                      : OBSERVE_SUM_PATH_FP16_FP32) +
                                   sparse);
    case OBSERVE_TENSOR_BF16: return (observe_sum_index)(OBSERVE_SUM_PATH_BF16_FP32 + sparse);
    case OBSERVE_TENSOR_TF32: return (observe_sum_index)(OBSERVE_SUM_PATH_TF32_FP32 + sparse);
    case OBSERVE_TENSOR_F64: return OBSERVE_SUM_PATH_FP64;
    case OBSERVE_TENSOR_I8:
    case OBSERVE_TENSOR_I4: return (observe_sum_index)(OBSERVE_SUM_PATH_INT8 + sparse);
    case OBSERVE_TENSOR_B1:
    case OBSERVE_TENSOR_TYPES: break;
    }
    return OBSERVE_SUM_PATH_INT1;
}

// Into how many products ptxas divides one that sm_90 lacks (tests/truth/check_products).
static unsigned repeats(const ptx_inst *inst, const ptx_matrix *x, observe_tensor_type type) {
    bool is_xor = false;
    for (unsigned i = 0; i < inst->mod_count; i++) is_xor |= inst->mods[i] == PTX_MOD_XOR;
    if (x->op == PTX_OP_WGMMA_MMA_ASYNC) return 1;
    if (x->op == PTX_OP_WMMA && type == OBSERVE_TENSOR_TF32) return 2; // pieces of k 4
    bool expanded =
        type == OBSERVE_TENSOR_F8 || type == OBSERVE_TENSOR_I4 || (type == OBSERVE_TENSOR_B1 && is_xor);
    return expanded ? 2 : 1;
}

// A warpgroup reads its B once, and A where it is in shared memory.
static uint32_t shared_bytes(const ptx_inst *inst, const ptx_matrix *x) {
    bool a_in_registers = inst->operand_count > 1 && inst->operands[1].kind == PTX_OPERAND_VECTOR;
    uint32_t a = a_in_registers ? 0 : (uint32_t)x->m * x->k / (x->sparse ? 2 : 1), b = (uint32_t)x->n * x->k;
    return (a * ptx_type_bits(x->types[PTX_MATRIX_A]) + b * ptx_type_bits(x->types[PTX_MATRIX_B])) / 8 / 4;
}

observe_tensor observe_tensor_of(const ptx_inst *inst) {
    enum { PIECE = 16 * 8 }; // elements of a machine instruction's result
    ptx_matrix x;
    observe_tensor_type type = OBSERVE_TENSOR_F16;
    observe_tensor t = {.path = OBSERVE_SUM_COUNT, .pipe = OBSERVE_SUM_COUNT};
    if (!ptx_matrix_of(inst, &x, NULL) || x.moves || !type_of(x.types[PTX_MATRIX_A], &type)) return t;
    unsigned rows_of_warp = ptx_matrix_rows(&x), pieces = rows_of_warp * x.n / PIECE;
    t.type = (uint8_t)type;
    t.n = x.n;
    t.sparse = x.sparse;
    t.by_group = x.op == PTX_OP_WGMMA_MMA_ASYNC;
    t.ops = 2u * rows_of_warp * x.n * x.k * (x.quarters ? 4 : 1);
    if (t.by_group) t.shared_bytes = shared_bytes(inst, &x);
    if (x.quarters) return t; // multiply-adds of the usual pipes
    t.path = (uint16_t)path_of(&x, type);
    t.path_ops = t.ops * (type == OBSERVE_TENSOR_B1 ? repeats(inst, &x, type) : 1);
    t.pipe = type == OBSERVE_TENSOR_F64 ? OBSERVE_SUM_PIPE_DMMA
             : rows[type].is_float      ? OBSERVE_SUM_PIPE_HMMA
                                        : OBSERVE_SUM_PIPE_IMMA;
    t.machine = (uint8_t)(t.by_group ? 1 : (pieces ? pieces : 1) * repeats(inst, &x, type));
    return t;
}

void observe_tensor_add(const observe_tensor *t, uint64_t executions, uint64_t *value) {
    if (!t->ops) return;
    tensor_counts counts = counts_of((observe_tensor_type)t->type, t->sparse);
    uint64_t ops = executions * t->ops;
    value[counts.inst] += executions;
    value[counts.ops] += ops;
    if (rows[t->type].is_float) value[OBSERVE_SUM_FLOPS_TENSOR] += ops;
    if (t->by_group) {
        value[OBSERVE_SUM_GROUP_OPS] += ops;
        value[OBSERVE_SUM_GROUP_BYTES] += executions * t->shared_bytes;
        value[OBSERVE_SUM_GROUP_COLUMNS] += executions * t->n;
        value[OBSERVE_SUM_PIPE_GMMA] += executions * t->machine;
    }
    if (t->path < OBSERVE_SUM_COUNT) value[t->path] += executions * t->path_ops;
    if (t->pipe < OBSERVE_SUM_COUNT) value[t->pipe] += executions * t->machine;
}
