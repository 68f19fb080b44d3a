// What an instruction makes of undefined bits, lane by lane. Only instructions with an undefined source come
// here.
//
// A result bit is undefined if some choice of the undefined source bits changes it; where that is costly to
// tell, more bits are called undefined, but never those that ordinary code relies on: masks, shifts, packing,
// comparisons that the defined bits decide. A source whose value is not known counts as any value.
#include <string.h>

#include "observe/undefined.h"
#include "sim/inspect.h"

typedef struct rule {
    const undefined_at *at;
    const sim_event *event;
    const ptx_inst *inst;
    const ptx_op_info *row; // of the instruction
    uint32_t lanes;         // that have an undefined source
    uint32_t source_count;
    undefined_operand source[6];
    uint64_t result[UNDEFINED_LANES];
} rule;

uint64_t observe_undefined_width_mask(unsigned bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t sign_bit(unsigned width) { return UINT64_C(1) << (width - 1); }

// From the lowest undefined bit upwards: how far a carry can go.
static uint64_t smear(uint64_t bits) { return bits ? ~((bits & (0 - bits)) - 1) : 0; }

// ---- sources ----------------------------------------------------------------------------------------

static void load_values(const void *from, unsigned bits, uint64_t value[UNDEFINED_LANES]) {
    for (uint32_t i = 0; i < UNDEFINED_LANES; i++) switch (bits) {
        case 1: value[i] = *(const uint32_t *)from >> i & 1; break;
        case 8:
        case 16: value[i] = ((const uint16_t *)from)[i]; break;
        case 32: value[i] = ((const uint32_t *)from)[i]; break;
        default: value[i] = ((const uint64_t *)from)[i]; break;
        }
}

static void gather_register(const undefined_at *at, const sim_event *event, const ptx_operand *operand,
                            undefined_operand *out) {
    uint32_t reg = (uint32_t)operand->reg;
    unsigned bits = ptx_type_bits(at->function->regs[reg].type);
    uint64_t mask = observe_undefined_width_mask(bits);
    for (uint32_t lane = 0; lane < UNDEFINED_LANES; lane++)
        out->bits[lane] = observe_undefined_bits_of(at, reg, lane) & mask;
    const void *value =
        event->self && bits <= 64 ? sim_inspect_register(event->self, at->frame, (int32_t)reg) : NULL;
    if (!value) return;
    out->has_value = true;
    load_values(value, bits, out->value);
    for (uint32_t lane = 0; operand->negated && bits == 1 && lane < UNDEFINED_LANES; lane++)
        out->value[lane] ^= 1;
}

void observe_undefined_gather(const undefined_at *at, const sim_event *event, const ptx_operand *operand,
                              ptx_type type, undefined_operand *out) {
    memset(out->bits, 0, sizeof out->bits);
    out->has_value = false;
    if (operand->kind == PTX_OPERAND_REG && operand->reg >= 0) {
        gather_register(at, event, operand, out);
    } else if (operand->kind == PTX_OPERAND_INT || operand->kind == PTX_OPERAND_FLOAT) {
        uint64_t value = ptx_immediate(operand, type);
        for (uint32_t lane = 0; lane < UNDEFINED_LANES; lane++) out->value[lane] = value;
        out->has_value = true;
    }
}

// ---- single lanes -----------------------------------------------------------------------------------

static bool known(const rule *r, uint32_t source, uint32_t lane) {
    return r->source[source].has_value && !r->source[source].bits[lane];
}

static uint64_t and_bits(const undefined_operand *a, const undefined_operand *b, uint32_t i) {
    uint64_t va = a->has_value ? a->value[i] : UINT64_MAX, vb = b->has_value ? b->value[i] : UINT64_MAX;
    return (a->bits[i] & (vb | b->bits[i])) | (b->bits[i] & (va | a->bits[i]));
}

static uint64_t or_bits(const undefined_operand *a, const undefined_operand *b, uint32_t i) {
    uint64_t va = a->has_value ? a->value[i] : 0, vb = b->has_value ? b->value[i] : 0;
    return (a->bits[i] & (~vb | b->bits[i])) | (b->bits[i] & (~va | a->bits[i]));
}

// A bit of the result is undefined if both values can come out.
static uint64_t lop3_bits(const rule *r, uint32_t lane, uint64_t table) {
    uint64_t can[2] = {0, 0};
    for (unsigned k = 0; k < 8; k++) {
        uint64_t possible = UINT64_MAX;
        for (unsigned s = 0; s < 3; s++) {
            const undefined_operand *o = &r->source[s];
            uint64_t value = k >> (2 - s) & 1 ? o->value[lane] : ~o->value[lane];
            possible &= o->has_value ? value | o->bits[lane] : UINT64_MAX;
        }
        can[table >> k & 1] |= possible;
    }
    return can[0] & can[1];
}

static uint64_t shift_bits(const rule *r, uint32_t lane, unsigned width, bool left, bool is_signed) {
    uint64_t bits = r->source[0].bits[lane], mask = observe_undefined_width_mask(width);
    if (!known(r, 1, lane)) return mask;
    uint64_t by = r->source[1].value[lane] & UINT32_MAX;
    if (left) return by >= width ? 0 : (bits << by) & mask;
    bool sign = is_signed && (bits >> (width - 1) & 1);
    if (by >= width) return sign ? mask : 0;
    return (bits >> by) | (sign ? mask & ~(mask >> by) : 0);
}

static bool has_mod(const ptx_inst *inst, ptx_mod mod) {
    for (uint32_t i = 0; i < inst->mod_count; i++)
        if (inst->mods[i] == mod) return true;
    return false;
}

static uint64_t funnel_bits(const rule *r, uint32_t lane) {
    uint64_t pair = r->source[0].bits[lane] | r->source[1].bits[lane] << 32;
    if (!known(r, 2, lane)) return UINT32_MAX;
    uint32_t by = (uint32_t)r->source[2].value[lane];
    bool wrap = has_mod(r->inst, PTX_MOD_WRAP), left = has_mod(r->inst, PTX_MOD_L);
    by = wrap ? by & 31 : by > 32 ? 32 : by;
    return left ? (by ? (pair << by) >> 32 : pair >> 32) & UINT32_MAX : (pair >> by) & UINT32_MAX;
}

static uint64_t extract_bits(const rule *r, uint32_t lane, unsigned width, bool is_signed) {
    uint64_t mask = observe_undefined_width_mask(width), bits = r->source[0].bits[lane];
    if (!known(r, 1, lane) || !known(r, 2, lane)) return mask;
    uint64_t from = r->source[1].value[lane] & 255, count = r->source[2].value[lane] & 255;
    if (count == 0) return 0;
    uint64_t last = from + count - 1 < width - 1 ? from + count - 1 : width - 1;
    bool sign = is_signed && (bits >> last & 1);
    uint64_t field = from >= width ? 0 : bits >> from;
    uint64_t inside = observe_undefined_width_mask((unsigned)(count < width ? count : width));
    if (from + count > width && from < width)
        inside &= observe_undefined_width_mask((unsigned)(width - from));
    return ((field & inside) | (sign ? ~inside : 0)) & mask;
}

static uint64_t insert_bits(const rule *r, uint32_t lane, unsigned width) {
    uint64_t mask = observe_undefined_width_mask(width);
    if (!known(r, 2, lane) || !known(r, 3, lane)) return mask;
    uint64_t from = r->source[2].value[lane] & 255, count = r->source[3].value[lane] & 255;
    uint64_t field =
        from >= width ? 0 : observe_undefined_width_mask((unsigned)(count < width ? count : width)) << from;
    uint64_t put = from >= width ? 0 : r->source[0].bits[lane] << from;
    return ((put & field) | (r->source[1].bits[lane] & ~field)) & mask;
}

static uint64_t permute_bits(const rule *r, uint32_t lane) {
    uint64_t pair = r->source[0].bits[lane] | r->source[1].bits[lane] << 32, out = 0;
    if (!known(r, 2, lane) || r->inst->by_category[PTX_CAT_MODE] != PTX_MOD_NONE) return UINT32_MAX;
    for (unsigned i = 0; i < 4; i++) {
        unsigned choice = r->source[2].value[lane] >> (4 * i) & 15;
        uint64_t byte = pair >> (8 * (choice & 7)) & 255;
        if (choice & 8) byte = byte & 128 ? 255 : 0; // the sign, repeated
        out |= byte << (8 * i);
    }
    return out;
}

static uint64_t multiply_bits(const undefined_operand *a, const undefined_operand *b, uint32_t lane) {
    const undefined_operand *defined = a->bits[lane] ? b : a, *other = a->bits[lane] ? a : b;
    if (!other->bits[lane]) return 0;
    if (!defined->has_value || defined->bits[lane]) return smear(a->bits[lane] | b->bits[lane]);
    uint64_t factor = defined->value[lane];
    if (!factor) return 0;
    int zeros = __builtin_ctzll(factor), lowest = __builtin_ctzll(other->bits[lane]);
    return zeros + lowest > 63 ? 0 : UINT64_MAX << (zeros + lowest);
}

// ---- comparisons ------------------------------------------------------------------------------------

typedef struct interval {
    uint64_t low, high;
} interval;

// Signed numbers are moved so that they compare as unsigned ones.
static interval interval_of(const undefined_operand *o, uint32_t lane, unsigned width, bool is_signed) {
    uint64_t mask = observe_undefined_width_mask(width), sign = is_signed ? UINT64_C(1) << (width - 1) : 0;
    if (!o->has_value) return (interval){0, mask};
    uint64_t value = (o->value[lane] ^ sign) & mask, bits = o->bits[lane] & mask;
    return (interval){value & ~bits, value | bits};
}

// 1 or 0 where all choices agree, else -1.
static int compare(const rule *r, uint32_t lane, ptx_type type, uint16_t how) {
    char class = ptx_type_class(type);
    const undefined_operand *a = &r->source[0], *b = &r->source[1];
    if (class == 'f' || class == 'v' || !a->has_value || !b->has_value) return -1;
    unsigned width = ptx_type_bits(type);
    uint64_t unknown = a->bits[lane] | b->bits[lane];
    bool differ = (a->value[lane] ^ b->value[lane]) & ~unknown & observe_undefined_width_mask(width);
    interval x = interval_of(a, lane, width, class == 's'), y = interval_of(b, lane, width, class == 's');
    bool below = x.high<y.low, above = x.low> y.high, not_above = x.high <= y.low,
         not_below = x.low >= y.high;
    switch (how) {
    case PTX_MOD_EQ: return differ ? 0 : unknown ? -1 : 1;
    case PTX_MOD_NE: return differ ? 1 : unknown ? -1 : 0;
    case PTX_MOD_LT:
    case PTX_MOD_LO: return below ? 1 : not_below ? 0 : -1;
    case PTX_MOD_LE:
    case PTX_MOD_LS: return not_above ? 1 : above ? 0 : -1;
    case PTX_MOD_GT:
    case PTX_MOD_HI: return above ? 1 : not_above ? 0 : -1;
    case PTX_MOD_GE:
    case PTX_MOD_HS: return not_below ? 1 : below ? 0 : -1;
    default: return -1;
    }
}

// setp p|q, a, b, c: p = (a ? b) op c, q = !(a ? b) op c. Bit 0 of the result is p, bit 1 q.
static uint64_t setp_bits(const rule *r, uint32_t lane) {
    const ptx_inst *inst = r->inst;
    int result = compare(r, lane, inst->types[inst->type_count - 1], inst->by_category[PTX_CAT_COMPARE]);
    uint16_t join = inst->by_category[PTX_CAT_BOOL];
    if (r->source_count < 3 || join == PTX_MOD_NONE) return result < 0 ? 3 : 0;
    bool c_known = known(r, 2, lane);
    uint64_t c = r->source[2].value[lane] & 1;
    if (join == PTX_MOD_AND && c_known && !c) return 0;
    if (join == PTX_MOD_OR && c_known && c) return 0;
    if (result >= 0 && c_known) return 0;
    if (result < 0) return 3;
    if (join == PTX_MOD_AND) return result ? 1 : 2; // the false one is false whatever c is
    if (join == PTX_MOD_OR) return result ? 2 : 1;
    return 3;
}

static uint64_t choose_bits(const rule *r, uint32_t lane, bool is_known, bool first) {
    const undefined_operand *a = &r->source[0], *b = &r->source[1];
    if (is_known) return first ? a->bits[lane] : b->bits[lane];
    if (!a->has_value || !b->has_value) return UINT64_MAX;
    return a->bits[lane] | b->bits[lane] | (a->value[lane] ^ b->value[lane]);
}

static uint64_t extreme_bits(const rule *r, uint32_t lane, ptx_type type, bool is_min) {
    if (r->source_count != 2) return UINT64_MAX;
    int less = compare(r, lane, type, PTX_MOD_LT);
    return choose_bits(r, lane, less >= 0, (less == 1) == is_min);
}

// ---- conversions and counts -------------------------------------------------------------------------

static uint64_t halves(uint64_t bits) {
    return (bits & 0xffff ? 0xffff : 0) | (bits & 0xffff0000 ? UINT64_C(0xffff0000) : 0);
}

static uint64_t convert_bits(const rule *r, uint32_t lane) {
    const ptx_inst *inst = r->inst;
    ptx_type to = inst->types[0], from = inst->type_count > 1 ? inst->types[1] : to;
    char to_class = ptx_type_class(to), from_class = ptx_type_class(from);
    if (to_class == 'v' && ptx_type_bits(to) == 32 && r->source_count == 2)
        return (r->source[0].bits[lane] ? UINT64_C(0xffff0000) : 0) | (r->source[1].bits[lane] ? 0xffff : 0);
    bool integers = to_class != 'f' && to_class != 'v' && from_class != 'f' && from_class != 'v';
    uint64_t bits = r->source[0].bits[lane];
    if (!integers || (inst->flags & (PTX_FLAG(SAT) | PTX_FLAG(SATFINITE)))) return bits ? UINT64_MAX : 0;
    unsigned wide = ptx_type_bits(from), narrow = ptx_type_bits(to);
    bits &= observe_undefined_width_mask(wide);
    if (from_class == 's' && bits >> (wide - 1) & 1) bits |= ~observe_undefined_width_mask(wide);
    bits &= observe_undefined_width_mask(narrow);
    if (to_class == 's' && bits >> (narrow - 1) & 1) bits |= ~observe_undefined_width_mask(narrow);
    return bits;
}

static unsigned leading_zeros(uint64_t value, unsigned width) {
    return value ? (unsigned)__builtin_clzll(value) - (64 - width) : width;
}

static uint64_t count_ones_bits(const rule *r, uint32_t lane, unsigned width) {
    return r->source[0].bits[lane] & observe_undefined_width_mask(width) ? 127 : 0;
}

static uint64_t leading_zeros_bits(const rule *r, uint32_t lane, unsigned width) {
    const undefined_operand *a = &r->source[0];
    uint64_t bits = a->bits[lane] & observe_undefined_width_mask(width);
    if (!bits || !a->has_value) return bits ? 127 : 0;
    uint64_t least = a->value[lane] & ~bits & observe_undefined_width_mask(width), most = least | bits;
    return leading_zeros(least, width) == leading_zeros(most, width) ? 0 : UINT64_MAX;
}

static uint64_t reverse(uint64_t bits, unsigned width) {
    uint64_t out = 0;
    for (unsigned i = 0; i < width; i++) out |= (bits >> i & 1) << (width - 1 - i);
    return out;
}

// ---- instructions -----------------------------------------------------------------------------------

static uint64_t any(const rule *r, uint32_t lane) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < r->source_count; i++) all |= r->source[i].bits[lane];
    return all;
}

