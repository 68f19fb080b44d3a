// Names: scopes, registers, labels. A scope is a number; a name is sought in its scope and then outwards.
// Registers come into being when they are first used, so that "%r<4000>" costs what is used of it.
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

enum { MAX_REGISTERS = 1 << 22 };

static uint32_t parent_of(const ptx_parser *parser, uint32_t scope) {
    return ((const uint32_t *)parser->scopes.data)[scope];
}

void ptx_scope_enter(ptx_parser *parser) {
    uint32_t parent = parser->scope;
    parser->scope = (uint32_t)parser->scopes.count;
    parser->depth++;
    ptx_push(parser, &parser->scopes, &parent, sizeof parent);
}

void ptx_scope_leave(ptx_parser *parser) {
    if (parser->scope == 0 || parser->scope >= parser->scopes.count) return;
    parser->scope = parent_of(parser, parser->scope);
    parser->depth--;
}

bool ptx_declare(ptx_parser *parser, const ptx_token *name, ptx_name_kind kind, void *pointer,
                 uint32_t number) {
    const char *text = ptx_token_text(parser, name);
    uint32_t hash = ptx_map_hash(text, name->length);
    if (ptx_map_find(&parser->names, text, name->length, hash, parser->scope)) {
        ptx_fail_at(parser, name, "'%.*s' is declared twice", (int)name->length, text);
        return false;
    }
    ptx_map_entry *entry = ptx_map_add(&parser->names, text, name->length, hash, parser->scope);
    if (!entry) {
        ptx_fail_memory(parser);
        return false;
    }
    entry->kind = kind;
    entry->pointer = pointer;
    entry->number = number;
    return true;
}

const char *ptx_unique_name(ptx_parser *parser, const char *text, size_t length) {
    uint32_t hash = ptx_map_hash(text, length);
    ptx_map_entry *used = ptx_map_find(&parser->taken, text, length, hash, parser->function_tag);
    if (!used && !ptx_map_find(&parser->names, text, length, hash, 0)) {
        char *copy = base_arena_string(parser->arena, text, length);
        if (!copy || !ptx_map_add(&parser->taken, copy, length, hash, parser->function_tag))
            ptx_fail_memory(parser);
        return copy;
    }
    if (!used) { // a name of the module's: remember the counter under it
        used = ptx_map_add(&parser->taken, text, length, hash, parser->function_tag);
        if (!used) {
            ptx_fail_memory(parser);
            return NULL;
        }
    }
    base_text name = {0};
    const char *result = NULL;
    for (;;) {
        name.length = 0;
        base_text_add_bytes(&name, text, length);
        base_text_add(&name, "$%u", ++used->number);
        if (name.failed) break;
        hash = ptx_map_hash(name.data, name.length);
        if (ptx_map_find(&parser->taken, name.data, name.length, hash, parser->function_tag) ||
            ptx_map_find(&parser->names, name.data, name.length, hash, 0))
            continue;
        result = base_arena_string(parser->arena, name.data, name.length);
        if (result && !ptx_map_add(&parser->taken, result, name.length, hash, parser->function_tag))
            result = NULL;
        break;
    }
    base_text_free(&name);
    if (!result) ptx_fail_memory(parser);
    return result;
}

static int32_t new_register(ptx_parser *parser, const char *text, size_t length, ptx_type type) {
    ptx_reg reg = {.name = ptx_unique_name(parser, text, length), .type = type};
    if (!reg.name || !ptx_push(parser, &parser->regs, &reg, sizeof reg)) return -1;
    return (int32_t)parser->regs.count - 1;
}

// The registers v$x v$y v$z v$w of a vector register, consecutive; the first one's index.
static int32_t new_vector(ptx_parser *parser, const char *text, size_t length, const ptx_range *range) {
    int32_t first = -1;
    base_text name = {0};
    base_text_add_bytes(&name, text, length);
    base_text_add_bytes(&name, "$x", 2);
    for (uint32_t i = 0; i < range->vector && !name.failed; i++) {
        name.data[name.length - 1] = "xyzw"[i];
        int32_t reg = new_register(parser, name.data, name.length, range->type);
        if (i == 0) first = reg;
    }
    if (name.failed) ptx_fail_memory(parser);
    base_text_free(&name);
    return first;
}

