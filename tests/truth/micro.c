// The microkernels: one memory access per warp, its addresses and lanes given from outside.
//
// The offsets come from constant memory, so that the access under test is the only one of its kind; what was
// loaded is stored only where it equals a number that it never equals.
#include "truth.h"

#include <stdio.h>
#include <string.h>

const micro_op micro_ops[] = {
#define MICRO(name, space, bytes, word, ptx) {name, MICRO_##space, bytes, word, ptx},
#include "micro.def"
#undef MICRO
};
const size_t micro_op_count = BASE_COUNT(micro_ops);

// ---- patterns -----------------------------------------------------------------------------------

static micro_pattern *add(micro_pattern *list, size_t *count, uint32_t mask, const char *name) {
    micro_pattern *p = &list[(*count)++];
    snprintf(p->name, sizeof p->name, "%s", name);
    p->mask = mask;
    return p;
}

static void add_stride(micro_pattern *list, size_t *count, uint32_t stride, uint32_t first, uint32_t mask) {
    char name[48];
    int length = snprintf(name, sizeof name, "stride%u", stride);
    if (first) length += snprintf(name + length, sizeof name - (size_t)length, "+%u", first);
    if (mask != UINT32_MAX) snprintf(name + length, sizeof name - (size_t)length, "&%08x", mask);
    micro_pattern *p = add(list, count, mask, name);
    for (uint32_t i = 0; i < 32; i++) p->offsets[i] = first + i * stride;
}

// Shapes that are no single stride; `w` is the width.
static uint32_t shaped(unsigned shape, uint32_t i, uint32_t w) {
    static const uint8_t shuffled[32] = {19, 4,  27, 8,  0, 13, 30, 22, 11, 1,  25, 16, 6,  31, 9,  20,
                                         3,  28, 14, 23, 7, 17, 2,  29, 12, 21, 5,  26, 10, 18, 24, 15};
    switch (shape) {
    case 0: return (31 - i) * w;                                  // reversed
    case 1: return (i ^ 1) * w;                                   // pairs exchanged
    case 2: return shuffled[i] * w;                               // a permutation
    case 3: return i / 2 * w;                                     // two lanes on one
    case 4: return i % 16 * w;                                    // the halves alike
    case 5: return i / 16 * 512;                                  // one address per half, in the same bank
    case 6: return i / 16 * 512 + i % 16 * w;                     // the halves side by side with themselves
    case 7: return shuffled[i] % 8 * w;                           // eight addresses, mixed
    case 8: return i % 4 * 128 + i / 4 * w;                       // four rows
    case 9: return i / 8 * 16 + i % 8 / 2 * w;                    // quarters
    case 10: return shuffled[i] * 132;                            // a padded column, permuted
    case 11: return (i * i % 61) * w;                             // no rule
    case 12: return (i % 8) * 128 + (i / 8 ^ i % 8) * 16 / w * w; // rows, swizzled by 16 bytes
    default: return i / 4 * 128 + i % 4 * w;                      // eight rows of four
    }
}

static const char *const shapes[] = {"reversed",   "pairs",     "permuted", "twos",  "halves",
                                     "half_words", "half_rows", "eight",    "rows4", "quarters",
                                     "padded",     "squares",   "swizzled", "rows8"};

static void add_shape(micro_pattern *list, size_t *count, unsigned shape, uint32_t w, uint32_t mask) {
    char name[48];
    snprintf(name, sizeof name, mask == UINT32_MAX ? "%s" : "%s&%08x", shapes[shape], mask);
    micro_pattern *p = add(list, count, mask, name);
    for (uint32_t i = 0; i < 32; i++) p->offsets[i] = shaped(shape, i, w) / w * w;
}

static const uint32_t masks[] = {0x00000001, 0x80000000, 0x0000ffff, 0xffff0000, 0x55555555,
                                 0x5a3cf00f, 0x80000001, 0x000000ff, 0x00ff00ff};

static size_t local_patterns(const micro_op *op, micro_pattern *list) {
    size_t count = 0;
    add_stride(list, &count, 0, 0, UINT32_MAX);
    add_stride(list, &count, 0, 64, UINT32_MAX);
    add_stride(list, &count, op->bytes, 0, UINT32_MAX); // every lane elsewhere in its own memory
    add_stride(list, &count, 0, 0, 0x5a3cf00f);
    add_stride(list, &count, 0, 16, 0x00000001);
    return count;
}

