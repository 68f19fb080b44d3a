// Instructions: the opcode taken apart by the tables, then the operands.
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

// ---- opcodes --------------------------------------------------------------------------------------

// The longest known root at the front of the opcode, and how much of the text it takes.
static ptx_op find_root(const ptx_parser *parser, const char *text, size_t length, size_t *used) {
    enum { MOST_PARTS = 6 }; // more than any root has
    ptx_op best = PTX_OP_NONE;
    int parts = 0;
    for (size_t end = 0; end <= length && parts < MOST_PARTS; end++) {
        if (end < length && text[end] != '.') continue;
        parts++;
        const ptx_map_entry *entry = ptx_map_find(&parser->words, text, end, ptx_map_hash(text, end), 1);
        if (!entry) continue;
        best = (ptx_op)entry->number;
        *used = end;
    }
    return best;
}

static void add_mod(ptx_inst *inst, ptx_mod mod) {
    if (inst->mod_count == PTX_INST_MODS) {
        inst->unknown = "it has more modifiers than any known instruction";
        return;
    }
    inst->mods[inst->mod_count++] = (uint16_t)mod;
    ptx_type type = ptx_mod_type(mod);
    if (type != PTX_TYPE_NONE) {
        if (inst->type_count == PTX_INST_TYPES)
            inst->unknown = "it has more types than any known instruction";
        else
            inst->types[inst->type_count++] = (uint8_t)type;
        return;
    }
    if (ptx_mod_table_category(mod) == PTX_CAT_FLAG) inst->flags |= UINT64_C(1) << ptx_mod_flag(mod);
    ptx_category category = ptx_mod_category(inst->op, mod);
    if (mod == PTX_MOD_GL) mod = PTX_MOD_GPU;
    if (inst->by_category[category] == PTX_MOD_NONE) inst->by_category[category] = (uint16_t)mod;
}