static bool same_register(const rule *r) {
    const ptx_operand *a = &r->inst->operands[1], *b = &r->inst->operands[2];
    return a->kind == PTX_OPERAND_REG && b->kind == PTX_OPERAND_REG && a->reg == b->reg;
}

static uint64_t whole_bits(const rule *r, uint32_t lane, ptx_type type) {
    uint64_t bits = any(r, lane);
    if (type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2)
        return halves(bits);
    if (type == PTX_F32X2) return (bits & UINT32_MAX ? UINT32_MAX : 0) | (bits >> 32 ? UINT64_MAX << 32 : 0);
    return bits ? UINT64_MAX : 0;
}

static uint64_t product_bits(const rule *r, uint32_t lane, bool adds) {
    uint16_t half = r->inst->by_category[PTX_CAT_HALF];
    uint64_t bits = multiply_bits(&r->source[0], &r->source[1], lane);
    if (half == PTX_MOD_HI && bits) bits = UINT64_MAX;
    return adds ? smear(bits | r->source[2].bits[lane]) : bits;
}

static bool saturates(const rule *r) { return r->inst->flags & PTX_FLAG(SAT); }

// Arithmetic, where floats and packed numbers follow another rule: all bits of each.
static uint64_t integer_bits(const rule *r, uint32_t lane, ptx_type type) {
    uint64_t some = any(r, lane);
    switch (r->row->bits) {
    case PTX_BITS_DIFFERENCE:
        if (same_register(r)) return 0; // fall through
    case PTX_BITS_SUM:
    case PTX_BITS_NEGATE: return saturates(r) && some ? UINT64_MAX : smear(some);
    case PTX_BITS_PRODUCT: return product_bits(r, lane, false);
    case PTX_BITS_PRODUCT_SUM: return saturates(r) && some ? UINT64_MAX : product_bits(r, lane, true);
    case PTX_BITS_LESSER: return extreme_bits(r, lane, type, true);
    case PTX_BITS_GREATER: return extreme_bits(r, lane, type, false);
    default: return whole_bits(r, lane, type);
    }
}