// Widths between others that are covered in full.
static size_t every_other(micro_pattern *list, size_t count) {
    for (size_t i = 0; i < count / 2; i++) list[i] = list[2 * i + 1];
    return count / 2;
}

// Rows of matrices: 16 bytes each, 8 to a matrix. `i` is the lane.
static uint32_t row_shaped(unsigned shape, uint32_t i) {
    uint32_t m = i / 8, r = i % 8;
    switch (shape) {
    case 0: return r * 128 + (m ^ r) * 16;                      // swizzles of 128, 64 and 32 bytes
    case 1: return r * 64 + ((m ^ r / 2) % 4) * 16;             //
    case 2: return r * 32 + ((m ^ r / 4) % 2) * 16;             //
    case 3: return i % 16 * 128 + i / 16 * 16;                  // a tile of 16 rows, 128 bytes long
    case 4: return i % 16 * 144 + i / 16 * 16;                  // the same, padded
    case 5: return i % 16 * 128 + (i / 16 ^ i % 8) * 16;        // the same, swizzled
    case 6: return r % 4 * 16 + r / 4 * 128 + m * 64;           // conflicts of two rows, of four, of all
    case 7: return r % 2 * 16 + r / 2 * 128 + m * 32;           //
    case 8: return r * 128 + m * 16;                            //
    case 9: return (r >> m) * 16 + (r & ((1u << m) - 1)) * 128; // another degree in each matrix
    case 10: return i / 2 * 16;                                 // rows that are the same: in pairs,
    case 11: return (i & ~UINT32_C(2)) * 16;                    // with the next but one,
    case 12: return m * 16;                                     // all of a matrix,
    case 13: return r * 16;                                     // in all matrices
    case 14: return r * 16 + m * 1024;                          // matrices far apart, in the same banks
    case 15: return (31 - i) * 16;                              // reversed
    case 16: return (i * 5 + 3) % 32 * 16;                      // permuted
    default: return i < 8 ? i * 16 : 4096 + i % 3 * 16;         // x1 looks at the first eight alone
    }
}

static const char *const row_shapes[] = {
    "swizzle128", "swizzle64", "swizzle32",  "tile",     "tile_padded", "tile_swizzled",
    "two_way",    "four_way",  "eight_way",  "degrees",  "twos",        "next_but_one",
    "one_row",    "alike",     "same_banks", "reversed", "permuted",    "first_eight"};

static size_t matrix_patterns(micro_pattern *list) {
    static const uint32_t strides[] = {0,   16,  32,  48,  64,  80,  96,  112,
                                       128, 144, 160, 192, 256, 272, 512, 1024};
    size_t count = 0;
    for (size_t i = 0; i < BASE_COUNT(strides); i++) add_stride(list, &count, strides[i], 0, UINT32_MAX);
    add_stride(list, &count, 16, 16, UINT32_MAX);
    add_stride(list, &count, 144, 48, UINT32_MAX);
    for (unsigned s = 0; s < BASE_COUNT(row_shapes); s++) {
        micro_pattern *p = add(list, &count, UINT32_MAX, row_shapes[s]);
        for (uint32_t i = 0; i < 32; i++) p->offsets[i] = row_shaped(s, i);
    }
    return count;
}

