// Bits: logic on integers and predicates, shifts, fields, counts, prmt, lop3.
//
// Shifts clamp: an amount at or past the width gives 0, or the sign. A predicate is one word of 32
// lanes, so its logic is one operation on the word; op->aux16 keeps which operands were negated.
#include "sim/exec.h"
#include "sim/lanes.h"

// ---- logic ----------------------------------------------------------------------------------------

#define LOGIC(name, expression)                                                                              \
    LANES_2(name##_16, uint16_t, uint16_t, uint16_t, expression)                                             \
    LANES_2(name##_32, uint32_t, uint32_t, uint32_t, expression)                                             \
    LANES_2(name##_64, uint64_t, uint64_t, uint64_t, expression)
LOGIC(and, x &y)
LOGIC(or, x | y)
LOGIC(xor, x ^ y)
LANES_1(not_16, uint16_t, uint16_t, ~x)
LANES_1(not_32, uint32_t, uint32_t, ~x)
LANES_1(not_64, uint64_t, uint64_t, ~x)
LANES_1(cnot_16, uint16_t, uint16_t, x == 0)
LANES_1(cnot_32, uint32_t, uint32_t, x == 0)
LANES_1(cnot_64, uint64_t, uint64_t, x == 0)

enum { NEGATE_A = 1, NEGATE_B = 2 };
#define PREDICATE(name, expression)                                                                          \
    LANES_INLINE uint32_t name##_of(sim_warp *warp, const sim_op *op) {                                      \
        uint32_t x = SIM_PRED(warp, op->a) ^ (op->aux16 & NEGATE_A ? SIM_ALL : 0);                           \
        LANES_UNUSED uint32_t y = SIM_PRED(warp, op->b) ^ (op->aux16 & NEGATE_B ? SIM_ALL : 0);              \
        return expression;                                                                                   \
    }                                                                                                        \
    static void name##_full(sim_warp *warp, const sim_op *op) {                                              \
        SIM_PRED(warp, op->d) = name##_of(warp, op);                                                         \
    }                                                                                                        \
    static void name##_masked(sim_warp *warp, const sim_op *op) {                                            \
        lanes_set_predicate(warp, op->d, name##_of(warp, op), true);                                         \
    }                                                                                                        \
    static const lanes_pair name = {name##_full, name##_masked};
PREDICATE(and_pred, x &y)
PREDICATE(or_pred, x | y)
PREDICATE(xor_pred, x ^ y)
PREDICATE(not_pred, ~x)

// ---- shifts: `y` is a 32-bit amount whatever the width ----------------------------------------------

LANES_2(shl_16, uint16_t, uint16_t, uint32_t, y > 15 ? 0 : (uint32_t)x << (y & 15))
LANES_2(shl_32, uint32_t, uint32_t, uint32_t, y > 31 ? 0 : x << (y & 31))
LANES_2(shl_64, uint64_t, uint64_t, uint32_t, y > 63 ? 0 : x << (y & 63))
LANES_2(shr_u16, uint16_t, uint16_t, uint32_t, y > 15 ? 0 : (uint32_t)x >> (y & 15))
LANES_2(shr_u32, uint32_t, uint32_t, uint32_t, y > 31 ? 0 : x >> (y & 31))
LANES_2(shr_u64, uint64_t, uint64_t, uint32_t, y > 63 ? 0 : x >> (y & 63))
LANES_2(shr_s16, int16_t, int16_t, uint32_t, x >> (y > 15 ? 15 : y))
LANES_2(shr_s32, int32_t, int32_t, uint32_t, x >> (y > 31 ? 31 : y))
// AVX2 has no arithmetic shift of 64 bits by lanes: shift what the sign was taken out of, and put it back.
LANES_INLINE uint64_t shr_signed_64(int64_t x, uint32_t y) {
    uint64_t sign = x < 0 ? UINT64_MAX : 0;
    return (((uint64_t)x ^ sign) >> (y > 63 ? 63 : y)) ^ sign;
}
LANES_2(shr_s64, uint64_t, int64_t, uint32_t, shr_signed_64(x, y))

// The funnel holds x below y. Wrapping takes the amount modulo 32, clamping allows the whole 32.
LANES_INLINE uint32_t funnel_left(uint32_t x, uint32_t y, uint32_t amount) {
    return (uint32_t)((((uint64_t)y << 32 | x) << amount) >> 32);
}
LANES_INLINE uint32_t funnel_right(uint32_t x, uint32_t y, uint32_t amount) {
    return (uint32_t)(((uint64_t)y << 32 | x) >> amount);
}
LANES_3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(x, y, z & 31))
LANES_3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(x, y, z & 31))
LANES_3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(x, y, z > 32 ? 32 : z))
LANES_3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(x, y, z > 32 ? 32 : z))

