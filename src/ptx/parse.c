// The parser: a module's directives, functions and their bodies. See parser.h for the conventions.
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

// ---- functions ----------------------------------------------------------------------------------------

typedef struct linkage {
    bool is_extern, is_visible, is_weak, is_common;
} linkage;

// "(" [param {"," param}] ")"
static const ptx_token *param_list(ptx_parser *parser, const ptx_token *token, ptx_variable ***params,
                                   uint32_t *count) {
    ptx_list list = {0};
    token = ptx_expect(parser, token, '(');
    while (token->kind != ')' && token->kind != PTX_TOKEN_END) {
        ptx_variable *param;
        token = ptx_parse_param(parser, token, &param);
        if (!param) break;
        param->index = (uint32_t)list.count;
        ptx_push(parser, &list, &param, sizeof param);
        if (token->kind != ',') break;
        token++;
    }
    *params = ptx_keep(parser, &list, 0, sizeof(ptx_variable *));
    *count = (uint32_t)list.count;
    ptx_list_free(&list);
    return ptx_expect(parser, token, ')');
}

static void declare_params(ptx_parser *parser, ptx_variable **params, uint32_t count, uint32_t line) {
    for (uint32_t i = 0; i < count && parser->status == KZ_OK; i++) {
        const char *name = params[i]->name;
        size_t length = strlen(name);
        uint32_t hash = ptx_map_hash(name, length);
        if (strcmp(name, "_") == 0) continue;
        if (ptx_map_find(&parser->names, name, length, hash, parser->scope)) {
            parser->status = base_fail(parser->error, KZ_SYNTAX, "%s:%u: two parameters are called '%s'",
                                       parser->module->name, line, name);
            return;
        }
        ptx_map_entry *entry = ptx_map_add(&parser->names, name, length, hash, parser->scope);
        const char *unique = ptx_unique_name(parser, name, length);
        if (!entry || !unique) {
            ptx_fail_memory(parser);
            return;
        }
        params[i]->name = unique;
        if (params[i]->space == PTX_MOD_REG) {
            ptx_reg reg = {.name = unique, .type = params[i]->type};
            entry->kind = PTX_NAME_REG;
            entry->number = (uint32_t)parser->regs.count;
            ptx_push(parser, &parser->regs, &reg, sizeof reg);
        } else {
            entry->kind = PTX_NAME_VARIABLE;
            entry->pointer = params[i];
        }
    }
}

// n ["," n ["," n]]; what is missing is 1
static const ptx_token *extent(ptx_parser *parser, const ptx_token *token, uint32_t values[3]) {
    values[0] = values[1] = values[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        token = ptx_parse_integer(parser, token, UINT32_MAX, &value);
        values[i] = (uint32_t)value;
        if (token->kind != ',') break;
        token++;
    }
    return token;
}

static const ptx_token *one_number(ptx_parser *parser, const ptx_token *token, uint32_t *value) {
    uint64_t number;
    token = ptx_parse_integer(parser, token, UINT32_MAX, &number);
    *value = (uint32_t)number;
    return token;
}

// ".pragma" string {"," string} ";"
static const ptx_token *pragma(ptx_parser *parser, const ptx_token *token) {
    for (token++; token->kind == PTX_TOKEN_STRING || token->kind == ',';) token++;
    return ptx_expect(parser, token, ';');
}