// No default: a new value of ptx_bits has to have its rule here.
static uint64_t result_bits(const rule *r, uint32_t lane, ptx_type type, unsigned width) {
    const undefined_operand *a = &r->source[0], *b = &r->source[1], *c = &r->source[2];
    char class = ptx_type_class(type);
    switch (r->row->bits) {
    case PTX_BITS_AND: return same_register(r) ? a->bits[lane] : and_bits(a, b, lane);
    case PTX_BITS_OR: return same_register(r) ? a->bits[lane] : or_bits(a, b, lane);
    case PTX_BITS_XOR: return same_register(r) ? 0 : a->bits[lane] | b->bits[lane];
    case PTX_BITS_COPY: return a->bits[lane];
    case PTX_BITS_LOP3: return known(r, 3, lane) ? lop3_bits(r, lane, r->source[3].value[lane]) : UINT64_MAX;
    case PTX_BITS_SHIFT_LEFT: return shift_bits(r, lane, width, true, false);
    case PTX_BITS_SHIFT_RIGHT: return shift_bits(r, lane, width, false, class == 's');
    case PTX_BITS_FUNNEL_SHIFT: return funnel_bits(r, lane);
    case PTX_BITS_EXTRACT: return extract_bits(r, lane, width, class == 's');
    case PTX_BITS_INSERT: return insert_bits(r, lane, width);
    case PTX_BITS_PERMUTE: return permute_bits(r, lane);
    case PTX_BITS_REVERSE: return reverse(a->bits[lane], width);
    case PTX_BITS_COUNT_ONES: return count_ones_bits(r, lane, width);
    case PTX_BITS_LEADING_ZEROS: return leading_zeros_bits(r, lane, width);
    case PTX_BITS_IS_ZERO: return a->has_value && (a->value[lane] & ~a->bits[lane]) ? 0 : 1;
    case PTX_BITS_COMPARE: return setp_bits(r, lane) & 1 ? UINT64_MAX : 0;
    case PTX_BITS_PREDICATE: return same_register(r) && class != 'f' ? 0 : setp_bits(r, lane);
    case PTX_BITS_SELECT: return choose_bits(r, lane, known(r, 2, lane), c->value[lane] & 1);
    case PTX_BITS_SELECT_BY_SIGN:
        return choose_bits(r, lane, known(r, 2, lane) && ptx_type_class(r->inst->types[1]) == 's',
                           (int32_t)c->value[lane] >= 0);
    case PTX_BITS_CONVERT: return convert_bits(r, lane);
    case PTX_BITS_COPY_SIGN: return (a->bits[lane] & sign_bit(width)) | (b->bits[lane] & ~sign_bit(width));
    case PTX_BITS_MAGNITUDE:
        return class == 'f' ? a->bits[lane] & ~sign_bit(width) : whole_bits(r, lane, type);
    case PTX_BITS_NEGATE:
        if (class == 'f') return a->bits[lane]; // fall through
    case PTX_BITS_SUM:
    case PTX_BITS_DIFFERENCE:
    case PTX_BITS_PRODUCT:
    case PTX_BITS_PRODUCT_SUM:
    case PTX_BITS_LESSER:
    case PTX_BITS_GREATER:
        return class == 'f' || class == 'v' ? whole_bits(r, lane, type) : integer_bits(r, lane, type);
    case PTX_BITS_WHOLE:
    case PTX_BITS_CARRY:
    case PTX_BITS_NONE:     // these three
    case PTX_BITS_MEMORY:   // never
    case PTX_BITS_EXCHANGE: // come here
    case PTX_BITS_COUNT: break;
    }
    return whole_bits(r, lane, type);
}

