// The inputs: what breaks arithmetic, crossed with itself, then Philox.
//
// With one source every edge value comes first; with two every pair of them, as far as half of the lanes go;
// with more, edges are drawn at random. The other lanes get random bits: a third as they come, a third
// with exponents close to each other (so that sums cancel and round), a third with few bits set (ties).
#include <string.h>

#include "conform.h"

#define EDGES(name, ...) static const uint64_t name[] = {__VA_ARGS__}

EDGES(integers_16, 0, 1, 2, 3, 7, 15, 16, 31, 100, 0x7e, 0x7f, 0x80, 0xff, 0x100, 0x101, 0x5555, 0xaaaa,
      0x7ffe, 0x7fff, 0x8000, 0x8001, 0xff00, 0xff7f, 0xff80, 0xfffe, 0xffff);
EDGES(integers_32, 0, 1, 2, 3, 7, 10, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff,
      0x800000, 0xffffff, 0x1000001, 0x55555555, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa,
      0xffff7fff, 0xffff8000, 0xffffff80, 0xfffffffe, 0xffffffff);
EDGES(integers_64, 0, 1, 2, 3, 10, 63, 64, 0x80, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
      0x100000000, 0x1fffffffffffff, 0x20000000000001, 0x7ffffffffffffffe, 0x7fffffffffffffff,
      0x8000000000000000, 0x8000000000000001, 0xffffffff7fffffff, 0xffffffff80000000, 0xffffffffffffff80,
      0xfffffffffffffffe, 0xffffffffffffffff, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa);
EDGES(halves_f16, 0x0000, 0x8000, 0x0001, 0x8001, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x1400, 0x2e66,
      0x3800, 0xb800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3e00, 0x4000, 0x4100, 0x4248, 0x6400, 0x7800, 0x7bff,
      0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe55, 0x7fff, 0xffff);
EDGES(halves_bf16, 0x0000, 0x8000, 0x0001, 0x8001, 0x0040, 0x007f, 0x807f, 0x0080, 0x8080, 0x0100, 0x2000,
      0x3dcd, 0x3f00, 0xbf00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3fc0, 0x4000, 0x4020, 0x4049, 0x4f00, 0x5f00,
      0x7f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffd5, 0x7fff, 0xffff);
EDGES(floats_32, 0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff,
      0x00800000, 0x80800000, 0x01000000, 0x0c800000, 0x33800000, 0x34000000, 0x3dcccccd, 0x3f000000,
      0xbf000000, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40200000,
      0x40490fdb, 0x42fe0000, 0x43008000, 0x437f8000, 0x477fe000, 0x477ff000, 0x4b000001, 0x4b7fffff,
      0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x7e800000,
      0x7f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc01234,
      0x7fffffff, 0xffffffff);
EDGES(floats_64, 0, 0x8000000000000000, 1, 0x8000000000000001, 0x0008000000000000, 0x000fffffffffffff,
      0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3690000000000000, 0x36a0000000000000,
      0x380fffffffffffff, 0x3810000000000000, 0x3ca0000000000000, 0x3cb0000000000000, 0x3fb999999999999a,
      0x3fe0000000000000, 0xbfe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000,
      0x3ff0000000000001, 0x3ff0000010000000, 0x3ff0000030000000, 0x3ff8000000000000, 0x4000000000000000,
      0x400921fb54442d18, 0x40effc0000000000, 0x40effe0000000000, 0x41dfffffffc00000, 0x41e0000000000000,
      0xc1e0000000000000, 0x41efffffffe00000, 0x433fffffffffffff, 0x43e0000000000000, 0xc3e0000000000000,
      0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x7fe0000000000000, 0x7fefffffffffffff,
      0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
      0xfff8000000001234, 0x7fffffffffffffff, 0xffffffffffffffff);
EDGES(shifts, 0, 1, 2, 7, 8, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 127, 128, 255, 256, 257, 288,
      0x10000, 0x7fffffff, 0x80000000, 0xffffff00, 0xffffff05, 0xffffffff);
EDGES(smalls, 0, 1, 2, 3, 5, 8, 15, 16, 17, 24, 30, 31, 32, 33, 0xffffffff, 0xfffffffe, 0xffffffe0);
EDGES(bits, 0, 1);

typedef struct edge_list {
    const uint64_t *items;
    size_t count;
} edge_list;

static edge_list edges_of(const operand_type *type) {
#define LIST(name) ((edge_list){name, BASE_COUNT(name)})
    switch (type->values) {
    case VALUES_BIT: return LIST(bits);
    case VALUES_F16:
    case VALUES_F16_PAIR: return LIST(halves_f16);
    case VALUES_BF16:
    case VALUES_BF16_PAIR: return LIST(halves_bf16);
    case VALUES_F32: return LIST(floats_32);
    case VALUES_F64: return LIST(floats_64);
    case VALUES_SHIFT: return LIST(shifts);
    case VALUES_SMALL: return LIST(smalls);
    case VALUES_INTEGER_PAIR: return LIST(integers_16);
    case VALUES_INTEGER:
    case VALUES_INTEGER_8:
        return type->bits == 16   ? LIST(integers_16)
               : type->bits == 32 ? LIST(integers_32)
                                  : LIST(integers_64);
    default: return (edge_list){NULL, 0};
    }
}