// What stands between a function's parameters and its body.
static const ptx_token *tuning(ptx_parser *parser, const ptx_token *token, ptx_function *function) {
    uint32_t ignored;
    while (token->kind == PTX_TOKEN_DOT && parser->status == KZ_OK) {
        if (ptx_is(parser, token, ".maxntid"))
            token = extent(parser, token + 1, function->max_threads);
        else if (ptx_is(parser, token, ".reqntid"))
            token = extent(parser, token + 1, function->required_threads);
        else if (ptx_is(parser, token, ".reqnctapercluster"))
            token = extent(parser, token + 1, function->cluster);
        else if (ptx_is(parser, token, ".minnctapersm"))
            token = one_number(parser, token + 1, &function->min_blocks);
        else if (ptx_is(parser, token, ".maxnctapersm"))
            token = one_number(parser, token + 1, &function->max_blocks);
        else if (ptx_is(parser, token, ".maxnreg"))
            token = one_number(parser, token + 1, &function->max_registers);
        else if (ptx_is(parser, token, ".maxclusterrank"))
            token = one_number(parser, token + 1, &function->max_cluster_rank);
        else if (ptx_is(parser, token, ".abi_preserve") || ptx_is(parser, token, ".abi_preserve_control"))
            token = one_number(parser, token + 1, &ignored);
        else if (ptx_is(parser, token, ".explicitcluster"))
            function->explicit_cluster = true, token++;
        else if (ptx_is(parser, token, ".blocksareclusters"))
            function->blocks_are_clusters = true, token++;
        else if (ptx_is(parser, token, ".noreturn"))
            function->is_noreturn = true, token++;
        else if (ptx_is(parser, token, ".pragma"))
            token = pragma(parser, token);
        else
            return ptx_fail_at(parser, token, "expected the function's body");
    }
    return token;
}

static ptx_function *find_or_add_function(ptx_parser *parser, const ptx_token *name) {
    ptx_map_entry *entry = ptx_find_name(parser, ptx_token_text(parser, name), name->length);
    if (entry && entry->kind == PTX_NAME_FUNCTION) return entry->pointer;
    ptx_function *function = ptx_alloc(parser, sizeof *function);
    if (!function) return NULL;
    function->name = ptx_copy_text(parser, name);
    function->index = (uint32_t)parser->functions.count;
    function->line = name->line;
    if (!ptx_declare(parser, name, PTX_NAME_FUNCTION, function, 0)) return NULL;
    ptx_push(parser, &parser->functions, &function, sizeof function);
    return function;
}

// label {"," label} or function {"," function}: the lists behind .branchtargets and .calltargets
static const ptx_token *targets(ptx_parser *parser, const ptx_token *name, const ptx_token *token,
                                bool calls) {
    ptx_table table = {.name = ptx_copy_text(parser, name)};
    uint32_t capacity = 1;
    const ptx_token *first = token;
    for (; token->kind == PTX_TOKEN_WORD && token[1].kind == ','; token += 2) capacity++;
    table.labels = ptx_alloc(parser, capacity * sizeof *table.labels);
    table.functions = ptx_alloc(parser, calls ? capacity * sizeof *table.functions : 1);
    for (token = first; parser->status == KZ_OK; token++) {
        if (token->kind != PTX_TOKEN_WORD || table.count == capacity)
            return ptx_fail_at(parser, token, calls ? "expected a function" : "expected a label");
        if (calls) {
            ptx_map_entry *entry = ptx_find_name(parser, ptx_token_text(parser, token), token->length);
            if (!entry || entry->kind != PTX_NAME_FUNCTION)
                return ptx_fail_at(parser, token, "expected a function declared before");
            table.functions[table.count] = entry->pointer;
        } else {
            ptx_refer_label(parser, token, NULL, &table.labels[table.count]);
        }
        table.count++;
        token++;
        if (token->kind != ',') break;
    }
    if (!calls) table.functions = NULL;
    if (calls) table.labels = NULL;
    if (parser->status != KZ_OK || !ptx_push(parser, &parser->tables, &table, sizeof table))
        return parser->end;
    ptx_declare(parser, name, PTX_NAME_TABLE, NULL, (uint32_t)parser->tables.count - 1);
    return ptx_expect(parser, token, ';');
}