// ---- packing ----------------------------------------------------------------------------------------

static unsigned register_width(const undefined_at *at, const ptx_operand *operand, unsigned otherwise) {
    return operand->kind == PTX_OPERAND_REG && operand->reg >= 0
               ? ptx_type_bits(at->function->regs[operand->reg].type)
               : otherwise;
}

// mov d, {a, b}
static void pack(rule *r, const ptx_operand *vector) {
    unsigned whole = ptx_type_bits(r->inst->types[0]), each = whole / vector->element_count;
    for (uint32_t i = 0; i < vector->element_count; i++) {
        undefined_operand part;
        observe_undefined_gather(r->at, r->event, &vector->elements[i], PTX_B64, &part);
        for (uint32_t lane = 0; lane < UNDEFINED_LANES; lane++)
            if (each * i < 64)
                r->result[lane] |= (part.bits[lane] & observe_undefined_width_mask(each)) << (each * i);
            else if (part.bits[lane])
                r->result[lane] = UINT64_MAX;
    }
}

static uint32_t lane_origin(const rule *r, uint32_t lane);

// mov {a, b}, d
static void unpack(const rule *r, const ptx_operand *vector) {
    unsigned whole = ptx_type_bits(r->inst->types[0]), each = whole / vector->element_count;
    uint32_t origin[UNDEFINED_LANES];
    for (uint32_t m = r->lanes; m; m &= m - 1)
        origin[__builtin_ctz(m)] = lane_origin(r, (uint32_t)__builtin_ctz(m));
    for (uint32_t i = 0; i < vector->element_count; i++) {
        if (vector->elements[i].kind != PTX_OPERAND_REG || vector->elements[i].reg < 0) continue;
        uint32_t reg = (uint32_t)vector->elements[i].reg;
        r->at->undefined[reg] &= ~r->event->mask;
        for (uint32_t m = r->lanes; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            uint64_t bits = r->source[0].bits[lane];
            bits = whole > 64 ? bits : bits >> (each * i) & observe_undefined_width_mask(each);
            observe_undefined_set(r->at, reg, lane, bits, origin[lane]);
        }
    }
}

