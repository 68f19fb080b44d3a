// What is well-formed but wrong in instructions that take tensor maps: how many coordinates, which modifiers go
// together, which field takes which value. ptxas refuses the same.
#include "ptx/parser.h"

#include <string.h>

typedef struct tensor_check {
    ptx_parser *parser;
    const ptx_inst *inst;
    const ptx_token *token;
    uint32_t next; // operand
} tensor_check;

static void wrong(const tensor_check *check, const char *message) {
    if (check->parser->status == KZ_OK)
        ptx_fail_at(check->parser, check->token, "'%s': %s", ptx_op_root(check->inst->op), message);
}

static bool has(const tensor_check *check, ptx_mod mod) {
    for (uint32_t i = 0; i < check->inst->mod_count; i++)
        if (check->inst->mods[i] == mod) return true;
    return false;
}

static ptx_mod space_at(const tensor_check *check, unsigned index) {
    for (uint32_t i = 0; i < check->inst->mod_count; i++)
        if (ptx_mod_category(check->inst->op, (ptx_mod)check->inst->mods[i]) == PTX_CAT_SPACE && index-- == 0)
            return (ptx_mod)check->inst->mods[i];
    return PTX_MOD_NONE;
}

// ---- operands --------------------------------------------------------------------------------------------

static const ptx_operand *take(tensor_check *check) {
    if (check->next < check->inst->operand_count) return &check->inst->operands[check->next++];
    wrong(check, "an operand is missing");
    return NULL;
}

static unsigned bits_of(const tensor_check *check, const ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_INT) return 0; // any
    if (operand->kind == PTX_OPERAND_SPECIAL) return ptx_type_bits(ptx_special_type(operand->special));
    if (operand->kind != PTX_OPERAND_REG || operand->negated || operand->select[0] || operand->second >= 0)
        return UINT32_MAX;
    return ptx_type_bits(((const ptx_reg *)check->parser->regs.data)[operand->reg].type);
}

static void check_values(const tensor_check *check, const ptx_operand *list, uint32_t count, unsigned bits,
                         const char *message) {
    for (uint32_t i = 0; i < count; i++) {
        unsigned has_bits = bits_of(check, &list[i]);
        if (has_bits && has_bits != bits) wrong(check, message);
    }
}

static void take_address(tensor_check *check) {
    const ptx_operand *operand = take(check);
    if (operand && (operand->kind != PTX_OPERAND_ADDRESS || operand->element_count))
        wrong(check, "expected an address in brackets");
}

// [map, {c0, c1, ...}]
static void take_map(tensor_check *check, uint32_t rank) {
    const ptx_operand *operand = take(check);
    if (!operand) return;
    if (operand->kind != PTX_OPERAND_ADDRESS || operand->element_count != 1 ||
        operand->elements[0].kind != PTX_OPERAND_VECTOR) {
        wrong(check, "expected the tensor map and its coordinates: [map, {c0, ...}]");
        return;
    }
    if (operand->variable && operand->variable->space != PTX_MOD_GLOBAL)
        wrong(check, "a map in .const or .param is named by its generic address: mov and cvta");
    if (operand->reg >= 0 && operand->value)
        wrong(check, "the map's address takes no offset: add it to the register before");
    const ptx_operand *coordinates = &operand->elements[0];
    if (coordinates->element_count != rank)
        wrong(check, "there must be as many coordinates as dimensions: one for .1d, five for .5d");
    check_values(check, coordinates->elements, coordinates->element_count, 32, "coordinates have 32 bits");
}

static void take_value(tensor_check *check, unsigned bits, const char *message) {
    const ptx_operand *operand = take(check);
    if (operand) check_values(check, operand, 1, bits, message);
}

static void take_offsets(tensor_check *check, uint32_t rank) {
    const ptx_operand *operand = take(check);
    if (!operand) return;
    if (operand->kind != PTX_OPERAND_VECTOR || operand->element_count + 2 != rank)
        wrong(check, ".im2col takes offsets in braces, two fewer than dimensions");
    else
        check_values(check, operand->elements, operand->element_count, 16, "offsets of .im2col have 16 bits");
}

// ---- copies ----------------------------------------------------------------------------------------------

static uint32_t rank_of(const tensor_check *check) {
    static const ptx_mod ranks[] = {PTX_MOD_D1, PTX_MOD_D2, PTX_MOD_D3, PTX_MOD_D4, PTX_MOD_D5};
    for (uint32_t i = 0; i < BASE_COUNT(ranks); i++)
        if (check->inst->by_category[PTX_CAT_SHAPE] == ranks[i]) return i + 1;
    wrong(check, "the number of dimensions is missing: .1d to .5d");
    return 1;
}

