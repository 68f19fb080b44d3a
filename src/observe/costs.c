// See costs.h.
#include "observe/costs.h"

#include "observe/tensor.h"
#include "ptx/matrix.h"

#define NONE    OBSERVE_PIPE_NONE
#define FMA     OBSERVE_PIPE_FMA
#define ALU     OBSERVE_PIPE_ALU
#define SPECIAL OBSERVE_PIPE_SPECIAL

static observe_cost plain(observe_pipe pipe, uint8_t slots, uint16_t latency) {
    observe_cost cost = {.issue = slots, .latency = latency};
    cost.pipe[pipe] = slots;
    return cost;
}

// A sequence of machine instructions: floats and products, integers, special functions.
static observe_cost sequence(uint8_t fma, uint8_t alu, uint8_t special, uint16_t latency) {
    observe_cost cost = {.issue = (uint8_t)(fma + alu + special), .latency = latency};
    cost.pipe[FMA] = fma;
    cost.pipe[ALU] = alu;
    cost.pipe[SPECIAL] = special;
    return cost;
}

static ptx_type type_of(const ptx_inst *inst) {
    return inst->type_count ? (ptx_type)inst->types[inst->type_count - 1] : PTX_TYPE_NONE;
}

static bool is_64(ptx_type type) {
    return type == PTX_U64 || type == PTX_S64 || type == PTX_B64 || type == PTX_F64;
}
static bool is_half(ptx_type type) {
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

// ---- integers ------------------------------------------------------------------------------------------------

// A product takes two slots of the FMA pipe: it has half the rate of a float's.
static observe_cost product(const ptx_inst *inst, bool wide) {
    uint16_t half = inst->by_category[PTX_CAT_HALF];
    bool adds = inst->op != PTX_OP_MUL;
    if (half == PTX_MOD_WIDE && !adds) // folded into the sum that follows: IMAD.WIDE
        return (observe_cost){.issue = 0, .latency = 5};
    if (!wide) return sequence(2, 0, 0, 5);
    return half == PTX_MOD_HI ? sequence(14, 4, 0, 25) : sequence(6, 1, 0, 12);
}

static observe_cost integer(const ptx_inst *inst) {
    bool wide = is_64(type_of(inst));
    switch (inst->op) {
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_MADC:
    case PTX_OP_MUL24:
    case PTX_OP_MAD24: {
        observe_cost cost = product(inst, wide);
        cost.issue = cost.pipe[FMA] / 2 + cost.pipe[ALU]; // one instruction, two slots of the pipe
        return cost;
    }
    case PTX_OP_DIV:
    case PTX_OP_REM: return wide ? sequence(40, 40, 2, 500) : sequence(8, 10, 3, 130);
    case PTX_OP_ADD:
    case PTX_OP_SUB: return plain(ALU, 1, wide ? 5 : 4);
    case PTX_OP_MIN:
    case PTX_OP_MAX: return plain(ALU, wide ? 4 : 1, wide ? 10 : 4);
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BFIND:
    case PTX_OP_BREV: return wide ? sequence(0, 2, 2, 24) : sequence(0, 0, 1, 16);
    default: return plain(ALU, wide ? 2 : 1, 5);
    }
}

// ---- floats --------------------------------------------------------------------------------------------------

// Without .ftz subnormal operands are scaled before and after.
static observe_cost approximate(const ptx_inst *inst) {
    bool flushes = inst->flags & PTX_FLAG(FTZ);
    switch (inst->op) {
    case PTX_OP_SIN:
    case PTX_OP_COS: return sequence(1, 0, 1, 27);
    case PTX_OP_TANH: return sequence(0, 0, 1, 23);
    case PTX_OP_DIV: return sequence(3, 1, 1, 40);
    default: return flushes ? sequence(0, 0, 1, 23) : sequence(2, 1, 1, 35);
    }
}

static observe_cost special(const ptx_inst *inst) {
    ptx_type type = type_of(inst);
    if (type == PTX_F64) {
        observe_cost cost = {.issue = 20, .latency = 220};
        cost.pipe[OBSERVE_PIPE_FP64] = 14;
        cost.pipe[SPECIAL] = 1;
        return cost;
    }
    if (is_half(type) || inst->flags & PTX_FLAG(APPROX)) return approximate(inst);
    if (inst->flags & PTX_FLAG(FULL)) return sequence(4, 2, 1, 45);
    // Rounded: a quick way and a test for the slow one.
    return inst->op == PTX_OP_RCP ? sequence(4, 3, 1, 55) : sequence(6, 3, 1, 65);
}

static observe_cost arithmetic(const ptx_inst *inst) {
    ptx_type type = type_of(inst);
    if (type == PTX_F64) return plain(OBSERVE_PIPE_FP64, 1, 8);
    if (is_half(type)) return plain(OBSERVE_PIPE_FP16, 1, 5);
    if (type != PTX_F32 && type != PTX_F32X2 && type != PTX_TF32) return integer(inst);
    if (inst->op == PTX_OP_ADD || inst->op == PTX_OP_SUB || inst->op == PTX_OP_MUL ||
        inst->op == PTX_OP_FMA || inst->op == PTX_OP_MAD)
        return plain(FMA, type == PTX_F32X2 ? 2 : 1, OBSERVE_LATENCY_ALU);
    if (inst->op == PTX_OP_NEG || inst->op == PTX_OP_ABS)
        return (observe_cost){.latency = 0}; // an operand's sign
    return plain(ALU, 1, 5);                 // comparisons, the lesser and the greater
}

static observe_cost conversion(const ptx_inst *inst) {
    ptx_type to = inst->type_count ? (ptx_type)inst->types[0] : PTX_TYPE_NONE, from = type_of(inst);
    bool floats =
        to == PTX_F32 || to == PTX_F64 || is_half(to) || from == PTX_F32 || from == PTX_F64 || is_half(from);
    if (!floats)
        return (observe_cost){.latency = 2}; // widening and narrowing: mostly nothing is left of them
    if (is_64(to) || is_64(from)) return sequence(0, 0, 1, 20);
    return plain(ALU, 1, 10);
}

// ---- tensor cores --------------------------------------------------------------------------------------------

// Operations per clock of a quarter of a multiprocessor: NVIDIA's H100 whitepaper; bits as eight times bytes.
static unsigned tensor_rate(observe_tensor_type type) {
    static const uint16_t rates[OBSERVE_TENSOR_TYPES] = {
        [OBSERVE_TENSOR_F16] = 1024, [OBSERVE_TENSOR_BF16] = 1024, [OBSERVE_TENSOR_TF32] = 512,
        [OBSERVE_TENSOR_F64] = 64,   [OBSERVE_TENSOR_F8] = 2048,   [OBSERVE_TENSOR_I8] = 2048,
        [OBSERVE_TENSOR_I4] = 2048,  [OBSERVE_TENSOR_B1] = 16384};
    return rates[type];
}

static unsigned registers_of(const ptx_matrix *x) {
    unsigned bits;
    return ptx_matrix_registers(x, PTX_MATRIX_A, &bits) + ptx_matrix_registers(x, PTX_MATRIX_B, &bits);
}

// What ptxas makes for sm_90 of a type that its mma lacks: it unpacks each register of A and B. Seen in machine code.
static observe_cost unpacked(const ptx_matrix *x, const observe_tensor *t) {
    unsigned registers = registers_of(x);
    if (t->type == OBSERVE_TENSOR_F8) return sequence(4, (uint8_t)(2 * registers), 0, 15);
    if (t->type == OBSERVE_TENSOR_I4) return sequence(0, (uint8_t)(29 * registers), 0, 40);
    return (observe_cost){0};
}

static observe_cost product_of_matrices(const ptx_inst *inst) {
    ptx_matrix x;
    observe_tensor t = observe_tensor_of(inst);
    if (!t.ops || !ptx_matrix_of(inst, &x, NULL)) return plain(NONE, 1, OBSERVE_LATENCY_MMA);
    if (x.quarters) return sequence(64, 32, 0, 60);              // on the usual pipes
    bool by_halves = t.type == OBSERVE_TENSOR_F8 && !t.by_group; // then it has the rate of halves
    unsigned rate = by_halves ? tensor_rate(OBSERVE_TENSOR_F16) : tensor_rate((observe_tensor_type)t.type);
    unsigned clocks = t.path_ops / rate / (t.sparse ? 2 : 1);
    if (t.by_group) {
        unsigned reading = 4 * t.shared_bytes / 128; // a wavefront is 128 bytes
        unsigned busy = clocks > reading ? clocks : reading;
        return (observe_cost){
            .issue = 1, .tensor = (uint16_t)busy, .latency = (uint16_t)(busy + OBSERVE_LATENCY_WGMMA)};
    }
    observe_cost cost = unpacked(&x, &t);
    bool is_short = x.k * ptx_type_bits(x.types[PTX_MATRIX_A]) / (x.sparse ? 2 : 1) <= 128;
    unsigned chained = by_halves ? 2 : 1; // the second adds to the first's sum
    cost.issue = (uint8_t)(cost.issue + t.machine);
    cost.tensor = (uint16_t)(clocks * 100 / OBSERVE_MMA_PERCENT);
    cost.latency =
        (uint16_t)(cost.latency + chained * (is_short ? OBSERVE_LATENCY_MMA_SHORT : OBSERVE_LATENCY_MMA));
    return cost;
}

// wmma.load and wmma.store are a load or a store for each register, or for each element where they lie apart.
static observe_cost tensor(const ptx_inst *inst) {
    ptx_matrix x;
    unsigned bits;
    switch (inst->op) {
    case PTX_OP_LDMATRIX: return plain(NONE, 1, OBSERVE_LATENCY_SHARED + 3);
    case PTX_OP_MMA:
    case PTX_OP_WGMMA_MMA_ASYNC: return product_of_matrices(inst);
    case PTX_OP_WMMA:
        if (!ptx_matrix_of(inst, &x, NULL) || !x.moves) return product_of_matrices(inst);
        return plain(NONE, (uint8_t)ptx_matrix_registers(&x, x.part, &bits), OBSERVE_LATENCY_L1);
    default: return plain(NONE, 1, OBSERVE_LATENCY_ALU);
    }
}

// ---- the rest ------------------------------------------------------------------------------------------------

observe_cost observe_inst_cost(const ptx_inst *inst) {
    switch (ptx_op_get(inst->op)->class) {
    case PTX_CLASS_ARITHMETIC: return arithmetic(inst);
    case PTX_CLASS_SPECIAL: {
        ptx_type type = type_of(inst);
        return type == PTX_F32 || type == PTX_F64 || is_half(type) ? special(inst) : integer(inst);
    }
    case PTX_CLASS_LOGIC: {
        observe_cost cost = integer(inst);
        if (type_of(inst) == PTX_PRED) cost = (observe_cost){.latency = 5};
        return cost;
    }
    case PTX_CLASS_MOVE:
        return inst->op == PTX_OP_SELP ? plain(ALU, is_64(type_of(inst)) ? 2 : 1, 5) : (observe_cost){0};
    case PTX_CLASS_CONVERSION: return conversion(inst);
    case PTX_CLASS_VIDEO: return plain(ALU, 4, 16);
    case PTX_CLASS_LOAD: {
        uint16_t space = inst->by_category[PTX_CAT_SPACE];
        bool direct = inst->operand_count > 1 && inst->operands[1].reg < 0;
        if (space == PTX_MOD_PARAM || (space == PTX_MOD_CONST && direct)) return (observe_cost){0};
        return plain(space == PTX_MOD_CONST ? OBSERVE_PIPE_CONST : NONE, 1, OBSERVE_LATENCY_L1);
    }
    case PTX_CLASS_SHUFFLE: return plain(NONE, 1, OBSERVE_LATENCY_SHUFFLE);
    case PTX_CLASS_VOTE:
        // A match takes about 22 clocks of the multiprocessor (warp/06_vector).
        return inst->op == PTX_OP_MATCH ? sequence(0, 0, 11, 30) : plain(NONE, 1, 17);
    case PTX_CLASS_WARP: return plain(NONE, 1, 17);
    case PTX_CLASS_ATOMIC: return plain(NONE, 1, OBSERVE_LATENCY_ATOMIC);
    case PTX_CLASS_TEXTURE_LOAD: return plain(NONE, 1, 500);
    case PTX_CLASS_TENSOR: return tensor(inst);
    default: return plain(NONE, 1, OBSERVE_LATENCY_ALU);
    }
}
