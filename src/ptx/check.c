// What is well-formed but wrong: an instruction against its row of ops.def.
//
// A modifier or type that the row does not list makes the instruction unknown, not the module wrong: a newer
// PTX may have it. Operands that do not fit are an error, as they are to ptxas; so the simulator can trust
// that every operand has the kind and the width its instruction needs.
#include "ptx/parser.h"

#include <string.h>

// ---- rows -------------------------------------------------------------------------------------------

static void read_operands(ptx_row *row, const char *text) {
    row->any_operands = strcmp(text, "*") == 0;
    while (*text && !row->any_operands && row->word_count < PTX_MAX_OPERANDS) {
        uint32_t i = row->word_count++;
        row->words[i].kind = *text++;
        if (*text && *text != ' ' && *text != '?') row->words[i].holds = *text++;
        if (*text == '?') {
            row->words[i].optional = true;
            text++;
        } else {
            row->required = row->word_count;
        }
        while (*text == ' ') text++;
    }
}

static void read_mods(const ptx_parser *parser, ptx_row *row, const char *text) {
    row->any_mods = strcmp(text, "*") == 0;
    while (*text && !row->any_mods) {
        size_t length = strcspn(text, " ");
        for (int category = 0; category < PTX_CAT_COUNT; category++) {
            const char *name = ptx_category_name((ptx_category)category);
            if (strlen(name) == length && memcmp(name, text, length) == 0) row->categories |= 1u << category;
        }
        ptx_mod mod = ptx_mod_of(parser, text, length);
        row->mods[mod / 64] |= UINT64_C(1) << (mod % 64);
        text += length;
        text += strspn(text, " ");
    }
}

static void read_types(const ptx_parser *parser, ptx_row *row, const char *text) {
    row->any_types = strcmp(text, "*") == 0;
    if (row->any_types || !*text) return;
    row->type_count = 1;
    for (; *text;) {
        size_t length = strcspn(text, " ,?");
        if (length) {
            ptx_type type = ptx_mod_type(ptx_mod_of(parser, text, length));
            row->types[row->type_count - 1] |= UINT64_C(1) << type;
        }
        text += length;
        if (*text == '?') row->types_required = row->type_count - 1;
        if (*text == ',' && row->type_count < PTX_INST_TYPES) row->type_count++;
        if (*text) text++;
    }
    if (row->types_required == 0 && !strchr(row->info->types, '?')) row->types_required = row->type_count;
}

ptx_row *ptx_row_open(ptx_parser *parser, ptx_op op) {
    if (parser->rows[op]) return parser->rows[op];
    ptx_row *row = base_arena_alloc(parser->scratch, sizeof *row);
    if (!row) {
        ptx_fail_memory(parser);
        return NULL;
    }
    row->info = ptx_op_get(op);
    read_operands(row, row->info->operands);
    read_mods(parser, row, row->info->mods);
    read_types(parser, row, row->info->types);
    parser->rows[op] = row;
    return row;
}

// ---- opcodes ----------------------------------------------------------------------------------------

static const char *reason(ptx_parser *parser, const ptx_inst *inst, ptx_mod mod, const char *what) {
    base_text text = {0};
    base_text_add(&text, "'%s' %s", ptx_op_root(inst->op), what);
    if (mod != PTX_MOD_NONE) base_text_add(&text, " '.%s'", ptx_mod_text(mod));
    const char *kept = text.failed ? NULL : base_arena_string(parser->arena, text.data, text.length);
    base_text_free(&text);
    if (!kept) ptx_fail_memory(parser);
    return kept;
}

// Modifiers of instructions that older GPUs have without them.
static bool needs_sm_100(ptx_mod mod) {
    switch (mod) {
    case PTX_MOD_TILE_GATHER4:
    case PTX_MOD_TILE_SCATTER4:
    case PTX_MOD_IM2COL_W:
    case PTX_MOD_IM2COL_W_128:
    case PTX_MOD_CTA_GROUP_1:
    case PTX_MOD_CTA_GROUP_2:
    case PTX_MOD_SWIZZLE_ATOMICITY: return true;
    default: return false;
    }
}

