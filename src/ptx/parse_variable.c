// Variables of every state space, their initialisers, and parameters.
#include "ptx/parser.h"

#include <string.h>

#define MAX_VARIABLE_BYTES (UINT64_C(1) << 48)

ptx_mod ptx_mod_of(const ptx_parser *parser, const char *text, size_t length) {
    const ptx_map_entry *entry = ptx_map_find(&parser->words, text, length, ptx_map_hash(text, length), 0);
    return entry ? (ptx_mod)entry->number : PTX_MOD_NONE;
}

ptx_mod ptx_space_of(const ptx_parser *parser, const ptx_token *token) {
    if (token->kind != PTX_TOKEN_DOT) return PTX_MOD_NONE;
    ptx_mod mod = ptx_mod_of(parser, ptx_token_text(parser, token) + 1, token->length - 1);
    if (mod == PTX_MOD_GLOBAL || mod == PTX_MOD_CONST || mod == PTX_MOD_SHARED || mod == PTX_MOD_LOCAL ||
        mod == PTX_MOD_PARAM)
        return mod;
    return ptx_is(parser, token, ".tex") ? PTX_MOD_GLOBAL : PTX_MOD_NONE; // the old way to declare a texture
}

ptx_type ptx_type_of(const ptx_parser *parser, const ptx_token *token) {
    if (token->kind != PTX_TOKEN_DOT) return PTX_TYPE_NONE;
    return ptx_mod_type(ptx_mod_of(parser, ptx_token_text(parser, token) + 1, token->length - 1));
}

static const ptx_token *alignment(ptx_parser *parser, const ptx_token *token, uint32_t *align) {
    uint64_t value;
    const ptx_token *rest = ptx_parse_integer(parser, token, 1 << 20, &value);
    if (parser->status == KZ_OK && (value == 0 || (value & (value - 1))))
        return ptx_fail_at(parser, token, "an alignment is a power of two");
    *align = (uint32_t)value;
    return rest;
}

// ".attribute" "(" ... ")"
static const ptx_token *attribute(ptx_parser *parser, const ptx_token *token, bool *is_managed) {
    token = ptx_expect(parser, token + 1, '(');
    for (uint32_t depth = 1; depth > 0; token++) {
        if (token->kind == PTX_TOKEN_END)
            return ptx_fail_at(parser, token, "expected ')' after the attributes");
        if (token->kind == '(') depth++;
        if (token->kind == ')') depth--;
        if (ptx_is(parser, token, ".managed")) *is_managed = true;
    }
    return token;
}

// What stands between the space and the name: ".align 8 .v4 .f32", attributes, ".ptr .global .align 16".
static const ptx_token *variable_type(ptx_parser *parser, const ptx_token *token, ptx_variable *variable) {
    bool pointer = false;
    variable->vector = 1;
    while (token->kind == PTX_TOKEN_DOT) {
        ptx_mod mod = ptx_mod_of(parser, ptx_token_text(parser, token) + 1, token->length - 1);
        if (ptx_is(parser, token, ".align")) {
            token = alignment(parser, token + 1, pointer ? &variable->pointer_align : &variable->align);
            continue;
        }
        if (ptx_is(parser, token, ".attribute")) {
            token = attribute(parser, token, &variable->is_managed);
            continue;
        }
        if (ptx_is(parser, token, ".ptr"))
            pointer = true;
        else if (mod == PTX_MOD_V2 || mod == PTX_MOD_V4 || mod == PTX_MOD_V8)
            variable->vector = mod == PTX_MOD_V2 ? 2 : mod == PTX_MOD_V4 ? 4 : 8;
        else if (ptx_mod_type(mod) != PTX_TYPE_NONE)
            variable->type = ptx_mod_type(mod);
        else if (pointer && ptx_space_of(parser, token) != PTX_MOD_NONE)
            variable->pointer_space = mod;
        else
            return ptx_fail_at(parser, token, "expected a type, such as .b32");
        token++;
    }
    if (variable->type == PTX_TYPE_NONE) return ptx_fail_at(parser, token, "expected a type, such as .b32");
    if (variable->type == PTX_PRED && variable->space != PTX_MOD_REG)
        return ptx_fail_at(parser, token - 1, "memory holds no predicates");
    return token;
}