size_t micro_patterns(const micro_op *op, micro_pattern *list) {
    size_t count = 0;
    uint32_t w = op->bytes;
    if (op->space == MICRO_LOCAL) return local_patterns(op, list);
    if (op->space == MICRO_MATRIX) return matrix_patterns(list);
    bool shared = op->space == MICRO_SHARED;
    // Different instructions of one width on one set of addresses tell little more: they get fewer patterns.
    bool atomic = op->word[0] == 'a' || op->word[0] == 'r';
    bool many = !atomic && (op->name[3] == 'g' || op->name[3] == 's') && op->name[4] != 'e';
    static const uint32_t steps[] = {1, 2, 3, 4, 8, 16, 32};
    add_stride(list, &count, 0, 0, UINT32_MAX);
    for (size_t i = 0; i < BASE_COUNT(steps); i++)
        if (many || i == 0 || i == 1 || i == 4) add_stride(list, &count, steps[i] * w, 0, UINT32_MAX);
    if (shared && many) add_stride(list, &count, w < 4 ? 132 : 128 + w, 0, UINT32_MAX);
    if (shared && many && w < 4) add_stride(list, &count, 4, 0, UINT32_MAX);
    if (!shared && many) add_stride(list, &count, 4096, 0, UINT32_MAX);
    add_stride(list, &count, w, w, UINT32_MAX);
    if (many && w <= 4) add_stride(list, &count, w, 28, UINT32_MAX);
    if (many) add_stride(list, &count, 2 * w, w, UINT32_MAX);
    if (many && w < 16) add_stride(list, &count, w, 16, UINT32_MAX);
    for (size_t i = 0; i < BASE_COUNT(masks); i++)
        if (many || i == 0 || i == 5) add_stride(list, &count, w, 0, masks[i]);
    if (many) add_stride(list, &count, 0, 0, 0x5a3cf00f), add_stride(list, &count, 32 * w, 0, 0x0000ffff);
    for (unsigned s = 0; s < BASE_COUNT(shapes); s++)
        if (many || s == 0 || s == 2 || s == 3 || s == 5) add_shape(list, &count, s, w, UINT32_MAX);
    if (many) add_shape(list, &count, 2, w, 0x5a3cf00f), add_shape(list, &count, 4, w, 0x55555555);
    return w == 2 || w == 8 ? every_other(list, count) : count;
}

// ---- PTX ----------------------------------------------------------------------------------------

void micro_write(const micro_op *op, base_text *text) {
    const char *wide = op->space == MICRO_GLOBAL ? "64" : "32";
    bool matrix = op->space == MICRO_MATRIX; // of which no lane may stay away
    base_text_add(text, ".version 8.0\n.target sm_%d\n.address_size 64\n.const .align 4 .b32 pattern[32];\n",
                  matrix ? 90 : 80);
    if (op->space == MICRO_SHARED || matrix)
        base_text_add(text, ".shared .align 1024 .b8 room[%d];\n", MICRO_SHARED_ROOM);
    base_text_add(
        text,
        ".visible .entry %s(.param .u64 p_base, .param .u32 p_mask, .param .u32 p_never, .param .u64 "
        "p_sink) {\n.reg .b64 %%b, %%o, %%v, %%w, %%sink; .reg .b32 %%l, %%m, %%n, %%r, %%s, %%t, %%u, "
        "%%c; .reg .b%s %%a; .reg .b16 %%h; .reg .f32 %%f; .reg .pred %%p, %%q;\n",
        op->name, wide);
    if (op->space == MICRO_LOCAL) base_text_add(text, ".local .align 16 .b8 room[1024];\n");
    base_text_add(text, "mov.u32 %%l, %%tid.x;\nand.b32 %%l, %%l, 31;\nld.param.u32 %%m, [p_mask];\n"
                        "shr.u32 %%m, %%m, %%l;\nand.b32 %%m, %%m, 1;\nsetp.eq.u32 %%p, %%m, 0;\n"
                        "mov.u64 %%b, pattern;\nmad.wide.u32 %%b, %%l, 4, %%b;\nld.const.u32 %%c, [%%b];\n"
                        "ld.param.u32 %%n, [p_never];\nadd.u32 %%r, %%n, 1;\nmov.u32 %%s, %%r;\n"
                        "cvt.u16.u32 %%h, %%r;\ncvt.u64.u32 %%w, %%r;\n");
    if (strstr(op->ptx, "%k")) // where cp.async puts it: 16 bytes a lane
        base_text_add(text, ".reg .b32 %%k;\n.shared .align 16 .b8 stage[512];\nmov.u32 %%k, stage;\n"
                            "mad.lo.u32 %%k, %%l, 16, %%k;\n");
    if (op->space == MICRO_GLOBAL)
        base_text_add(text, "ld.param.u64 %%b, [p_base];\ncvt.u64.u32 %%o, %%c;\nadd.u64 %%a, %%b, %%o;\n");
    else
        base_text_add(text, "mov.u32 %%a, room;\nadd.u32 %%a, %%a, %%c;\n");
    base_text_add(text,
                  "%s%s\nsetp.eq.u32 %%q, %%r, %%n;\nld.param.u64 %%sink, [p_sink];\n"
                  "@%%q st.global.u32 [%%sink], %%r;\nret;\n}\n",
                  matrix ? "" : "@%p exit;\n", op->ptx);
}
