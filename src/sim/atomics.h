// What an atomic operation makes of a word. Inline, so that where type and operation are constants little is left.
#ifndef SIM_ATOMICS_H
#define SIM_ATOMICS_H

#include "sim/floats.h"
#include "sim/machine.h"

static inline float sim_atomic_float(ptx_mod operation, float a, float b) {
    switch (operation) {
    case PTX_MOD_ADD: return f32_canonical(a + b);
    case PTX_MOD_MIN: return f32_min(a, b);
    default: return f32_max(a, b);
    }
}

static inline uint16_t sim_atomic_half(ptx_mod operation, bool brain, uint16_t a, uint16_t b) {
    if (brain) return bf16_of_f32(sim_atomic_float(operation, f32_of_bf16(a), f32_of_bf16(b)));
    return f16_of_f32(sim_atomic_float(operation, f32_of_f16(a), f32_of_f16(b)));
}

static inline uint64_t sim_atomic_halves(ptx_mod operation, bool brain, uint64_t a, uint64_t b) {
    uint16_t low = sim_atomic_half(operation, brain, (uint16_t)a, (uint16_t)b);
    return low | (uint64_t)sim_atomic_half(operation, brain, (uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

// Global memory adds where it lies and passes a NaN on as it is, the new one first; shared memory has no unit
// for f64, so the thread adds, as add.f64 does.
static inline uint64_t sim_atomic_double_sum(uint64_t old, uint64_t b, bool shared) {
    double x = f64_of_bits(old), y = f64_of_bits(b), sum = x + y;
    if (shared) return bits_of_f64(f64_of_2(sum, y, x));
    return y != y ? b : x != x ? old : bits_of_f64(sum);
}

static inline uint64_t sim_atomic_float_result(ptx_type type, ptx_mod operation, uint64_t old, uint64_t b,
                                               bool shared) {
    switch (type) {
    case PTX_F32: {
        float x = f32_of_bits((uint32_t)old), y = f32_of_bits((uint32_t)b);
        // On global memory atom.add.f32 flushes subnormals, on shared memory it does not (PTX, "atom").
        if (operation == PTX_MOD_ADD && !shared)
            return bits_of_f32(f32_flushed(f32_canonical(f32_flushed(x) + f32_flushed(y))));
        return bits_of_f32(sim_atomic_float(operation, x, y));
    }
    case PTX_F64:
        if (operation == PTX_MOD_ADD) return sim_atomic_double_sum(old, b, shared);
        return bits_of_f64(operation == PTX_MOD_MIN ? f64_min(f64_of_bits(old), f64_of_bits(b))
                                                    : f64_max(f64_of_bits(old), f64_of_bits(b)));
    case PTX_F16: return sim_atomic_half(operation, false, (uint16_t)old, (uint16_t)b);
    case PTX_BF16: return sim_atomic_half(operation, true, (uint16_t)old, (uint16_t)b);
    default: return sim_atomic_halves(operation, type == PTX_BF16X2, old, b);
    }
}

static inline bool sim_atomic_less(ptx_type type, uint64_t a, uint64_t b) {
    if (type == PTX_S32) return (int32_t)a < (int32_t)b;
    return type == PTX_S64 ? (int64_t)a < (int64_t)b : a < b;
}

// The new value of a word whose value is `old`; `b` and `compare` are the operands.
static inline uint64_t sim_atomic_result(ptx_type type, ptx_mod operation, uint64_t old, uint64_t b,
                                         uint64_t compare, bool shared) {
    switch (operation) {
    case PTX_MOD_EXCH: return b;
    case PTX_MOD_CAS: return old == compare ? b : old;
    case PTX_MOD_AND: return old & b;
    case PTX_MOD_OR: return old | b;
    case PTX_MOD_XOR: return old ^ b;
    case PTX_MOD_INC: return old >= b ? 0 : old + 1;
    case PTX_MOD_DEC: return old == 0 || old > b ? b : old - 1;
    default: break;
    }
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_F32:
    case PTX_F64: return sim_atomic_float_result(type, operation, old, b, shared);
    default: break;
    }
    if (operation == PTX_MOD_ADD) return old + b;
    return sim_atomic_less(type, b, old) == (operation == PTX_MOD_MIN) ? b : old;
}

#endif