// {"[" [count] "]"}: the number of elements; `open` where the first count is missing.
static const ptx_token *dimensions(ptx_parser *parser, const ptx_token *token, uint64_t *count, bool *open) {
    *count = 1;
    *open = false;
    for (bool first = true; token->kind == '['; first = false) {
        uint64_t value = 1;
        const ptx_token *bracket = token++;
        if (token->kind == ']' && first)
            *open = true;
        else
            token = ptx_parse_integer(parser, token, MAX_VARIABLE_BYTES, &value);
        token = ptx_expect(parser, token, ']');
        if (value && *count > MAX_VARIABLE_BYTES / value)
            return ptx_fail_at(parser, bracket, "this array is too large");
        *count *= value;
    }
    return token;
}

static uint32_t element_bytes(const ptx_variable *variable) {
    return (ptx_type_bits(variable->type) + 7) / 8;
}

// ---- initialisers ---------------------------------------------------------------------------------

typedef struct initialiser {
    ptx_variable *variable;
    uint64_t at; // elements written
    ptx_list bytes, relocations;
} initialiser;

static void put_bytes(ptx_parser *parser, initialiser *init, uint64_t bits, uint32_t bytes) {
    uint8_t little[16] = {0};
    for (uint32_t i = 0; i < 8; i++) little[i] = (uint8_t)(bits >> (8 * i));
    ptx_push(parser, &init->bytes, little, bytes);
    init->at++;
}

// Whether a symbol stands here: name, generic(name), mask(name), mask(generic(name)).
static bool begins_symbol(const ptx_parser *parser, const ptx_token *token) {
    if (token->kind == PTX_TOKEN_INT && token[1].kind == '(') return true;
    return token->kind == PTX_TOKEN_WORD && !ptx_is(parser, token, "WARP_SZ");
}

static const ptx_token *symbol(ptx_parser *parser, const ptx_token *token, initialiser *init) {
    uint32_t bytes = element_bytes(init->variable);
    ptx_relocation relocation = {.offset = init->at * bytes, .bytes = (uint8_t)bytes};
    uint32_t parentheses = 0;
    if (token->kind == PTX_TOKEN_INT) {
        ptx_constant mask;
        const ptx_token *paren = token + 1;
        ptx_parse_expression(parser, token, &mask); // one number: a parenthesis follows it
        relocation.mask = (uint64_t)mask.integer;
        token = paren + 1;
        parentheses++;
    }
    if (ptx_is(parser, token, "generic") && token[1].kind == '(') {
        relocation.generic = true;
        token += 2;
        parentheses++;
    }
    if (token->kind != PTX_TOKEN_WORD) return ptx_fail_at(parser, token, "expected a name");
    ptx_map_entry *entry = ptx_find_name(parser, ptx_token_text(parser, token), token->length);
    if (entry && entry->kind == PTX_NAME_VARIABLE)
        relocation.variable = entry->pointer;
    else if (entry && entry->kind == PTX_NAME_FUNCTION)
        relocation.function = entry->pointer;
    else
        return ptx_fail_at(parser, token, "no variable or function '%.*s' before this line",
                           (int)token->length, ptx_token_text(parser, token));
    token++;
    bool done = false; // "generic(x)+4" and "generic(x+4)" are both written
    for (uint32_t left = parentheses;; left--) {
        if (!done && (token->kind == '+' || token->kind == '-')) {
            ptx_constant offset;
            token = ptx_parse_sum(parser, token, &offset);
            relocation.addend = offset.integer;
            done = true;
        }
        if (left == 0) break;
        token = ptx_expect(parser, token, ')');
    }
    ptx_push(parser, &init->relocations, &relocation, sizeof relocation);
    put_bytes(parser, init, 0, bytes);
    return token;
}

