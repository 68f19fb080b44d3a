// mov: copies of every width, predicates, and the packing and unpacking of {a, b, ...}.
//
// Addresses, constants and special registers arrive as ordinary source slots, so that they need no
// form of their own. Up to four parts are packed or unpacked: their slots are kept in op->a, b, c
// and aux (packing) or d, b, c and aux (unpacking).
#include <string.h>

#include "sim/exec.h"
#include "sim/lanes.h"

LANES_1(mov_16, uint16_t, uint16_t, x)
LANES_1(mov_32, uint32_t, uint32_t, x)
LANES_1(mov_64, uint64_t, uint64_t, x)

typedef struct pair64 {
    uint64_t low, high;
} pair64;

LANES_INLINE void mov_128(sim_warp *warp, const sim_op *op, uint32_t mask) {
    pair64 *d = SIM_REG(pair64, warp, op->d);
    const pair64 *a = SIM_REG(const pair64, warp, op->a);
    for (int i = 0; i < SIM_LANES; i++)
        if (LANES_BIT(mask, i)) d[i] = a[i];
}
static void mov_128_full(sim_warp *warp, const sim_op *op) { mov_128(warp, op, SIM_ALL); }
static void mov_128_masked(sim_warp *warp, const sim_op *op) { mov_128(warp, op, warp->mask); }
static const lanes_pair mov_b128 = {mov_128_full, mov_128_masked};

static void mov_pred_full(sim_warp *warp, const sim_op *op) {
    SIM_PRED(warp, op->d) = SIM_PRED(warp, op->a) ^ (op->aux16 ? SIM_ALL : 0);
}
static void mov_pred_masked(sim_warp *warp, const sim_op *op) {
    lanes_set_predicate(warp, op->d, SIM_PRED(warp, op->a) ^ (op->aux16 ? SIM_ALL : 0), true);
}
static const lanes_pair mov_pred = {mov_pred_full, mov_pred_masked};

// ---- two halves: what half-precision and 64-bit code does all the time ------------------------------

LANES_2(pack_16, uint32_t, uint16_t, uint16_t, x | (uint32_t)y << 16)
LANES_2(pack_32, uint64_t, uint32_t, uint32_t, x | (uint64_t)y << 32)

// The halves of a wider register; the destinations are op->d and op->b.
#define UNPACK(name, H, W, bits)                                                                             \
    static void name##_full(sim_warp *warp, const sim_op *op) {                                              \
        H *d = SIM_REG(H, warp, op->d), *e = SIM_REG(H, warp, op->b);                                        \
        const W *a = SIM_REG(const W, warp, op->a);                                                          \
        LANES_EACH { d[i] = (H)a[i]; }                                                                       \
        LANES_EACH { e[i] = (H)(a[i] >> bits); }                                                             \
    }                                                                                                        \
    static void name##_masked(sim_warp *warp, const sim_op *op) {                                            \
        H *d = SIM_REG(H, warp, op->d), *e = SIM_REG(H, warp, op->b);                                        \
        const W *a = SIM_REG(const W, warp, op->a);                                                          \
        const uint32_t *on = warp->lanes;                                                                    \
        LANES_EACH { d[i] = on[i] ? (H)a[i] : d[i]; }                                                        \
        LANES_EACH { e[i] = on[i] ? (H)(a[i] >> bits) : e[i]; }                                              \
    }                                                                                                        \
    static const lanes_pair name = {name##_full, name##_masked};
UNPACK(unpack_16, uint16_t, uint32_t, 16)
UNPACK(unpack_32, uint32_t, uint64_t, 32)

// ---- any number of parts ----------------------------------------------------------------------------

// op->aux16: bytes of a part, the stride of a part's slot, the stride of the whole's, the number of parts.
enum { PART_MOST = 4 };
typedef struct parts {
    unsigned bytes, stride, whole, count;
    uint32_t at[PART_MOST];
} parts;

LANES_INLINE parts parts_of(const sim_op *op, bool packing) {
    unsigned form = op->aux16;
    parts p = {1u << (form & 15), 1u << (form >> 4 & 15), 1u << (form >> 8 & 15), form >> 12, {0}};
    p.at[0] = packing ? op->a : op->d;
    p.at[1] = op->b;
    p.at[2] = op->c;
    p.at[3] = (uint32_t)op->aux;
    return p;
}

static void pack_lanes(sim_warp *warp, const sim_op *op, uint32_t mask) {
    parts p = parts_of(op, true);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        if (!LANES_BIT(mask, i)) continue;
        for (unsigned part = 0; part < p.count; part++)
            memcpy(warp->frame + op->d + i * p.whole + part * p.bytes,
                   warp->frame + p.at[part] + i * p.stride, p.bytes);
    }
}

