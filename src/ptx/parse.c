// The parser: a module's directives, and what all its parts use. See parser.h for the conventions.
#include "ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- helpers ----------------------------------------------------------------------------------------

const ptx_token *ptx_fail_at(ptx_parser *parser, const ptx_token *at, const char *format, ...) {
    if (parser->status != KZ_OK) return parser->end;
    char message[512];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    parser->status = ptx_fail_caret(parser->error, KZ_SYNTAX, parser->module->name, parser->text,
                                    parser->length, at, message);
    return parser->end;
}

const ptx_token *ptx_fail_memory(ptx_parser *parser) {
    if (parser->status == KZ_OK)
        parser->status =
            base_fail(parser->error, KZ_NO_MEMORY, "%s: no memory to parse it", parser->module->name);
    return parser->end;
}

bool ptx_push(ptx_parser *parser, ptx_list *list, const void *item, size_t size) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        void *data = realloc(list->data, capacity * size);
        if (!data) {
            ptx_fail_memory(parser);
            return false;
        }
        list->data = data;
        list->capacity = capacity;
    }
    memcpy((char *)list->data + list->count++ * size, item, size);
    return true;
}

void ptx_list_free(ptx_list *list) {
    free(list->data);
    *list = (ptx_list){0};
}

void *ptx_alloc(ptx_parser *parser, size_t bytes) {
    void *memory = parser->status == KZ_OK ? base_arena_alloc(parser->arena, bytes) : NULL;
    if (!memory) ptx_fail_memory(parser);
    return memory;
}

void *ptx_keep(ptx_parser *parser, const ptx_list *list, size_t first, size_t size) {
    size_t count = list->count - first;
    if (count == 0) return NULL;
    void *copy = ptx_alloc(parser, count * size);
    if (copy) memcpy(copy, (const char *)list->data + first * size, count * size);
    return copy;
}

char *ptx_copy_text(ptx_parser *parser, const ptx_token *token) {
    char *copy = base_arena_string(parser->arena, ptx_token_text(parser, token), token->length);
    if (!copy) ptx_fail_memory(parser);
    return copy;
}

bool ptx_is(const ptx_parser *parser, const ptx_token *token, const char *text) {
    const char *at = ptx_token_text(parser, token);
    return at[0] == text[0] && strlen(text) == token->length && memcmp(at, text, token->length) == 0;
}

const ptx_token *ptx_expect(ptx_parser *parser, const ptx_token *token, int punctuation) {
    if ((int)token->kind == punctuation) return token + 1;
    return ptx_fail_at(parser, token, "expected '%c'", punctuation);
}

const ptx_token *ptx_skip_braces(ptx_parser *parser, const ptx_token *token) {
    const ptx_token *open = token;
    uint64_t depth = 0;
    for (;; token++) {
        if (token->kind == PTX_TOKEN_END) return ptx_fail_at(parser, open, "this '{' has no '}'");
        if (token->kind == '{') depth++;
        if (token->kind == '}' && --depth == 0) return token + 1;
    }
}

// ---- the module ----------------------------------------------------------------------------------------

// ".version" major "." minor
static const ptx_token *version(ptx_parser *parser, const ptx_token *token) {
    token++;
    const char *text = ptx_token_text(parser, token);
    int major = 0, minor = 0, used = 0;
    char copy[16] = {0};
    if (token->length < sizeof copy) memcpy(copy, text, token->length);
    if (token->kind != PTX_TOKEN_FLOAT || sscanf(copy, "%2d.%2d%n", &major, &minor, &used) != 2 ||
        (uint32_t)used != token->length)
        return ptx_fail_at(parser, token, "expected a version such as 9.0");
    parser->module->version = major * 10 + minor;
    return token + 1;
}

// ".address_size" (32 | 64)
static const ptx_token *address_size(ptx_parser *parser, const ptx_token *token) {
    uint64_t bits;
    const ptx_token *rest = ptx_parse_integer(parser, token + 1, 64, &bits);
    if (parser->status == KZ_OK && bits != 32 && bits != 64)
        return ptx_fail_at(parser, token + 1, "an address has 32 or 64 bits");
    parser->module->address_bits = (uint32_t)bits;
    return rest;
}

// digits and at most one letter: the 90a of sm_90a
static bool architecture(ptx_module *module, const char *text, uint32_t length) {
    uint32_t i = 0;
    for (module->sm = 0; i < length && i < 4 && text[i] >= '0' && text[i] <= '9'; i++)
        module->sm = module->sm * 10 + (text[i] - '0');
    module->sm_suffix = i < length ? text[i] : 0;
    return i > 0 && (i == length || (i + 1 == length && text[i] >= 'a' && text[i] <= 'z'));
}

// ".target" word {"," word}
static const ptx_token *target(ptx_parser *parser, const ptx_token *token) {
    ptx_module *module = parser->module;
    do {
        token++;
        if (token->kind != PTX_TOKEN_WORD)
            return ptx_fail_at(parser, token, "expected a target such as sm_90");
        const char *text = ptx_token_text(parser, token);
        if (token->length > 3 && memcmp(text, "sm_", 3) == 0 &&
            !architecture(module, text + 3, token->length - 3))
            return ptx_fail_at(parser, token, "expected a target such as sm_90 or sm_90a");
        if (ptx_is(parser, token, "debug")) module->is_debug = true;
        token++;
    } while (token->kind == ',');
    return token;
}