// A copy goes from one space to another, and its row says so.
static bool copies(const ptx_row *row) { return strncmp(row->info->mods, "SPACE SPACE", 11) == 0; }

void ptx_check_opcode(ptx_parser *parser, const ptx_row *row, ptx_inst *inst) {
    uint32_t type = 0, seen = 0;
    for (uint32_t i = 0; i < inst->mod_count; i++) {
        ptx_mod mod = (ptx_mod)inst->mods[i];
        ptx_category category = ptx_mod_category(inst->op, mod);
        if (category == PTX_CAT_TYPE) {
            bool known =
                row->any_types || (type < row->type_count && row->types[type] >> ptx_mod_type(mod) & 1);
            if (!known) inst->unknown = reason(parser, inst, mod, "has no form with the type");
            type++;
            continue;
        }
        if (row->any_mods) continue;
        bool listed = row->mods[mod / 64] >> (mod % 64) & 1;
        if (!listed && !(row->categories >> category & 1))
            inst->unknown =
                reason(parser, inst, mod, needs_sm_100(mod) ? "has only from sm_100 on" : "does not take");
        // An eviction priority may be given for each cache, and a copy has two spaces; else there is one of
        // each.
        bool single = category != PTX_CAT_FLAG && category != PTX_CAT_EVICT && category != PTX_CAT_MODE &&
                      row->info->support == PTX_SUPPORT_SIMULATED;
        bool is_mmio = mod == PTX_MOD_RELAXED && i && inst->mods[i - 1] == PTX_MOD_MMIO; // written as a pair
        if (single && seen >> category & 1 && !(category == PTX_CAT_SPACE && copies(row)) && !is_mmio)
            inst->unknown = reason(parser, inst, mod, "has one modifier too many:");
        seen |= 1u << category;
    }
    if (!row->any_types && type < row->types_required)
        inst->unknown = reason(parser, inst, PTX_MOD_NONE, "needs a type");
}

// ---- operands ---------------------------------------------------------------------------------------

typedef struct checker {
    ptx_parser *parser;
    const ptx_inst *inst;
    const ptx_token *token;
} checker;

static void wrong(const checker *check, const ptx_operand *operand, const char *message) {
    // The operand's own token, for the caret: the columns were kept, the tokens were not.
    const ptx_token *at = check->token;
    while (at->kind != ';' && at->kind != PTX_TOKEN_END && at->column != operand->column) at++;
    if (at->kind == ';' || at->kind == PTX_TOKEN_END) at = check->token;
    ptx_fail_at(check->parser, at, "%s", message);
}

static ptx_type reg_type(const checker *check, int32_t reg) {
    return ((const ptx_reg *)check->parser->regs.data)[reg].type;
}

// What a register needs: exactly `bits`, or at least as many; 0 for no demand, 1 for a predicate.
typedef struct demand {
    unsigned bits;
    bool at_least;
    bool scalar; // not a vector, whatever the instruction's modifiers say
} demand;

static demand demand_of(const ptx_inst *inst, char holds) {
    unsigned first = inst->type_count > 0 ? ptx_type_bits((ptx_type)inst->types[0]) : 0;
    unsigned next = inst->type_count > 1 ? ptx_type_bits((ptx_type)inst->types[1]) : first;
    switch (holds) {
    case '0': return (demand){first, false, false};
    case '1': return (demand){next, false, false};
    case '2':
        return (demand){inst->type_count > 2 ? ptx_type_bits((ptx_type)inst->types[2]) : 0, false, false};
    case 'w':
        return (demand){inst->by_category[PTX_CAT_HALF] == PTX_MOD_WIDE ? first * 2 : first, false, false};
    case 'p': return (demand){1, false, true};
    case 'u': return (demand){32, false, true};
    case 'q': return (demand){64, false, true};
    case 'm': return (demand){first, true, false};
    case 'n': return (demand){next, true, false};
    }
    return (demand){0, false, true};
}

