// f16, bf16 and their pairs: add sub mul fma neg abs min max ex2 tanh.
//
// Halves are widened to float, computed, and rounded once: a result that could be rounded twice is
// made odd first (floats.h). A register of pairs is 64 halves in a row, so that both kinds are one
// loop with a count. op->aux16 holds what else the instruction asks for.
#include "sim/approximate.h"
#include "sim/exec.h"
#include "sim/tensor_map.h"

enum {
    HALF_BF16 = 1,
    HALF_PAIRS = 2,
    HALF_FTZ = 4,
    HALF_SAT = 8,
    HALF_RELU = 16,
    HALF_NAN = 32,
    HALF_XORSIGN = 64,
    HALF_THREE = 128, // a third source of min and max
    HALF_OOB = 256,   // a factor that tensor copies put beyond the bounds gives 0
};
enum { HALF_MOST = 2 * SIM_LANES };

typedef struct half_lanes {
    float x[HALF_MOST] __attribute__((aligned(64)));
    float y[HALF_MOST] __attribute__((aligned(64)));
    float z[HALF_MOST] __attribute__((aligned(64)));
    uint16_t result[HALF_MOST] __attribute__((aligned(64)));
} half_lanes;

LANES_INLINE void half_load(float *to, sim_warp *warp, uint32_t at, int count, uint32_t form) {
    const uint16_t *from = SIM_REG(const uint16_t, warp, at);
    if (form & HALF_BF16) {
        floats_of_bf16(to, from, count);
        return;
    }
    floats_of_f16(to, from, count);
    if (form & HALF_FTZ)
        for (int i = 0; i < count; i++)
            to[i] = __builtin_fabsf(to[i]) < 0x1p-14f ? __builtin_copysignf(0.0f, to[i]) : to[i];
}

// The results are in x. Saturation and relu take NaN to +0 and to NaN; what is subnormal
// when rounded to 11 bits, wherever they lie, is flushed.
LANES_INLINE void half_store(sim_warp *warp, const sim_op *op, half_lanes *h, int count, bool masked) {
    uint32_t form = op->aux16;
    if ((form & HALF_FTZ) && !(form & HALF_BF16))
        for (int i = 0; i < count; i++)
            h->x[i] =
                __builtin_fabsf(h->x[i]) < 0x1p-14f - 0x1p-26f ? __builtin_copysignf(0.0f, h->x[i]) : h->x[i];
    if (form & HALF_SAT)
        for (int i = 0; i < count; i++) h->x[i] = f32_saturated(h->x[i]);
    if (form & HALF_RELU)
        for (int i = 0; i < count; i++) h->x[i] = h->x[i] <= 0.0f ? 0.0f : h->x[i];
    if (form & HALF_BF16)
        bf16_of_floats(h->result, h->x, count);
    else
        f16_of_floats(h->result, h->x, count);
    const uint32_t *on = warp->lanes;
    if (count == HALF_MOST) {
        uint32_t *d = SIM_REG(uint32_t, warp, op->d);
        const uint32_t *result = (const uint32_t *)h->result;
        LANES_EACH { d[i] = !masked || on[i] ? result[i] : d[i]; }
    } else {
        uint16_t *d = SIM_REG(uint16_t, warp, op->d);
        LANES_EACH { d[i] = !masked || on[i] ? h->result[i] : d[i]; }
    }
}

// ---- the operations, each on arrays: x = f(x, y, z) -------------------------------------------------

typedef void half_body(float *x, const float *y, const float *z, int count, uint32_t form);