static uint64_t constant_bits(const ptx_constant *value, ptx_type type) {
    ptx_operand operand = {.kind = PTX_OPERAND_INT, .value = value->integer};
    if (value->is_float) {
        operand.kind = PTX_OPERAND_FLOAT;
        operand.value = (int64_t)value->bits;
        operand.real = value->real;
        operand.is_single = value->is_single;
    }
    return ptx_immediate(&operand, type);
}

static const ptx_token *initial_value(ptx_parser *parser, const ptx_token *token, initialiser *init) {
    if (token->kind == '{') {
        if (++parser->nesting > PTX_MAX_NESTING)
            return ptx_fail_at(parser, token, "these braces are nested too deeply");
        token++;
        while (token->kind != '}' && token->kind != PTX_TOKEN_END) {
            token = initial_value(parser, token, init);
            if (token->kind == ',')
                token++;
            else
                break;
        }
        parser->nesting--;
        return ptx_expect(parser, token, '}');
    }
    if (begins_symbol(parser, token)) return symbol(parser, token, init);
    ptx_constant value;
    token = ptx_parse_expression(parser, token, &value);
    put_bytes(parser, init, constant_bits(&value, init->variable->type), element_bytes(init->variable));
    return token;
}

// The size an initialised variable may have: large arrays are spelt out, so their text is large too.
static bool data_fits(ptx_parser *parser, uint64_t size) {
    parser->data_bytes += size;
    return parser->data_bytes <= (UINT64_C(1) << 28) + 8 * (uint64_t)parser->length;
}

static const ptx_token *initialise(ptx_parser *parser, const ptx_token *token, ptx_variable *variable,
                                   bool open) {
    char class = ptx_type_class(variable->type);
    if (class == 'o' && token->kind == '{') return ptx_skip_braces(parser, token); // a sampler's settings
    if (element_bytes(variable) == 0 || element_bytes(variable) > 16)
        return ptx_fail_at(parser, token, "a variable of this type takes no value");
    initialiser init = {.variable = variable};
    const ptx_token *rest = initial_value(parser, token, &init);
    uint64_t written = init.bytes.count * element_bytes(variable);
    if (open) variable->size = written;
    if (parser->status == KZ_OK && written > variable->size)
        rest = ptx_fail_at(parser, token, "%llu bytes of values for a variable of %llu",
                           (unsigned long long)written, (unsigned long long)variable->size);
    if (parser->status == KZ_OK && !data_fits(parser, variable->size))
        rest = ptx_fail_at(parser, token, "the initialised variables are too large");
    if (parser->status == KZ_OK) {
        uint8_t *data = ptx_alloc(parser, variable->size ? variable->size : 1);
        if (data && written) memcpy(data, init.bytes.data, written);
        variable->data = data;
        variable->relocations = ptx_keep(parser, &init.relocations, 0, sizeof(ptx_relocation));
        variable->relocation_count = (uint32_t)init.relocations.count;
    }
    ptx_list_free(&init.bytes);
    ptx_list_free(&init.relocations);
    return rest;
}

// ---- declarations -----------------------------------------------------------------------------------

// A declaration may come before the definition, and ".extern" ones may repeat: one variable in the end.
static ptx_variable *earlier(ptx_parser *parser, const ptx_token *name, const ptx_variable *model) {
    if (parser->function) return NULL;
    ptx_map_entry *entry = ptx_find_name(parser, ptx_token_text(parser, name), name->length);
    if (!entry || entry->kind != PTX_NAME_VARIABLE) return NULL;
    ptx_variable *found = entry->pointer;
    return (found->is_extern || model->is_extern) && found->space == model->space ? found : NULL;
}