// ---- the whole --------------------------------------------------------------------------------------

// The first undefined source's.
static uint32_t lane_origin_in(const undefined_at *at, const ptx_operand *operand, uint32_t lane,
                               uint32_t found) {
    if (operand->kind == PTX_OPERAND_REG && operand->reg >= 0 && (at->undefined[operand->reg] >> lane & 1))
        found = observe_undefined_origin_of(at, (uint32_t)operand->reg, lane);
    for (uint32_t i = 0; !found && i < operand->element_count; i++)
        found = lane_origin_in(at, &operand->elements[i], lane, found);
    return found;
}

static uint32_t lane_origin(const rule *r, uint32_t lane) {
    uint32_t found = 0;
    for (uint32_t i = 1; !found && i < r->inst->operand_count; i++)
        found = lane_origin_in(r->at, &r->inst->operands[i], lane, 0);
    if (!found && r->inst->guard >= 0)
        found = observe_undefined_origin_of(r->at, (uint32_t)r->inst->guard, lane);
    return found;
}

static void write_results(rule *r, const ptx_operand *to, uint32_t guarded) {
    if (to->kind != PTX_OPERAND_REG || to->reg < 0) return;
    uint64_t mask = observe_undefined_width_mask(register_width(r->at, to, 64));
    uint32_t origin[UNDEFINED_LANES];
    for (uint32_t m = r->lanes; m; m &= m - 1)
        origin[__builtin_ctz(m)] = lane_origin(r, (uint32_t)__builtin_ctz(m));
    r->at->undefined[to->reg] &= ~(r->event->mask & ~r->lanes);
    for (uint32_t m = r->lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bits = guarded >> lane & 1 ? UINT64_MAX : r->result[lane];
        observe_undefined_set(r->at, (uint32_t)to->reg, lane, bits & mask, origin[lane]);
    }
}