static bool is_pair(const operand_type *type) {
    return type->values == VALUES_F16_PAIR || type->values == VALUES_BF16_PAIR ||
           type->values == VALUES_INTEGER_PAIR;
}

// Bits of exponent and fraction; 0 where it is no float.
static void shape_of(const operand_type *type, unsigned *exponent, unsigned *fraction) {
    *exponent = *fraction = 0;
    switch (type->values) {
    case VALUES_F16:
    case VALUES_F16_PAIR: *exponent = 5, *fraction = 10; break;
    case VALUES_BF16:
    case VALUES_BF16_PAIR: *exponent = 8, *fraction = 7; break;
    case VALUES_F32: *exponent = 8, *fraction = 23; break;
    case VALUES_F64: *exponent = 11, *fraction = 52; break;
    default: break;
    }
}

static uint64_t random_float(const operand_type *type, uint64_t raw, uint64_t more, unsigned flavour) {
    unsigned exponent, fraction;
    shape_of(type, &exponent, &fraction);
    if (exponent == 0 || flavour == 0) return raw;
    uint64_t sign = (raw >> 63) << (exponent + fraction);
    uint64_t bias = (UINT64_C(1) << (exponent - 1)) - 1, part = raw & ((UINT64_C(1) << fraction) - 1);
    uint64_t spread = fraction < 8 ? fraction : flavour == 1 ? 8 : fraction + 4;
    uint64_t at = bias + more % (2 * spread + 1) - spread;
    // A few bits at either end make ties, and ties that are only just none.
    if (flavour == 2) part = (part >> (fraction - 3) << (fraction - 3)) | (more >> 20 & 1);
    return sign | (at & ((UINT64_C(1) << exponent) - 1)) << fraction | part;
}

static uint64_t random_value(const operand_type *type, unsigned lane, const base_philox_block *r,
                             unsigned flavour) {
    uint64_t raw = (uint64_t)r->word[0] << 32 | r->word[1], more = r->word[2];
    switch (type->values) {
    case VALUES_BIT: return flavour == 0 ? raw & 1 : flavour == 1 ? (raw & 31) != 0 : (raw & 31) == 0;
    case VALUES_SHIFT: return flavour == 0 ? (uint32_t)raw : raw & (flavour == 1 ? 63 : 255);
    case VALUES_SMALL: return raw & 31;
    case VALUES_CLAMP: return (more & 31) << 8 | (flavour == 0 ? 31 : raw & 31);
    case VALUES_CLAMP_16: return ((more & 15) | 16) << 8 | (flavour == 0 ? 31 : raw & 31);
    case VALUES_FEW: return raw & 3;
    case VALUES_WARP: return lane / 32 % 3 == 0 ? raw & 1 : lane / 32;
    case VALUES_INTEGER:
    case VALUES_INTEGER_8:
        if (flavour == 1) return (uint64_t)((int64_t)raw >> (more & 63)); // of every magnitude
        return raw;
    case VALUES_F16_PAIR:
    case VALUES_BF16_PAIR:
        return (random_float(type, raw, more, flavour) & 0xffff) |
               random_float(type, raw << 16 ^ raw >> 40, more >> 8, flavour) << 16;
    default: return random_float(type, raw, more, flavour);
    }
}

static uint64_t edge_value(const operand_type *type, size_t which, const base_philox_block *r) {
    edge_list edges = edges_of(type);
    uint64_t value = edges.items[which % edges.count];
    return is_pair(type) ? value | edges.items[r->word[3] % edges.count] << 16 : value;
}

static uint64_t truncated(const operand_type *type, uint64_t value) {
    return type->bits == 64 ? value : value & ((UINT64_C(1) << type->bits) - 1);
}

bool values_same(const form *f, const form *g) {
    return f->source_count == g->source_count && !memcmp(f->sources, g->sources, sizeof f->sources);
}

void values_make(const form *f, uint64_t seed, inputs to) {
    size_t crossed = 1;
    for (unsigned s = 0; s < f->source_count; s++) {
        size_t count = edges_of(f->sources[s]).count;
        crossed *= count ? count : 1;
    }
    bool drawn = crossed > LANES / 2 + LANES / 8;
    if (drawn) crossed = LANES / 2;
    for (unsigned lane = 0; lane < LANES; lane++) {
        size_t which = lane;
        unsigned flavour = base_philox(seed, 99, lane).word[0] % 3;
        for (unsigned s = 0; s < SOURCES; s++) {
            to[lane][s] = 0;
            if (s >= f->source_count) continue;
            const operand_type *type = f->sources[s];
            base_philox_block r = base_philox(seed, s, lane);
            edge_list edges = edges_of(type);
            bool edge = lane < crossed && edges.count > 0;
            if (drawn) which = r.word[2];
            to[lane][s] =
                truncated(type, edge ? edge_value(type, which, &r) : random_value(type, lane, &r, flavour));
            if (edges.count > 0) which /= edges.count;
        }
    }
}
