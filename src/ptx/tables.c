// The .def tables turned into arrays, and the small questions about them.
#include "ptx/tables.h"

#include <string.h>

static const struct {
    const char *name;
    uint16_t bits;
    char class;
} types[PTX_TYPE_COUNT] = {
    [PTX_TYPE_NONE] = {"none", 0, 'o'},
#define PTX_TYPE(id, name, bits, class) [PTX_##id] = {name, bits, class},
#include "ptx/types.def"
#undef PTX_TYPE
};

static const struct {
    const char *text;
    ptx_category category;
} mods[PTX_MOD_COUNT] = {
    [PTX_MOD_NONE] = {"", PTX_CAT_FLAG},
#define PTX_MOD(id, text, category) [PTX_MOD_##id] = {text, PTX_CAT_##category},
#include "ptx/mods.def"
#undef PTX_MOD
};

static const ptx_op_info ops[PTX_OP_COUNT] = {
    [PTX_OP_NONE] = {.root = "",
                     .operands = "*",
                     .mods = "*",
                     .types = "*",
                     .what = "unknown",
                     .support = PTX_SUPPORT_NOTHING},
#define PTX_OP(id, root, operands, mods, types, version, sm, support, class, flops, end, effect, bits, what) \
    [PTX_OP_##id] = {root,                                                                                   \
                     operands,                                                                               \
                     mods,                                                                                   \
                     types,                                                                                  \
                     what,                                                                                   \
                     version,                                                                                \
                     sm,                                                                                     \
                     PTX_SUPPORT_##support,                                                                  \
                     PTX_CLASS_##class,                                                                      \
                     PTX_FLOPS_##flops,                                                                      \
                     PTX_END_##end,                                                                          \
                     PTX_EFFECT_##effect,                                                                    \
                     PTX_BITS_##bits},
#include "ptx/ops.def"
#undef PTX_OP
};

static const struct {
    const char *name;
    ptx_type type;
} specials[PTX_SPECIAL_COUNT] = {
    [PTX_SPECIAL_NONE] = {"", PTX_TYPE_NONE},
#define PTX_SPECIAL(id, name, type) [PTX_SPECIAL_##id] = {name, PTX_##type},
#include "ptx/specials.def"
#undef PTX_SPECIAL
};

unsigned ptx_type_bits(ptx_type type) { return (unsigned)type < PTX_TYPE_COUNT ? types[type].bits : 0; }
char ptx_type_class(ptx_type type) { return (unsigned)type < PTX_TYPE_COUNT ? types[type].class : 'o'; }
const char *ptx_type_name(ptx_type type) { return (unsigned)type < PTX_TYPE_COUNT ? types[type].name : "?"; }
ptx_type ptx_type_named(const char *name) {
    for (int type = 0; type < PTX_TYPE_COUNT; type++)
        if (types[type].name && strcmp(types[type].name, name) == 0) return (ptx_type)type;
    return PTX_TYPE_NONE;
}
const char *ptx_mod_text(ptx_mod mod) { return (unsigned)mod < PTX_MOD_COUNT ? mods[mod].text : "?"; }
const char *ptx_op_root(ptx_op op) { return (unsigned)op < PTX_OP_COUNT ? ops[op].root : "?"; }

const char *ptx_special_name(ptx_special special) {
    return (unsigned)special < PTX_SPECIAL_COUNT ? specials[special].name : "?";
}

ptx_type ptx_special_type(ptx_special special) {
    return (unsigned)special < PTX_SPECIAL_COUNT ? specials[special].type : PTX_TYPE_NONE;
}

const ptx_op_info *ptx_op_get(ptx_op op) { return &ops[op]; }

bool ptx_op_has_destination(ptx_op op) {
    char kind = ops[op].operands[0];
    return kind == 'd' || kind == 'e' || kind == '*';
}

ptx_category ptx_mod_table_category(ptx_mod mod) { return mods[mod].category; }

ptx_type ptx_mod_type(ptx_mod mod) {
    // types.def opens mods.def, so that the two enumerations run side by side.
    return mods[mod].category == PTX_CAT_TYPE && mod != PTX_MOD_NONE ? (ptx_type)mod : PTX_TYPE_NONE;
}
#define PTX_TYPE(id, name, bits, class)                                                                      \
    _Static_assert((int)PTX_MOD_T_##id == (int)PTX_##id, "mods.def begins with types.def");
#include "ptx/types.def"
#undef PTX_TYPE
_Static_assert(PTX_FLAG_INDEX_COUNT <= 64, "the flags of an instruction are one word");

unsigned ptx_mod_flag(ptx_mod mod) {
    // The flags are the last rows of mods.def, consecutive: the first is FTZ.
    return (unsigned)mod - PTX_MOD_FTZ;
}
_Static_assert(PTX_MOD_FTZ + PTX_FLAG_INDEX_COUNT == PTX_MOD_COUNT,
               "mods.def ends with the flags, FTZ first");

static bool compares(ptx_op op) { return strstr(ops[op].mods, "COMPARE") != NULL; }

ptx_category ptx_mod_category(ptx_op op, ptx_mod mod) {
    if ((mod == PTX_MOD_HI || mod == PTX_MOD_LO) && compares(op)) return PTX_CAT_COMPARE;
    if (mod == PTX_MOD_UNI && op == PTX_OP_VOTE) return PTX_CAT_MODE;
    return mods[mod].category;
}

const char *ptx_category_name(ptx_category category) {
    static const char *const names[PTX_CAT_COUNT] = {
        "TYPE",  "SPACE", "ROUND",    "COMPARE", "BOOL", "ATOMIC", "HALF",   "ORDER", "SCOPE",
        "CACHE", "EVICT", "PREFETCH", "VECTOR",  "MODE", "SHAPE",  "LAYOUT", "FLAG"};
    return names[category];
}

const char *ptx_support_reason(ptx_support support) {
    switch (support) {
    case PTX_SUPPORT_SIMULATED: return "simulated";
    case PTX_SUPPORT_NOTHING: return "accepted, without effect";
    case PTX_SUPPORT_TEXTURE: return "this texture or surface instruction is not simulated yet";
    case PTX_SUPPORT_MULTIMEM: return "memory shared by several GPUs is not simulated";
    }
    return "not simulated";
}