static void write_predicates(rule *r, const ptx_operand *to, uint32_t guarded) {
    uint64_t both[UNDEFINED_LANES];
    uint32_t origin[UNDEFINED_LANES];
    memcpy(both, r->result, sizeof both);
    for (uint32_t m = r->lanes; m; m &= m - 1)
        origin[__builtin_ctz(m)] = lane_origin(r, (uint32_t)__builtin_ctz(m));
    int32_t regs[2] = {to->kind == PTX_OPERAND_REG ? to->reg : -1, to->second};
    for (unsigned k = 0; k < 2; k++) {
        if (regs[k] < 0) continue;
        r->at->undefined[regs[k]] &= ~(r->event->mask & ~r->lanes);
        for (uint32_t m = r->lanes; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            bool is_undefined = (both[lane] >> k & 1) || (guarded >> lane & 1);
            observe_undefined_set(r->at, (uint32_t)regs[k], lane, is_undefined, origin[lane]);
        }
    }
}

static void compute(rule *r, uint32_t carry) {
    const ptx_inst *inst = r->inst;
    ptx_type type = inst->type_count ? inst->types[0] : PTX_B32;
    unsigned width = ptx_type_bits(type);
    for (uint32_t m = r->lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (carry >> lane & 1)
            r->result[lane] = UINT64_MAX;
        else
            r->result[lane] = result_bits(r, lane, type, width);
    }
}

