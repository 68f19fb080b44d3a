// Comparison and selection: setp set testp selp slct.
//
// A comparison makes one word, bit i for lane i. Integers need two functions per type, equal and
// less; floats five: equal, unequal, less, less or equal, both numbers. All other operators come from
// swapping the operands and negating the word (op->aux16), which for floats gives the unordered ones.
#include "sim/exec.h"
#include "sim/floats.h"

enum {
    NEGATED = 1,   // of the comparison
    NEGATED_C = 2, // of the predicate it is combined with
    COMBINE_AND = 4,
    COMBINE_OR = 8,
    COMBINE_XOR = 12,
    COMBINE = 12,
    FLUSH = 16,
};

typedef uint32_t compare_word(sim_warp *warp, const sim_op *op);

// The comparison, and the two plain setp made of it.
typedef struct comparison {
    compare_word *word;
    lanes_pair setp;
} comparison;

// The word as a function to call, and setp for all lanes and for some.
#define COMPARISON_PAIR(name)                                                                                \
    static uint32_t name##_word(sim_warp *warp, const sim_op *op) { return name##_inline(warp, op); }        \
    static void name##_full(sim_warp *warp, const sim_op *op) {                                              \
        SIM_PRED(warp, op->d) = name##_inline(warp, op);                                                     \
    }                                                                                                        \
    static void name##_masked(sim_warp *warp, const sim_op *op) {                                            \
        lanes_set_predicate(warp, op->d, name##_inline(warp, op), true);                                     \
    }                                                                                                        \
    static const comparison name = {name##_word, {name##_full, name##_masked}};

#define COMPARISON(name, T, expression)                                                                      \
    LANES_INLINE uint32_t name##_inline(sim_warp * warp, const sim_op *op) {                                 \
        const T *a = SIM_REG(const T, warp, op->a), *b = SIM_REG(const T, warp, op->b);                      \
        uint32_t lanes[SIM_LANES] __attribute__((aligned(64)));                                              \
        LANES_EACH {                                                                                         \
            const T x = a[i], y = b[i];                                                                      \
            lanes[i] = (expression) ? SIM_ALL : 0;                                                           \
        }                                                                                                    \
        return lanes_gather(lanes) ^ (0u - (op->aux16 & NEGATED));                                           \
    }                                                                                                        \
    COMPARISON_PAIR(name)

COMPARISON(eq_16, uint16_t, x == y)
COMPARISON(eq_32, uint32_t, x == y)
COMPARISON(eq_64, uint64_t, x == y)
COMPARISON(lt_u16, uint16_t, x < y)
COMPARISON(lt_s16, int16_t, x < y)
COMPARISON(lt_u32, uint32_t, x < y)
COMPARISON(lt_s32, int32_t, x < y)
COMPARISON(lt_u64, uint64_t, x < y)
COMPARISON(lt_s64, int64_t, x < y)

