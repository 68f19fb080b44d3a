// Loops over the 32 lanes of a warp, and how an instruction is bound to them.
//
// LANES_1, LANES_2 and LANES_3 make a pair of functions from one expression of x, y and z (the
// lane's sources), i (the lane) and form (the instruction's variant, op->aux16): one for all lanes, one that
// leaves the lanes which are off as they were. The loops are written for the compiler's vectoriser.
// A destination is one of the sources or overlaps none, so ivdep is true. Nothing in an
// expression may fault: it is computed for lanes that are off too.
#ifndef SIM_LANES_H
#define SIM_LANES_H

#include "sim/machine.h"

typedef struct lanes_pair {
    sim_exec full, masked;
} lanes_pair;

#define LANES_EACH _Pragma("GCC ivdep") for (int i = 0; i < SIM_LANES; i++)

#define LANES_UNUSED __attribute__((unused))
#define LANES_INLINE static inline __attribute__((always_inline, unused))

// The two functions and the pair: the macros below give the declarations and the value of a lane.
#define LANES_PAIR(name, D, sources, value)                                                                  \
    static void name##_full(sim_warp *warp, const sim_op *op) {                                              \
        LANES_UNUSED const uint32_t form = op->aux16;                                                        \
        sources D *d = SIM_REG(D, warp, op->d);                                                              \
        LANES_EACH { d[i] = (D)(value); }                                                                    \
    }                                                                                                        \
    static void name##_masked(sim_warp *warp, const sim_op *op) {                                            \
        LANES_UNUSED const uint32_t form = op->aux16;                                                        \
        const uint32_t *on = warp->lanes;                                                                    \
        sources D *d = SIM_REG(D, warp, op->d);                                                              \
        LANES_EACH {                                                                                         \
            const D result = (D)(value);                                                                     \
            d[i] = on[i] ? result : d[i];                                                                    \
        }                                                                                                    \
    }                                                                                                        \
    LANES_UNUSED static const lanes_pair name = {name##_full, name##_masked};

#define LANES_1(name, D, A, expression)                                                                      \
    LANES_INLINE D name##_lane(A x, int i, uint32_t form) { return (D)(expression); }                        \
    LANES_PAIR(name, D, const A *a = SIM_REG(const A, warp, op->a);, name##_lane(a[i], i, form))

#define LANES_2(name, D, A, B, expression)                                                                   \
    LANES_INLINE D name##_lane(A x, B y, int i, uint32_t form) { return (D)(expression); }                   \
    LANES_PAIR(name, D, const A *a = SIM_REG(const A, warp, op->a);                                          \
               const B *b = SIM_REG(const B, warp, op->b);, name##_lane(a[i], b[i], i, form))

#define LANES_3(name, D, A, B, C, expression)                                                                \
    LANES_INLINE D name##_lane(A x, B y, C z, int i, uint32_t form) { return (D)(expression); }              \
    LANES_PAIR(name, D, const A *a = SIM_REG(const A, warp, op->a);                                          \
               const B *b = SIM_REG(const B, warp, op->b); const C *c = SIM_REG(const C, warp, op->c);       \
               , name##_lane(a[i], b[i], c[i], i, form))

// Bit i of the answer is the sign bit of lane i: 0 or ~0 in, a predicate out.
LANES_INLINE uint32_t lanes_gather(const uint32_t *lanes);
// And back: 0 or ~0 for lane i.
#define LANES_BIT(predicate, i) (((predicate) >> (i)) & 1u)

#ifdef __AVX2__
#include <immintrin.h>

LANES_INLINE uint32_t lanes_gather(const uint32_t *lanes) {
    uint32_t bits = 0;
    for (int i = 0; i < SIM_LANES; i += 8) {
        __m256 group = _mm256_castsi256_ps(_mm256_load_si256((const __m256i *)(lanes + i)));
        bits |= (uint32_t)_mm256_movemask_ps(group) << i;
    }
    return bits;
}
#else
LANES_INLINE uint32_t lanes_gather(const uint32_t *lanes) {
    uint32_t bits = 0;
    for (int i = 0; i < SIM_LANES; i++) bits |= (lanes[i] >> 31) << i;
    return bits;
}
#endif

// Writes a predicate for the lanes of the warp's mask alone.
LANES_INLINE void lanes_set_predicate(sim_warp *warp, uint32_t at, uint32_t bits, bool masked) {
    uint32_t *p = &SIM_PRED(warp, at);
    *p = masked ? (*p & ~warp->mask) | (bits & warp->mask) : bits;
}

// ---- for the selectors ----------------------------------------------------------------------------

LANES_INLINE bool lanes_use(sim_op *op, const lanes_pair *pair) {
    if (pair == NULL) return false;
    op->full = pair->full;
    op->masked = pair->masked;
    return true;
}

// Operand 0 is the destination, 1 to 3 are the sources, each a value of the type given;
// PTX_TYPE_NONE where there is none. False where the instruction has too few operands.
LANES_INLINE bool lanes_bind(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, const lanes_pair *pair,
                             ptx_type d, ptx_type a, ptx_type b, ptx_type c) {
    unsigned count = 1u + (a != PTX_TYPE_NONE) + (b != PTX_TYPE_NONE) + (c != PTX_TYPE_NONE);
    if (pair == NULL || inst->operand_count < count) return false;
    op->d = sim_destination(decoder, &inst->operands[0], d);
    if (a != PTX_TYPE_NONE) op->a = sim_source(decoder, &inst->operands[1], a);
    if (b != PTX_TYPE_NONE) op->b = sim_source(decoder, &inst->operands[2], b);
    if (c != PTX_TYPE_NONE) op->c = sim_source(decoder, &inst->operands[3], c);
    return lanes_use(op, pair);
}

LANES_INLINE const lanes_pair *lanes_by_bits(unsigned bits, const lanes_pair *of16, const lanes_pair *of32,
                                             const lanes_pair *of64) {
    return bits == 16 ? of16 : bits == 32 ? of32 : bits == 64 ? of64 : NULL;
}

// Whether a modifier was written: for those that share a category with another.
LANES_INLINE bool lanes_has(const ptx_inst *inst, ptx_mod mod) {
    for (unsigned i = 0; i < inst->mod_count; i++)
        if (inst->mods[i] == mod) return true;
    return false;
}

#define LANES_FLAG(inst, id) (((inst)->flags & PTX_FLAG(id)) != 0)

#endif
