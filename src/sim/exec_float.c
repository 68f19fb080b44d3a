// f32, f64 and f32x2 arithmetic: add sub mul fma mad div rcp sqrt abs neg min max copysign.
//
// One set of loops serves every rounding: see rounding.h. .ftz and .sat are loops of their own, so
// that the plain ones carry nothing.
#include <math.h>

#include "sim/exec.h"
#include "sim/floats.h"
#include "sim/rounding.h"

// ---- f32 ------------------------------------------------------------------------------------------

// Four pairs for an operation on flushed or unflushed sources: plain, .ftz, .sat, .ftz.sat.
#define F32_2(name, operation)                                                                               \
    LANES_INLINE float name##_of(float x, float y) { return operation; }                                     \
    LANES_INLINE float name##_flushed(float x, float y) {                                                    \
        return f32_flushed(name##_of(f32_flushed(x), f32_flushed(y)));                                       \
    }                                                                                                        \
    LANES_2(name##_f32, float, float, float, f32_canonical(name##_of(x, y)))                                 \
    LANES_2(name##_f32_ftz, float, float, float, f32_canonical(name##_flushed(x, y)))                        \
    LANES_2(name##_f32_sat, float, float, float, f32_saturated(name##_of(x, y)))                             \
    LANES_2(name##_f32_ftz_sat, float, float, float, f32_saturated(name##_flushed(x, y)))
F32_2(add, x + y)
F32_2(sub, x - y)

LANES_2(mul_f32, float, float, float, f32_canonical(x *y))
LANES_2(mul_f32_sat, float, float, float, f32_saturated(x *y))
LANES_3(fma_f32, float, float, float, float, f32_canonical(__builtin_fmaf(x, y, z)))
LANES_3(fma_f32_sat, float, float, float, float, f32_saturated(__builtin_fmaf(x, y, z)))
LANES_2(div_f32, float, float, float, f32_canonical(x / y))

// .ftz of what can be rounded up to the least normal number: the hardware looks before rounding, so `below`
// (is the exact value of x, y, z smaller?) is asked where that number comes out, which is seldom. Sums need
// no asking, for those below it are exact.
#define F32_FTZ(name, sources, operation, below, finish)                                                     \
    LANES_INLINE bool name##_below(float x, float y, float z, float r) { return below; }                     \
    LANES_INLINE void name##_run(sim_warp *warp, const sim_op *op, bool masked) {                            \
        const float *a = SIM_REG(const float, warp, op->a);                                                  \
        const float *b = sources > 1 ? SIM_REG(const float, warp, op->b) : a;                                \
        const float *c = sources > 2 ? SIM_REG(const float, warp, op->c) : a;                                \
        float *d = SIM_REG(float, warp, op->d), result[SIM_LANES] __attribute__((aligned(64)));              \
        const uint32_t *on = warp->lanes;                                                                    \
        uint32_t least = 0;                                                                                  \
        LANES_EACH {                                                                                         \
            LANES_UNUSED const float x = f32_flushed(a[i]), y = f32_flushed(b[i]), z = f32_flushed(c[i]);    \
            result[i] = operation;                                                                           \
        }                                                                                                    \
        LANES_EACH { least |= (bits_of_f32(result[i]) & 0x7fffffffu) == 0x00800000u ? 1u : 0u; }             \
        for (int i = 0; least && i < SIM_LANES; i++)                                                         \
            if (__builtin_fabsf(result[i]) == 0x1p-126f &&                                                   \
                name##_below(f32_flushed(a[i]), f32_flushed(b[i]), f32_flushed(c[i]), result[i]))            \
                result[i] = __builtin_copysignf(0.0f, result[i]);                                            \
        LANES_EACH { d[i] = !masked || on[i] ? finish(f32_flushed(result[i])) : d[i]; }                      \
    }                                                                                                        \
    static void name##_full(sim_warp *warp, const sim_op *op) { name##_run(warp, op, false); }               \
    static void name##_masked(sim_warp *warp, const sim_op *op) { name##_run(warp, op, true); }              \
    static const lanes_pair name = {name##_full, name##_masked};

// In double, whatever the rounding: products are exact, and so is the difference of z and the result, for it
// is needed only where z is small too.
#define LEAST_ABOVE(value) (__builtin_fabs(value) < 0x1p-126)
#define SUM_BELOW          (((double)x * y + ((double)z - (double)r)) * (r < 0.0f ? -1.0 : 1.0) < 0.0)
F32_FTZ(mul_f32_ftz, 2, x *y, LEAST_ABOVE((double)x *y), f32_canonical)
F32_FTZ(mul_f32_ftz_sat, 2, x *y, LEAST_ABOVE((double)x *y), f32_saturated)
F32_FTZ(fma_f32_ftz, 3, __builtin_fmaf(x, y, z), SUM_BELOW, f32_canonical)
F32_FTZ(fma_f32_ftz_sat, 3, __builtin_fmaf(x, y, z), SUM_BELOW, f32_saturated)
F32_FTZ(div_f32_ftz, 2, x / y, __builtin_fabs((double)x) < __builtin_fabs((double)y) * 0x1p-126,
        f32_canonical)
F32_FTZ(rcp_f32_ftz, 1, 1.0f / x, 1.0 < __builtin_fabs((double)x) * 0x1p-126, f32_canonical)
// .approx: divisors beyond 2^126 give 0, or NaN for an infinite dividend.
LANES_INLINE float div_approximate(float x, float y, bool flush) {
    if (flush) x = f32_flushed(x), y = f32_flushed(y);
    float size = __builtin_fabsf(y), quotient = x / y;
    bool huge = size > 0x1p126f && size < __builtin_inff();
    float instead = __builtin_fabsf(x) == __builtin_inff() ? F32_NAN : __builtin_copysignf(0.0f, quotient);
    quotient = huge && x == x ? instead : quotient;
    return f32_canonical(flush ? f32_flushed(quotient) : quotient);
}
LANES_2(div_f32_approx, float, float, float, div_approximate(x, y, false))
LANES_2(div_f32_approx_ftz, float, float, float, div_approximate(x, y, true))
LANES_1(rcp_f32, float, float, f32_canonical(1.0f / x))
LANES_1(sqrt_f32, float, float, f32_canonical(__builtin_sqrtf(x)))
LANES_1(sqrt_f32_ftz, float, float, f32_canonical(__builtin_sqrtf(f32_flushed(x))))

LANES_1(abs_f32, float, float, f32_canonical(__builtin_fabsf(x)))
LANES_1(neg_f32, float, float, f32_canonical(-x))
LANES_1(abs_f32_ftz, float, float, f32_canonical(__builtin_fabsf(f32_flushed(x))))
LANES_1(neg_f32_ftz, float, float, f32_canonical(-f32_flushed(x)))
LANES_2(copysign_f32, uint32_t, uint32_t, uint32_t, (x & 0x80000000u) | (y & 0x7fffffffu))

// ---- minimum and maximum ----------------------------------------------------------------------------

enum { ORDER_FTZ = 1, ORDER_NAN = 2, ORDER_XORSIGN = 4 };

LANES_2(min_f32, float, float, float, f32_min(x, y))
LANES_2(max_f32, float, float, float, f32_max(x, y))
LANES_2(min_f64, double, double, double, f64_min(x, y))
LANES_2(max_f64, double, double, double, f64_max(x, y))

LANES_INLINE float ordered(float x, float y, uint32_t form, bool most) {
    if (form & ORDER_FTZ) x = f32_flushed(x), y = f32_flushed(y);
    uint32_t sign = (bits_of_f32(x) ^ bits_of_f32(y)) & 0x80000000u;
    if (form & ORDER_XORSIGN) x = __builtin_fabsf(x), y = __builtin_fabsf(y);
    float result = most ? f32_max(x, y) : f32_min(x, y);
    if (((form & ORDER_NAN) && (x != x || y != y)) || result != result) return F32_NAN;
    return form & ORDER_XORSIGN ? f32_of_bits((bits_of_f32(result) & 0x7fffffffu) | sign) : result;
}
// Of three: the sign is that of the product of all, so two steps give it.
LANES_INLINE float ordered_3(float x, float y, float z, uint32_t form, bool most) {
    return ordered(ordered(x, y, form, most), z, form, most);
}
LANES_2(min_f32_form, float, float, float, ordered(x, y, form, false))
LANES_2(max_f32_form, float, float, float, ordered(x, y, form, true))
LANES_3(min3_f32_form, float, float, float, float, ordered_3(x, y, z, form, false))
LANES_3(max3_f32_form, float, float, float, float, ordered_3(x, y, z, form, true))

// ---- f64 ------------------------------------------------------------------------------------------

LANES_2(add_f64, double, double, double, f64_of_2(x + y, x, y))
LANES_2(sub_f64, double, double, double, f64_of_2(x - y, x, y))
LANES_2(mul_f64, double, double, double, f64_of_2(x *y, x, y))
LANES_2(div_f64, double, double, double, f64_of_2(x / y, y, x))
LANES_3(fma_f64, double, double, double, double, f64_of_3(__builtin_fma(x, y, z), x, z, y))
LANES_1(rcp_f64, double, double, 1.0 / x)
LANES_1(sqrt_f64, double, double, __builtin_sqrt(x))
LANES_1(abs_f64, double, double, x == x ? __builtin_fabs(x) : f64_quiet(x))
LANES_1(neg_f64, double, double, x == x ? -x : f64_quiet(x))
LANES_2(copysign_f64, uint64_t, uint64_t, uint64_t, (x & UINT64_C(0x8000000000000000)) | (y & INT64_MAX))

// rcp.approx.ftz.f64: only the upper words count, with 20 bits of result there; subnormals are flushed.
LANES_INLINE double f64_upper(double x) {
    uint64_t bits = bits_of_f64(x) & ~UINT64_C(0xffffffff);
    return f64_of_bits((bits & UINT64_C(0x7ff0000000000000)) == 0 ? bits & UINT64_C(0x8000000000000000)
                                                                  : bits);
}
LANES_1(rcp_f64_approx, double, double, f64_upper(1.0 / f64_upper(x)))

// ---- f32x2: two floats in 64 bits -------------------------------------------------------------------

typedef float floats2 __attribute__((vector_size(8)));
LANES_INLINE floats2 both(uint64_t bits) {
    return (floats2){f32_of_bits((uint32_t)bits), f32_of_bits((uint32_t)(bits >> 32))};
}
LANES_INLINE uint64_t joined(float low, float high) {
    return bits_of_f32(f32_canonical(low)) | (uint64_t)bits_of_f32(f32_canonical(high)) << 32;
}
LANES_INLINE floats2 flushed_2(floats2 v) { return (floats2){f32_flushed(v[0]), f32_flushed(v[1])}; }
LANES_INLINE uint64_t fma_2(floats2 x, floats2 y, floats2 z, uint32_t form) {
    if (form) x = flushed_2(x), y = flushed_2(y), z = flushed_2(z);
    floats2 r = {__builtin_fmaf(x[0], y[0], z[0]), __builtin_fmaf(x[1], y[1], z[1])};
    if (form) r = flushed_2(r);
    return joined(r[0], r[1]);
}
LANES_INLINE uint64_t sum_2(floats2 x, floats2 y, uint32_t form) {
    if (form) x = flushed_2(x), y = flushed_2(y);
    floats2 r = x + y;
    if (form) r = flushed_2(r);
    return joined(r[0], r[1]);
}
LANES_INLINE uint64_t product_2(floats2 x, floats2 y, uint32_t form) {
    if (form) x = flushed_2(x), y = flushed_2(y);
    floats2 r = x * y;
    if (form) r = flushed_2(r);
    return joined(r[0], r[1]);
}
LANES_2(add_f32x2, uint64_t, uint64_t, uint64_t, sum_2(both(x), both(y), form))
LANES_2(sub_f32x2, uint64_t, uint64_t, uint64_t, sum_2(both(x), -both(y), form))
LANES_2(mul_f32x2, uint64_t, uint64_t, uint64_t, product_2(both(x), both(y), form))
LANES_3(fma_f32x2, uint64_t, uint64_t, uint64_t, uint64_t, fma_2(both(x), both(y), both(z), form))

// ---- selection ----------------------------------------------------------------------------------------

#define F32_FORMS(name)                                                                                      \
    (sat ? (ftz ? &name##_f32_ftz_sat : &name##_f32_sat) : (ftz ? &name##_f32_ftz : &name##_f32))

static const lanes_pair *pick_f32(const ptx_inst *inst) {
    bool ftz = LANES_FLAG(inst, FTZ), sat = LANES_FLAG(inst, SAT);
    switch (inst->op) {
    case PTX_OP_ADD: return F32_FORMS(add);
    case PTX_OP_SUB: return F32_FORMS(sub);
    case PTX_OP_MUL: return F32_FORMS(mul);
    case PTX_OP_MAD:
    case PTX_OP_FMA: return F32_FORMS(fma);
    case PTX_OP_DIV:
        if (LANES_FLAG(inst, APPROX)) return ftz ? &div_f32_approx_ftz : &div_f32_approx;
        return ftz ? &div_f32_ftz : &div_f32;
    case PTX_OP_RCP: return ftz ? &rcp_f32_ftz : &rcp_f32;
    case PTX_OP_SQRT: return ftz ? &sqrt_f32_ftz : &sqrt_f32;
    case PTX_OP_ABS: return ftz ? &abs_f32_ftz : &abs_f32;
    case PTX_OP_NEG: return ftz ? &neg_f32_ftz : &neg_f32;
    case PTX_OP_COPYSIGN: return &copysign_f32;
    default: return NULL;
    }
}

static const lanes_pair *pick_f64(const ptx_inst *inst) {
    switch (inst->op) {
    case PTX_OP_ADD: return &add_f64;
    case PTX_OP_SUB: return &sub_f64;
    case PTX_OP_MUL: return &mul_f64;
    case PTX_OP_MAD:
    case PTX_OP_FMA: return &fma_f64;
    case PTX_OP_DIV: return &div_f64;
    case PTX_OP_RCP: return LANES_FLAG(inst, APPROX) ? &rcp_f64_approx : &rcp_f64;
    case PTX_OP_SQRT: return &sqrt_f64;
    case PTX_OP_ABS: return &abs_f64;
    case PTX_OP_NEG: return &neg_f64;
    case PTX_OP_COPYSIGN: return &copysign_f64;
    default: return NULL;
    }
}

static const lanes_pair *pick_f32x2(const ptx_inst *inst) {
    switch (inst->op) {
    case PTX_OP_ADD: return &add_f32x2;
    case PTX_OP_SUB: return &sub_f32x2;
    case PTX_OP_MUL: return &mul_f32x2;
    case PTX_OP_FMA: return &fma_f32x2;
    default: return NULL;
    }
}

static bool select_order(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool most = inst->op == PTX_OP_MAX, three = inst->operand_count > 3;
    uint32_t form = (LANES_FLAG(inst, FTZ) ? ORDER_FTZ : 0) |
                    (LANES_FLAG(inst, PROPAGATE_NAN) ? ORDER_NAN : 0) |
                    (LANES_FLAG(inst, XORSIGN) ? ORDER_XORSIGN : 0);
    const lanes_pair *pair;
    if (type == PTX_F64)
        pair = most ? &max_f64 : &min_f64;
    else if (three)
        pair = most ? &max3_f32_form : &min3_f32_form;
    else if (form != 0)
        pair = most ? &max_f32_form : &min_f32_form;
    else
        pair = most ? &max_f32 : &min_f32;
    op->aux16 = (uint16_t)form;
    return lanes_bind(decoder, inst, op, pair, type, type, type, three ? type : PTX_TYPE_NONE);
}

bool SIM_NAME(sim_select_float)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->type_count != 1) return false;
    ptx_type type = inst->types[0];
    const lanes_pair *pair;
    switch (type) {
    case PTX_F32: pair = pick_f32(inst); break;
    case PTX_F64: pair = pick_f64(inst); break;
    case PTX_F32X2: pair = pick_f32x2(inst); break;
    default: return false;
    }
    if (type != PTX_F32X2 && (inst->op == PTX_OP_MIN || inst->op == PTX_OP_MAX))
        return select_order(decoder, inst, op, type);
    bool one =
        inst->op == PTX_OP_RCP || inst->op == PTX_OP_SQRT || inst->op == PTX_OP_ABS || inst->op == PTX_OP_NEG;
    bool three = inst->op == PTX_OP_MAD || inst->op == PTX_OP_FMA;
    if (type == PTX_F32X2) op->aux16 = LANES_FLAG(inst, FTZ);
    return lanes_bind(decoder, inst, op, pair, type, type, one ? PTX_TYPE_NONE : type,
                      three ? type : PTX_TYPE_NONE) &&
           rounding_use(op, pair, inst->by_category[PTX_CAT_ROUND]);
}
