// Integer arithmetic: add sub mul mad mul24 mad24 sad div rem abs neg min max, the saturating, packed
// and carrying forms.
//
// Division by zero gives what NVIDIA's code sequences give: all ones, for quotients and remainders.
#include "sim/exec.h"
#include "sim/lanes.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

// ---- the same for signed and unsigned -------------------------------------------------------------

#define MODULAR(name, expression)                                                                            \
    LANES_2(name##_16, uint16_t, uint16_t, uint16_t, expression)                                             \
    LANES_2(name##_32, uint32_t, uint32_t, uint32_t, expression)                                             \
    LANES_2(name##_64, uint64_t, uint64_t, uint64_t, expression)

MODULAR(add, x + y)
MODULAR(sub, x - y)
LANES_2(mul_16, uint16_t, uint16_t, uint16_t, (uint32_t)x *y)
LANES_2(mul_32, uint32_t, uint32_t, uint32_t, x *y)
LANES_2(mul_64, uint64_t, uint64_t, uint64_t, x *y)
LANES_3(mad_16, uint16_t, uint16_t, uint16_t, uint16_t, (uint32_t)x *y + z)
LANES_3(mad_32, uint32_t, uint32_t, uint32_t, uint32_t, x *y + z)
LANES_3(mad_64, uint64_t, uint64_t, uint64_t, uint64_t, x *y + z)

LANES_INLINE uint32_t pack16(uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; }
LANES_2(add_16x2, uint32_t, uint32_t, uint32_t, pack16(x + y, (x >> 16) + (y >> 16)))
LANES_2(sub_16x2, uint32_t, uint32_t, uint32_t, pack16(x - y, (x >> 16) - (y >> 16)))

// ---- products: high halves and full width ---------------------------------------------------------

#define PRODUCTS(letter, T16, T32, T64, W128)                                                                \
    LANES_2(wide_##letter##16, T32, T16, T16, (T32)x *y)                                                     \
    LANES_2(wide_##letter##32, T64, T32, T32, (T64)x *y)                                                     \
    LANES_3(mad_wide_##letter##16, T32, T16, T16, T32, (uint32_t)((T32)x * y) + (uint32_t)z)                 \
    LANES_3(mad_wide_##letter##32, T64, T32, T32, T64, (uint64_t)((T64)x * y) + (uint64_t)z)                 \
    LANES_2(high_##letter##16, T16, T16, T16, ((T32)x * y) >> 16)                                            \
    LANES_2(high_##letter##32, T32, T32, T32, ((T64)x * y) >> 32)                                            \
    LANES_2(high_##letter##64, T64, T64, T64, ((W128)x * y) >> 64)                                           \
    LANES_3(mad_high_##letter##16, T16, T16, T16, T16, (((T32)x * y) >> 16) + z)                             \
    LANES_3(mad_high_##letter##32, T32, T32, T32, T32, (uint32_t)(((T64)x * y) >> 32) + (uint32_t)z)         \
    LANES_3(mad_high_##letter##64, T64, T64, T64, T64, (uint64_t)(((W128)x * y) >> 64) + (uint64_t)z)

PRODUCTS(u, uint16_t, uint32_t, uint64_t, u128)
PRODUCTS(s, int16_t, int32_t, int64_t, s128)

// ---- saturation -----------------------------------------------------------------------------------

LANES_INLINE int32_t clamp_s32(int64_t value) {
    return (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}
LANES_2(add_sat, int32_t, int32_t, int32_t, clamp_s32((int64_t)x + y))
LANES_2(sub_sat, int32_t, int32_t, int32_t, clamp_s32((int64_t)x - y))
LANES_3(mad_high_sat, int32_t, int32_t, int32_t, int32_t, clamp_s32((((int64_t)x * y) >> 32) + z))

// ---- 24-bit products ------------------------------------------------------------------------------

LANES_INLINE int64_t low24(int32_t x) { return (int32_t)((uint32_t)x << 8) >> 8; }
LANES_2(mul24_lo_u, uint32_t, uint32_t, uint32_t, (uint64_t)(x & 0xffffff) * (y & 0xffffff))
LANES_2(mul24_hi_u, uint32_t, uint32_t, uint32_t, ((uint64_t)(x & 0xffffff) * (y & 0xffffff)) >> 16)
LANES_2(mul24_lo_s, uint32_t, int32_t, int32_t, low24(x) * low24(y))
LANES_2(mul24_hi_s, uint32_t, int32_t, int32_t, (low24(x) * low24(y)) >> 16)
LANES_3(mad24_lo_u, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)(x & 0xffffff) * (y & 0xffffff) + z)
LANES_3(mad24_hi_u, uint32_t, uint32_t, uint32_t, uint32_t,
        (((uint64_t)(x & 0xffffff) * (y & 0xffffff)) >> 16) + z)
LANES_3(mad24_lo_s, uint32_t, int32_t, int32_t, int32_t, low24(x) * low24(y) + z)
LANES_3(mad24_hi_s, uint32_t, int32_t, int32_t, int32_t, ((low24(x) * low24(y)) >> 16) + z)
LANES_3(mad24_hi_sat, int32_t, int32_t, int32_t, int32_t, clamp_s32(((low24(x) * low24(y)) >> 16) + z))

// ---- division: never faults, whatever a lane that is off holds ------------------------------------

// Exact in double: a quotient that is no integer is further from one than the division's error.
#ifdef __AVX2__
LANES_INLINE double real_u32(uint32_t x) { return (double)(int32_t)(x ^ 0x80000000u) + 2147483648.0; }
LANES_INLINE uint32_t div_u32_of(uint32_t x, uint32_t y) {
    double quotient = __builtin_floor(real_u32(x) / real_u32(y == 0 ? 1 : y));
    return y == 0 ? UINT32_MAX : (uint32_t)(int32_t)(quotient - 2147483648.0) ^ 0x80000000u;
}
// |INT32_MIN / -1| alone is out of range.
LANES_INLINE int32_t div_s32_of(int32_t x, int32_t y) {
    int32_t safe = y == 0 || (y == -1 && x == INT32_MIN) ? 1 : y;
    int32_t quotient = (int32_t)((double)x / (double)safe);
    return y == 0 ? -1 : quotient;
}
#else
LANES_INLINE uint32_t div_u32_of(uint32_t x, uint32_t y) { return y == 0 ? UINT32_MAX : x / y; }
LANES_INLINE int32_t div_s32_of(int32_t x, int32_t y) {
    return y == 0 ? -1 : y == -1 ? (int32_t)(0u - (uint32_t)x) : x / y;
}
#endif
LANES_INLINE uint64_t div_u64_of(uint64_t x, uint64_t y) { return y == 0 ? UINT64_MAX : x / y; }
LANES_INLINE int64_t div_s64_of(int64_t x, int64_t y) {
    return y == 0 ? -1 : y == -1 ? (int64_t)(0u - (uint64_t)x) : x / y;
}
LANES_2(div_u16, uint16_t, uint16_t, uint16_t, div_s32_of(x, y))
LANES_2(div_s16, int16_t, int16_t, int16_t, div_s32_of(x, y))
LANES_2(div_u32, uint32_t, uint32_t, uint32_t, div_u32_of(x, y))
LANES_2(div_s32, int32_t, int32_t, int32_t, div_s32_of(x, y))
LANES_2(div_u64, uint64_t, uint64_t, uint64_t, div_u64_of(x, y))
LANES_2(div_s64, int64_t, int64_t, int64_t, div_s64_of(x, y))
LANES_2(rem_u16, uint16_t, uint16_t, uint16_t,
        y == 0 ? UINT16_MAX : (uint32_t)x - (uint32_t)div_s32_of(x, y) * y)
LANES_2(rem_s16, int16_t, int16_t, int16_t, y == 0 ? -1 : x - div_s32_of(x, y) * y)
LANES_2(rem_u32, uint32_t, uint32_t, uint32_t, y == 0 ? UINT32_MAX : x - div_u32_of(x, y) * y)
LANES_2(rem_s32, uint32_t, int32_t, int32_t,
        y == 0 ? UINT32_MAX : (uint32_t)x - (uint32_t)div_s32_of(x, y) * (uint32_t)y)
LANES_2(rem_u64, uint64_t, uint64_t, uint64_t, y == 0 ? UINT64_MAX : x - div_u64_of(x, y) * y)
LANES_2(rem_s64, uint64_t, int64_t, int64_t,
        y == 0 ? UINT64_MAX : (uint64_t)x - (uint64_t)div_s64_of(x, y) * (uint64_t)y)

// ---- order, magnitude -----------------------------------------------------------------------------

#define ORDERED(letter, bits, T, U)                                                                          \
    LANES_2(min_##letter##bits, T, T, T, x < y ? x : y)                                                      \
    LANES_2(max_##letter##bits, T, T, T, x > y ? x : y)                                                      \
    LANES_3(sad_##letter##bits, U, T, T, U, (U)z + (x < y ? (U)((U)y - (U)x) : (U)((U)x - (U)y)))
ORDERED(u, 16, uint16_t, uint16_t)
ORDERED(s, 16, int16_t, uint16_t)
ORDERED(u, 32, uint32_t, uint32_t)
ORDERED(s, 32, int32_t, uint32_t)
ORDERED(u, 64, uint64_t, uint64_t)
ORDERED(s, 64, int64_t, uint64_t)

LANES_1(neg_16, uint16_t, uint16_t, 0u - x)
LANES_1(neg_32, uint32_t, uint32_t, 0u - x)
LANES_1(neg_64, uint64_t, uint64_t, UINT64_C(0) - x)
LANES_1(abs_16, uint16_t, int16_t, x < 0 ? 0u - (uint32_t)x : (uint32_t)x)
LANES_1(abs_32, uint32_t, int32_t, x < 0 ? 0u - (uint32_t)x : (uint32_t)x)
LANES_1(abs_64, uint64_t, int64_t, x < 0 ? UINT64_C(0) - (uint64_t)x : (uint64_t)x)

// The packed ones, and .relu (a negative answer becomes 0), which signed types alone have.
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y)  ((x) > (y) ? (x) : (y))
#define PAIRWISE(choose, T, x, y)                                                                            \
    pack16((uint32_t)choose((T)(x), (T)(y)), (uint32_t)choose((T)((x) >> 16), (T)((y) >> 16)))
LANES_INLINE uint32_t relu_pair(uint32_t x) { return PAIRWISE(MOST, int16_t, x, 0u); }
LANES_2(min_u16x2, uint32_t, uint32_t, uint32_t, PAIRWISE(LEAST, uint16_t, x, y))
LANES_2(max_u16x2, uint32_t, uint32_t, uint32_t, PAIRWISE(MOST, uint16_t, x, y))
LANES_2(min_s16x2, uint32_t, uint32_t, uint32_t, PAIRWISE(LEAST, int16_t, x, y))
LANES_2(max_s16x2, uint32_t, uint32_t, uint32_t, PAIRWISE(MOST, int16_t, x, y))
LANES_2(min_s16x2_relu, uint32_t, uint32_t, uint32_t, relu_pair(PAIRWISE(LEAST, int16_t, x, y)))
LANES_2(max_s16x2_relu, uint32_t, uint32_t, uint32_t, relu_pair(PAIRWISE(MOST, int16_t, x, y)))
LANES_2(min_s32_relu, int32_t, int32_t, int32_t, MOST(LEAST(x, y), 0))
LANES_2(max_s32_relu, int32_t, int32_t, int32_t, MOST(MOST(x, y), 0))

// ---- carries --------------------------------------------------------------------------------------

// op->aux is the frame offset of the carries, one bit per lane. The flag is the carry of an adder, and a - b
// is a + ~b + 1: after a subtraction it is set where nothing was borrowed. Code that adds the flag after a
// subtraction sees the difference, and nvcc's division of 128-bit integers does that.
enum { CARRY_IN = 1, CARRY_OUT = 2, CARRY_SUBTRACT = 4 };

#define CARRYING(name, T, product)                                                                           \
    LANES_INLINE void name##_any(sim_warp *warp, const sim_op *op, bool masked) {                            \
        uint32_t form = op->aux16, *flags = &SIM_PRED(warp, op->aux);                                        \
        uint32_t in = form & CARRY_IN ? *flags : form & CARRY_SUBTRACT ? SIM_ALL : 0;                        \
        const T flip = form & CARRY_SUBTRACT ? (T) ~(T)0 : 0;                                                \
        T *d = SIM_REG(T, warp, op->d);                                                                      \
        LANES_UNUSED const T *a = SIM_REG(const T, warp, op->a), *b = SIM_REG(const T, warp, op->b);         \
        const T *addend = op->c == UINT32_MAX ? b : SIM_REG(const T, warp, op->c);                           \
        const uint32_t *on = warp->lanes;                                                                    \
        uint32_t out[SIM_LANES] __attribute__((aligned(64)));                                                \
        LANES_EACH {                                                                                         \
            const T x = (T)(product), partial = x + (addend[i] ^ flip), sum = partial + LANES_BIT(in, i);    \
            out[i] = partial < x || sum < partial ? SIM_ALL : 0;                                             \
            d[i] = !masked || on[i] ? sum : d[i];                                                            \
        }                                                                                                    \
        if (form & CARRY_OUT) lanes_set_predicate(warp, (uint32_t)op->aux, lanes_gather(out), masked);       \
    }                                                                                                        \
    static void name##_full(sim_warp *warp, const sim_op *op) { name##_any(warp, op, false); }               \
    static void name##_masked(sim_warp *warp, const sim_op *op) { name##_any(warp, op, true); }              \
    static const lanes_pair name = {name##_full, name##_masked};
CARRYING(carry_add_32, uint32_t, a[i])
CARRYING(carry_add_64, uint64_t, a[i])
CARRYING(carry_low_32, uint32_t, a[i] * b[i])
CARRYING(carry_low_64, uint64_t, a[i] * b[i])
CARRYING(carry_high_u32, uint32_t, (uint64_t)a[i] * b[i] >> 32)
CARRYING(carry_high_s32, uint32_t, (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]) >> 32)
CARRYING(carry_high_u64, uint64_t, (u128)a[i] * b[i] >> 64)
CARRYING(carry_high_s64, uint64_t, (u128)((s128)(int64_t)a[i] * (int64_t)b[i]) >> 64)

// ---- selection ------------------------------------------------------------------------------------

#define BY_TYPE(name)                                                                                        \
    (is_signed ? lanes_by_bits(bits, &name##_s16, &name##_s32, &name##_s64)                                  \
               : lanes_by_bits(bits, &name##_u16, &name##_u32, &name##_u64))

static bool select_carrying(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool is_mad = inst->op == PTX_OP_MAD || inst->op == PTX_OP_MADC;
    bool is_signed = ptx_type_class(type) == 's';
    uint32_t form = LANES_FLAG(inst, CC) ? CARRY_OUT : 0;
    if (inst->op == PTX_OP_ADDC || inst->op == PTX_OP_SUBC || inst->op == PTX_OP_MADC) form |= CARRY_IN;
    if (inst->op == PTX_OP_SUB || inst->op == PTX_OP_SUBC) form |= CARRY_SUBTRACT;
    op->aux16 = (uint16_t)form;
    op->aux = sim_carry(decoder);
    op->c = UINT32_MAX;
    const lanes_pair *pair_32 = is_mad ? &carry_low_32 : &carry_add_32;
    const lanes_pair *pair_64 = is_mad ? &carry_low_64 : &carry_add_64;
    if (is_mad && inst->by_category[PTX_CAT_HALF] == PTX_MOD_HI) {
        pair_32 = is_signed ? &carry_high_s32 : &carry_high_u32;
        pair_64 = is_signed ? &carry_high_s64 : &carry_high_u64;
    }
    const lanes_pair *pair = lanes_by_bits(ptx_type_bits(type), NULL, pair_32, pair_64);
    return lanes_bind(decoder, inst, op, pair, type, type, type, is_mad ? type : PTX_TYPE_NONE);
}

static ptx_type widened(ptx_type type) {
    switch (type) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return PTX_TYPE_NONE;
    }
}

static bool select_product(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool is_signed = ptx_type_class(type) == 's', is_mad = inst->op == PTX_OP_MAD;
    unsigned bits = ptx_type_bits(type);
    ptx_type result = type;
    const lanes_pair *pair;
    if (inst->by_category[PTX_CAT_HALF] == PTX_MOD_WIDE) {
        result = widened(type);
        if (result == PTX_TYPE_NONE) return false;
        const lanes_pair *of16 = is_signed ? &wide_s16 : &wide_u16, *of32 = is_signed ? &wide_s32 : &wide_u32;
        if (is_mad) of16 = is_signed ? &mad_wide_s16 : &mad_wide_u16;
        if (is_mad) of32 = is_signed ? &mad_wide_s32 : &mad_wide_u32;
        pair = bits == 16 ? of16 : of32;
    } else if (inst->by_category[PTX_CAT_HALF] == PTX_MOD_HI) {
        pair = is_mad ? BY_TYPE(mad_high) : BY_TYPE(high);
        if (is_mad && LANES_FLAG(inst, SAT)) pair = type == PTX_S32 ? &mad_high_sat : NULL;
    } else {
        pair = is_mad ? lanes_by_bits(bits, &mad_16, &mad_32, &mad_64)
                      : lanes_by_bits(bits, &mul_16, &mul_32, &mul_64);
    }
    return lanes_bind(decoder, inst, op, pair, result, type, type, is_mad ? result : PTX_TYPE_NONE);
}

static bool select_24(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool high = inst->by_category[PTX_CAT_HALF] == PTX_MOD_HI, is_signed = type == PTX_S32;
    const lanes_pair *pair;
    if (inst->op == PTX_OP_MUL24) {
        pair = high ? (is_signed ? &mul24_hi_s : &mul24_hi_u) : (is_signed ? &mul24_lo_s : &mul24_lo_u);
        return lanes_bind(decoder, inst, op, pair, type, type, type, PTX_TYPE_NONE);
    }
    pair = high ? (is_signed ? &mad24_hi_s : &mad24_hi_u) : (is_signed ? &mad24_lo_s : &mad24_lo_u);
    if (high && LANES_FLAG(inst, SAT)) pair = &mad24_hi_sat;
    return lanes_bind(decoder, inst, op, pair, type, type, type, type);
}

static const lanes_pair *pick_packed(const ptx_inst *inst, ptx_type type) {
    bool is_signed = type == PTX_S16X2, relu = LANES_FLAG(inst, RELU);
    switch (inst->op) {
    case PTX_OP_ADD: return &add_16x2;
    case PTX_OP_SUB: return &sub_16x2;
    case PTX_OP_MIN: return !is_signed ? &min_u16x2 : relu ? &min_s16x2_relu : &min_s16x2;
    case PTX_OP_MAX: return !is_signed ? &max_u16x2 : relu ? &max_s16x2_relu : &max_s16x2;
    default: return NULL;
    }
}

static const lanes_pair *pick(const ptx_inst *inst, ptx_type type) {
    bool is_signed = ptx_type_class(type) == 's', sat = LANES_FLAG(inst, SAT);
    unsigned bits = ptx_type_bits(type);
    switch (inst->op) {
    case PTX_OP_ADD: return sat ? &add_sat : lanes_by_bits(bits, &add_16, &add_32, &add_64);
    case PTX_OP_SUB: return sat ? &sub_sat : lanes_by_bits(bits, &sub_16, &sub_32, &sub_64);
    case PTX_OP_DIV: return BY_TYPE(div);
    case PTX_OP_REM: return BY_TYPE(rem);
    case PTX_OP_MIN: return LANES_FLAG(inst, RELU) ? &min_s32_relu : BY_TYPE(min);
    case PTX_OP_MAX: return LANES_FLAG(inst, RELU) ? &max_s32_relu : BY_TYPE(max);
    default: return NULL;
    }
}

bool SIM_NAME(sim_select_integer)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    ptx_type type = inst->types[0];
    bool packed = type == PTX_U16X2 || type == PTX_S16X2;
    char class = ptx_type_class(type);
    if (inst->type_count == 0 || (!packed && class != 'u' && class != 's' && class != 'b')) return false;
    bool is_signed = class == 's';
    unsigned bits = ptx_type_bits(type);
    switch (inst->op) {
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
    case PTX_OP_MADC: return select_carrying(decoder, inst, op, type);
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        if (LANES_FLAG(inst, CC)) return select_carrying(decoder, inst, op, type);
        return select_product(decoder, inst, op, type);
    case PTX_OP_MUL24:
    case PTX_OP_MAD24: return select_24(decoder, inst, op, type);
    case PTX_OP_SAD: return lanes_bind(decoder, inst, op, BY_TYPE(sad), type, type, type, type);
    case PTX_OP_NEG:
        return lanes_bind(decoder, inst, op, lanes_by_bits(bits, &neg_16, &neg_32, &neg_64), type, type,
                          PTX_TYPE_NONE, PTX_TYPE_NONE);
    case PTX_OP_ABS:
        return lanes_bind(decoder, inst, op, lanes_by_bits(bits, &abs_16, &abs_32, &abs_64), type, type,
                          PTX_TYPE_NONE, PTX_TYPE_NONE);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_DIV:
    case PTX_OP_REM:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        if (LANES_FLAG(inst, CC)) return select_carrying(decoder, inst, op, type);
        return lanes_bind(decoder, inst, op, packed ? pick_packed(inst, type) : pick(inst, type), type, type,
                          type, PTX_TYPE_NONE);
    default: return false;
    }
}
