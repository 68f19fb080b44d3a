// Directed rounding: the lanes of an instruction run with the CPU's rounding mode changed.
//
// A pair of functions written for nearest serves .rz, .rm and .rp too: rounding_use wraps it. They are
// called through a pointer, so that the compiler moves nothing across the change. Not compiled with
// -frounding-math: GCC then vectorises neither fma nor sqrt, and these loops have no constants to fold.
#ifndef SIM_ROUNDING_H
#define SIM_ROUNDING_H

#include <fenv.h>

#include "sim/lanes.h"

// op->aux8 is the mode (FE_* shifted to fit), op->aux the pair that is wrapped.
LANES_INLINE void rounding_call(sim_warp *warp, const sim_op *op, sim_exec exec) {
#ifdef __AVX2__
    // Far cheaper than fesetround, which changes the x87 unit too. MXCSR has the mode in bits 13 and 14.
    unsigned saved = _mm_getcsr();
    _mm_setcsr((saved & ~0x6000u) | (unsigned)op->aux8 << 13);
    exec(warp, op);
    _mm_setcsr(saved);
#else
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    int saved = fegetround();
    fesetround(modes[op->aux8]);
    exec(warp, op);
    fesetround(saved);
#endif
}

LANES_UNUSED static void rounding_full(sim_warp *warp, const sim_op *op) {
    rounding_call(warp, op, ((const lanes_pair *)(uintptr_t)op->aux)->full);
}
LANES_UNUSED static void rounding_masked(sim_warp *warp, const sim_op *op) {
    rounding_call(warp, op, ((const lanes_pair *)(uintptr_t)op->aux)->masked);
}

// Takes `pair`, wrapped where the instruction's rounding is not to nearest.
LANES_INLINE bool rounding_use(sim_op *op, const lanes_pair *pair, ptx_mod round) {
    if (pair == NULL) return false;
    switch (round) {
    case PTX_MOD_RM: op->aux8 = 1; break;
    case PTX_MOD_RP: op->aux8 = 2; break;
    case PTX_MOD_RZ: op->aux8 = 3; break;
    default: return lanes_use(op, pair);
    }
    static const lanes_pair wrapped = {rounding_full, rounding_masked};
    op->aux = (uint64_t)(uintptr_t)pair;
    return lanes_use(op, &wrapped);
}

#endif