// The range that covers a name like "%r12" in this scope.
static ptx_map_entry *find_range(ptx_parser *parser, const char *text, size_t length, uint32_t scope) {
    size_t prefix = length;
    while (prefix > 0 && text[prefix - 1] >= '0' && text[prefix - 1] <= '9') prefix--;
    size_t digits = length - prefix;
    // Prefixes may end in digits themselves ("%r1<4>"), so every split is tried; a number has no leading
    // zero.
    for (size_t from = length - 1; digits > 0 && from >= prefix && from < length; from--) {
        if (length - from > 9) break;
        if (text[from] == '0' && from + 1 < length) continue;
        uint32_t hash = ptx_map_hash(text, from) ^ PTX_NAME_RANGE;
        ptx_map_entry *entry = ptx_map_find(&parser->names, text, from, hash, scope);
        if (!entry) continue;
        uint32_t number = 0;
        for (size_t i = from; i < length; i++) number = number * 10 + (uint32_t)(text[i] - '0');
        if (number < ((const ptx_range *)entry->pointer)->count) return entry;
    }
    return NULL;
}

// Makes the register that a range promises, known from now on under its own name.
static ptx_map_entry *from_range(ptx_parser *parser, const char *text, size_t length, uint32_t scope) {
    ptx_map_entry *entry = find_range(parser, text, length, scope);
    if (!entry) return NULL;
    ptx_range *range = entry->pointer;
    int32_t reg = range->vector > 1 ? new_vector(parser, text, length, range)
                                    : new_register(parser, text, length, range->type);
    if (reg < 0) return NULL;
    ptx_map_entry *made = ptx_map_add(&parser->names, text, length, ptx_map_hash(text, length), scope);
    if (!made) {
        ptx_fail_memory(parser);
        return NULL;
    }
    made->kind = PTX_NAME_REG;
    made->number = (uint32_t)reg;
    made->pointer = range->vector > 1 ? range : NULL;
    return made;
}

ptx_map_entry *ptx_find_name(ptx_parser *parser, const char *text, size_t length) {
    if (length == 0) return NULL;
    uint32_t hash = ptx_map_hash(text, length);
    bool numbered = text[length - 1] >= '0' && text[length - 1] <= '9';
    for (uint32_t scope = parser->scope;; scope = parent_of(parser, scope)) {
        ptx_map_entry *entry = ptx_map_find(&parser->names, text, length, hash, scope);
        if (!entry && numbered && scope != 0) entry = from_range(parser, text, length, scope);
        if (entry || scope == 0) return entry;
    }
}

static void component(ptx_operand *operand, int32_t reg, char letter) {
    const char *letters = "xyzw", *colours = "rgba", *at = strchr(letters, letter);
    if (!at) at = strchr(colours, letter), letters = colours;
    operand->reg = reg + (int32_t)(at - letters);
}

bool ptx_resolve_register(ptx_parser *parser, const char *text, size_t length, ptx_operand *operand) {
    const char *dot = memchr(text, '.', length);
    size_t name_length = dot ? (size_t)(dot - text) : length;
    ptx_map_entry *entry = ptx_find_name(parser, text, name_length);
    if (!entry || entry->kind != PTX_NAME_REG) return false;
    const ptx_range *vector = entry->pointer;
    size_t part = dot ? length - name_length - 1 : 0;
    operand->kind = PTX_OPERAND_REG;
    operand->reg = (int32_t)entry->number;
    if (!dot && !vector) return true;
    if (dot && vector) {
        if (part != 1 || !memchr("xyzwrgba", dot[1], 8)) return false;
        component(operand, (int32_t)entry->number, dot[1]);
        return (uint32_t)operand->reg < entry->number + vector->vector;
    }
    if (dot) { // %r1.b0: a part for a video instruction
        if (part < 2 || part >= sizeof operand->select || (dot[1] != 'b' && dot[1] != 'h')) return false;
        for (size_t i = 2; i <= part; i++)
            if (dot[i] < '0' || dot[i] > (dot[1] == 'b' ? '7' : '3')) return false;
        memcpy(operand->select, dot + 1, part);
        return true;
    }
    operand->kind = PTX_OPERAND_VECTOR;
    operand->reg = -1;
    operand->element_count = vector->vector;
    operand->elements = ptx_alloc(parser, vector->vector * sizeof *operand->elements);
    for (uint32_t i = 0; operand->elements && i < vector->vector; i++)
        operand->elements[i] =
            (ptx_operand){.kind = PTX_OPERAND_REG, .reg = (int32_t)(entry->number + i), .second = -1};
    return operand->elements != NULL;
}

static const ptx_token *declare_range(ptx_parser *parser, const ptx_token *name, ptx_range range) {
    uint64_t count = 0;
    const char *text = ptx_token_text(parser, name);
    const ptx_token *token = ptx_parse_integer(parser, name + 2, MAX_REGISTERS, &count);
    token = ptx_expect(parser, token, '>');
    uint32_t hash = ptx_map_hash(text, name->length) ^ PTX_NAME_RANGE;
    if (ptx_map_find(&parser->names, text, name->length, hash, parser->scope))
        return ptx_fail_at(parser, name, "'%.*s' is declared twice", (int)name->length, text);
    ptx_range *kept = base_arena_alloc(parser->scratch, sizeof *kept);
    ptx_map_entry *entry = ptx_map_add(&parser->names, text, name->length, hash, parser->scope);
    if (!kept || !entry) return ptx_fail_memory(parser);
    *kept = range;
    kept->count = (uint32_t)count;
    entry->kind = PTX_NAME_RANGE;
    entry->pointer = kept;
    return token;
}