static void check_modes(const tensor_check *check, uint32_t rank, bool is_load) {
    bool im2col = has(check, PTX_MOD_IM2COL), no_offsets = has(check, PTX_MOD_IM2COL_NO_OFFS);
    if (has(check, PTX_MOD_TILE) + im2col + no_offsets > 1) wrong(check, "it is .tile or .im2col, not both");
    if (im2col && !is_load) wrong(check, "a store takes .im2col_no_offs, not .im2col");
    if (no_offsets && is_load) wrong(check, "a load takes .im2col, not .im2col_no_offs");
    if ((im2col || no_offsets) && rank < 3) wrong(check, "im2col takes from 3 to 5 dimensions");
}

static void end_operands(tensor_check *check) {
    if (check->inst->flags & PTX_FLAG(L2_CACHE_HINT)) take_value(check, 64, "a cache policy has 64 bits");
    if (check->next != check->inst->operand_count) wrong(check, "there are too many operands");
}

static void check_load(tensor_check *check, uint32_t rank) {
    ptx_mod to = space_at(check, 0);
    bool multicast = check->inst->flags & PTX_FLAG(MULTICAST_CLUSTER);
    if ((to != PTX_MOD_SHARED_CLUSTER && to != PTX_MOD_SHARED_CTA) || space_at(check, 1) != PTX_MOD_GLOBAL)
        wrong(check,
              "it goes from .global to .shared::cluster or .shared::cta, or from .shared::cta to .global");
    if (!(check->inst->flags & PTX_FLAG(MBARRIER_COMPLETE_TX_BYTES)) || has(check, PTX_MOD_BULK_GROUP))
        wrong(check, "towards shared memory it needs .mbarrier::complete_tx::bytes");
    if (multicast && to == PTX_MOD_SHARED_CTA) wrong(check, ".multicast::cluster needs .shared::cluster");
    check_modes(check, rank, true);
    take_address(check);
    take_map(check, rank);
    take_address(check);
    if (has(check, PTX_MOD_IM2COL)) take_offsets(check, rank);
    if (multicast) take_value(check, 16, "the blocks of .multicast::cluster are 16 bits");
    end_operands(check);
}

static void check_store(tensor_check *check, uint32_t rank) {
    if (space_at(check, 1) != PTX_MOD_SHARED_CTA) wrong(check, "a store goes from .shared::cta to .global");
    if (!has(check, PTX_MOD_BULK_GROUP) || check->inst->flags & PTX_FLAG(MBARRIER_COMPLETE_TX_BYTES))
        wrong(check, "towards global memory it needs .bulk_group");
    if (check->inst->flags & PTX_FLAG(MULTICAST_CLUSTER))
        wrong(check, ".multicast::cluster is for copies to shared memory");
    check_modes(check, rank, false);
    take_map(check, rank);
    take_address(check);
    end_operands(check);
}

static void check_reduction(tensor_check *check, uint32_t rank) {
    uint16_t how = check->inst->by_category[PTX_CAT_ATOMIC];
    uint16_t logic = check->inst->by_category[PTX_CAT_BOOL];
    bool known = how == PTX_MOD_NONE ? logic == PTX_MOD_AND || logic == PTX_MOD_OR || logic == PTX_MOD_XOR
                                     : logic == PTX_MOD_NONE && how != PTX_MOD_CAS && how != PTX_MOD_EXCH;
    if (!known) wrong(check, "the operation is .add, .min, .max, .inc, .dec, .and, .or or .xor");
    if (space_at(check, 0) != PTX_MOD_GLOBAL) wrong(check, "it goes from .shared::cta to .global");
    check_store(check, rank);
}

static void check_prefetch(tensor_check *check, uint32_t rank) {
    if (space_at(check, 0) != PTX_MOD_GLOBAL || !has(check, PTX_MOD_L2)) wrong(check, "it is .L2.global");
    check_modes(check, rank, true);
    take_map(check, rank);
    if (has(check, PTX_MOD_IM2COL)) take_offsets(check, rank);
    end_operands(check);
}

// ---- tensormap.replace, fences ---------------------------------------------------------------------------

// The fields: whether an ordinal says which dimension, the highest ordinal, the bits of the value, and the highest
// value of those that must be constants.
static const struct field {
    ptx_mod mod;
    int8_t ordinals, bits, most;
} fields[] = {
    {PTX_MOD_GLOBAL_ADDRESS, 0, 64, -1}, {PTX_MOD_RANK, 0, 32, -1},
    {PTX_MOD_BOX_DIM, 5, 32, -1},        {PTX_MOD_GLOBAL_DIM, 5, 32, -1},
    {PTX_MOD_GLOBAL_STRIDE, 5, 64, -1},  {PTX_MOD_ELEMENT_STRIDE, 5, 32, -1},
    {PTX_MOD_ELEMTYPE, 0, 32, 12},       {PTX_MOD_INTERLEAVE_LAYOUT, 0, 32, 2},
    {PTX_MOD_SWIZZLE_MODE, 0, 32, 3},    {PTX_MOD_FILL_MODE, 0, 32, 1},
};