static bool fits(demand want, ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    if (want.bits == 0) return true;
    if (want.bits == 1 || bits == 1) return bits == want.bits;
    return want.at_least ? bits >= want.bits : bits == want.bits;
}

static void check_value(const checker *check, const ptx_operand *operand, demand want) {
    if (operand->kind == PTX_OPERAND_REG && !fits(want, reg_type(check, operand->reg)))
        wrong(check, operand,
              want.bits == 1 ? "this instruction needs a predicate register here"
                             : "this register's width does not fit the instruction");
    if (operand->kind == PTX_OPERAND_SPECIAL && !fits(want, ptx_special_type(operand->special)) &&
        !(want.bits > 1 && want.bits < ptx_type_bits(ptx_special_type(operand->special))))
        wrong(check, operand, "this special register's width does not fit the instruction");
}

// mov.b64 {lo, hi}, x: the elements together have the width.
static void check_packed(const checker *check, const ptx_operand *operand, demand want, bool is_source) {
    if (operand->element_count != 2 && operand->element_count != 4 && operand->element_count != 8) {
        wrong(check, operand, "a vector has 2, 4 or 8 elements here");
        return;
    }
    demand each = {want.bits / operand->element_count, false, false};
    for (uint32_t i = 0; i < operand->element_count; i++) {
        const ptx_operand *element = &operand->elements[i];
        bool good = element->kind == PTX_OPERAND_REG || element->kind == PTX_OPERAND_SINK ||
                    (is_source && element->kind == PTX_OPERAND_INT);
        if (!good || element->negated || element->select[0] || element->second >= 0) {
            wrong(check, operand, "expected registers in the braces");
            return;
        }
        if (is_source && element->kind == PTX_OPERAND_SINK) wrong(check, operand, "'_' has no value");
        check_value(check, element, each);
    }
}

static void check_vector(const checker *check, const ptx_operand *operand, demand want, bool is_source) {
    ptx_mod vector = (ptx_mod)check->inst->by_category[PTX_CAT_VECTOR];
    uint32_t count = vector == PTX_MOD_V2 ? 2 : vector == PTX_MOD_V4 ? 4 : vector == PTX_MOD_V8 ? 8 : 1;
    if (operand->element_count != count || want.scalar) {
        wrong(check, operand,
              count == 1 || want.scalar ? "this instruction takes no vector"
                                        : "the vector has the wrong length");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ptx_operand *element = &operand->elements[i];
        bool constant = element->kind == PTX_OPERAND_INT || element->kind == PTX_OPERAND_FLOAT;
        bool good = element->kind == PTX_OPERAND_REG || (!is_source && element->kind == PTX_OPERAND_SINK) ||
                    (is_source && constant);
        if (!good || element->negated || element->select[0] || element->second >= 0) {
            wrong(check, operand, "expected registers in the braces");
            return;
        }
        check_value(check, element, want);
    }
}

static void check_register_or_vector(const checker *check, const ptx_operand *operand, demand want,
                                     bool is_source) {
    bool vector = check->inst->by_category[PTX_CAT_VECTOR] != PTX_MOD_NONE && !want.scalar;
    if (check->inst->op == PTX_OP_MOV && operand->kind == PTX_OPERAND_VECTOR)
        check_packed(check, operand, want, is_source);
    else if (operand->kind == PTX_OPERAND_VECTOR)
        check_vector(check, operand, want, is_source);
    else if (vector && operand->kind != PTX_OPERAND_SINK)
        wrong(check, operand, "expected a vector of registers in braces");
    else
        check_value(check, operand, want);
}

static bool takes_selects(ptx_op op) { return ptx_op_get(op)->class == PTX_CLASS_VIDEO; }