// ---- counts -----------------------------------------------------------------------------------------

LANES_1(popc_32, uint32_t, uint32_t, __builtin_popcount(x))
LANES_1(popc_64, uint32_t, uint64_t, __builtin_popcountll(x))
LANES_INLINE uint32_t leading_zeros_32(uint32_t x) { return x == 0 ? 32 : (uint32_t)__builtin_clz(x); }
LANES_INLINE uint32_t leading_zeros_64(uint64_t x) { return x == 0 ? 64 : (uint32_t)__builtin_clzll(x); }
LANES_1(clz_32, uint32_t, uint32_t, leading_zeros_32(x))
LANES_1(clz_64, uint32_t, uint64_t, leading_zeros_64(x))

// bfind: the index of the highest bit that is not the sign (form: as an amount to shift left by); ~0 for
// none.
LANES_INLINE uint32_t found(uint32_t zeros, uint32_t bits, uint32_t form) {
    return zeros == bits ? UINT32_MAX : form ? zeros : bits - 1 - zeros;
}
LANES_1(bfind_u32, uint32_t, uint32_t, found(leading_zeros_32(x), 32, form))
LANES_1(bfind_s32, uint32_t, int32_t, found(leading_zeros_32((uint32_t)(x < 0 ? ~x : x)), 32, form))
LANES_1(bfind_u64, uint32_t, uint64_t, found(leading_zeros_64(x), 64, form))
LANES_1(bfind_s64, uint32_t, int64_t, found(leading_zeros_64((uint64_t)(x < 0 ? ~x : x)), 64, form))

LANES_INLINE uint32_t reversed_32(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
LANES_1(brev_32, uint32_t, uint32_t, reversed_32(x))
LANES_1(brev_64, uint64_t, uint64_t,
        (uint64_t)reversed_32((uint32_t)x) << 32 | reversed_32((uint32_t)(x >> 32)))

// fns: the |offset|-th set bit of the mask, counted from `base` upwards (offset > 0) or downwards.
static uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return UINT32_MAX;
    if (offset == 0) return LANES_BIT(mask, base) ? base : UINT32_MAX;
    int step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? offset : -(int64_t)offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (LANES_BIT(mask, at) && --left == 0) return (uint32_t)at;
    return UINT32_MAX;
}
LANES_3(fns, uint32_t, uint32_t, uint32_t, int32_t, nth_set(x, y, z))

// ---- fields: y is the position, z the length -----------------------------------------------------------