// ".callprototype" [returns] "_" [params] [".noreturn"] ";"
static const ptx_token *prototype(ptx_parser *parser, const ptx_token *name, const ptx_token *token) {
    ptx_function *function = ptx_alloc(parser, sizeof *function);
    if (!function) return parser->end;
    *function = (ptx_function){.name = ptx_copy_text(parser, name), .is_prototype = true, .line = name->line};
    if (token->kind == '(') token = param_list(parser, token, &function->returns, &function->return_count);
    if (!ptx_is(parser, token, "_"))
        return ptx_fail_at(parser, token, "expected '_', which stands for the function");
    token++;
    if (token->kind == '(') token = param_list(parser, token, &function->params, &function->param_count);
    token = tuning(parser, token, function);
    if (parser->status == KZ_OK) ptx_declare(parser, name, PTX_NAME_FUNCTION, function, 0);
    return ptx_expect(parser, token, ';');
}

// name ":" [".branchtargets" | ".calltargets" | ".callprototype"]
static const ptx_token *label(ptx_parser *parser, const ptx_token *token) {
    const ptx_token *name = token, *next = token + 2;
    if (ptx_is(parser, next, ".branchtargets")) return targets(parser, name, next + 1, false);
    if (ptx_is(parser, next, ".calltargets")) return targets(parser, name, next + 1, true);
    if (ptx_is(parser, next, ".callprototype")) return prototype(parser, name, next + 1);
    ptx_define_label(parser, name);
    return next;
}

static const ptx_token *body_directive(ptx_parser *parser, const ptx_token *token) {
    if (ptx_is(parser, token, ".loc")) return ptx_parse_loc(parser, token);
    if (ptx_is(parser, token, ".reg")) return ptx_parse_reg(parser, token);
    ptx_mod space = ptx_space_of(parser, token);
    if (space != PTX_MOD_NONE) return ptx_parse_variables(parser, token + 1, (ptx_variable){.space = space});
    if (ptx_is(parser, token, ".pragma")) return pragma(parser, token);
    if (ptx_is(parser, token, ".file")) return ptx_parse_file(parser, token);
    if (ptx_is(parser, token, ".section")) return ptx_parse_section(parser, token);
    return ptx_fail_at(parser, token, "this directive is not known inside a function");
}

// "{" {statement} "}"; scopes nest, but the function's own braces end it
static const ptx_token *body(ptx_parser *parser, const ptx_token *token) {
    uint32_t depth = 1;
    token++;
    while (parser->status == KZ_OK) {
        switch (token->kind) {
        case PTX_TOKEN_END:
            return ptx_fail_at(parser, token, "the function's body does not end: '}' is missing");
        case PTX_TOKEN_DOT: token = body_directive(parser, token); break;
        case ';': token++; break;
        case '{':
            if (++depth > PTX_MAX_SCOPES) return ptx_fail_at(parser, token, "scopes are nested too deeply");
            ptx_scope_enter(parser);
            token++;
            break;
        case '}':
            token++;
            if (--depth == 0) return token;
            ptx_scope_leave(parser);
            break;
        default:
            token = token->kind == PTX_TOKEN_WORD && token[1].kind == ':'
                        ? label(parser, token)
                        : ptx_parse_instruction(parser, token);
        }
    }
    return parser->end;
}

static void finish_function(ptx_parser *parser, ptx_function *function) {
    ptx_resolve_labels(parser);
    if (parser->status != KZ_OK) return;
    function->regs = ptx_keep(parser, &parser->regs, 0, sizeof(ptx_reg));
    function->reg_count = (uint32_t)parser->regs.count;
    function->locals = ptx_keep(parser, &parser->locals, 0, sizeof(ptx_variable *));
    function->local_count = (uint32_t)parser->locals.count;
    function->insts = ptx_keep(parser, &parser->insts, 0, sizeof(ptx_inst));
    function->inst_count = (uint32_t)parser->insts.count;
    function->tables = ptx_keep(parser, &parser->tables, 0, sizeof(ptx_table));
    function->table_count = (uint32_t)parser->tables.count;
}