#define FLOAT_COMPARISONS(suffix, T, value)                                                                  \
    COMPARISON(eq_##suffix, T, value(x) == value(y))                                                         \
    COMPARISON(lt_##suffix, T, value(x) < value(y))                                                          \
    COMPARISON(le_##suffix, T, value(x) <= value(y))                                                         \
    COMPARISON(ne_##suffix, T, value(x) < value(y) || value(x) > value(y))                                   \
    COMPARISON(num_##suffix, T, value(x) == value(x) && value(y) == value(y))
#define AS_IT_IS(x) (x)
FLOAT_COMPARISONS(f32, float, AS_IT_IS)
FLOAT_COMPARISONS(f32_ftz, float, f32_flushed)
FLOAT_COMPARISONS(f64, double, AS_IT_IS)
FLOAT_COMPARISONS(bf16, uint16_t, f32_of_bf16)

// Halves are widened first. Pairs are compared as 64 halves: two words.
LANES_INLINE float half_value(uint16_t bits, bool is_bf16, bool flush) {
    if (is_bf16) return f32_of_bf16(bits);
    return f32_of_f16(flush && (bits & 0x7c00) == 0 ? bits & 0x8000 : bits);
}
#define F16_COMPARISON(name, expression)                                                                     \
    LANES_INLINE uint32_t name##_inline(sim_warp * warp, const sim_op *op) {                                 \
        float a[SIM_LANES] __attribute__((aligned(64))), b[SIM_LANES] __attribute__((aligned(64)));          \
        uint32_t lanes[SIM_LANES] __attribute__((aligned(64)));                                              \
        floats_of_f16(a, SIM_REG(const uint16_t, warp, op->a), SIM_LANES);                                   \
        floats_of_f16(b, SIM_REG(const uint16_t, warp, op->b), SIM_LANES);                                   \
        const float least = op->aux16 & FLUSH ? 0x1p-14f : 0.0f;                                             \
        LANES_EACH {                                                                                         \
            const float x = __builtin_fabsf(a[i]) < least ? 0.0f : a[i];                                     \
            const float y = __builtin_fabsf(b[i]) < least ? 0.0f : b[i];                                     \
            lanes[i] = (expression) ? SIM_ALL : 0;                                                           \
        }                                                                                                    \
        return lanes_gather(lanes) ^ (0u - (op->aux16 & NEGATED));                                           \
    }                                                                                                        \
    COMPARISON_PAIR(name)
F16_COMPARISON(eq_f16, x == y)
F16_COMPARISON(ne_f16, x<y || x> y)
F16_COMPARISON(lt_f16, x < y)
F16_COMPARISON(le_f16, x <= y)
F16_COMPARISON(num_f16, x == x && y == y)

// ---- setp in its full form: p|q, combined with a third predicate ----------------------------------------

LANES_INLINE uint32_t combined(uint32_t word, uint32_t with, uint32_t form) {
    switch (form & COMBINE) {
    case COMBINE_AND: return word & with;
    case COMBINE_OR: return word | with;
    case COMBINE_XOR: return word ^ with;
    default: return word;
    }
}

// op->c is the slot of the third predicate, op->offset that of q or -1, op->aux the comparison.
LANES_INLINE void setp_long(sim_warp *warp, const sim_op *op, bool masked) {
    uint32_t form = op->aux16;
    uint32_t word = ((const comparison *)(uintptr_t)op->aux)->word(warp, op);
    uint32_t with = form & COMBINE ? SIM_PRED(warp, op->c) ^ (form & NEGATED_C ? SIM_ALL : 0) : 0;
    lanes_set_predicate(warp, op->d, combined(word, with, form), masked);
    if (op->offset >= 0) lanes_set_predicate(warp, (uint32_t)op->offset, combined(~word, with, form), masked);
}
static void setp_long_full(sim_warp *warp, const sim_op *op) { setp_long(warp, op, false); }
static void setp_long_masked(sim_warp *warp, const sim_op *op) { setp_long(warp, op, true); }
static const lanes_pair setp_general = {setp_long_full, setp_long_masked};

// ---- pairs of halves ------------------------------------------------------------------------------------

// op->aux8: the operator, before swapping and negation.
enum { PAIR_EQ, PAIR_NE, PAIR_LT, PAIR_LE, PAIR_NUM, PAIR_KINDS, PAIR_OPERATOR = 7, PAIR_BF16 = 8 };

static uint32_t pair_word(sim_warp *warp, const sim_op *op, unsigned half) {
    const uint16_t *a = SIM_REG(const uint16_t, warp, op->a), *b = SIM_REG(const uint16_t, warp, op->b);
    bool is_bf16 = op->aux8 & PAIR_BF16, flush = op->aux16 & FLUSH;
    uint32_t word = 0;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        float x = half_value(a[2 * i + half], is_bf16, flush),
              y = half_value(b[2 * i + half], is_bf16, flush);
        unsigned kind = op->aux8 & PAIR_OPERATOR;
        bool holds = kind == PAIR_EQ   ? x == y
                     : kind == PAIR_NE ? x < y || x > y
                     : kind == PAIR_LT ? x < y
                     : kind == PAIR_LE ? x <= y
                                       : x == x && y == y;
        word |= (uint32_t)holds << i;
    }
    return word ^ (0u - (op->aux16 & NEGATED));
}

LANES_INLINE void setp_pair(sim_warp *warp, const sim_op *op, bool masked) {
    uint32_t form = op->aux16;
    uint32_t low = pair_word(warp, op, 0), high = pair_word(warp, op, 1);
    uint32_t with = form & COMBINE ? SIM_PRED(warp, op->c) ^ (form & NEGATED_C ? SIM_ALL : 0) : 0;
    lanes_set_predicate(warp, op->d, combined(low, with, form), masked);
    if (op->offset >= 0) lanes_set_predicate(warp, (uint32_t)op->offset, combined(high, with, form), masked);
}
static void setp_pair_full(sim_warp *warp, const sim_op *op) { setp_pair(warp, op, false); }
static void setp_pair_masked(sim_warp *warp, const sim_op *op) { setp_pair(warp, op, true); }
static const lanes_pair setp_halves = {setp_pair_full, setp_pair_masked};

// ---- set: the comparison as a number ----------------------------------------------------------------------

// op->offset: what a true lane is in the low half or the whole, and (bits 32 up) what it adds for the high
// half.
LANES_INLINE void set_lanes(sim_warp *warp, const sim_op *op, bool masked, unsigned bytes, bool paired) {
    uint32_t form = op->aux16, mask = masked ? warp->mask : SIM_ALL;
    uint32_t with = form & COMBINE ? SIM_PRED(warp, op->c) ^ (form & NEGATED_C ? SIM_ALL : 0) : 0;
    uint32_t low = paired ? pair_word(warp, op, 0) : ((const comparison *)(uintptr_t)op->aux)->word(warp, op);
    uint32_t high = paired ? combined(pair_word(warp, op, 1), with, form) : 0;
    low = combined(low, with, form);
    uint32_t one = (uint32_t)op->offset, high_one = (uint32_t)((uint64_t)op->offset >> 32);
    for (int i = 0; i < SIM_LANES; i++) {
        if (!LANES_BIT(mask, i)) continue;
        uint32_t value = (LANES_BIT(low, i) ? one : 0) | (LANES_BIT(high, i) ? high_one : 0);
        if (bytes == 2)
            SIM_REG(uint16_t, warp, op->d)[i] = (uint16_t)value;
        else
            SIM_REG(uint32_t, warp, op->d)[i] = value;
    }
}
#define SET(name, bytes, paired)                                                                             \
    static void name##_full(sim_warp *warp, const sim_op *op) { set_lanes(warp, op, false, bytes, paired); } \
    static void name##_masked(sim_warp *warp, const sim_op *op) {                                            \
        set_lanes(warp, op, true, bytes, paired);                                                            \
    }                                                                                                        \
    static const lanes_pair name = {name##_full, name##_masked};
SET(set_16, 2, false)
SET(set_32, 4, false)
SET(set_pair, 4, true)

// ---- testp ------------------------------------------------------------------------------------------

enum { TEST_FINITE, TEST_INFINITE, TEST_NUMBER, TEST_NOTANUMBER, TEST_NORMAL, TEST_SUBNORMAL };

LANES_INLINE bool passes(uint64_t magnitude, uint64_t infinity, uint64_t least_normal, unsigned test) {
    switch (test) {
    case TEST_FINITE: return magnitude < infinity;
    case TEST_INFINITE: return magnitude == infinity;
    case TEST_NUMBER: return magnitude <= infinity;
    case TEST_NOTANUMBER: return magnitude > infinity;
    case TEST_NORMAL:
        return magnitude == 0 || (magnitude >= least_normal && magnitude < infinity); // says PTX
    default: return magnitude != 0 && magnitude < least_normal;
    }
}
LANES_INLINE void test_lanes(sim_warp *warp, const sim_op *op, bool masked) {
    uint32_t word = 0;
    unsigned test = op->aux16;
    for (int i = 0; i < SIM_LANES; i++) {
        bool yes = op->aux8 ? passes(SIM_REG(const uint64_t, warp, op->a)[i] & INT64_MAX,
                                     UINT64_C(0x7ff) << 52, UINT64_C(1) << 52, test)
                            : passes(SIM_REG(const uint32_t, warp, op->a)[i] & INT32_MAX, 0x7f800000u,
                                     0x800000u, test);
        word |= (uint32_t)yes << i;
    }
    lanes_set_predicate(warp, op->d, word, masked);
}
static void testp_full(sim_warp *warp, const sim_op *op) { test_lanes(warp, op, false); }
static void testp_masked(sim_warp *warp, const sim_op *op) { test_lanes(warp, op, true); }
static const lanes_pair testp = {testp_full, testp_masked};

// ---- selection by a predicate or a sign -------------------------------------------------------------

// form: the predicate was negated.
#define SELP(name, T)                                                                                        \
    LANES_PAIR(                                                                                              \
        name, T, const T *a = SIM_REG(const T, warp, op->a); const T *b = SIM_REG(const T, warp, op->b);     \
        const uint32_t p = SIM_PRED(warp, op->c) ^ (form ? SIM_ALL : 0);, LANES_BIT(p, i) ? a[i] : b[i])
// Of 16 bits the vectoriser wants the predicate as lanes.
#define SELP_16_LANES                                                                                        \
    const uint16_t *a = SIM_REG(const uint16_t, warp, op->a), *b = SIM_REG(const uint16_t, warp, op->b);     \
    const uint32_t p = SIM_PRED(warp, op->c) ^ (form ? SIM_ALL : 0);                                         \
    uint32_t chosen[SIM_LANES] __attribute__((aligned(64)));                                                 \
    LANES_EACH { chosen[i] = LANES_BIT(p, i) ? SIM_ALL : 0; }
LANES_PAIR(selp_16, uint16_t, SELP_16_LANES, (a[i] & chosen[i]) | (b[i] & ~chosen[i]))
SELP(selp_32, uint32_t)
SELP(selp_64, uint64_t)

LANES_3(slct_s32_16, uint16_t, uint16_t, uint16_t, int32_t, z >= 0 ? x : y)
LANES_3(slct_s32_32, uint32_t, uint32_t, uint32_t, int32_t, z >= 0 ? x : y)
LANES_3(slct_s32_64, uint64_t, uint64_t, uint64_t, int32_t, z >= 0 ? x : y)
LANES_3(slct_f32_16, uint16_t, uint16_t, uint16_t, float, (form ? f32_flushed(z) : z) >= 0 ? x : y)
LANES_3(slct_f32_32, uint32_t, uint32_t, uint32_t, float, (form ? f32_flushed(z) : z) >= 0 ? x : y)
LANES_3(slct_f32_64, uint64_t, uint64_t, uint64_t, float, (form ? f32_flushed(z) : z) >= 0 ? x : y)

// ---- choosing ---------------------------------------------------------------------------------------

// What an operator is made of.
typedef struct recipe {
    unsigned kind; // PAIR_*
    bool swapped, negated, known;
} recipe;

static recipe recipe_of(ptx_mod compare, bool is_float) {
    recipe made = {.known = true};
    switch (compare) {
    case PTX_MOD_EQ: made.kind = PAIR_EQ; break;
    case PTX_MOD_LT:
    case PTX_MOD_LO: made.kind = PAIR_LT; break;
    case PTX_MOD_GT:
    case PTX_MOD_HI: made = (recipe){PAIR_LT, true, false, true}; break;
    case PTX_MOD_LE:
    case PTX_MOD_LS:
        made = is_float ? (recipe){PAIR_LE, false, false, true} : (recipe){PAIR_LT, true, true, true};
        break;
    case PTX_MOD_GE:
    case PTX_MOD_HS:
        made = is_float ? (recipe){PAIR_LE, true, false, true} : (recipe){PAIR_LT, false, true, true};
        break;
    case PTX_MOD_NE:
        made = is_float ? (recipe){PAIR_NE, false, false, true} : (recipe){PAIR_EQ, false, true, true};
        break;
    case PTX_MOD_EQU: made = (recipe){PAIR_NE, false, true, true}; break;
    case PTX_MOD_NUM: made.kind = PAIR_NUM; break;
    case PTX_MOD_NAN: made = (recipe){PAIR_NUM, false, true, true}; break;
    case PTX_MOD_NEU: made = (recipe){PAIR_EQ, false, true, true}; break;
    case PTX_MOD_LTU: made = (recipe){PAIR_LE, true, true, true}; break;
    case PTX_MOD_LEU: made = (recipe){PAIR_LT, true, true, true}; break;
    case PTX_MOD_GTU: made = (recipe){PAIR_LE, false, true, true}; break;
    case PTX_MOD_GEU: made = (recipe){PAIR_LT, false, true, true}; break;
    default: made.known = false;
    }
    return made;
}

static const comparison *comparison_of(ptx_type type, unsigned kind, bool flush) {
#define KINDS(suffix)                                                                                        \
    { &eq_##suffix, &ne_##suffix, &lt_##suffix, &le_##suffix, &num_##suffix }
    static const comparison *const floats[5][PAIR_KINDS] = {KINDS(f32), KINDS(f32_ftz), KINDS(f64),
                                                            KINDS(f16), KINDS(bf16)};
    bool equal = kind == PAIR_EQ;
    switch (type) {
    case PTX_F32: return floats[flush ? 1 : 0][kind];
    case PTX_F64: return floats[2][kind];
    case PTX_F16: return floats[3][kind];
    case PTX_BF16: return floats[4][kind];
    case PTX_B16:
    case PTX_U16: return equal ? &eq_16 : &lt_u16;
    case PTX_S16: return equal ? &eq_16 : &lt_s16;
    case PTX_B32:
    case PTX_U32: return equal ? &eq_32 : &lt_u32;
    case PTX_S32: return equal ? &eq_32 : &lt_s32;
    case PTX_B64:
    case PTX_U64: return equal ? &eq_64 : &lt_u64;
    case PTX_S64: return equal ? &eq_64 : &lt_s64;
    default: return NULL;
    }
}

// The sources of a comparison, in the order its recipe wants, and its form. False where `type` has no such
// operator.
static bool bind_comparison(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool paired = type == PTX_F16X2 || type == PTX_BF16X2;
    recipe made = recipe_of(inst->by_category[PTX_CAT_COMPARE], paired || ptx_type_class(type) == 'f');
    const comparison *found = paired ? NULL : comparison_of(type, made.kind, LANES_FLAG(inst, FTZ));
    ptx_mod combine = inst->by_category[PTX_CAT_BOOL];
    if (!made.known || (!paired && found == NULL) ||
        inst->operand_count < (combine == PTX_MOD_NONE ? 3u : 4u))
        return false;
    op->a = sim_source(decoder, &inst->operands[made.swapped ? 2 : 1], type);
    op->b = sim_source(decoder, &inst->operands[made.swapped ? 1 : 2], type);
    op->aux = (uint64_t)(uintptr_t)found;
    op->aux8 = (uint8_t)(made.kind | (type == PTX_BF16X2 ? PAIR_BF16 : 0));
    op->aux16 = made.negated ? NEGATED : 0;
    if (LANES_FLAG(inst, FTZ)) op->aux16 |= FLUSH;
    if (combine == PTX_MOD_NONE) return true;
    op->aux16 |= combine == PTX_MOD_AND ? COMBINE_AND : combine == PTX_MOD_OR ? COMBINE_OR : COMBINE_XOR;
    if (inst->operands[3].negated) op->aux16 |= NEGATED_C;
    op->c = sim_source(decoder, &inst->operands[3], PTX_PRED);
    return true;
}

static bool select_setp(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    ptx_type type = inst->types[0];
    if (!bind_comparison(decoder, inst, op, type)) return false;
    ptx_operand p = inst->operands[0];
    p.second = -1;
    op->d = sim_destination(decoder, &p, PTX_PRED);
    op->offset = -1;
    if (inst->operands[0].second >= 0) {
        ptx_operand q = {.kind = PTX_OPERAND_REG, .reg = inst->operands[0].second, .second = -1};
        op->offset = sim_destination(decoder, &q, PTX_PRED);
    }
    if (type == PTX_F16X2 || type == PTX_BF16X2) return lanes_use(op, &setp_halves);
    if (op->offset >= 0 || (op->aux16 & COMBINE)) return lanes_use(op, &setp_general);
    return lanes_use(op, &((const comparison *)(uintptr_t)op->aux)->setp);
}

static bool select_set(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    ptx_type result = inst->types[0], type = inst->types[1];
    if (inst->type_count < 2 || !bind_comparison(decoder, inst, op, type)) return false;
    bool paired = type == PTX_F16X2 || type == PTX_BF16X2;
    uint32_t one;
    switch (result) {
    case PTX_F32: one = 0x3f800000u; break;
    case PTX_F16:
    case PTX_F16X2: one = 0x3c00; break;
    case PTX_BF16:
    case PTX_BF16X2: one = 0x3f80; break;
    case PTX_U16:
    case PTX_S16: one = 0xffff; break;
    default: one = paired ? 0xffff : UINT32_MAX;
    }
    op->offset = (int64_t)((uint64_t)(paired ? one << 16 : 0) << 32 | one);
    op->d = sim_destination(decoder, &inst->operands[0], result);
    return lanes_use(op, paired ? &set_pair : ptx_type_bits(result) == 16 ? &set_16 : &set_32);
}

static bool select_testp(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    static const ptx_mod tests[] = {PTX_MOD_FINITE,     PTX_MOD_INFINITE, PTX_MOD_NUMBER,
                                    PTX_MOD_NOTANUMBER, PTX_MOD_NORMAL,   PTX_MOD_SUBNORMAL};
    op->aux8 = inst->types[0] == PTX_F64;
    for (unsigned test = 0; test < BASE_COUNT(tests); test++) {
        if (!lanes_has(inst, tests[test])) continue;
        op->aux16 = (uint16_t)test;
        return lanes_bind(decoder, inst, op, &testp, PTX_PRED, inst->types[0], PTX_TYPE_NONE, PTX_TYPE_NONE);
    }
    return false;
}

static bool select_slct(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->type_count < 2) return false;
    ptx_type type = inst->types[0], sign = inst->types[1];
    unsigned bits = ptx_type_bits(type);
    const lanes_pair *pair = sign == PTX_F32 ? lanes_by_bits(bits, &slct_f32_16, &slct_f32_32, &slct_f32_64)
                                             : lanes_by_bits(bits, &slct_s32_16, &slct_s32_32, &slct_s32_64);
    op->aux16 = LANES_FLAG(inst, FTZ);
    return lanes_bind(decoder, inst, op, pair, type, type, type, sign);
}

bool SIM_NAME(sim_select_compare)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->type_count == 0) return false;
    ptx_type type = inst->types[0];
    switch (inst->op) {
    case PTX_OP_SETP: return select_setp(decoder, inst, op);
    case PTX_OP_SET: return select_set(decoder, inst, op);
    case PTX_OP_TESTP: return select_testp(decoder, inst, op);
    case PTX_OP_SLCT: return select_slct(decoder, inst, op);
    case PTX_OP_SELP:
        if (inst->operand_count < 4) return false;
        op->aux16 = inst->operands[3].negated;
        return lanes_bind(decoder, inst, op, lanes_by_bits(ptx_type_bits(type), &selp_16, &selp_32, &selp_64),
                          type, type, type, PTX_PRED);
    default: return false;
    }
}