static void declare_register(ptx_parser *parser, const ptx_token *name, ptx_range range) {
    const char *text = ptx_token_text(parser, name);
    ptx_range *vector = NULL;
    int32_t reg;
    if (range.vector > 1) {
        vector = base_arena_alloc(parser->scratch, sizeof *vector);
        if (!vector) {
            ptx_fail_memory(parser);
            return;
        }
        *vector = range;
        reg = new_vector(parser, text, name->length, vector);
    } else {
        reg = new_register(parser, text, name->length, range.type);
    }
    if (reg >= 0) ptx_declare(parser, name, PTX_NAME_REG, vector, (uint32_t)reg);
}

bool ptx_may_be_register(ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    switch (ptx_type_class(type)) {
    case 'b':
    case 'u':
    case 's': return bits >= 8 && bits <= 128;
    case 'f': return bits >= 16;
    case 'v': return type == PTX_F16X2 || type == PTX_BF16X2;
    }
    return type == PTX_PRED;
}

// ".reg" [".v2" | ".v4"] type name ["<" count ">"] {"," name ["<" count ">"]} ";"
const ptx_token *ptx_parse_reg(ptx_parser *parser, const ptx_token *token) {
    ptx_range range = {.vector = 1};
    token++;
    for (; token->kind == PTX_TOKEN_DOT; token++) {
        ptx_mod mod = ptx_mod_of(parser, ptx_token_text(parser, token) + 1, token->length - 1);
        if (mod == PTX_MOD_V2)
            range.vector = 2;
        else if (mod == PTX_MOD_V4)
            range.vector = 4;
        else if (ptx_mod_type(mod) != PTX_TYPE_NONE)
            range.type = ptx_mod_type(mod);
        else
            return ptx_fail_at(parser, token, "expected the registers' type");
    }
    if (range.type == PTX_TYPE_NONE)
        return ptx_fail_at(parser, token, "expected the registers' type, such as .b32");
    if (!ptx_may_be_register(range.type)) return ptx_fail_at(parser, token - 1, "no register has this type");
    for (;;) {
        if (token->kind != PTX_TOKEN_WORD) return ptx_fail_at(parser, token, "expected a register's name");
        if (token[1].kind == '<') {
            token = declare_range(parser, token, range);
        } else {
            declare_register(parser, token, range);
            token++;
        }
        if (token->kind != ',') return ptx_expect(parser, token, ';');
        token++;
    }
}

void ptx_define_label(ptx_parser *parser, const ptx_token *name) {
    const char *text = ptx_token_text(parser, name);
    uint32_t hash = ptx_map_hash(text, name->length);
    if (ptx_map_find(&parser->labels, text, name->length, hash, parser->scope)) {
        ptx_fail_at(parser, name, "the label '%.*s' stands here twice", (int)name->length, text);
        return;
    }
    ptx_map_entry *entry = ptx_map_add(&parser->labels, text, name->length, hash, parser->scope);
    ptx_map_entry *mark = ptx_map_add(&parser->marks, text, name->length, hash, parser->part);
    if (!entry || !mark) {
        ptx_fail_memory(parser);
        return;
    }
    entry->number = mark->number = (uint32_t)parser->insts.count;
    mark->pointer = parser->function;
}

void ptx_refer_label(ptx_parser *parser, const ptx_token *name, int64_t *value, uint32_t *target) {
    ptx_reference reference = {.token = name, .scope = parser->scope, .value = value, .target = target};
    ptx_push(parser, &parser->references, &reference, sizeof reference);
}

void ptx_resolve_labels(ptx_parser *parser) {
    const ptx_reference *references = parser->references.data;
    for (size_t i = 0; i < parser->references.count && parser->status == KZ_OK; i++) {
        const ptx_reference *at = &references[i];
        const char *text = ptx_token_text(parser, at->token);
        uint32_t hash = ptx_map_hash(text, at->token->length), scope = at->scope;
        ptx_map_entry *entry = NULL;
        for (; !entry && scope != 0; scope = parent_of(parser, scope))
            entry = ptx_map_find(&parser->labels, text, at->token->length, hash, scope);
        if (!entry) {
            ptx_fail_at(parser, at->token, "no label '%.*s' in this function", (int)at->token->length, text);
        } else if (at->value) {
            *at->value = entry->number;
        } else {
            *at->target = entry->number;
        }
    }
    parser->references.count = 0;
}