// ".alias" name "," function ";"
static const ptx_token *alias(ptx_parser *parser, const ptx_token *token) {
    ptx_function *both[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        token++;
        ptx_map_entry *entry = token->kind == PTX_TOKEN_WORD
                                   ? ptx_find_name(parser, ptx_token_text(parser, token), token->length)
                                   : NULL;
        if (!entry || entry->kind != PTX_NAME_FUNCTION)
            return ptx_fail_at(parser, token, "expected a function declared before");
        both[i] = entry->pointer;
        token++;
        if (i == 0 && token->kind != ',') return ptx_expect(parser, token, ',');
    }
    if (both[0] == both[1] || both[1]->alias)
        return ptx_fail_at(parser, token - 1, "this is no function to stand for another");
    both[0]->alias = both[1];
    parser->has_alias = true;
    return ptx_expect(parser, token, ';');
}

static const ptx_token *linkage_words(const ptx_parser *parser, const ptx_token *token, ptx_linkage *how) {
    for (;; token++) {
        if (ptx_is(parser, token, ".extern"))
            how->is_extern = true;
        else if (ptx_is(parser, token, ".visible"))
            how->is_visible = true;
        else if (ptx_is(parser, token, ".weak"))
            how->is_weak = true;
        else if (ptx_is(parser, token, ".common"))
            how->is_common = true;
        else
            return token;
    }
}

static const ptx_token *module_item(ptx_parser *parser, const ptx_token *token) {
    ptx_linkage how = {0};
    const ptx_token *start = token;
    token = linkage_words(parser, token, &how);
    if (ptx_is(parser, token, ".entry") || ptx_is(parser, token, ".func"))
        return ptx_parse_function(parser, token, how);
    ptx_mod space = ptx_space_of(parser, token);
    if (space != PTX_MOD_NONE) {
        ptx_variable model = {.space = space,
                              .is_extern = how.is_extern,
                              .is_visible = how.is_visible,
                              .is_weak = how.is_weak,
                              .is_common = how.is_common};
        return ptx_parse_variables(parser, token + 1, model);
    }
    if (token != start) return ptx_fail_at(parser, token, "expected a function or a variable");
    if (ptx_is(parser, token, ".version")) {
        if (token != parser->first) parser->part++;
        return version(parser, token);
    }
    if (ptx_is(parser, token, ".target")) return target(parser, token);
    if (ptx_is(parser, token, ".address_size")) return address_size(parser, token);
    if (ptx_is(parser, token, ".file")) return ptx_parse_file(parser, token);
    if (ptx_is(parser, token, ".loc")) return ptx_parse_loc(parser, token);
    if (ptx_is(parser, token, ".section")) return ptx_parse_section(parser, token);
    if (ptx_is(parser, token, ".pragma")) return ptx_parse_pragma(parser, token);
    if (ptx_is(parser, token, ".alias")) return alias(parser, token);
    if (token->kind == ';') return token + 1;
    return ptx_fail_at(parser, token, "expected a directive such as .entry, .func or .global");
}

// Operands point at the function that stands for another.
static void resolve_aliases(ptx_parser *parser) {
    ptx_function **functions = parser->functions.data;
    for (size_t f = 0; f < parser->functions.count; f++) {
        for (uint32_t i = 0; i < functions[f]->inst_count; i++) {
            ptx_inst *inst = &functions[f]->insts[i];
            for (uint32_t o = 0; o < inst->operand_count; o++) {
                const ptx_function *named = inst->operands[o].function;
                if (named && named->alias) inst->operands[o].function = named->alias;
            }
        }
    }
}

static uint32_t number_instructions(ptx_parser *parser) {
    ptx_function **functions = parser->functions.data;
    uint32_t serial = 0;
    for (size_t f = 0; f < parser->functions.count; f++)
        for (uint32_t i = 0; i < functions[f]->inst_count; i++) functions[f]->insts[i].serial = serial++;
    return serial;
}

// Variables that were declared and later defined left a hole at the declaration.
static void close_gaps(ptx_parser *parser) {
    ptx_variable **variables = parser->variables.data;
    size_t count = 0;
    for (size_t i = 0; i < parser->variables.count; i++) {
        if (!variables[i]) continue;
        variables[i]->index = (uint32_t)count;
        variables[count++] = variables[i];
    }
    parser->variables.count = count;
}