void observe_undefined_apply(undefined_self *self, const undefined_at *at, const undefined_plan *plan,
                             const sim_event *event) {
    const ptx_inst *inst = event->inst;
    const uint32_t *regs = self->lists + plan->at;
    rule r = {.at = at, .event = event, .inst = inst, .row = ptx_op_get(inst->op)};
    for (uint32_t i = 0; i < plan->sources; i++) r.lanes |= at->undefined[regs[i]];
    r.lanes &= event->mask;
    uint32_t guarded = inst->guard >= 0 ? at->undefined[inst->guard] & event->mask : 0;
    uint32_t carry_at = at->function->reg_count;
    if (plan->destinations == 0 || inst->operand_count == 0) return;
    const ptx_operand *to = &inst->operands[0];
    bool packs = r.row->bits == PTX_BITS_COPY && inst->operands[1].kind == PTX_OPERAND_VECTOR;
    for (uint32_t i = 1; !packs && i < inst->operand_count && r.source_count < 6; i++)
        observe_undefined_gather(at, event, &inst->operands[i], ptx_operand_type(inst, i),
                                 &r.source[r.source_count++]);
    if (packs)
        pack(&r, &inst->operands[1]);
    else
        compute(&r, r.row->bits == PTX_BITS_CARRY ? at->undefined[carry_at] : 0);
    if (inst->flags & PTX_FLAG(CC)) // what is carried out may depend on any of the sources
        at->undefined[carry_at] = (at->undefined[carry_at] & ~event->mask) | r.lanes;
    if (to->kind == PTX_OPERAND_VECTOR)
        unpack(&r, to);
    else if (r.row->bits == PTX_BITS_PREDICATE)
        write_predicates(&r, to, guarded);
    else {
        write_results(&r, to, guarded);
        if (to->second >= 0)
            for (uint32_t m = event->mask; m; m &= m - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(m);
                observe_undefined_set(at, (uint32_t)to->second, lane, r.lanes >> lane & 1, 0);
            }
    }
}
