// Debugging sections: the .b8 ... .b64 lists that hold DWARF, as bytes with what they name resolved.
// It is done last, for they name labels and variables of all functions. A name that nobody knows counts as
// 0: whoever reads the bytes has to bear with anything anyway.
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

typedef struct section_writer {
    ptx_parser *parser;
    ptx_map *variables; // of all functions, and the module's
    ptx_map *labels;    // inside sections
    uint32_t part;
    base_text bytes;
    ptx_list references;
} section_writer;

static bool is_size(const ptx_parser *parser, const ptx_token *token, unsigned *bytes) {
    static const char *const names[] = {".b8", ".b16", ".b32", ".b64"};
    for (unsigned i = 0; i < BASE_COUNT(names); i++)
        if (ptx_is(parser, token, names[i])) {
            *bytes = 1u << i;
            return true;
        }
    return false;
}

static bool is_item(const ptx_token *token) {
    return token->kind == PTX_TOKEN_INT || token->kind == PTX_TOKEN_WORD || token->kind == PTX_TOKEN_DOT ||
           token->kind == '-' || token->kind == '+';
}

// One name or number; a variable is told apart, for its address is not known yet.
static uint64_t term(section_writer *w, const ptx_token *token, const ptx_variable **variable) {
    ptx_parser *parser = w->parser;
    const char *text = ptx_token_text(parser, token);
    if (token->kind == PTX_TOKEN_INT) return strtoull(text, NULL, 0);
    uint32_t hash = ptx_map_hash(text, token->length);
    const ptx_map_entry *mark = ptx_map_find(&parser->marks, text, token->length, hash, w->part);
    if (mark) {
        const ptx_function *function = mark->pointer;
        // A function without instructions has no address of its own.
        return function && function->inst_count ? function->insts[0].serial + mark->number : 0;
    }
    const ptx_map_entry *label = ptx_map_find(w->labels, text, token->length, hash, w->part);
    if (label) return label->number;
    const ptx_map_entry *known = ptx_map_find(w->variables, text, token->length, hash, 0);
    if (known && !*variable) *variable = known->pointer;
    return 0; // a section's name is its beginning
}

// item {("+" | "-") item}
static const ptx_token *item(section_writer *w, const ptx_token *token, unsigned bytes) {
    const ptx_variable *variable = NULL;
    uint64_t sum = 0;
    bool minus = false, more = true;
    for (; more && is_item(token); token++) {
        if (token->kind == '-' || token->kind == '+') {
            minus = token->kind == '-';
            continue;
        }
        uint64_t value = term(w, token, &variable);
        sum = minus ? sum - value : sum + value;
        minus = false;
        more = token[1].kind == '+' || token[1].kind == '-';
    }
    if (variable) {
        ptx_section_reference reference = {.offset = w->bytes.length, .variable = variable};
        ptx_push(w->parser, &w->references, &reference, sizeof reference);
    }
    uint8_t little[8];
    for (unsigned i = 0; i < 8; i++) little[i] = (uint8_t)(sum >> 8 * i);
    base_text_add_bytes(&w->bytes, (const char *)little, bytes);
    return token;
}

// Goes through a section's tokens: only counting, for the offsets of its labels, or writing its bytes.
static void walk(section_writer *w, const ptx_token *token, bool counting) {
    ptx_parser *parser = w->parser;
    uint64_t at = 0;
    unsigned bytes = 1;
    while (token->kind != '}' && token->kind != PTX_TOKEN_END && parser->status == KZ_OK) {
        if (token->kind == PTX_TOKEN_WORD && token[1].kind == ':') {
            const char *text = ptx_token_text(parser, token);
            uint32_t hash = ptx_map_hash(text, token->length);
            ptx_map_entry *entry =
                counting ? ptx_map_add(w->labels, text, token->length, hash, w->part) : NULL;
            if (entry) entry->number = (uint32_t)at;
            if (counting && !entry) ptx_fail_memory(parser);
            token += 2;
        } else if (is_size(parser, token, &bytes) || token->kind == ',') {
            token++;
        } else if (!is_item(token)) {
            token++;
        } else if (counting) {
            while (is_item(token) && (token[1].kind == '+' || token[1].kind == '-')) token++;
            if (token->kind == '+' || token->kind == '-') token++;
            at += bytes;
            if (is_item(token)) token++;
        } else {
            token = item(w, token, bytes);
        }
    }
}

static void add_variables(section_writer *w, ptx_variable *const *list, size_t count) {
    for (size_t i = 0; i < count && w->parser->status == KZ_OK; i++) {
        size_t length = strlen(list[i]->name);
        uint32_t hash = ptx_map_hash(list[i]->name, length);
        ptx_map_entry *entry = ptx_map_add(w->variables, list[i]->name, length, hash, 0);
        if (entry)
            entry->pointer = list[i];
        else
            ptx_fail_memory(w->parser);
    }
}

static void write_sections(section_writer *w) {
    ptx_parser *parser = w->parser;
    const ptx_section_start *starts = parser->sections.data;
    size_t count = parser->sections.count;
    ptx_function *const *functions = parser->functions.data;
    for (size_t i = 0; i < parser->functions.count; i++) {
        add_variables(w, functions[i]->params, functions[i]->param_count);
        add_variables(w, functions[i]->locals, functions[i]->local_count);
    }
    add_variables(w, parser->variables.data, parser->variables.count);
    for (size_t i = 0; i < count; i++) {
        w->part = starts[i].part;
        walk(w, starts[i].name + 2, true);
    }
    ptx_section *sections = ptx_alloc(parser, count * sizeof *sections);
    for (size_t i = 0; i < count && parser->status == KZ_OK; i++) {
        w->bytes.length = w->references.count = 0;
        w->part = starts[i].part;
        walk(w, starts[i].name + 2, false);
        sections[i] = (ptx_section){
            .name = ptx_copy_text(parser, starts[i].name),
            .part = w->part,
            .data = (const uint8_t *)base_arena_string(parser->arena, w->bytes.data ? w->bytes.data : "",
                                                       w->bytes.data ? w->bytes.length : 0),
            .size = w->bytes.length,
            .references = ptx_keep(parser, &w->references, 0, sizeof(ptx_section_reference)),
            .reference_count = (uint32_t)w->references.count};
        if (w->bytes.failed || !sections[i].data) ptx_fail_memory(parser);
    }
    if (parser->status != KZ_OK) return;
    parser->module->sections = sections;
    parser->module->section_count = (uint32_t)count;
}

void ptx_keep_sections(ptx_parser *parser) {
    if (parser->sections.count == 0 || parser->status != KZ_OK) return;
    ptx_map variables = {0}, labels = {0};
    section_writer writer = {.parser = parser, .variables = &variables, .labels = &labels};
    if (ptx_map_open(&variables, parser->scratch) && ptx_map_open(&labels, parser->scratch))
        write_sections(&writer);
    else
        ptx_fail_memory(parser);
    ptx_map_close(&variables);
    ptx_map_close(&labels);
    base_text_free(&writer.bytes);
    ptx_list_free(&writer.references);
}