// 24 bits hold a sum or a product of 11-bit or 8-bit significands well enough to be rounded again. A product
// is even exact, unless it leaves the range of f32, as one of bf16 can: then double takes over.
LANES_INLINE bool products_fit(const float *x, const float *y, int count) {
    uint32_t out = 0;
    for (int i = 0; i < count; i++) {
        float size = __builtin_fabsf(x[i] * y[i]);
        bool small = (size < 0x1p-126f) & (x[i] != 0.0f) & (y[i] != 0.0f);
        bool large =
            (size == __builtin_inff()) & (__builtin_fabsf(x[i]) < size) & (__builtin_fabsf(y[i]) < size);
        out |= (small | large) ? 1u : 0u;
    }
    return out == 0;
}
LANES_INLINE void half_add(float *x, const float *y, const float *z, int count, uint32_t form) {
    for (int i = 0; i < count; i++) x[i] = x[i] + y[i];
}
LANES_INLINE void half_sub(float *x, const float *y, const float *z, int count, uint32_t form) {
    for (int i = 0; i < count; i++) x[i] = x[i] - y[i];
}
LANES_INLINE void half_mul(float *x, const float *y, const float *z, int count, uint32_t form) {
    if ((form & HALF_BF16) && !products_fit(x, y, count))
        for (int i = 0; i < count; i++) x[i] = f32_odd_of_f64((double)x[i] * (double)y[i]);
    else
        for (int i = 0; i < count; i++) x[i] = x[i] * y[i];
}
LANES_INLINE void half_fma(float *x, const float *y, const float *z, int count, uint32_t form) {
    if ((form & HALF_BF16) && !products_fit(x, y, count)) {
        for (int i = 0; i < count; i++) {
            double product = (double)x[i] * (double)y[i], sum = product + (double)z[i];
            x[i] = f32_odd_of_f64(f64_odd(sum, f64_sum_error(product, (double)z[i], sum)));
        }
    } else {
        for (int i = 0; i < count; i++) {
            float product = x[i] * y[i], sum = product + z[i];
            x[i] = f32_odd(sum, f32_sum_error(product, z[i], sum));
        }
    }
}
LANES_INLINE float half_ordered(float x, float y, uint32_t form, bool most) {
    uint32_t sign = (bits_of_f32(x) ^ bits_of_f32(y)) & 0x80000000u;
    if (form & HALF_XORSIGN) x = __builtin_fabsf(x), y = __builtin_fabsf(y);
    float result = most ? f32_max(x, y) : f32_min(x, y);
    if ((form & HALF_NAN) && (x != x || y != y)) return F32_NAN;
    return form & HALF_XORSIGN ? f32_of_bits((bits_of_f32(result) & 0x7fffffffu) | sign) : result;
}
LANES_INLINE void half_order(float *x, const float *y, const float *z, int count, uint32_t form, bool most) {
    for (int i = 0; i < count; i++) x[i] = half_ordered(x[i], y[i], form, most);
    if (form & HALF_THREE)
        for (int i = 0; i < count; i++) x[i] = half_ordered(x[i], z[i], form, most);
}
LANES_INLINE void half_min(float *x, const float *y, const float *z, int count, uint32_t form) {
    half_order(x, y, z, count, form, false);
}
LANES_INLINE void half_max(float *x, const float *y, const float *z, int count, uint32_t form) {
    half_order(x, y, z, count, form, true);
}
LANES_INLINE void half_ex2(float *x, const float *y, const float *z, int count, uint32_t form) {
    for (int i = 0; i < count; i++) x[i] = power_of_2(x[i]);
}
LANES_INLINE void half_tanh(float *x, const float *y, const float *z, int count, uint32_t form) {
    for (int i = 0; i < count; i++) x[i] = hyperbolic_tangent(x[i]);
}

// .oob: the NaN of tensor copies, of either sign, makes the whole result 0, the addend too. As a summand it is a NaN.
LANES_INLINE void half_outside(float *x, sim_warp *warp, const sim_op *op, int count) {
    const uint16_t *a = SIM_REG(const uint16_t, warp, op->a), *b = SIM_REG(const uint16_t, warp, op->b);
    for (int i = 0; i < count; i++)
        x[i] = (a[i] & 0x7fff) == SIM_TENSOR_NAN || (b[i] & 0x7fff) == SIM_TENSOR_NAN ? 0.0f : x[i];
}

LANES_INLINE void half_run(sim_warp *warp, const sim_op *op, half_body *body, int sources, bool masked) {
    half_lanes h;
    uint32_t form = op->aux16;
    int count = form & HALF_PAIRS ? HALF_MOST : SIM_LANES;
    half_load(h.x, warp, op->a, count, form);
    if (sources >= 2) half_load(h.y, warp, op->b, count, form);
    if (sources >= 3 || (form & HALF_THREE)) half_load(h.z, warp, op->c, count, form);
    body(h.x, h.y, h.z, count, form);
    if (sources == 3 && (form & HALF_OOB)) half_outside(h.x, warp, op, count);
    half_store(warp, op, &h, count, masked);
}

#define HALF(name, sources)                                                                                  \
    static void run_##name##_full(sim_warp *warp, const sim_op *op) {                                        \
        half_run(warp, op, half_##name, sources, false);                                                     \
    }                                                                                                        \
    static void run_##name##_masked(sim_warp *warp, const sim_op *op) {                                      \
        half_run(warp, op, half_##name, sources, true);                                                      \
    }                                                                                                        \
    static const lanes_pair run_##name = {run_##name##_full, run_##name##_masked};
