// Functions: their heads, their bodies, and what only stands inside a body.
#include "ptx/parser.h"

#include <string.h>

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
const ptx_token *ptx_parse_pragma(ptx_parser *parser, const ptx_token *token) {
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
            token = ptx_parse_pragma(parser, token);
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

static bool same_params(ptx_variable *const *a, uint32_t a_count, ptx_variable *const *b, uint32_t b_count) {
    if (a_count != b_count) return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (a[i]->size != b[i]->size || a[i]->space != b[i]->space) return false;
    return true;
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
    if (ptx_is(parser, token, ".pragma")) return ptx_parse_pragma(parser, token);
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
const ptx_token *ptx_parse_function(ptx_parser *parser, const ptx_token *token, ptx_linkage how) {
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
    size_t before = parser->functions.count;
    ptx_function *made = parser->status == KZ_OK ? find_or_add_function(parser, name) : NULL;
    bool known = parser->functions.count == before;
    if (!made) return parser->end;
    if (token->kind == '(') token = param_list(parser, token, &params, &param_count);
    token = tuning(parser, token, made);
    if (known && parser->status == KZ_OK &&
        !(same_params(made->params, made->param_count, params, param_count) &&
          same_params(made->returns, made->return_count, returns, return_count)))
        return ptx_fail_at(parser, name, "the parameters of '%s' differ from its declaration's", made->name);
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
