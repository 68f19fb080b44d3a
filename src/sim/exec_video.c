// Dot products of bytes and halves (dp4a, dp2a) and the video instructions, on one part of a
// register (vadd ... vset) or on all of its halves or bytes (vadd2 ... vset4).
//
// The video instructions go lane by lane through one function each; what they are asked for is a
// video_form or scalar_form, packed in op->offset.
#include <string.h>

#include "sim/exec.h"
#include "sim/lanes.h"

// ---- dot products -----------------------------------------------------------------------------------

#define BYTE(T, x, k) ((int32_t)(T)((x) >> (8 * (k))))
#define HALF(T, x, k) ((int32_t)(T)((x) >> (16 * (k))))
#define DOT(name, A8, B8, A16)                                                                               \
    LANES_3(dp4a_##name, uint32_t, uint32_t, uint32_t, uint32_t,                                             \
            z + (uint32_t)(BYTE(A8, x, 0) * BYTE(B8, y, 0) + BYTE(A8, x, 1) * BYTE(B8, y, 1) +               \
                           BYTE(A8, x, 2) * BYTE(B8, y, 2) + BYTE(A8, x, 3) * BYTE(B8, y, 3)))               \
    LANES_3(dp2a_lo_##name, uint32_t, uint32_t, uint32_t, uint32_t,                                          \
            z + (uint32_t)(HALF(A16, x, 0) * BYTE(B8, y, 0) + HALF(A16, x, 1) * BYTE(B8, y, 1)))             \
    LANES_3(dp2a_hi_##name, uint32_t, uint32_t, uint32_t, uint32_t,                                          \
            z + (uint32_t)(HALF(A16, x, 0) * BYTE(B8, y, 2) + HALF(A16, x, 1) * BYTE(B8, y, 3)))
DOT(uu, uint8_t, uint8_t, uint16_t)
DOT(us, uint8_t, int8_t, uint16_t)
DOT(su, int8_t, uint8_t, int16_t)
DOT(ss, int8_t, int8_t, int16_t)

// ---- video --------------------------------------------------------------------------------------------

typedef enum video_kind {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_AVRG,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_MAD,
    VIDEO_SET,
} video_kind;

