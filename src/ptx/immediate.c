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