static const char *format_text(ptx_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *format_text(ptx_parser *parser, const char *format, ...) {
    base_text text = {0};
    va_list list;
    va_start(list, format);
    base_text_add_v(&text, format, list);
    va_end(list);
    const char *kept = text.failed ? NULL : base_arena_string(parser->arena, text.data, text.length);
    base_text_free(&text);
    if (!kept) ptx_fail_memory(parser);
    return kept;
}

// "m64n60k16" of a matrix instruction: another shape than any GPU up to sm_90 has, not another modifier.
static bool is_shape(const char *text, size_t length) {
    char shape[16] = "", rest;
    unsigned m, n, k;
    if (length < sizeof shape) memcpy(shape, text, length);
    return sscanf(shape, "m%un%uk%u%c", &m, &n, &k, &rest) == 3;
}

static const char *unknown_mod(ptx_parser *parser, const ptx_inst *inst, const char *text, size_t length) {
    bool matrix = ptx_op_get(inst->op)->class == PTX_CLASS_TENSOR;
    return matrix && is_shape(text, length)
               ? format_text(parser,
                             "no GPU up to sm_90 has the shape %.*s: docs/ptx_support.md lists those of '%s'",
                             (int)length, text, ptx_op_root(inst->op))
               : format_text(parser, "'.%.*s' is not a modifier known of '%s'", (int)length, text,
                             ptx_op_root(inst->op));
}

static void split_mods(ptx_parser *parser, const char *text, size_t length, ptx_inst *inst) {
    size_t at = 0;
    while (at < length && !inst->unknown) {
        size_t end = ++at; // past the dot
        while (end < length && text[end] != '.') end++;
        ptx_mod mod = ptx_mod_of(parser, text + at, end - at);
        if (mod == PTX_MOD_NONE) {
            inst->unknown = unknown_mod(parser, inst, text + at, end - at);
            inst->op = PTX_OP_NONE;
        } else {
            add_mod(inst, mod);
        }
        at = end;
    }
}

// "barrier.cta.sync" is "barrier.sync" spelt out.
static const char *without_cta(const char *text, size_t *length, char *shorter, size_t room) {
    size_t prefix = *length > 12 && memcmp(text, "barrier.cta.", 12) == 0 ? 7
                    : *length > 8 && memcmp(text, "bar.cta.", 8) == 0     ? 3
                                                                          : 0;
    if (!prefix || *length >= room) return text;
    memcpy(shorter, text, prefix);
    memcpy(shorter + prefix, text + prefix + 4, *length - prefix - 4);
    *length -= 4;
    return shorter;
}

static const ptx_opcode *find_opcode(ptx_parser *parser, const ptx_token *token) {
    const char *text = ptx_token_text(parser, token);
    uint32_t hash = ptx_map_hash(text, token->length);
    ptx_map_entry *entry = ptx_map_find(&parser->opcodes, text, token->length, hash, 0);
    if (entry) return entry->pointer;
    ptx_opcode *opcode = base_arena_alloc(parser->scratch, sizeof *opcode);
    entry = ptx_map_add(&parser->opcodes, text, token->length, hash, 0);
    if (!opcode || !entry) {
        ptx_fail_memory(parser);
        return NULL;
    }
    entry->pointer = opcode;
    char shorter[64];
    size_t length = token->length, used = 0;
    text = without_cta(text, &length, shorter, sizeof shorter);
    opcode->inst.guard = -1;
    opcode->inst.op = find_root(parser, text, length, &used);
    const char *dot = memchr(text, '.', length);
    if (opcode->inst.op == PTX_OP_NONE)
        opcode->inst.unknown = format_text(parser, "'%.*s' is not a known instruction",
                                           (int)(dot ? dot - text : (ptrdiff_t)length), text);
    else
        split_mods(parser, text + used, length - used, &opcode->inst);
    opcode->row = ptx_row_open(parser, opcode->inst.op);
    if (opcode->row && opcode->inst.op != PTX_OP_NONE && !opcode->inst.unknown)
        ptx_check_opcode(parser, opcode->row, &opcode->inst);
    return opcode->row ? opcode : NULL;
}

// ---- operands -------------------------------------------------------------------------------------

static const ptx_token *operand(ptx_parser *parser, const ptx_token *token, ptx_operand *out);

static const ptx_token *immediate(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    ptx_constant value;
    token = ptx_parse_expression(parser, token, &value);
    out->kind = value.is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INT;
    out->value = value.is_float ? (int64_t)value.bits : value.integer;
    out->real = value.real;
    out->is_single = value.is_single;
    return token;
}

// The items from `first` on the stack become the elements of `out`.
static void take_elements(ptx_parser *parser, size_t first, ptx_operand *out) {
    out->element_count = (uint32_t)(parser->operands.count - first);
    out->elements = ptx_keep(parser, &parser->operands, first, sizeof(ptx_operand));
    parser->operands.count = first;
}

// operand {"," operand} up to `closing`, which is taken too
static const ptx_token *operand_list(ptx_parser *parser, const ptx_token *token, int closing,
                                     ptx_operand *out) {
    size_t first = parser->operands.count;
    while ((int)token->kind != closing && token->kind != PTX_TOKEN_END) {
        ptx_operand item;
        token = operand(parser, token, &item);
        ptx_push(parser, &parser->operands, &item, sizeof item);
        if (token->kind != ',') break;
        token++;
    }
    take_elements(parser, first, out);
    return ptx_expect(parser, token, closing);
}

// ("+" | "-") constant after a name
static const ptx_token *offset(ptx_parser *parser, const ptx_token *token, int64_t *value) {
    if (token->kind != '+' && token->kind != '-') return token;
    ptx_constant constant;
    const ptx_token *rest = ptx_parse_sum(parser, token->kind == '+' ? token + 1 : token, &constant);
    if (constant.is_float) return ptx_fail_at(parser, token, "an offset is a whole number");
    *value = constant.integer;
    return rest;
}

// "[" index "]" after a variable: the element's address, as if it were in brackets
static const ptx_token *element(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    uint64_t index;
    token = ptx_parse_integer(parser, token + 1, UINT32_MAX, &index);
    out->kind = PTX_OPERAND_ADDRESS;
    out->value = (int64_t)index * ((ptx_type_bits(out->variable->type) + 7) / 8) * out->variable->vector;
    return ptx_expect(parser, token, ']');
}

// A register, special register, variable or function.
static const ptx_token *name(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    const char *text = ptx_token_text(parser, token);
    size_t length = token->length;
    if (length == 1 && text[0] == '_') {
        out->kind = PTX_OPERAND_SINK;
        return token + 1;
    }
    ptx_map_entry *entry = memchr(text, '.', length) ? NULL : ptx_find_name(parser, text, length);
    if (entry && entry->kind == PTX_NAME_REG && !entry->pointer) {
        out->kind = PTX_OPERAND_REG;
        out->reg = (int32_t)entry->number;
        return token + 1;
    }
    if (entry && entry->kind == PTX_NAME_VARIABLE) {
        out->kind = PTX_OPERAND_VARIABLE;
        out->variable = entry->pointer;
        if (token[1].kind == '[') return element(parser, token + 1, out);
        return offset(parser, token + 1, &out->value);
    }
    if (entry && entry->kind == PTX_NAME_FUNCTION) {
        out->kind = PTX_OPERAND_FUNCTION;
        out->function = entry->pointer;
        return token + 1;
    }
    if (entry && entry->kind == PTX_NAME_TABLE) {
        out->kind = PTX_OPERAND_TABLE;
        out->value = entry->number;
        return token + 1;
    }
    if (ptx_resolve_register(parser, text, length, out)) return token + 1;
    entry = ptx_map_find(&parser->words, text, length, ptx_map_hash(text, length), 2);
    if (entry) {
        out->kind = PTX_OPERAND_SPECIAL;
        out->special = (ptx_special)entry->number;
        return token + 1;
    }
    if (parser->status == KZ_OK) ptx_fail_at(parser, token, "'%.*s' is not declared", (int)length, text);
    return parser->end;
}

// "[" base [offset] {"," operand} "]" [".unified"], which is a hint
static const ptx_token *address(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    const ptx_token *base = ++token;
    if (token->kind == PTX_TOKEN_WORD && !ptx_is(parser, token, "WARP_SZ"))
        token = offset(parser, name(parser, token, out), &out->value);
    else
        token = immediate(parser, token, out);
    bool good =
        out->kind == PTX_OPERAND_REG || out->kind == PTX_OPERAND_VARIABLE || out->kind == PTX_OPERAND_INT;
    if (!good || out->select[0])
        return ptx_fail_at(parser, base, "expected an address: a register, a variable or a number");
    out->kind = PTX_OPERAND_ADDRESS;
    if (token->kind == ',') return operand_list(parser, token + 1, ']', out);
    token = ptx_expect(parser, token, ']');
    return token->kind == PTX_TOKEN_DOT && ptx_is(parser, token, ".unified") ? token + 1 : token;
}

// "|" predicate after a destination
static const ptx_token *second(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    ptx_operand pair = {.reg = -1, .second = -1};
    bool good =
        out->kind == PTX_OPERAND_REG || out->kind == PTX_OPERAND_SINK || out->kind == PTX_OPERAND_VECTOR;
    const ptx_token *rest = token[1].kind == PTX_TOKEN_WORD
                                ? name(parser, token + 1, &pair)
                                : ptx_fail_at(parser, token + 1, "expected a predicate");
    if (parser->status != KZ_OK) return parser->end;
    if (pair.kind == PTX_OPERAND_SINK && good) return rest; // d|_ is d
    if (!good || pair.kind != PTX_OPERAND_REG || ((ptx_reg *)parser->regs.data)[pair.reg].type != PTX_PRED)
        return ptx_fail_at(parser, token + 1, "expected a predicate register after '|'");
    out->second = pair.reg;
    return rest;
}

static const ptx_token *operand(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    *out = (ptx_operand){.reg = -1, .second = -1, .column = token->column};
    if (token->kind == PTX_TOKEN_WORD && !ptx_is(parser, token, "WARP_SZ")) {
        token = name(parser, token, out);
        return token->kind == '|' ? second(parser, token, out) : token;
    }
    if (token->kind == '[') return address(parser, token, out);
    bool sign = token->kind == '!' || token->kind == '-';
    if (sign && token[1].kind == PTX_TOKEN_WORD && !ptx_is(parser, token + 1, "WARP_SZ")) {
        const ptx_token *rest = name(parser, token + 1, out);
        if (parser->status == KZ_OK && out->kind != PTX_OPERAND_REG && out->kind != PTX_OPERAND_SPECIAL)
            return ptx_fail_at(parser, token, "only a register can follow '%c'", (int)token->kind);
        out->negated = true;
        return rest;
    }
    if (token->kind != '{') {
        bool constant = sign || token->kind == '+' || token->kind == '~' || token->kind == '(' ||
                        token->kind == PTX_TOKEN_INT || token->kind == PTX_TOKEN_FLOAT ||
                        token->kind == PTX_TOKEN_WORD;
        return constant ? immediate(parser, token, out) : ptx_fail_at(parser, token, "expected an operand");
    }
    if (++parser->nesting > PTX_MAX_NESTING)
        return ptx_fail_at(parser, token, "these braces are nested too deeply");
    out->kind = PTX_OPERAND_VECTOR;
    token = operand_list(parser, token + 1, '}', out);
    parser->nesting--;
    return token->kind == '|' ? second(parser, token, out) : token; // of tex
}

// ---- instructions ---------------------------------------------------------------------------------

static const ptx_token *parenthesised(ptx_parser *parser, const ptx_token *token, ptx_operand *out) {
    *out = (ptx_operand){.kind = PTX_OPERAND_VECTOR, .reg = -1, .second = -1, .column = token->column};
    return token->kind == '(' ? operand_list(parser, token + 1, ')', out) : token;
}

// ["(" returns ")" ","] callee ["," "(" arguments ")"] ["," (targets | prototype)]
static const ptx_token *call(ptx_parser *parser, const ptx_token *token) {
    ptx_operand parts[4];
    uint32_t count = 3;
    bool has_returns = token->kind == '(';
    token = parenthesised(parser, token, &parts[0]);
    if (has_returns) token = ptx_expect(parser, token, ',');
    const ptx_token *callee = token;
    token = operand(parser, token, &parts[1]);
    bool good =
        parts[1].kind == PTX_OPERAND_FUNCTION || (parts[1].kind == PTX_OPERAND_REG && !parts[1].negated);
    if (!good)
        token = ptx_fail_at(parser, callee, "expected a function or a register that holds its address");
    bool has_list = token->kind == ',' && token[1].kind == '(';
    token = parenthesised(parser, has_list ? token + 1 : token, &parts[2]);
    if (token->kind == ',') {
        const ptx_token *last = token + 1;
        token = operand(parser, last, &parts[count++]);
        if (parts[3].kind != PTX_OPERAND_TABLE && parts[3].kind != PTX_OPERAND_FUNCTION)
            token = ptx_fail_at(parser, last, "expected call targets or a prototype");
    }
    for (uint32_t i = 0; i < count && parser->status == KZ_OK; i++)
        ptx_push(parser, &parser->operands, &parts[i], sizeof parts[i]);
    return token;
}

static const ptx_token *operands(ptx_parser *parser, const ptx_token *token, ptx_op op) {
    if (op == PTX_OP_CALL) return call(parser, token);
    if (token->kind == ';' || token->kind == '}') return token;
    for (;;) {
        ptx_operand item = {.kind = PTX_OPERAND_LABEL, .reg = -1, .second = -1, .column = token->column};
        if (op == PTX_OP_BRA && token->kind == PTX_TOKEN_WORD)
            token++; // the label is looked up when the operand has its final place
        else
            token = operand(parser, token, &item);
        ptx_push(parser, &parser->operands, &item, sizeof item);
        if (token->kind != ',') return token;
        token++;
    }
}

// The tokens from `from` up to `to`, without comments and line ends.
static const char *tokens_text(ptx_parser *parser, const ptx_token *from, const ptx_token *to) {
    enum { LONGEST = 4096 };
    base_text text = {0};
    for (const ptx_token *at = from; at < to && text.length < LONGEST; at++) {
        bool apart = at > from && at[-1].offset + at[-1].length != at->offset;
        if (apart) base_text_add_bytes(&text, " ", 1);
        base_text_add_bytes(&text, ptx_token_text(parser, at), at->length);
    }
    const char *kept = text.failed ? NULL : base_arena_string(parser->arena, text.data, text.length);
    base_text_free(&text);
    if (!kept) ptx_fail_memory(parser);
    return kept;
}

// What is not known is skipped up to its semicolon; its text is kept.
static const ptx_token *unknown(ptx_parser *parser, const ptx_token *token, ptx_inst *inst) {
    const ptx_token *at = token;
    uint32_t braces = 0;
    for (; at->kind != ';' || braces; at++) {
        if (at->kind == '{') braces++;
        if ((at->kind == '}' && braces-- == 0) || at->kind == PTX_TOKEN_END || at->kind == ':')
            return ptx_fail_at(parser, token, "expected an instruction that ends with ';'");
    }
    inst->text = tokens_text(parser, token, at);
    return at + 1;
}

// ["@" ["!"] predicate]
static const ptx_token *guard(ptx_parser *parser, const ptx_token *token, ptx_inst *inst) {
    if (token->kind != '@') return token;
    token++;
    inst->guard_negated = token->kind == '!';
    if (inst->guard_negated) token++;
    ptx_operand predicate = {.reg = -1, .second = -1};
    const ptx_token *rest = token->kind == PTX_TOKEN_WORD ? name(parser, token, &predicate) : parser->end;
    if (parser->status != KZ_OK) return parser->end;
    if (predicate.kind != PTX_OPERAND_REG || ((ptx_reg *)parser->regs.data)[predicate.reg].type != PTX_PRED)
        return ptx_fail_at(parser, token, "expected a predicate register");
    inst->guard = predicate.reg;
    return rest;
}

static void push_beside(ptx_parser *parser, const ptx_inst *product, ptx_op op) {
    ptx_inst inst = {.op = op,
                     .mod_count = 2,
                     .mods = {PTX_MOD_SYNC, PTX_MOD_ALIGNED},
                     .flags = PTX_FLAG(SYNC) | PTX_FLAG(ALIGNED),
                     .guard = product->guard,
                     .guard_negated = product->guard_negated,
                     .line = product->line,
                     .source = product->source};
    if (op == PTX_OP_WGMMA_WAIT_GROUP) {
        ptx_operand none_left = {.kind = PTX_OPERAND_INT, .reg = -1, .second = -1};
        parser->operands.count = 0;
        ptx_push(parser, &parser->operands, &none_left, sizeof none_left);
        inst.operand_count = 1;
        inst.operands = ptx_keep(parser, &parser->operands, 0, sizeof(ptx_operand));
    }
    ptx_push(parser, &parser->insts, &inst, sizeof inst);
}

// nvcc -G puts accumulators back into local memory behind each product, before the program waits for it: ptxas lets one product
// after the other be done there, and so do we.
static void push_instruction(ptx_parser *parser, const ptx_inst *inst) {
    bool alone = parser->module->is_debug && inst->op == PTX_OP_WGMMA_MMA_ASYNC;
    if (alone) push_beside(parser, inst, PTX_OP_WGMMA_FENCE);
    ptx_push(parser, &parser->insts, inst, sizeof *inst);
    if (!alone) return;
    push_beside(parser, inst, PTX_OP_WGMMA_COMMIT_GROUP);
    push_beside(parser, inst, PTX_OP_WGMMA_WAIT_GROUP);
}

// [guard] opcode [operand {"," operand}] ";"
const ptx_token *ptx_parse_instruction(ptx_parser *parser, const ptx_token *token) {
    ptx_inst guarded = {.guard = -1};
    token = guard(parser, token, &guarded);
    if (token->kind != PTX_TOKEN_WORD) return ptx_fail_at(parser, token, "expected an instruction");
    const ptx_token *start = token;
    const ptx_opcode *opcode = find_opcode(parser, token);
    if (!opcode) return parser->end;
    ptx_inst inst = opcode->inst;
    inst.guard = guarded.guard;
    inst.guard_negated = guarded.guard_negated;
    inst.line = token->line;
    inst.source = parser->location;
    if (inst.op == PTX_OP_NONE) {
        token = unknown(parser, token, &inst);
        ptx_push(parser, &parser->insts, &inst, sizeof inst);
        return token;
    }
    parser->operands.count = 0;
    token = ptx_expect(parser, operands(parser, token + 1, inst.op), ';');
    if (parser->status != KZ_OK) return parser->end;
    inst.operand_count = (uint32_t)parser->operands.count;
    inst.operands = ptx_keep(parser, &parser->operands, 0, sizeof(ptx_operand));
    if (inst.unknown) {
        inst.text = tokens_text(parser, start, token - 1);
    } else {
        ptx_check_operands(parser, opcode->row, &inst, start);
    }
    if (inst.op == PTX_OP_BRA && inst.operand_count == 1 && inst.operands[0].kind == PTX_OPERAND_LABEL)
        ptx_refer_label(parser, start + 1, &inst.operands[0].value, NULL);
    push_instruction(parser, &inst);
    return token;
}