enum { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum { THEN_NOTHING, THEN_ADD, THEN_MIN, THEN_MAX };
enum {
    SIGNED_D = 1,
    SIGNED_A = 2,
    SIGNED_B = 4,
    SATURATE = 8,
    WRAP = 16,
    PLUS_ONE = 32, // .po
};

typedef struct video_form {
    uint32_t kind : 4, compare : 3, then : 2, flags : 6, element : 6; // element: bits of a part
    uint32_t mask : 4, pick_a : 12, pick_b : 12;                      // parts of b:a, three bits each
} video_form;
_Static_assert(sizeof(video_form) == sizeof(int64_t), "it is kept in op->offset");

LANES_INLINE int64_t part_of(uint64_t value, unsigned at, unsigned bits, bool is_signed) {
    unsigned spare = 64 - bits;
    uint64_t top = value >> at << spare;
    return is_signed ? (int64_t)top >> spare : (int64_t)(top >> spare);
}

LANES_INLINE bool video_compare(int64_t x, int64_t y, unsigned compare) {
    switch (compare) {
    case COMPARE_EQ: return x == y;
    case COMPARE_NE: return x != y;
    case COMPARE_LT: return x < y;
    case COMPARE_LE: return x <= y;
    case COMPARE_GT: return x > y;
    default: return x >= y;
    }
}

LANES_INLINE int64_t video_apply(int64_t x, int64_t y, video_form form) {
    switch ((video_kind)form.kind) {
    case VIDEO_ADD: return x + y;
    case VIDEO_SUB: return x - y;
    case VIDEO_AVRG: return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    case VIDEO_ABSDIFF: return x > y ? x - y : y - x;
    case VIDEO_MIN: return x < y ? x : y;
    case VIDEO_MAX: return x > y ? x : y;
    case VIDEO_SHL: y = form.flags & WRAP ? y & 31 : y > 32 ? 32 : y; return (int64_t)((uint64_t)x << y);
    case VIDEO_SHR: return x >> (form.flags & WRAP ? y & 31 : y > 32 ? 32 : y);
    default: return video_compare(x, y, form.compare);
    }
}

LANES_INLINE int64_t clamped(int64_t value, unsigned bits, bool is_signed) {
    int64_t most = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    return value > most ? most : value < least ? least : value;
}

// ---- one part of a register ------------------------------------------------------------------------------

typedef struct scalar_form {
    uint32_t kind : 4, compare : 3, then : 2, flags : 6, shift : 4; // shift: the .shr7 and .shr15 of vmad
    uint32_t negate_product : 1, negate_c : 1;
    uint32_t at_d : 2, at_a : 2, at_b : 2;       // bytes
    uint32_t size_d : 2, size_a : 2, size_b : 2; // 0 byte, 1 half, 2 word
} scalar_form;
_Static_assert(sizeof(scalar_form) == sizeof(int64_t), "it is kept in op->offset");

// What follows is what sm_90 does, where ptxas makes ordinary instructions of these. Sums have 34 bits. A sum
// beyond 32 bits wraps in spite of saturation, a shift does not; bytes and halves saturate upwards from below
// zero, too; a value below zero is the largest of all to an unsigned minimum or maximum; and the upper half
// is merged from where it lies, not from the lower half.
static uint32_t scalar_finish(int64_t exact, uint32_t c, scalar_form form) {
    bool is_signed = form.flags & SIGNED_D, shifts = form.kind == VIDEO_SHL || form.kind == VIDEO_SHR;
    unsigned bits = 8u << form.size_d;
    int64_t value = (int64_t)((uint64_t)exact << 30) >> 30, compared = exact;
    if (form.flags & SATURATE) {
        int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
        if (form.size_d < 2 && !shifts)
            value = value < 0 || value > most ? most : value;
        else if (is_signed || shifts || value < 0)
            value = clamped(value, 32, is_signed);
        compared = value;
    }
    uint32_t result = (uint32_t)value;
    bool less = is_signed ? compared < (int32_t)c : compared >= 0 && compared < (int64_t)c;
    switch (form.then) {
    case THEN_ADD: return result + c;
    case THEN_MIN: return less ? result : c;
    case THEN_MAX: return less ? c : result;
    default: break;
    }
    if (form.size_d == 2) return result;
    uint32_t mask = (bits == 8 ? 0xffu : 0xffffu) << (8 * form.at_d);
    if (bits == 8) result <<= 8 * form.at_d;
    return (result & mask) | (c & ~mask);
}

static uint32_t video_mad(int64_t x, int64_t y, uint32_t c, scalar_form form) {
    bool is_signed = (form.flags & (SIGNED_A | SIGNED_B)) || form.negate_product || form.negate_c;
    if (form.size_a == 2) x = (int32_t)x; // words are taken as signed, whatever they are called
    if (form.size_b == 2) y = (int32_t)y;
    uint64_t product = (uint64_t)x * (uint64_t)y, one = 0;
    if (form.flags & PLUS_ONE)
        one = 1;
    else if (form.negate_product)
        product = ~product, one = 1;
    else if (form.negate_c)
        c = ~c, one = 1;
    uint64_t sum = product + (uint64_t)(int64_t)(int32_t)c + one;
    if (!(form.flags & SATURATE)) return (uint32_t)(sum >> form.shift);
    if (is_signed) return (uint32_t)clamped((int64_t)sum >> form.shift, 32, true);
    if (form.shift) return sum >> form.shift > UINT32_MAX ? UINT32_MAX : (uint32_t)(sum >> form.shift);
    return (uint32_t)clamped((int64_t)sum, 32, false);
}

static void video_scalar(sim_warp *warp, const sim_op *op, uint32_t mask) {
    scalar_form form;
    memcpy(&form, &op->offset, sizeof form);
    video_form apply = {.kind = form.kind, .compare = form.compare, .flags = form.flags};
    const uint32_t *a = SIM_REG(const uint32_t, warp, op->a), *b = SIM_REG(const uint32_t, warp, op->b);
    const uint32_t *c = op->c == UINT32_MAX ? NULL : SIM_REG(const uint32_t, warp, op->c);
    uint32_t *d = SIM_REG(uint32_t, warp, op->d);
    for (int i = 0; i < SIM_LANES; i++) {
        if (!LANES_BIT(mask, i)) continue;
        int64_t x = part_of(a[i], 8u * form.at_a, 8u << form.size_a, form.flags & SIGNED_A);
        int64_t y = part_of(b[i], 8u * form.at_b, 8u << form.size_b, form.flags & SIGNED_B);
        uint32_t z = c == NULL ? 0 : c[i];
        d[i] = form.kind == VIDEO_MAD ? video_mad(x, y, z, form)
                                      : scalar_finish(video_apply(x, y, apply), z, form);
    }
}
static void scalar_full(sim_warp *warp, const sim_op *op) { video_scalar(warp, op, SIM_ALL); }
static void scalar_masked(sim_warp *warp, const sim_op *op) { video_scalar(warp, op, warp->mask); }
static const lanes_pair scalar_video = {scalar_full, scalar_masked};

// ---- all parts --------------------------------------------------------------------------------------

LANES_INLINE uint32_t video_parts(uint32_t a, uint32_t b, uint32_t c, video_form form) {
    uint64_t both = (uint64_t)b << 32 | a;
    unsigned bits = form.element;
    uint32_t result = 0, sum = form.then == THEN_ADD ? c : 0, part_mask = (1u << bits) - 1;
    for (unsigned k = 0; k < 32 / bits; k++) {
        if (!(form.mask >> k & 1)) {
            result |= c & part_mask << (bits * k);
            continue;
        }
        int64_t x = part_of(both, (form.pick_a >> (3 * k) & 7) * bits, bits, form.flags & SIGNED_A);
        int64_t y = part_of(both, (form.pick_b >> (3 * k) & 7) * bits, bits, form.flags & SIGNED_B);
        int64_t value = video_apply(x, y, form);
        if (form.flags & SATURATE) value = clamped(value, bits, form.flags & SIGNED_D);
        sum += (uint32_t)value;
        result |= ((uint32_t)value & part_mask) << (bits * k);
    }
    return form.then == THEN_ADD ? sum : result;
}

LANES_INLINE void video_loop(sim_warp *warp, const sim_op *op, uint32_t mask, video_form form) {
    const uint32_t *a = SIM_REG(const uint32_t, warp, op->a), *b = SIM_REG(const uint32_t, warp, op->b);
    const uint32_t *c = op->c == UINT32_MAX ? NULL : SIM_REG(const uint32_t, warp, op->c);
    uint32_t *d = SIM_REG(uint32_t, warp, op->d);
    for (int i = 0; i < SIM_LANES; i++)
        if (LANES_BIT(mask, i)) d[i] = video_parts(a[i], b[i], c == NULL ? 0 : c[i], form);
}

// The commonest form, bytes in their places and all of them, has loops that know what they compute.
static void video_vector(sim_warp *warp, const sim_op *op, uint32_t mask) {
    video_form form;
    memcpy(&form, &op->offset, sizeof form);
    bool plain = form.element == 8 && form.mask == 15 && form.pick_a == 03210 && form.pick_b == 07654;
    if (!plain || (form.flags & ~(unsigned)SIGNED_D)) {
        video_loop(warp, op, mask, form);
        return;
    }
#define PLAIN(what, next)                                                                                    \
    ((video_form){.kind = what, .then = next, .element = 8, .mask = 15, .pick_a = 03210, .pick_b = 07654})
    bool sums = form.then == THEN_ADD;
    switch ((video_kind)form.kind) {
    case VIDEO_ADD:
        sums ? video_loop(warp, op, mask, PLAIN(VIDEO_ADD, THEN_ADD))
             : video_loop(warp, op, mask, PLAIN(VIDEO_ADD, 0));
        break;
    case VIDEO_ABSDIFF:
        sums ? video_loop(warp, op, mask, PLAIN(VIDEO_ABSDIFF, THEN_ADD))
             : video_loop(warp, op, mask, PLAIN(VIDEO_ABSDIFF, 0));
        break;
    default: video_loop(warp, op, mask, form);
    }
}
static void vector_full(sim_warp *warp, const sim_op *op) { video_vector(warp, op, SIM_ALL); }
static void vector_masked(sim_warp *warp, const sim_op *op) { video_vector(warp, op, warp->mask); }
static const lanes_pair vector_video = {vector_full, vector_masked};

// ---- selection --------------------------------------------------------------------------------------

typedef struct video_row {
    uint16_t op;
    uint8_t kind, parts; // parts: 1, 2 or 4
} video_row;

static const video_row *video_row_of(ptx_op op) {
#define ROWS(root, kind)                                                                                     \
    {PTX_OP_##root, kind, 1}, {PTX_OP_##root##2, kind, 2}, { PTX_OP_##root##4, kind, 4 }
    static const video_row rows[] = {
        ROWS(VADD, VIDEO_ADD),          ROWS(VSUB, VIDEO_SUB),          ROWS(VABSDIFF, VIDEO_ABSDIFF),
        ROWS(VMIN, VIDEO_MIN),          ROWS(VMAX, VIDEO_MAX),          ROWS(VSET, VIDEO_SET),
        {PTX_OP_VAVRG2, VIDEO_AVRG, 2}, {PTX_OP_VAVRG4, VIDEO_AVRG, 4}, {PTX_OP_VSHL, VIDEO_SHL, 1},
        {PTX_OP_VSHR, VIDEO_SHR, 1},    {PTX_OP_VMAD, VIDEO_MAD, 1},
    };
    for (unsigned k = 0; k < BASE_COUNT(rows); k++)
        if (rows[k].op == op) return &rows[k];
    return NULL;
}

static unsigned compare_of(const ptx_inst *inst) {
    switch ((ptx_mod)inst->by_category[PTX_CAT_COMPARE]) {
    case PTX_MOD_NE: return COMPARE_NE;
    case PTX_MOD_LT:
    case PTX_MOD_LO: return COMPARE_LT;
    case PTX_MOD_LE:
    case PTX_MOD_LS: return COMPARE_LE;
    case PTX_MOD_GT:
    case PTX_MOD_HI: return COMPARE_GT;
    case PTX_MOD_GE:
    case PTX_MOD_HS: return COMPARE_GE;
    default: return COMPARE_EQ;
    }
}

static unsigned then_of(const ptx_inst *inst) {
    switch ((ptx_mod)inst->by_category[PTX_CAT_ATOMIC]) {
    case PTX_MOD_ADD: return THEN_ADD;
    case PTX_MOD_MIN: return THEN_MIN;
    case PTX_MOD_MAX: return THEN_MAX;
    default: return THEN_NOTHING;
    }
}

// vset has no type of its own for the result: what it is compared with afterwards is of the type of a.
static unsigned flags_of(const ptx_inst *inst) {
    unsigned flags = 0, first = inst->type_count >= 3 ? 1 : 0;
    if (inst->types[0] == PTX_S32) flags |= SIGNED_D;
    if (inst->types[first] == PTX_S32) flags |= SIGNED_A;
    if (inst->types[first + 1] == PTX_S32) flags |= SIGNED_B;
    if (LANES_FLAG(inst, SAT)) flags |= SATURATE;
    if (LANES_FLAG(inst, PO)) flags |= PLUS_ONE;
    if (lanes_has(inst, PTX_MOD_WRAP)) flags |= WRAP;
    return flags;
}

// "h10" or "b7654": the last character is the lowest part. Empty: `otherwise`.
static unsigned picks_of(const char *select, unsigned parts, unsigned otherwise) {
    unsigned picks = 0;
    if (select[0] == 0) return otherwise;
    for (unsigned k = 0; k < parts; k++) picks |= (unsigned)((select[parts - k] - '0') & 7) << (3 * k);
    return picks;
}

static unsigned mask_of(const char *select, unsigned parts) {
    unsigned mask = 0;
    if (select[0] == 0) return (1u << parts) - 1;
    for (const char *at = select + 1; *at; at++) mask |= 1u << ((*at - '0') & 3);
    return mask;
}

static bool has_length(const char *select, size_t length) {
    return select[0] == 0 || strlen(select) == length;
}

static bool select_parts(const ptx_inst *inst, sim_op *op, const video_row *row) {
    unsigned parts = row->parts;
    const ptx_operand *o = inst->operands;
    if (!has_length(o[1].select, parts + 1) || !has_length(o[2].select, parts + 1)) return false;
    video_form form = {
        .kind = row->kind, .compare = compare_of(inst), .then = then_of(inst), .flags = flags_of(inst)};
    form.element = 32 / parts;
    form.mask = mask_of(o[0].select, parts);
    form.pick_a = picks_of(o[1].select, parts, parts == 2 ? 010 : 03210);
    form.pick_b = picks_of(o[2].select, parts, parts == 2 ? 032 : 07654);
    memcpy(&op->offset, &form, sizeof form);
    return lanes_use(op, &vector_video);
}

static unsigned size_of(const char *select) { return select[0] == 'b' ? 0 : select[0] == 'h' ? 1 : 2; }
static unsigned byte_of(const char *select) {
    return select[0] == 0 ? 0 : (unsigned)(select[1] - '0') * (select[0] == 'h' ? 2 : 1) & 3;
}

static bool select_one(const ptx_inst *inst, sim_op *op, const video_row *row) {
    const ptx_operand *o = inst->operands;
    scalar_form form = {
        .kind = row->kind, .compare = compare_of(inst), .then = then_of(inst), .flags = flags_of(inst)};
    form.shift = lanes_has(inst, PTX_MOD_SHR7) ? 7 : lanes_has(inst, PTX_MOD_SHR15) ? 15 : 0;
    form.negate_product = o[1].negated != o[2].negated;
    form.negate_c = inst->operand_count > 3 && o[3].negated;
    form.at_d = byte_of(o[0].select), form.size_d = size_of(o[0].select);
    form.at_a = byte_of(o[1].select), form.size_a = size_of(o[1].select);
    form.at_b = byte_of(o[2].select), form.size_b = size_of(o[2].select);
    memcpy(&op->offset, &form, sizeof form);
    return lanes_use(op, &scalar_video);
}

static bool select_dot(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    bool sa = inst->types[0] == PTX_S32, sb = inst->types[1] == PTX_S32;
    bool high = inst->by_category[PTX_CAT_HALF] == PTX_MOD_HI;
    if (inst->type_count < 2) return false;
#define SIGNS(name) (sa ? (sb ? &name##_ss : &name##_su) : (sb ? &name##_us : &name##_uu))
    const lanes_pair *pair = inst->op == PTX_OP_DP4A ? SIGNS(dp4a) : high ? SIGNS(dp2a_hi) : SIGNS(dp2a_lo);
    return lanes_bind(decoder, inst, op, pair, PTX_B32, PTX_B32, PTX_B32, PTX_B32);
}

bool SIM_NAME(sim_select_video)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->op == PTX_OP_DP4A || inst->op == PTX_OP_DP2A) return select_dot(decoder, inst, op);
    const video_row *row = video_row_of(inst->op);
    if (row == NULL || inst->type_count < 2 || inst->operand_count < 3) return false;
    op->d = sim_destination(decoder, &inst->operands[0], PTX_B32);
    op->a = sim_source(decoder, &inst->operands[1], PTX_B32);
    op->b = sim_source(decoder, &inst->operands[2], PTX_B32);
    op->c = inst->operand_count > 3 ? sim_source(decoder, &inst->operands[3], PTX_B32) : UINT32_MAX;
    return row->parts == 1 ? select_one(inst, op, row) : select_parts(inst, op, row);
}