static void unpack_lanes(sim_warp *warp, const sim_op *op, uint32_t mask) {
    parts p = parts_of(op, false);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        if (!LANES_BIT(mask, i)) continue;
        uint8_t whole[16];
        memcpy(whole, warp->frame + op->a + i * p.whole, p.bytes * p.count);
        for (unsigned part = 0; part < p.count; part++) {
            uint8_t *to = warp->frame + p.at[part] + i * p.stride;
            memset(to, 0, p.stride);
            memcpy(to, whole + part * p.bytes, p.bytes);
        }
    }
}
static void pack_full(sim_warp *warp, const sim_op *op) { pack_lanes(warp, op, SIM_ALL); }
static void pack_masked(sim_warp *warp, const sim_op *op) { pack_lanes(warp, op, warp->mask); }
static void unpack_full(sim_warp *warp, const sim_op *op) { unpack_lanes(warp, op, SIM_ALL); }
static void unpack_masked(sim_warp *warp, const sim_op *op) { unpack_lanes(warp, op, warp->mask); }
static const lanes_pair pack = {pack_full, pack_masked}, unpack = {unpack_full, unpack_masked};

// ---- selection --------------------------------------------------------------------------------------

static unsigned log2_bytes(unsigned bits) {
    unsigned log = 0;
    while (8u << log < bits) log++;
    return log;
}

static ptx_type part_type(unsigned bits) {
    return bits == 8    ? PTX_B8
           : bits == 16 ? PTX_B16
           : bits == 32 ? PTX_B32
           : bits == 64 ? PTX_B64
                        : PTX_TYPE_NONE;
}

static bool select_parts(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, ptx_type type) {
    bool packing = inst->operands[1].kind == PTX_OPERAND_VECTOR;
    const ptx_operand *vector = &inst->operands[packing ? 1 : 0];
    unsigned bits = ptx_type_bits(type), count = vector->element_count;
    if (count < 2 || count > PART_MOST || bits % count != 0) return false;
    ptx_type part = part_type(bits / count);
    if (part == PTX_TYPE_NONE) return false;
    uint32_t at[PART_MOST] = {0};
    unsigned stride = 0;
    for (unsigned k = 0; k < count; k++) {
        const ptx_operand *element = &vector->elements[k];
        at[k] = packing ? sim_source(decoder, element, part) : sim_destination(decoder, element, part);
        if (element->kind != PTX_OPERAND_SINK) stride = sim_operand_bits(decoder, element, part);
    }
    if (packing) op->d = sim_destination(decoder, &inst->operands[0], type);
    if (!packing) op->a = sim_source(decoder, &inst->operands[1], type);
    *(packing ? &op->a : &op->d) = at[0];
    op->b = at[1];
    op->c = at[2];
    op->aux = at[3];
    if (stride == 0) stride = bits / count < 16 ? 16 : bits / count;
    op->aux16 =
        (uint16_t)(log2_bytes(bits / count) | log2_bytes(stride) << 4 | log2_bytes(bits) << 8 | count << 12);
    if (count == 2 && bits == 32 && stride == 16) return lanes_use(op, packing ? &pack_16 : &unpack_16);
    if (count == 2 && bits == 64 && stride == 32) return lanes_use(op, packing ? &pack_32 : &unpack_32);
    return lanes_use(op, packing ? &pack : &unpack);
}

bool SIM_NAME(sim_select_move)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->op != PTX_OP_MOV || inst->type_count == 0 || inst->operand_count < 2) return false;
    ptx_type type = inst->types[0];
    unsigned bits = ptx_type_bits(type);
    if (inst->operands[0].kind == PTX_OPERAND_VECTOR || inst->operands[1].kind == PTX_OPERAND_VECTOR)
        return select_parts(decoder, inst, op, type);
    const lanes_pair *pair = lanes_by_bits(bits, &mov_16, &mov_32, &mov_64);
    if (bits == 128) pair = &mov_b128;
    if (type == PTX_PRED) pair = &mov_pred;
    op->aux16 = type == PTX_PRED && inst->operands[1].negated;
    return lanes_bind(decoder, inst, op, pair, type, type, PTX_TYPE_NONE, PTX_TYPE_NONE);
}