static ptx_variable *add_variable(ptx_parser *parser, const ptx_token *name, const ptx_variable *model) {
    ptx_list *list = parser->function ? &parser->locals : &parser->variables;
    ptx_variable *variable = earlier(parser, name, model);
    if (variable && model->is_extern) return variable;
    if (variable) { // the definition's place counts: its value may refer to what came in between
        ((ptx_variable **)list->data)[variable->index] = NULL;
        const char *text = variable->name;
        *variable = *model;
        variable->name = text;
    } else {
        variable = ptx_alloc(parser, sizeof *variable);
        if (!variable) return NULL;
        *variable = *model;
        variable->name = parser->function
                             ? ptx_unique_name(parser, ptx_token_text(parser, name), name->length)
                             : ptx_copy_text(parser, name);
        if (!ptx_declare(parser, name, PTX_NAME_VARIABLE, variable, 0)) return NULL;
    }
    variable->index = (uint32_t)list->count;
    ptx_push(parser, list, &variable, sizeof variable);
    return variable;
}

// space [".align" n] [vector] type name dimensions ["=" value] {"," name ...} ";"; `token` is after the
// space.
const ptx_token *ptx_parse_variables(ptx_parser *parser, const ptx_token *token, ptx_variable model) {
    token = variable_type(parser, token, &model);
    for (;;) {
        if (token->kind != PTX_TOKEN_WORD) return ptx_fail_at(parser, token, "expected a variable's name");
        const ptx_token *name = token;
        uint64_t count;
        bool open;
        token = dimensions(parser, token + 1, &count, &open);
        uint64_t bytes = (uint64_t)element_bytes(&model) * model.vector;
        if (parser->status == KZ_OK && bytes && count > MAX_VARIABLE_BYTES / bytes)
            return ptx_fail_at(parser, name, "this array is too large");
        ptx_variable made = model;
        made.size = open ? 0 : count * bytes;
        made.line = name->line;
        if (made.align == 0) made.align = bytes ? (uint32_t)bytes : 1;
        ptx_variable *variable = parser->status == KZ_OK ? add_variable(parser, name, &made) : NULL;
        if (!variable) return parser->end;
        if (token->kind == '=') token = initialise(parser, token + 1, variable, open);
        if (token->kind != ',') return ptx_expect(parser, token, ';');
        token++;
    }
}

// (".param" | ".reg") type ["." "ptr" ...] name dimensions: in a function's head, or "_" in a prototype.
const ptx_token *ptx_parse_param(ptx_parser *parser, const ptx_token *token, ptx_variable **param) {
    *param = NULL;
    bool is_reg = ptx_is(parser, token, ".reg");
    if (!is_reg && !ptx_is(parser, token, ".param")) return ptx_fail_at(parser, token, "expected .param");
    ptx_variable model = {.space = is_reg ? PTX_MOD_REG : PTX_MOD_PARAM, .line = token->line};
    token++;
    if (token->kind == PTX_TOKEN_DOT || !is_reg) token = variable_type(parser, token, &model);
    if (token->kind != PTX_TOKEN_WORD) return ptx_fail_at(parser, token, "expected a parameter's name");
    if (is_reg && (!ptx_may_be_register(model.type) || model.vector > 1))
        return ptx_fail_at(parser, token, "no parameter in a register has this type");
    const ptx_token *name = token;
    uint64_t count;
    bool open;
    token = dimensions(parser, token + 1, &count, &open);
    uint64_t bytes = (uint64_t)element_bytes(&model) * model.vector;
    if (parser->status == KZ_OK && bytes && count > (1 << 24) / bytes)
        return ptx_fail_at(parser, name, "this parameter is too large");
    ptx_variable *variable = ptx_alloc(parser, sizeof *variable);
    if (!variable) return parser->end;
    *variable = model;
    variable->size = open ? 0 : count * bytes;
    if (variable->align == 0) variable->align = bytes ? (uint32_t)bytes : 1;
    variable->name = ptx_copy_text(parser, name);
    *param = variable;
    return token;
}
