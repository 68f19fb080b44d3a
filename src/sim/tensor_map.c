// Tensor maps: the rules they obey, and their 128 bytes.
//
// By 32-bit words: 0 and 1 the global address; 2 see below; 3 to 6 strides of dimensions 1 to 4 in units of 16 bytes,
// low 32 bits; 7 their high 4 bits, a nibble each; 8 to 12 sizes less one; 13 element strides less one, 3 bits each, and
// from bit 24 the box's size in dimension 0 less one, or channels; 14 the others, a byte each, or im2col's corners, lower
// ones in the low half; 15 im2col's pixels less one. Word 2: bit 0 im2col, 4 to 6 rank less one, 7 to 10 type, 11 and 12
// interleave, 13 and 14 swizzle, 15 fill with NaN, 16 round to tf32, 17 and 18 L2 promotion. From word 16 on the driver notes for
// itself 64 bits of the box's bytes and 64 bits of its alignment in shared memory. Copies read neither these nor any bit that is
// not named here, nor the address from bit 57 on.

#include "sim/tensor_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WORDS = SIM_TENSOR_MAP_BYTES / 4,
    STRIDE_WORD = 3,
    STRIDE_HIGH_WORD = 7,
    DIM_WORD = 8,
    TRAVERSAL_WORD = 13,
    BOX_WORD = 14,
    PIXEL_WORD = 15,
    NOTE_WORD = 16, // the driver's own
    ADDRESS_BITS = 57,
    // Word 2
    IM2COL_BIT = 0,
    RANK_SHIFT = 4,
    TYPE_SHIFT = 7,
    INTERLEAVE_SHIFT = 11,
    SWIZZLE_SHIFT = 13,
    FILL_BIT = 15,
    TF32_BIT = 16,
    PROMOTION_SHIFT = 17,
    TF32_CODES = 11, // the codes from here on are those of f32 with TF32_BIT
    F32_CODE = 7,
    BOX_MOST_BYTES = 228 << 10, // what the driver takes; a block has 227 KiB of shared memory
};

// ---- types -----------------------------------------------------------------------------------------------

static const struct type_row {
    const char *name;
    uint8_t bytes, code;
    ptx_type ptx;
    bool is_float;
} types[] = {
#define KZ_TENSOR_TYPE(id, name, bytes, code, ptx, is_float) {name, bytes, code, ptx, is_float},
#include "kz/tensor_types.def"
#undef KZ_TENSOR_TYPE
};

uint32_t sim_tensor_type_bytes(sim_tensor_type type) { return types[type].bytes; }
const char *sim_tensor_type_name(sim_tensor_type type) { return types[type].name; }
ptx_type sim_tensor_type_ptx(sim_tensor_type type) { return types[type].ptx; }
bool sim_tensor_type_is_float(sim_tensor_type type) { return types[type].is_float; }

uint64_t sim_tensor_rows(const sim_tensor_map *map) {
    uint64_t rows = map->im2col ? map->pixels : 1;
    for (uint32_t i = 1; !map->im2col && i < map->rank; i++) rows *= sim_tensor_count(map, i);
    return rows;
}

uint32_t sim_tensor_row_bytes(const sim_tensor_map *map) {
    uint32_t pixels = map->interleave ? 1 : map->channels;
    return (map->im2col ? pixels : sim_tensor_count(map, 0)) * sim_tensor_unit(map);
}