static void finish_module(ptx_parser *parser) {
    ptx_module *module = parser->module;
    close_gaps(parser);
    if (parser->has_alias) resolve_aliases(parser);
    parser->module->inst_count = number_instructions(parser);
    ptx_resolve_locations(parser);
    module->variables = ptx_keep(parser, &parser->variables, 0, sizeof(ptx_variable *));
    module->variable_count = (uint32_t)parser->variables.count;
    module->functions = ptx_keep(parser, &parser->functions, 0, sizeof(ptx_function *));
    module->function_count = (uint32_t)parser->functions.count;
    module->files = ptx_keep(parser, &parser->files, 0, sizeof(ptx_file));
    module->file_count = (uint32_t)parser->files.count;
    module->locations = ptx_keep(parser, &parser->locations, 0, sizeof(ptx_location));
    module->location_count = (uint32_t)parser->locations.count;
    ptx_keep_sections(parser);
}

static void parse_module(ptx_parser *parser, const ptx_token *token) {
    parser->module->address_bits = 64;
    if (!ptx_is(parser, token, ".version")) {
        ptx_fail_at(parser, token, "expected .version: this does not begin like PTX");
        return;
    }
    while (token->kind != PTX_TOKEN_END && parser->status == KZ_OK) token = module_item(parser, token);
    if (parser->status == KZ_OK) finish_module(parser);
}

// ---- open and close -------------------------------------------------------------------------------------

static bool add_word(ptx_parser *parser, const char *text, uint32_t tag, int number) {
    size_t length = strlen(text);
    ptx_map_entry *entry = ptx_map_add(&parser->words, text, length, ptx_map_hash(text, length), tag);
    if (entry) entry->number = (uint32_t)number;
    return entry != NULL;
}

static bool open_parser(ptx_parser *parser) {
    ptx_map *maps[] = {&parser->words,  &parser->opcodes,   &parser->names,   &parser->taken,
                       &parser->labels, &parser->positions, &parser->strings, &parser->marks};
    bool good = parser->scratch != NULL;
    for (size_t i = 0; i < BASE_COUNT(maps); i++) good = good && ptx_map_open(maps[i], parser->scratch);
    for (int i = 1; good && i < PTX_MOD_COUNT; i++) good = add_word(parser, ptx_mod_text((ptx_mod)i), 0, i);
    for (int i = 1; good && i < PTX_OP_COUNT; i++) good = add_word(parser, ptx_op_root((ptx_op)i), 1, i);
    for (int i = 1; good && i < PTX_SPECIAL_COUNT; i++)
        good = add_word(parser, ptx_special_name((ptx_special)i), 2, i);
    uint32_t outermost = 0;
    if (!good || !ptx_push(parser, &parser->scopes, &outermost, sizeof outermost)) {
        ptx_fail_memory(parser);
        return false;
    }
    return true;
}

static void close_parser(ptx_parser *parser) {
    ptx_map *maps[] = {&parser->words,  &parser->opcodes,   &parser->names,   &parser->taken,
                       &parser->labels, &parser->positions, &parser->strings, &parser->marks};
    for (size_t i = 0; i < BASE_COUNT(maps); i++) ptx_map_close(maps[i]);
    ptx_list *lists[] = {&parser->scopes,    &parser->variables,  &parser->functions, &parser->files,
                         &parser->locations, &parser->regs,       &parser->locals,    &parser->insts,
                         &parser->tables,    &parser->references, &parser->operands,  &parser->sections};
    for (size_t i = 0; i < BASE_COUNT(lists); i++) ptx_list_free(lists[i]);
    base_arena_close(parser->scratch);
}

kz_status ptx_module_open(const char *name, const char *text, size_t length, ptx_module **module,
                          kz_error *error) {
    *module = NULL;
    base_arena *arena = base_arena_open();
    ptx_module *made = arena ? base_arena_alloc(arena, sizeof *made) : NULL;
    char *copy = made ? base_arena_string(arena, text, length) : NULL;
    char *label_copy = copy ? base_arena_string(arena, name, strlen(name)) : NULL;
    if (!label_copy) {
        base_arena_close(arena);
        return base_fail(error, KZ_NO_MEMORY, "%s: no memory to parse it", name);
    }
    *made = (ptx_module){.arena = arena, .name = label_copy, .text = copy};
    ptx_tokens tokens;
    kz_status status = ptx_lex(made->name, copy, length, &tokens, error);
    if (status == KZ_OK) {
        ptx_parser parser = {.module = made,
                             .arena = arena,
                             .scratch = base_arena_open(),
                             .text = copy,
                             .length = length,
                             .first = tokens.data,
                             .end = tokens.data + tokens.count,
                             .error = error,
                             .location = -1};
        if (open_parser(&parser)) parse_module(&parser, tokens.data);
        status = parser.status;
        close_parser(&parser);
        free(tokens.data);
    }
    if (status != KZ_OK) {
        base_arena_close(arena);
        return status;
    }
    *module = made;
    return KZ_OK;
}

void ptx_module_close(ptx_module *module) {
    if (module) base_arena_close(module->arena);
}

const ptx_function *ptx_find_function(const ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i]->name, name) == 0) return module->functions[i];
    return NULL;
}

const ptx_section *ptx_find_section(const ptx_module *module, uint32_t part, const char *name) {
    for (uint32_t i = 0; i < module->section_count; i++)
        if (module->sections[i].part == part && strcmp(module->sections[i].name, name) == 0)
            return &module->sections[i];
    return NULL;
}