// (".entry" | ".func") [returns] name [params] {tuning} (";" | body)
static const ptx_token *function(ptx_parser *parser, const ptx_token *token, linkage how) {
    ptx_variable **returns = NULL, **params = NULL;
    uint32_t return_count = 0, param_count = 0;
    bool is_entry = ptx_is(parser, token, ".entry");
    token++;
    if (ptx_is(parser, token, ".attribute")) {
        while (token->kind != ')' && token->kind != PTX_TOKEN_END) token++;
        while (token->kind == ')') token++;
    }
    if (token->kind == '(') token = param_list(parser, token, &returns, &return_count);
    if (token->kind != PTX_TOKEN_WORD) return ptx_fail_at(parser, token, "expected the function's name");
    const ptx_token *name = token++;
    ptx_function *made = parser->status == KZ_OK ? find_or_add_function(parser, name) : NULL;
    if (!made) return parser->end;
    if (token->kind == '(') token = param_list(parser, token, &params, &param_count);
    token = tuning(parser, token, made);
    if (made->has_body && token->kind != '{') return ptx_expect(parser, token, ';'); // declared once more
    if (made->has_body) return ptx_fail_at(parser, name, "the function '%s' has two bodies", made->name);
    made->is_entry = is_entry;
    made->is_visible |= how.is_visible;
    made->is_weak |= how.is_weak;
    made->is_extern = how.is_extern;
    made->params = params;
    made->param_count = param_count;
    made->returns = returns;
    made->return_count = return_count;
    if (token->kind != '{') return ptx_expect(parser, token, ';');
    made->has_body = true;
    made->line = name->line;
    parser->function = made;
    parser->function_tag++;
    parser->location = -1;
    parser->regs.count = parser->locals.count = parser->insts.count = parser->tables.count = 0;
    ptx_scope_enter(parser);
    declare_params(parser, returns, return_count, name->line);
    declare_params(parser, params, param_count, name->line);
    token = body(parser, token);
    if (parser->status == KZ_OK) finish_function(parser, made);
    parser->function = NULL;
    parser->scope = 0;
    return token;
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

static const ptx_token *linkage_words(const ptx_parser *parser, const ptx_token *token, linkage *how) {
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
    linkage how = {0};
    const ptx_token *start = token;
    token = linkage_words(parser, token, &how);
    if (ptx_is(parser, token, ".entry") || ptx_is(parser, token, ".func"))
        return function(parser, token, how);
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
    if (ptx_is(parser, token, ".version")) return version(parser, token);
    if (ptx_is(parser, token, ".target")) return target(parser, token);
    if (ptx_is(parser, token, ".address_size"))
        return one_number(parser, token + 1, &parser->module->address_bits);
    if (ptx_is(parser, token, ".file")) return ptx_parse_file(parser, token);
    if (ptx_is(parser, token, ".loc")) return ptx_parse_loc(parser, token);
    if (ptx_is(parser, token, ".section")) return ptx_parse_section(parser, token);
    if (ptx_is(parser, token, ".pragma")) return pragma(parser, token);
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
    ptx_resolve_locations(parser);
    module->variables = ptx_keep(parser, &parser->variables, 0, sizeof(ptx_variable *));
    module->variable_count = (uint32_t)parser->variables.count;
    module->functions = ptx_keep(parser, &parser->functions, 0, sizeof(ptx_function *));
    module->function_count = (uint32_t)parser->functions.count;
    module->files = ptx_keep(parser, &parser->files, 0, sizeof(ptx_file));
    module->file_count = (uint32_t)parser->files.count;
    module->locations = ptx_keep(parser, &parser->locations, 0, sizeof(ptx_location));
    module->location_count = (uint32_t)parser->locations.count;
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
    ptx_map *maps[] = {&parser->words,  &parser->opcodes, &parser->names,  &parser->taken,
                       &parser->labels, &parser->places,  &parser->strings};
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
    ptx_map *maps[] = {&parser->words,  &parser->opcodes, &parser->names,  &parser->taken,
                       &parser->labels, &parser->places,  &parser->strings};
    for (size_t i = 0; i < BASE_COUNT(maps); i++) ptx_map_close(maps[i]);
    ptx_list *lists[] = {&parser->scopes,    &parser->variables,  &parser->functions, &parser->files,
                         &parser->locations, &parser->regs,       &parser->locals,    &parser->insts,
                         &parser->tables,    &parser->references, &parser->operands};
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