// What lies past the top of the register is the sign (signed) or 0. Free of branches: code that unpacks
// indices is full of these. Of 32 bits, position and length are the low bytes (`low` is the mask); of 64
// bits, which the hardware does in steps, the whole words.
#define FIELDS(bits, U, low)                                                                                 \
    LANES_INLINE U ones_##bits(uint32_t length) {                                                            \
        return length >= bits ? (U)-1 : ((U)1 << (length & (bits - 1))) - 1;                                 \
    }                                                                                                        \
    LANES_INLINE U shifted_##bits(U x, uint32_t at) { return at >= bits ? 0 : x >> (at & (bits - 1)); }      \
    LANES_INLINE U field_##bits(U x, uint32_t y, uint32_t z) {                                               \
        return shifted_##bits(x, y & low) & ones_##bits(z & low);                                            \
    }                                                                                                        \
    LANES_INLINE U signed_field_##bits(U x, uint32_t y, uint32_t z) {                                        \
        uint32_t at = y & low, length = z & low, room = at >= bits ? 0 : bits - at;                          \
        uint32_t last = length > room ? bits - 1 : at + length - 1;                                          \
        U sign = x >> (last & (bits - 1)) & 1 ? (U)-1 : 0,                                                   \
          mask = ones_##bits(length < room ? length : room);                                                 \
        U value = (shifted_##bits(x, at) & mask) | (sign & ~mask);                                           \
        return length == 0 ? 0 : value;                                                                      \
    }                                                                                                        \
    LANES_INLINE U inserted_##bits(U x, U y, uint32_t position, uint32_t size) {                             \
        uint32_t at = position & low;                                                                        \
        U mask = at >= bits ? 0 : ones_##bits(size & low) << (at & (bits - 1));                              \
        return (y & ~mask) | (x << (at & (bits - 1)) & mask);                                                \
    }                                                                                                        \
    LANES_3(bfe_u##bits, U, U, uint32_t, uint32_t, field_##bits(x, y, z))                                    \
    LANES_3(bfe_s##bits, U, U, uint32_t, uint32_t, signed_field_##bits(x, y, z))                             \
    /* bfi has four sources: op->aux is the slot of the length. */                                           \
    LANES_PAIR(bfi_##bits, U, const U *a = SIM_REG(const U, warp, op->a);                                    \
               const U *b = SIM_REG(const U, warp, op->b);                                                   \
               const uint32_t *c = SIM_REG(const uint32_t, warp, op->c);                                     \
               const uint32_t *e = SIM_REG(const uint32_t, warp, op->aux);                                   \
               , inserted_##bits(a[i], b[i], c[i], e[i]))
FIELDS(32, uint32_t, 0xff)
FIELDS(64, uint64_t, UINT32_MAX)

// bmsk: `y` ones from bit `x` up. Clamping stops at 32, wrapping takes both modulo 32.
LANES_INLINE uint32_t mask_of(uint64_t at, uint64_t length) {
    uint64_t ones = length >= 32 ? UINT32_MAX : (UINT64_C(1) << length) - 1;
    return at >= 32 ? 0 : (uint32_t)(ones << at);
}
LANES_2(bmsk_clamp, uint32_t, uint32_t, uint32_t, mask_of(x, y))
LANES_2(bmsk_wrap, uint32_t, uint32_t, uint32_t, mask_of(x & 31, y & 31))

// szext: keeps the low `y` bits of x and extends them.
LANES_INLINE uint32_t extended(uint32_t x, uint32_t y, bool is_signed) {
    if (y == 0) return 0;
    if (y >= 32) return x;
    uint32_t mask = (1u << y) - 1;
    return is_signed && (x >> (y - 1) & 1) ? x | ~mask : x & mask;
}
LANES_2(szext_u_clamp, uint32_t, uint32_t, uint32_t, extended(x, y, false))
LANES_2(szext_s_clamp, uint32_t, uint32_t, uint32_t, extended(x, y, true))
LANES_2(szext_u_wrap, uint32_t, uint32_t, uint32_t, extended(x, y & 31, false))
LANES_2(szext_s_wrap, uint32_t, uint32_t, uint32_t, extended(x, y & 31, true))

// ---- prmt -------------------------------------------------------------------------------------------

// One byte of y:x by a nibble; bit 3 replicates its sign.
LANES_INLINE uint32_t chosen_byte(uint64_t pair, uint32_t nibble) {
    uint32_t byte = (uint32_t)(pair >> (8 * (nibble & 7))) & 0xff;
    return nibble & 8 ? (byte >> 7) * 0xffu : byte;
}
LANES_INLINE uint32_t permuted(uint32_t x, uint32_t y, uint32_t selector) {
    uint64_t pair = (uint64_t)y << 32 | x;
    return chosen_byte(pair, selector) | chosen_byte(pair, selector >> 4) << 8 |
           chosen_byte(pair, selector >> 8) << 16 | chosen_byte(pair, selector >> 12) << 24;
}
// The special modes are fixed selectors, one per value of the low two bits of z.
static const uint16_t permute_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e: forward four
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e: backward four
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8: replicate a byte
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl: clamp from the left
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr: clamp from the right
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16: replicate a half
};
LANES_3(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permuted(x, y, z))
LANES_3(prmt_mode, uint32_t, uint32_t, uint32_t, uint32_t, permuted(x, y, permute_modes[form][z & 3]))

// ---- lop3: any function of three bits, its truth table in op->aux8 ------------------------------------

LANES_INLINE uint32_t chosen(uint32_t select, uint32_t one, uint32_t zero) {
    return zero ^ ((zero ^ one) & select);
}
LANES_INLINE uint32_t looked_up(uint32_t x, uint32_t y, uint32_t z, uint32_t table) {
#define ROW(n) (0u - (table >> (n)&1u))
    uint32_t low = chosen(y, chosen(z, ROW(3), ROW(2)), chosen(z, ROW(1), ROW(0)));
    uint32_t high = chosen(y, chosen(z, ROW(7), ROW(6)), chosen(z, ROW(5), ROW(4)));
#undef ROW
    return chosen(x, high, low);
}
LANES_3(lop3, uint32_t, uint32_t, uint32_t, uint32_t, looked_up(x, y, z, form))

// lop3.and/.or: also p = (d != 0) op q. op->aux: the slots of p (low half) and q (high half).
enum { LOP3_OR = 0x100, LOP3_NEGATED = 0x200 };
LANES_INLINE void lop3_test(sim_warp *warp, const sim_op *op, bool masked) {
    const uint32_t *a = SIM_REG(const uint32_t, warp, op->a), *b = SIM_REG(const uint32_t, warp, op->b);
    const uint32_t *c = SIM_REG(const uint32_t, warp, op->c), *on = warp->lanes;
    uint32_t *d = SIM_REG(uint32_t, warp, op->d);
    uint32_t form = op->aux16, q = SIM_PRED(warp, op->aux >> 32) ^ (form & LOP3_NEGATED ? SIM_ALL : 0);
    uint32_t test[SIM_LANES] __attribute__((aligned(64)));
    LANES_EACH {
        uint32_t result = looked_up(a[i], b[i], c[i], form & 0xff);
        test[i] = result != 0 ? SIM_ALL : 0;
        d[i] = !masked || on[i] ? result : d[i];
    }
    uint32_t bits = lanes_gather(test);
    lanes_set_predicate(warp, (uint32_t)op->aux, form & LOP3_OR ? bits | q : bits & q, masked);
}
static void lop3_test_full(sim_warp *warp, const sim_op *op) { lop3_test(warp, op, false); }
static void lop3_test_masked(sim_warp *warp, const sim_op *op) { lop3_test(warp, op, true); }
static const lanes_pair lop3_tested = {lop3_test_full, lop3_test_masked};

// ---- selection ----------------------------------------------------------------------------------------

#define BY_BITS(name) lanes_by_bits(bits, &name##_16, &name##_32, &name##_64)

static bool select_predicate(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    const lanes_pair *pair = inst->op == PTX_OP_AND   ? &and_pred
                             : inst->op == PTX_OP_OR  ? &or_pred
                             : inst->op == PTX_OP_XOR ? &xor_pred
                             : inst->op == PTX_OP_NOT ? &not_pred
                                                      : NULL;
    if (!lanes_bind(decoder, inst, op, pair, PTX_PRED, PTX_PRED,
                    inst->op == PTX_OP_NOT ? PTX_TYPE_NONE : PTX_PRED, PTX_TYPE_NONE))
        return false;
    if (inst->op == PTX_OP_NOT) op->b = op->a;
    op->aux16 = inst->operands[1].negated ? NEGATE_A : 0;
    if (inst->op != PTX_OP_NOT && inst->operands[2].negated) op->aux16 |= NEGATE_B;
    return true;
}

static bool select_logic(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    if (type == PTX_PRED) return select_predicate(decoder, inst, op);
    switch (inst->op) {
    case PTX_OP_AND: return lanes_bind(decoder, inst, op, BY_BITS(and), type, type, type, PTX_TYPE_NONE);
    case PTX_OP_OR: return lanes_bind(decoder, inst, op, BY_BITS(or), type, type, type, PTX_TYPE_NONE);
    case PTX_OP_XOR: return lanes_bind(decoder, inst, op, BY_BITS(xor), type, type, type, PTX_TYPE_NONE);
    case PTX_OP_NOT:
        return lanes_bind(decoder, inst, op, BY_BITS(not ), type, type, PTX_TYPE_NONE, PTX_TYPE_NONE);
    default: return lanes_bind(decoder, inst, op, BY_BITS(cnot), type, type, PTX_TYPE_NONE, PTX_TYPE_NONE);
    }
}

static bool select_shift(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    const lanes_pair *pair = inst->op == PTX_OP_SHL ? BY_BITS(shl)
                             : ptx_type_class(type) == 's'
                                 ? lanes_by_bits(bits, &shr_s16, &shr_s32, &shr_s64)
                                 : lanes_by_bits(bits, &shr_u16, &shr_u32, &shr_u64);
    return lanes_bind(decoder, inst, op, pair, type, type, PTX_U32, PTX_TYPE_NONE);
}

static bool select_funnel(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    bool left = lanes_has(inst, PTX_MOD_L), wrap = lanes_has(inst, PTX_MOD_WRAP);
    const lanes_pair *pair = left ? (wrap ? &shf_l_wrap : &shf_l_clamp) : (wrap ? &shf_r_wrap : &shf_r_clamp);
    return lanes_bind(decoder, inst, op, pair, PTX_B32, PTX_B32, PTX_B32, PTX_U32);
}

static bool select_count(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool is64 = ptx_type_bits(type) == 64, is_signed = ptx_type_class(type) == 's';
    const lanes_pair *pair = inst->op == PTX_OP_POPC  ? (is64 ? &popc_64 : &popc_32)
                             : inst->op == PTX_OP_CLZ ? (is64 ? &clz_64 : &clz_32)
                             : is_signed              ? (is64 ? &bfind_s64 : &bfind_s32)
                                                      : (is64 ? &bfind_u64 : &bfind_u32);
    op->aux16 = lanes_has(inst, PTX_MOD_SHIFTAMT);
    return lanes_bind(decoder, inst, op, pair, PTX_U32, type, PTX_TYPE_NONE, PTX_TYPE_NONE);
}

static bool select_field(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool is64 = ptx_type_bits(type) == 64, is_signed = ptx_type_class(type) == 's';
    if (inst->op == PTX_OP_BFE) {
        const lanes_pair *pair = is_signed ? (is64 ? &bfe_s64 : &bfe_s32) : (is64 ? &bfe_u64 : &bfe_u32);
        return lanes_bind(decoder, inst, op, pair, type, type, PTX_U32, PTX_U32);
    }
    if (inst->operand_count < 5) return false;
    op->aux = sim_source(decoder, &inst->operands[4], PTX_U32);
    return lanes_bind(decoder, inst, op, is64 ? &bfi_64 : &bfi_32, type, type, type, PTX_U32);
}

static bool select_prmt(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    static const ptx_mod modes[] = {PTX_MOD_F4E, PTX_MOD_B4E, PTX_MOD_RC8,
                                    PTX_MOD_ECL, PTX_MOD_ECR, PTX_MOD_RC16};
    const lanes_pair *pair = &prmt;
    for (unsigned mode = 0; mode < BASE_COUNT(modes); mode++) {
        if (!lanes_has(inst, modes[mode])) continue;
        op->aux16 = (uint16_t)mode;
        pair = &prmt_mode;
    }
    return lanes_bind(decoder, inst, op, pair, PTX_B32, PTX_B32, PTX_B32, PTX_B32);
}

static bool select_lop3(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    ptx_mod combine = inst->by_category[PTX_CAT_BOOL];
    if (inst->operand_count < (combine == PTX_MOD_NONE ? 5u : 6u)) return false;
    op->aux16 = (uint16_t)(inst->operands[4].value & 0xff);
    if (combine == PTX_MOD_NONE)
        return lanes_bind(decoder, inst, op, &lop3, PTX_B32, PTX_B32, PTX_B32, PTX_B32);
    ptx_operand p = {.kind = PTX_OPERAND_REG, .reg = inst->operands[0].second, .second = -1};
    if (p.reg < 0) p.kind = PTX_OPERAND_SINK;
    uint64_t q = sim_source(decoder, &inst->operands[5], PTX_PRED);
    op->aux = q << 32 | sim_destination(decoder, &p, PTX_PRED);
    if (combine == PTX_MOD_OR) op->aux16 |= LOP3_OR;
    if (inst->operands[5].negated) op->aux16 |= LOP3_NEGATED;
    return lanes_bind(decoder, inst, op, &lop3_tested, PTX_B32, PTX_B32, PTX_B32, PTX_B32);
}

bool SIM_NAME(sim_select_bits)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    ptx_type type = inst->types[0];
    bool wrap = lanes_has(inst, PTX_MOD_WRAP), is_signed = ptx_type_class(type) == 's';
    if (inst->type_count == 0) return false;
    switch (inst->op) {
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_CNOT: return select_logic(decoder, inst, op, type);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return select_shift(decoder, inst, op, type);
    case PTX_OP_SHF: return select_funnel(decoder, inst, op);
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BFIND: return select_count(decoder, inst, op, type);
    case PTX_OP_BREV:
        return lanes_bind(decoder, inst, op, type == PTX_B64 ? &brev_64 : &brev_32, type, type, PTX_TYPE_NONE,
                          PTX_TYPE_NONE);
    case PTX_OP_FNS: return lanes_bind(decoder, inst, op, &fns, PTX_B32, PTX_B32, PTX_U32, PTX_S32);
    case PTX_OP_BFE:
    case PTX_OP_BFI: return select_field(decoder, inst, op, type);
    case PTX_OP_BMSK:
        return lanes_bind(decoder, inst, op, wrap ? &bmsk_wrap : &bmsk_clamp, PTX_B32, PTX_U32, PTX_U32,
                          PTX_TYPE_NONE);
    case PTX_OP_SZEXT: {
        const lanes_pair *signed_pair = wrap ? &szext_s_wrap : &szext_s_clamp;
        const lanes_pair *unsigned_pair = wrap ? &szext_u_wrap : &szext_u_clamp;
        return lanes_bind(decoder, inst, op, is_signed ? signed_pair : unsigned_pair, type, type, PTX_U32,
                          PTX_TYPE_NONE);
    }
    case PTX_OP_PRMT: return select_prmt(decoder, inst, op);
    case PTX_OP_LOP3: return select_lop3(decoder, inst, op);
    default: return false;
    }
}