static void check_source(const checker *check, const ptx_operand *operand, demand want,
                         bool may_be_variable) {
    ptx_op op = check->inst->op;
    switch (operand->kind) {
    case PTX_OPERAND_REG:
    case PTX_OPERAND_SPECIAL:
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
    case PTX_OPERAND_VECTOR: break;
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_FUNCTION:
        if (may_be_variable) return;
        wrong(check, operand, "an address is taken with mov, or read in brackets");
        return;
    default: wrong(check, operand, "expected a register or a constant"); return;
    }
    if (operand->second >= 0) wrong(check, operand, "a pair is no source");
    if (operand->select[0] && !takes_selects(op))
        wrong(check, operand, "only video instructions take parts of a register");
    bool may_negate = want.bits == 1 || want.bits == 0 || op == PTX_OP_VMAD;
    if (operand->negated && !may_negate) wrong(check, operand, "only a predicate can be negated");
    check_register_or_vector(check, operand, want, true);
}

static void check_destination(const checker *check, const ptx_operand *operand, demand want, bool pair) {
    bool good = operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_VECTOR ||
                operand->kind == PTX_OPERAND_SINK;
    if (!good || operand->negated) {
        wrong(check, operand, "expected a register to write to");
        return;
    }
    if (operand->second >= 0 && !pair) wrong(check, operand, "this instruction writes one register");
    if (operand->select[0] && !takes_selects(check->inst->op))
        wrong(check, operand, "only video instructions take parts of a register");
    check_register_or_vector(check, operand, want, false);
}

static void check_operand(const checker *check, const ptx_operand *operand, char kind, char holds) {
    demand want = demand_of(check->inst, holds);
    switch (kind) {
    case 'd': check_destination(check, operand, want, false); break;
    case 'e': check_destination(check, operand, want, true); break;
    case 's': check_source(check, operand, want, false); break;
    case 'v': check_source(check, operand, want, true); break;
    case 'a':
        if (operand->kind != PTX_OPERAND_ADDRESS || operand->element_count)
            wrong(check, operand, "expected an address in brackets");
        else if (operand->reg >= 0 && ptx_type_bits(reg_type(check, operand->reg)) < 32)
            wrong(check, operand, "an address has 32 or 64 bits");
        break;
    case 'l':
        if (operand->kind != PTX_OPERAND_LABEL) wrong(check, operand, "expected a label");
        break;
    case 't':
        if (operand->kind != PTX_OPERAND_TABLE ||
            !((const ptx_table *)check->parser->tables.data)[operand->value].labels)
            wrong(check, operand, "expected a list of .branchtargets");
        break;
    }
}

// A few rules that no pattern says.
static void check_special_cases(const checker *check) {
    const ptx_inst *inst = check->inst;
    const ptx_operand *operands = inst->operands;
    if (inst->op == PTX_OP_BAR_RED || inst->op == PTX_OP_BARRIER_RED)
        check_source(check, &operands[inst->operand_count - 1], (demand){1, false, true}, false);
    if ((inst->op == PTX_OP_BAR_RED || inst->op == PTX_OP_BARRIER_RED) && inst->operand_count == 4)
        check_source(check, &operands[2], (demand){32, false, true}, false);
    bool cas = inst->op == PTX_OP_ATOM && inst->by_category[PTX_CAT_ATOMIC] == PTX_MOD_CAS;
    if (cas && inst->operand_count < 4)
        wrong(check, &operands[0], "cas compares with one value and stores another");
    bool pack = inst->op == PTX_OP_MOV && operands[0].kind == PTX_OPERAND_VECTOR &&
                operands[1].kind == PTX_OPERAND_VECTOR;
    if (pack) wrong(check, &operands[1], "mov packs or unpacks; it does not copy vectors");
}

// ---- calls --------------------------------------------------------------------------------------------