static const struct field *field_of(const tensor_check *check) {
    const struct field *found = NULL;
    for (size_t i = 0; i < BASE_COUNT(fields); i++) {
        if (!has(check, fields[i].mod)) continue;
        if (found) wrong(check, "it changes one field at a time");
        found = &fields[i];
    }
    return found;
}

static void check_replace(tensor_check *check) {
    const struct field *field = field_of(check);
    ptx_mod space = space_at(check, 0);
    if (!field || !has(check, PTX_MOD_TILE)) {
        wrong(check, "it is .tile, and names a field: .global_address, .rank, ...");
        return;
    }
    ptx_type value = field->bits == 64 ? PTX_B64 : PTX_B32;
    const uint8_t *types = check->inst->types;
    if (!((types[0] == PTX_B1024 && types[1] == value) || (types[1] == PTX_B1024 && types[0] == value)))
        wrong(check,
              "the types are .b1024.b64 for .global_address and .global_stride, .b1024.b32 for others");
    if (space != PTX_MOD_NONE && space != PTX_MOD_GLOBAL && space != PTX_MOD_SHARED_CTA)
        wrong(check, "a map that is changed lies in .global or .shared::cta");
    take_address(check);
    if (field->ordinals) {
        const ptx_operand *ordinal = take(check);
        if (ordinal &&
            (ordinal->kind != PTX_OPERAND_INT || ordinal->value < 0 || ordinal->value >= field->ordinals))
            wrong(check, "the dimension is a constant from 0 to 4");
    }
    const ptx_operand *new_value = take(check);
    if (!new_value) return;
    if (field->most >= 0 &&
        (new_value->kind != PTX_OPERAND_INT || new_value->value < 0 || new_value->value > field->most))
        wrong(check, "this field's value is a constant: .elemtype 0 to 12, .interleave_layout 0 to 2, "
                     ".swizzle_mode 0 to 3, .fill_mode 0 or 1");
    check_values(check, new_value, 1, (unsigned)field->bits, "the value's width does not fit the field");
    if (check->next != check->inst->operand_count) wrong(check, "there are too many operands");
}

static bool is_128(const ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_INT && operand->value == 128;
}

static void check_copy_and_fence(const tensor_check *check) {
    const uint64_t both = PTX_FLAG(SYNC) | PTX_FLAG(ALIGNED);
    if (space_at(check, 0) != PTX_MOD_GLOBAL || space_at(check, 1) != PTX_MOD_SHARED_CTA ||
        !has(check, PTX_MOD_TENSORMAP_GENERIC) ||
        check->inst->by_category[PTX_CAT_ORDER] != PTX_MOD_RELEASE ||
        check->inst->by_category[PTX_CAT_SCOPE] == PTX_MOD_NONE || (check->inst->flags & both) != both)
        wrong(check, "it is .global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned");
    else if (check->inst->operand_count != 3 || !is_128(&check->inst->operands[2]))
        wrong(check, "a map has 128 bytes: the size is the constant 128");
}

static void check_fence(const tensor_check *check) {
    const ptx_inst *inst = check->inst;
    uint16_t order = inst->by_category[PTX_CAT_ORDER];
    if (!has(check, PTX_MOD_TENSORMAP_GENERIC)) return;
    if (inst->by_category[PTX_CAT_SCOPE] == PTX_MOD_NONE)
        wrong(check, ".tensormap::generic needs a scope: .cta, .cluster, .gpu or .sys");
    else if (order == PTX_MOD_RELEASE
                 ? inst->operand_count != 0
                 : order != PTX_MOD_ACQUIRE || inst->operand_count != 2 || !is_128(&inst->operands[1]))
        wrong(check, ".tensormap::generic is .release without operands, or .acquire with [map], 128");
}

static void check_map_hint(const tensor_check *check) {
    ptx_mod space = space_at(check, 0);
    if (has(check, PTX_MOD_TENSORMAP) && space != PTX_MOD_NONE && space != PTX_MOD_CONST &&
        space != PTX_MOD_PARAM)
        wrong(check, ".tensormap is for .const, .param or a generic address");
}

void ptx_check_tensor(ptx_parser *parser, const ptx_inst *inst, const ptx_token *token) {
    tensor_check check = {.parser = parser, .inst = inst, .token = token};
    switch (inst->op) {
    case PTX_OP_CP_ASYNC_BULK_TENSOR:
        if (space_at(&check, 0) == PTX_MOD_GLOBAL)
            check_store(&check, rank_of(&check));
        else
            check_load(&check, rank_of(&check));
        break;
    case PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR: check_reduction(&check, rank_of(&check)); break;
    case PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR: check_prefetch(&check, rank_of(&check)); break;
    case PTX_OP_TENSORMAP_REPLACE: check_replace(&check); break;
    case PTX_OP_TENSORMAP_CP_FENCEPROXY: check_copy_and_fence(&check); break;
    case PTX_OP_FENCE_PROXY: check_fence(&check); break;
    case PTX_OP_PREFETCH: check_map_hint(&check); break;
    default: break;
    }
}
