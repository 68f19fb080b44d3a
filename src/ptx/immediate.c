// Immediates as the bits an instruction takes.
#include "ptx/ptx.h"

#include <string.h>

static uint64_t f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t f64_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t keep_bits(uint64_t bits, unsigned count) {
    return count >= 64 ? bits : bits & ((UINT64_C(1) << count) - 1);
}

// A float literal: 0f and 0d give bits, which other types than floats take as they are.
static uint64_t float_immediate(const ptx_operand *operand, ptx_type type) {
    switch (type) {
    case PTX_F64: return operand->is_single ? f64_bits(operand->real) : (uint64_t)operand->value;
    case PTX_F32:
    case PTX_TF32: return operand->is_single ? (uint64_t)operand->value : f32_bits((float)operand->real);
    case PTX_F16: return base_f64_to_f16(operand->real);
    case PTX_BF16: return base_f64_to_bf16(operand->real);
    default: return keep_bits((uint64_t)operand->value, ptx_type_bits(type));
    }
}

uint64_t ptx_immediate(const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_FLOAT) return float_immediate(operand, type);
    if (operand->kind != PTX_OPERAND_INT) return 0;
    if (type == PTX_PRED) return (operand->value != 0) != operand->negated;
    // Half types are written as their bits; f32 and f64 as numbers.
    if (type == PTX_F64) return f64_bits((double)operand->value);
    if (type == PTX_F32) return f32_bits((float)operand->value);
    return keep_bits((uint64_t)operand->value, ptx_type_bits(type));
}

// The word of an operand in its row: "d0 s0 su" has 'u' for the second source.
static char holds_of(const char *words, uint32_t index) {
    for (; *words && index; index--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    return *words ? words[1] : 0;
}

static ptx_type widened(ptx_type type) {
    switch (type) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return type;
    }
}

ptx_type ptx_operand_type(const ptx_inst *inst, uint32_t index) {
    ptx_type first = inst->type_count ? (ptx_type)inst->types[0] : PTX_B32;
    switch (holds_of(ptx_op_get(inst->op)->operands, index)) {
    case '1':
    case 'n': return inst->type_count > 1 ? (ptx_type)inst->types[1] : first;
    case '2': return inst->type_count > 2 ? (ptx_type)inst->types[2] : first;
    case 'w': return inst->by_category[PTX_CAT_HALF] == PTX_MOD_WIDE ? widened(first) : first;
    case 'p': return PTX_PRED;
    case 'u': return PTX_U32;
    case 'q': return PTX_U64;
    default: return first;
    }
}