// One argument or result against the parameter it meets.
static void check_passed(const checker *check, const ptx_operand *operand, const ptx_variable *param,
                         bool is_source) {
    uint64_t bytes = 0;
    bool known = true;
    switch (operand->kind) {
    case PTX_OPERAND_VARIABLE:
        known = operand->variable->space == PTX_MOD_PARAM && operand->value == 0;
        bytes = operand->variable->size;
        break;
    case PTX_OPERAND_REG:
        known = operand->second < 0 && !operand->negated && !operand->select[0];
        bytes = (ptx_type_bits(reg_type(check, operand->reg)) + 7) / 8;
        break;
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
        known = is_source;
        bytes = param->size;
        break;
    case PTX_OPERAND_SINK:
        known = !is_source;
        bytes = param->size;
        break;
    default: known = false;
    }
    if (!known)
        wrong(check, operand,
              is_source ? "expected a .param variable, a register or a constant"
                        : "expected a .param variable or a register");
    else if (bytes != param->size)
        wrong(check, operand, "its size differs from the parameter's");
}

static void check_passed_list(const checker *check, const ptx_operand *list, ptx_variable *const *params,
                              uint32_t count, bool is_source) {
    if (list->element_count != count) {
        ptx_fail_at(check->parser, check->token, "the function has %u %s, not %u", count,
                    is_source ? "parameters" : "results", list->element_count);
        return;
    }
    for (uint32_t i = 0; i < count && check->parser->status == KZ_OK; i++)
        check_passed(check, &list->elements[i], params[i], is_source);
}

static void check_callee(const checker *check, const ptx_function *function) {
    const ptx_operand *parts = check->inst->operands;
    check_passed_list(check, &parts[0], function->returns, function->return_count, false);
    if (check->parser->status == KZ_OK)
        check_passed_list(check, &parts[2], function->params, function->param_count, true);
}

static void check_call(const checker *check) {
    const ptx_operand *parts = check->inst->operands;
    const ptx_operand *how = check->inst->operand_count > 3 ? &parts[3] : NULL;
    if (parts[1].kind == PTX_OPERAND_FUNCTION) {
        check_callee(check, parts[1].function);
    } else if (ptx_type_bits(reg_type(check, parts[1].reg)) != 64 || parts[1].select[0]) {
        wrong(check, &parts[1], "a function's address has 64 bits");
    } else if (!how) {
        wrong(check, &parts[1], "a call by pointer needs .calltargets or a .callprototype");
    }
    if (!how || check->parser->status != KZ_OK) return;
    if (how->kind == PTX_OPERAND_FUNCTION) {
        check_callee(check, how->function);
        return;
    }
    const ptx_table *table = &((const ptx_table *)check->parser->tables.data)[how->value];
    if (!table->functions) wrong(check, how, "expected .calltargets or a .callprototype");
    for (uint32_t i = 0; table->functions && i < table->count && check->parser->status == KZ_OK; i++)
        check_callee(check, table->functions[i]);
}

void ptx_check_operands(ptx_parser *parser, const ptx_row *row, const ptx_inst *inst,
                        const ptx_token *token) {
    if (parser->status != KZ_OK) return;
    checker check = {.parser = parser, .inst = inst, .token = token};
    if (inst->op == PTX_OP_CALL) check_call(&check);
    if (parser->status == KZ_OK) ptx_check_tensor(parser, inst, token);
    if (row->any_operands) return;
    if (inst->operand_count < row->required || inst->operand_count > row->word_count) {
        ptx_fail_at(parser, token, "'%s' takes %u%s operands, not %u", row->info->root, row->required,
                    row->word_count > row->required ? " or more" : "", inst->operand_count);
        return;
    }
    // The optional cache policy follows the optional third value, so a lone extra operand is taken by its
    // width.
    for (uint32_t i = 0; i < inst->operand_count && parser->status == KZ_OK; i++) {
        char holds = row->words[i].holds;
        bool policy = (inst->flags & PTX_FLAG(L2_CACHE_HINT)) && i > 0 && i + 1 == inst->operand_count;
        check_operand(&check, &inst->operands[i], row->words[i].kind, policy ? 'q' : holds);
    }
    if (parser->status == KZ_OK) check_special_cases(&check);
}