uint32_t sim_tensor_box_bytes(const sim_tensor_map *map) {
    uint64_t bytes = sim_tensor_rows(map) * sim_tensor_row_bytes(map); // 256^5 elements do not fit 32 bits
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

// ---- rules -----------------------------------------------------------------------------------------------

static const struct rule_row {
    const char *argument, *rule, *advice;
} rules[] = {
    [SIM_TENSOR_RULE_NONE] = {"", "", ""},
#define SIM_TENSOR_RULE(id, argument, rule, advice) {argument, rule, advice},
#include "sim/tensor_rules.def"
#undef SIM_TENSOR_RULE
};

kz_status sim_tensor_breach_fail(const sim_tensor_breach *breach, kz_error *error) {
    const struct rule_row *row = &rules[breach->rule];
    char index[16] = "";
    if (breach->index >= 0) snprintf(index, sizeof index, "[%d]", breach->index);
    bool is_address = breach->rule == SIM_TENSOR_RULE_MAP_ALIGN ||
                      (breach->rule >= SIM_TENSOR_RULE_ADDRESS && breach->rule <= SIM_TENSOR_RULE_ADDRESS_32);
    char value[32];
    if (is_address)
        snprintf(value, sizeof value, "0x%" PRIx64, (uint64_t)breach->value);
    else
        snprintf(value, sizeof value, "%" PRId64, breach->value);
    return base_fail(error, KZ_INVALID, "%s%s is %s: %s\nwhat to do: %s", row->argument, index, value,
                     row->rule, row->advice);
}

static bool breaks(sim_tensor_breach *breach, bool broken, sim_tensor_rule rule, int32_t index,
                   uint64_t value) {
    if (!broken || breach->rule) return breach->rule != SIM_TENSOR_RULE_NONE;
    *breach = (sim_tensor_breach){rule, index, (int64_t)value};
    return true;
}
#define BREAKS(condition, rule, index, value)                                                                \
    breaks(breach, condition, SIM_TENSOR_RULE_##rule, index, (uint64_t)(value))

// Both the encoder and cuTensorMapReplaceAddress want these of an address.
static bool breaks_address(uint64_t address, sim_tensor_breach *breach) {
    BREAKS(address % 16, ADDRESS, -1, address);
    return BREAKS(address >> ADDRESS_BITS, ADDRESS_RANGE, -1, address);
}

static bool breaks_tensor(const sim_tensor_map *m, sim_tensor_breach *breach) {
    bool interleaved = m->interleave != SIM_INTERLEAVE_NONE, wide = m->interleave == SIM_INTERLEAVE_32;
    BREAKS(m->type < 0 || m->type >= SIM_TENSOR_TYPE_COUNT, TYPE, -1, m->type);
    BREAKS(m->interleave < 0 || m->interleave > SIM_INTERLEAVE_32, INTERLEAVE, -1, m->interleave);
    BREAKS(m->rank < 1 || m->rank > SIM_TENSOR_RANK, RANK, -1, m->rank);
    BREAKS(m->im2col && m->rank < 3, RANK_IM2COL, -1, m->rank);
    BREAKS(interleaved && m->rank < 3, RANK_INTERLEAVED, -1, m->rank);
    breaks_address(m->address, breach);
    if (BREAKS(wide && m->address % 32, ADDRESS_32, -1, m->address)) return true;
    for (uint32_t i = 0; i < m->rank; i++)
        BREAKS(!m->dim[i] || m->dim[i] > UINT64_C(1) << 32, DIM, (int)i, m->dim[i]);
    for (uint32_t i = 0; i + 1 < m->rank; i++) {
        BREAKS(m->stride[i] % 16, STRIDE, (int)i, m->stride[i]);
        BREAKS(m->stride[i] >= UINT64_C(1) << 40, STRIDE_RANGE, (int)i, m->stride[i]);
        BREAKS(wide && m->stride[i] % 32, STRIDE_32, (int)i, m->stride[i]);
    }
    for (uint32_t i = 0; i < m->rank; i++)
        BREAKS(m->step[i] < 1 || m->step[i] > 8, ELEMENT_STRIDE, (int)i, m->step[i]);
    return breach->rule != SIM_TENSOR_RULE_NONE;
}

// What the driver takes a row and a box for: it counts an interleaved map's elements as if there were no slices, and
// divides by the element strides where copies round up.
static uint32_t driver_row_bytes(const sim_tensor_map *m) {
    return (m->im2col ? m->channels : m->box[0]) * types[m->type].bytes;
}

static uint64_t driver_box_bytes(const sim_tensor_map *m) {
    uint64_t bytes = types[m->type].bytes;
    if (m->im2col) return bytes * m->channels * m->pixels;
    for (uint32_t i = 0; i < m->rank; i++) bytes *= m->box[i] / m->step[i];
    return bytes;
}

static bool breaks_layout(const sim_tensor_map *m, sim_tensor_breach *breach) {
    uint32_t row = driver_row_bytes(m);
    BREAKS(m->swizzle < 0 || m->swizzle > SIM_SWIZZLE_128, SWIZZLE, -1, m->swizzle);
    BREAKS(!m->interleave && m->swizzle && row > sim_swizzle_bytes(m->swizzle), SWIZZLE_ROW, -1, row);
    BREAKS(driver_box_bytes(m) > BOX_MOST_BYTES, BOX_BYTES, -1, driver_box_bytes(m));
    BREAKS(m->promotion < 0 || m->promotion > 3, PROMOTION, -1, m->promotion);
    BREAKS(m->fill < 0 || m->fill > 1, FILL, -1, m->fill);
    return BREAKS(m->fill == 1 && !types[m->type].is_float, FILL_FLOAT, -1, m->fill);
}

static void breaks_box(const sim_tensor_map *m, sim_tensor_breach *breach) {
    for (uint32_t i = 0; i < m->rank; i++) BREAKS(m->box[i] < 1 || m->box[i] > 256, BOX, (int)i, m->box[i]);
    BREAKS(driver_row_bytes(m) % 16, BOX_ROW, -1, driver_row_bytes(m));
}

static int32_t corner_bits(uint32_t rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }

static void breaks_im2col(const sim_tensor_map *m, sim_tensor_breach *breach) {
    int32_t limit = 1 << (corner_bits(m->rank) - 1);
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        int64_t pixels = (int64_t)m->dim[sim_tensor_space(m) + i] + m->upper[i] - m->lower[i];
        BREAKS(m->lower[i] < -limit || m->lower[i] >= limit, LOWER_CORNER, (int)i, m->lower[i]);
        BREAKS(m->upper[i] < -limit || m->upper[i] >= limit, UPPER_CORNER, (int)i, m->upper[i]);
        BREAKS(pixels <= 0, CORNERS, (int)i, pixels);
    }
    BREAKS(m->channels < 1 || m->channels > 256, CHANNELS, -1, m->channels);
    BREAKS(driver_row_bytes(m) % 16, CHANNELS_ROW, -1, driver_row_bytes(m));
    BREAKS(m->pixels < 1 || m->pixels > 1024, PIXELS, -1, m->pixels);
}

sim_tensor_breach sim_tensor_map_check(const sim_tensor_map *m) {
    sim_tensor_breach breach = {SIM_TENSOR_RULE_NONE, -1, 0};
    if (breaks_tensor(m, &breach)) return breach;
    if (m->im2col)
        breaks_im2col(m, &breach);
    else
        breaks_box(m, &breach);
    if (breach.rule == SIM_TENSOR_RULE_NONE) breaks_layout(m, &breach);
    return breach;
}

// ---- bytes -----------------------------------------------------------------------------------------------

static void read_words(const void *bytes, uint32_t words[WORDS]) {
    memcpy(words, bytes, SIM_TENSOR_MAP_BYTES);
}
static void write_words(void *bytes, const uint32_t words[WORDS]) {
    memcpy(bytes, words, SIM_TENSOR_MAP_BYTES);
}

static void set_stride(uint32_t words[WORDS], uint32_t i, uint64_t bytes) {
    uint64_t units = bytes >> 4;
    words[STRIDE_WORD + i] = (uint32_t)units;
    words[STRIDE_HIGH_WORD] &= ~(UINT32_C(15) << 4 * i);
    words[STRIDE_HIGH_WORD] |= ((uint32_t)(units >> 32) & 15) << 4 * i;
}

static void set_type(uint32_t words[WORDS], uint32_t code) {
    bool rounds = code >= TF32_CODES;
    words[2] &= ~(UINT32_C(15) << TYPE_SHIFT | UINT32_C(1) << TF32_BIT);
    words[2] |= (rounds ? code - TF32_CODES + F32_CODE : code) << TYPE_SHIFT | (uint32_t)rounds << TF32_BIT;
}

static uint32_t pack_corners(const int32_t *corners, uint32_t rank) {
    uint32_t bits = (uint32_t)corner_bits(rank), packed = 0;
    for (uint32_t i = 0; i + 2 < rank; i++)
        packed |= ((uint32_t)corners[i] & ((UINT32_C(1) << bits) - 1)) << bits * i;
    return packed;
}

static void unpack_corners(uint32_t packed, uint32_t rank, int32_t *corners) {
    int32_t bits = corner_bits(rank), sign = 1 << (bits - 1);
    for (uint32_t i = 0; i + 2 < rank; i++) {
        int32_t field = (int32_t)(packed >> (uint32_t)bits * i & ((UINT32_C(1) << bits) - 1));
        corners[i] = (field ^ sign) - sign;
    }
}

static void encode_words(const sim_tensor_map *m, uint32_t words[WORDS]) {
    words[0] = (uint32_t)m->address;
    words[1] = (uint32_t)(m->address >> 32);
    words[2] = (uint32_t)m->im2col << IM2COL_BIT | (m->rank - 1) << RANK_SHIFT |
               (uint32_t)m->interleave << INTERLEAVE_SHIFT | (uint32_t)m->swizzle << SWIZZLE_SHIFT |
               (uint32_t)m->fill << FILL_BIT | (uint32_t)m->promotion << PROMOTION_SHIFT;
    set_type(words, types[m->type].code);
    for (uint32_t i = 0; i + 1 < m->rank; i++) set_stride(words, i, m->stride[i]);
    for (uint32_t i = 0; i < m->rank; i++) {
        words[DIM_WORD + i] = (uint32_t)(m->dim[i] - 1);
        words[TRAVERSAL_WORD] |= (m->step[i] - 1) << 3 * i;
    }
    words[TRAVERSAL_WORD] |= ((m->im2col ? m->channels : m->box[0]) - 1) << 24;
    if (m->im2col) {
        words[BOX_WORD] = pack_corners(m->lower, m->rank) | pack_corners(m->upper, m->rank) << 16;
        words[PIXEL_WORD] = m->pixels - 1;
    } else
        for (uint32_t i = 1; i < m->rank; i++) words[BOX_WORD] |= (m->box[i] - 1) << 8 * (i - 1);
    words[NOTE_WORD] = (uint32_t)driver_box_bytes(m);
    words[NOTE_WORD + 2] = m->swizzle ? 8 * sim_swizzle_bytes(m->swizzle) : 16;
}

kz_status sim_tensor_map_encode(const sim_tensor_map *map, void *bytes, kz_error *error) {
    uint32_t words[WORDS] = {0};
    sim_tensor_breach breach = sim_tensor_map_check(map);
    if (breach.rule) return sim_tensor_breach_fail(&breach, error);
    encode_words(map, words);
    write_words(bytes, words);
    return KZ_OK;
}

static int32_t type_of(uint32_t word) {
    uint32_t code = word >> TYPE_SHIFT & 15;
    if (code >= TF32_CODES) return -1;
    if (word >> TF32_BIT & 1) code = code >= F32_CODE ? code - F32_CODE + TF32_CODES : UINT32_MAX;
    for (int32_t i = 0; i < SIM_TENSOR_TYPE_COUNT; i++)
        if (types[i].code == code) return i;
    return -1;
}

bool sim_tensor_map_decode(const void *bytes, sim_tensor_map *m) {
    uint32_t words[WORDS];
    read_words(bytes, words);
    memset(m, 0, sizeof *m);
    m->im2col = words[2] >> IM2COL_BIT & 1;
    m->address = (words[0] | (uint64_t)words[1] << 32) & ((UINT64_C(1) << ADDRESS_BITS) - 1);
    m->rank = (words[2] >> RANK_SHIFT & 7) + 1;
    m->type = type_of(words[2]);
    m->interleave = (int32_t)(words[2] >> INTERLEAVE_SHIFT & 3);
    m->swizzle = (int32_t)(words[2] >> SWIZZLE_SHIFT & 3);
    m->fill = (int32_t)(words[2] >> FILL_BIT & 1);
    m->promotion = (int32_t)(words[2] >> PROMOTION_SHIFT & 3);
    for (uint32_t i = 0; i < SIM_TENSOR_RANK; i++) {
        m->dim[i] = (uint64_t)words[DIM_WORD + i] + 1;
        m->step[i] = (words[TRAVERSAL_WORD] >> 3 * i & 7) + 1;
        m->box[i] = (i ? words[BOX_WORD] >> 8 * (i - 1) & 0xff : words[TRAVERSAL_WORD] >> 24) + 1;
        if (i)
            m->stride[i - 1] =
                (words[STRIDE_WORD + i - 1] | (uint64_t)(words[STRIDE_HIGH_WORD] >> 4 * (i - 1) & 15) << 32)
                << 4;
    }
    static const uint32_t zeros[WORDS];
    if (!memcmp(words, zeros, sizeof words)) return false;
    if (!m->im2col) return true;
    m->channels = m->box[0];
    m->pixels = (words[PIXEL_WORD] & 0x3ff) + 1;
    if (m->rank >= 3 && m->rank <= SIM_TENSOR_RANK) {
        unpack_corners(words[BOX_WORD] & 0xffff, m->rank, m->lower);
        unpack_corners(words[BOX_WORD] >> 16, m->rank, m->upper);
    }
    return true;
}

// The driver looks at the address alone: any bytes are a map to it.
kz_status sim_tensor_map_replace_address(void *bytes, uint64_t address, kz_error *error) {
    sim_tensor_breach new = {SIM_TENSOR_RULE_NONE, -1, 0}, *breach = &new;
    breaks_address(address, breach);
    if (BREAKS(!address, ADDRESS_ZERO, -1, address)) return sim_tensor_breach_fail(breach, error);
    memcpy(bytes, &address, sizeof address);
    return KZ_OK;
}

// ---- tensormap.replace -----------------------------------------------------------------------------------

sim_tensor_field sim_tensor_field_of(ptx_mod field, uint32_t i) {
    switch (field) {
    case PTX_MOD_GLOBAL_ADDRESS: return (sim_tensor_field){0, 0, 64, false};
    case PTX_MOD_RANK: return (sim_tensor_field){2, RANK_SHIFT, 3, false};
    case PTX_MOD_BOX_DIM:
        return i ? (sim_tensor_field){BOX_WORD, (uint8_t)(8 * (i - 1)), 8, true}
                 : (sim_tensor_field){TRAVERSAL_WORD, 24, 8, true};
    case PTX_MOD_GLOBAL_DIM: return (sim_tensor_field){(uint8_t)(DIM_WORD + i), 0, 32, true};
    case PTX_MOD_GLOBAL_STRIDE: return (sim_tensor_field){(uint8_t)(STRIDE_WORD + i), 0, 36, false};
    case PTX_MOD_ELEMENT_STRIDE: return (sim_tensor_field){TRAVERSAL_WORD, (uint8_t)(3 * i), 3, true};
    case PTX_MOD_ELEMTYPE: return (sim_tensor_field){2, TYPE_SHIFT, 4, false};
    case PTX_MOD_INTERLEAVE_LAYOUT: return (sim_tensor_field){2, INTERLEAVE_SHIFT, 2, false};
    case PTX_MOD_SWIZZLE_MODE: return (sim_tensor_field){2, SWIZZLE_SHIFT, 2, false};
    case PTX_MOD_FILL_MODE: return (sim_tensor_field){2, FILL_BIT, 1, false};
    default: return (sim_tensor_field){0, 0, 0, false};
    }
}

void sim_tensor_field_set(void *bytes, ptx_mod field, uint32_t ordinal, uint64_t value) {
    sim_tensor_field f = sim_tensor_field_of(field, ordinal);
    uint32_t words[WORDS];
    read_words(bytes, words);
    if (field == PTX_MOD_GLOBAL_ADDRESS) {
        words[0] = (uint32_t)value;
        words[1] = (uint32_t)(value >> 32);
    } else if (field == PTX_MOD_GLOBAL_STRIDE)
        set_stride(words, ordinal, value);
    else if (field == PTX_MOD_ELEMTYPE)
        set_type(words, (uint32_t)value);
    else {
        uint32_t mask = f.bits == 32 ? UINT32_MAX : (UINT32_C(1) << f.bits) - 1;
        words[f.word] &= ~(mask << f.shift);
        words[f.word] |= ((uint32_t)(value - f.less_one) & mask) << f.shift;
    }
    write_words(bytes, words);
}