HALF(add, 2)
HALF(sub, 2)
HALF(mul, 2)
HALF(fma, 3)
HALF(min, 2)
HALF(max, 2)
HALF(ex2, 1)
HALF(tanh, 1)

// Signs are bits: x of a pair has two of them. All NaN become one.
LANES_INLINE uint32_t half_canonical(uint32_t x, uint32_t form) {
    return (x & 0x7fff) > (form & HALF_BF16 ? 0x7f80u : 0x7c00u) ? 0x7fff : x;
}
LANES_INLINE uint32_t half_flushed(uint32_t x) { return (x & 0x7c00) == 0 ? x & 0x8000 : x; }
LANES_INLINE uint32_t half_negated(uint32_t x, uint32_t form) { return half_canonical(x ^ 0x8000, form); }
LANES_INLINE uint32_t half_absolute(uint32_t x, uint32_t form) { return half_canonical(x & 0x7fff, form); }
LANES_INLINE uint32_t half_negated_ftz(uint32_t x, uint32_t form) {
    return half_negated(half_flushed(x), form);
}
LANES_INLINE uint32_t half_absolute_ftz(uint32_t x, uint32_t form) {
    return half_absolute(half_flushed(x), form);
}
#define HALF_SIGN(name, function)                                                                            \
    LANES_1(name##_half, uint16_t, uint16_t, function(x, form))                                              \
    LANES_1(name##_pair, uint32_t, uint32_t, function(x & 0xffff, form) | function(x >> 16, form) << 16)
HALF_SIGN(neg, half_negated)
HALF_SIGN(abs, half_absolute)
HALF_SIGN(neg_ftz, half_negated_ftz)
HALF_SIGN(abs_ftz, half_absolute_ftz)

// ---- selection ----------------------------------------------------------------------------------------

static const lanes_pair *pick_sign(const ptx_inst *inst, bool pairs, bool ftz) {
    if (inst->op == PTX_OP_NEG)
        return pairs ? (ftz ? &neg_ftz_pair : &neg_pair) : (ftz ? &neg_ftz_half : &neg_half);
    return pairs ? (ftz ? &abs_ftz_pair : &abs_pair) : (ftz ? &abs_ftz_half : &abs_half);
}

bool SIM_NAME(sim_select_half)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->type_count != 1) return false;
    ptx_type type = inst->types[0];
    bool bf16 = type == PTX_BF16 || type == PTX_BF16X2, pairs = type == PTX_F16X2 || type == PTX_BF16X2;
    if (type != PTX_F16 && !bf16 && !pairs) return false;
    bool ftz = LANES_FLAG(inst, FTZ) && !bf16;
    uint32_t form = (bf16 ? HALF_BF16 : 0) | (pairs ? HALF_PAIRS : 0) | (ftz ? HALF_FTZ : 0) |
                    (LANES_FLAG(inst, SAT) ? HALF_SAT : 0) | (LANES_FLAG(inst, RELU) ? HALF_RELU : 0) |
                    (LANES_FLAG(inst, PROPAGATE_NAN) ? HALF_NAN : 0) |
                    (LANES_FLAG(inst, XORSIGN) ? HALF_XORSIGN : 0) | (LANES_FLAG(inst, OOB) ? HALF_OOB : 0);
    const lanes_pair *pair = NULL;
    unsigned sources = 2;
    switch (inst->op) {
    case PTX_OP_ADD: pair = &run_add; break;
    case PTX_OP_SUB: pair = &run_sub; break;
    case PTX_OP_MUL: pair = &run_mul; break;
    case PTX_OP_MIN: pair = &run_min; break;
    case PTX_OP_MAX: pair = &run_max; break;
    case PTX_OP_FMA: pair = &run_fma, sources = 3; break;
    case PTX_OP_EX2: pair = &run_ex2, sources = 1; break;
    case PTX_OP_TANH: pair = &run_tanh, sources = 1; break;
    case PTX_OP_NEG:
    case PTX_OP_ABS: pair = pick_sign(inst, pairs, ftz), sources = 1; break;
    default: return false;
    }
    if ((inst->op == PTX_OP_MIN || inst->op == PTX_OP_MAX) && inst->operand_count > 3)
        form |= HALF_THREE, sources = 3;
    op->aux16 = (uint16_t)form;
    return lanes_bind(decoder, inst, op, pair, type, type, sources > 1 ? type : PTX_TYPE_NONE,
                      sources > 2 ? type : PTX_TYPE_NONE);
}
