// Where instructions come from: .file, .loc, and the names of inlined functions in .debug_str.
#include "ptx/parser.h"

#include <ctype.h>
#include <string.h>

// ".file" number "path" ["," time "," size]
const ptx_token *ptx_parse_file(ptx_parser *parser, const ptx_token *token) {
    uint64_t number;
    token = ptx_parse_integer(parser, token + 1, UINT32_MAX, &number);
    if (token->kind != PTX_TOKEN_STRING)
        return ptx_fail_at(parser, token, "expected the file's path in quotes");
    ptx_token inside = *token;
    inside.offset++;
    inside.length -= 2;
    number += parser->part * PTX_PART_FILES;
    ptx_file file = {.number = (uint32_t)number, .path = ptx_copy_text(parser, &inside)};
    ptx_push(parser, &parser->files, &file, sizeof file);
    token++;
    while (token->kind == ',' && token[1].kind == PTX_TOKEN_INT) token += 2;
    return token;
}

typedef struct source_position {
    uint64_t file, line, column;
} source_position;

static const ptx_token *read_position(ptx_parser *parser, const ptx_token *token, source_position *at) {
    uint64_t *parts[] = {&at->file, &at->line, &at->column};
    for (size_t i = 0; i < BASE_COUNT(parts); i++) {
        if (token->kind != PTX_TOKEN_INT) return ptx_fail_at(parser, token, "expected file, line and column");
        ptx_constant value;
        ptx_parse_sum(parser, token, &value);
        *parts[i] = (uint64_t)value.integer & UINT32_MAX;
        token++;
    }
    at->file = (at->file + parser->part * PTX_PART_FILES) & UINT32_MAX;
    return token;
}

static ptx_map_entry *find_or_add(ptx_parser *parser, const void *key, size_t size, uint32_t tag,
                                  bool *is_new) {
    uint32_t hash = ptx_map_hash(key, size);
    ptx_map_entry *entry = ptx_map_find(&parser->positions, key, size, hash, tag);
    *is_new = !entry;
    if (entry) return entry;
    char *kept = base_arena_string(parser->scratch, key, size);
    entry = kept ? ptx_map_add(&parser->positions, kept, size, hash, tag) : NULL;
    if (!entry) ptx_fail_memory(parser);
    return entry;
}

// The index of this location; equal ones share it. Its position from now on means this one.
static int32_t add_location(ptx_parser *parser, const ptx_location *location) {
    uint32_t key[6] = {location->file, location->line, location->column, (uint32_t)location->inlined_at};
    memcpy(key + 4, &location->function, sizeof location->function);
    bool is_new, ignored;
    ptx_map_entry *whole = find_or_add(parser, key, sizeof key, 1, &is_new);
    ptx_map_entry *latest = find_or_add(parser, key, 3 * sizeof key[0], 0, &ignored);
    if (!whole || !latest) return -1;
    if (is_new) {
        if (!ptx_push(parser, &parser->locations, location, sizeof *location)) return -1;
        whole->number = (uint32_t)parser->locations.count - 1;
    }
    latest->number = whole->number;
    return (int32_t)whole->number;
}

// What inlined_at means: the latest location with this position.
static int32_t latest_location(ptx_parser *parser, const source_position *at) {
    uint32_t key[3] = {(uint32_t)at->file, (uint32_t)at->line, (uint32_t)at->column};
    ptx_map_entry *entry = ptx_map_find(&parser->positions, (const char *)key, sizeof key,
                                        ptx_map_hash((const char *)key, sizeof key), 0);
    if (entry) return (int32_t)entry->number;
    ptx_location made = {.file = key[0], .line = key[1], .column = key[2], .inlined_at = -1};
    return add_location(parser, &made);
}

// The length of the word that begins here; the text ends with a NUL.
static size_t word_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_$%.", text[length]))) length++;
    return length;
}

// ".loc" file line column ["," "function_name" label ["+" offset] "," "inlined_at" file line column]
const ptx_token *ptx_parse_loc(ptx_parser *parser, const ptx_token *token) {
    source_position at = {0}, caller = {0};
    token = read_position(parser, token + 1, &at);
    ptx_location location = {.file = (uint32_t)at.file,
                             .line = (uint32_t)at.line,
                             .column = (uint32_t)at.column,
                             .inlined_at = -1};
    while (token->kind == ',') {
        token++;
        if (ptx_is(parser, token, "function_name") && token[1].kind == PTX_TOKEN_WORD) {
            // The label itself for now: .debug_str comes at the end of the text.
            location.function = ptx_token_text(parser, token + 1);
            token += 2;
            if (token->kind == '+') token += token[1].kind == PTX_TOKEN_INT ? 2 : 1;
        } else if (ptx_is(parser, token, "inlined_at")) {
            token = read_position(parser, token + 1, &caller);
            if (parser->status == KZ_OK) location.inlined_at = latest_location(parser, &caller);
        } else {
            return ptx_fail_at(parser, token, "expected function_name or inlined_at");
        }
    }
    if (location.function) { // labels are compared by address: make equal ones the same
        const char *text = location.function;
        size_t length = word_length(text);
        uint32_t hash = ptx_map_hash(text, length);
        ptx_map_entry *entry = ptx_map_find(&parser->strings, text, length, hash, 1);
        if (!entry && !(entry = ptx_map_add(&parser->strings, text, length, hash, 1)))
            return ptx_fail_memory(parser);
        location.function = entry->text;
    }
    // Line 0 is the compiler's own code, of no line: it counts to what stands before it.
    if (parser->status == KZ_OK && location.line) parser->location = add_location(parser, &location);
    return token;
}

// In .debug_str: "label:" ".b8 95,90,...,0", the string possibly over several lines.
static const ptx_token *debug_strings(ptx_parser *parser, const ptx_token *token) {
    base_text text = {0};
    const ptx_token *label = NULL;
    for (;; token++) {
        bool is_label = token->kind == PTX_TOKEN_WORD && token[1].kind == ':';
        if (is_label || token->kind == '}' || token->kind == PTX_TOKEN_END) {
            if (label) {
                const char *name = ptx_token_text(parser, label);
                ptx_map_entry *entry =
                    ptx_map_add(&parser->strings, name, label->length, ptx_map_hash(name, label->length), 0);
                if (entry) entry->pointer = base_arena_string(parser->arena, text.data, text.length);
            }
            text.length = 0;
            label = is_label ? token++ : NULL;
            if (!is_label) break;
        } else if (token->kind == PTX_TOKEN_INT && label) {
            ptx_constant value;
            const ptx_token *only = token;
            ptx_parse_sum(parser, only, &value);
            char byte = (char)value.integer;
            if (byte) base_text_add_bytes(&text, &byte, 1);
        }
    }
    base_text_free(&text);
    return ptx_expect(parser, token, '}');
}

// ".section" name "{" ... "}"
const ptx_token *ptx_parse_section(ptx_parser *parser, const ptx_token *token) {
    token++;
    bool strings = ptx_is(parser, token, ".debug_str");
    if (token->kind != PTX_TOKEN_DOT && token->kind != PTX_TOKEN_WORD)
        return ptx_fail_at(parser, token, "expected the section's name");
    ptx_section_start start = {.name = token, .part = parser->part};
    ptx_push(parser, &parser->sections, &start, sizeof start);
    token++;
    if (token->kind != '{') return ptx_fail_at(parser, token, "expected '{'");
    return strings ? debug_strings(parser, token + 1) : ptx_skip_braces(parser, token);
}

// File numbers become indices, labels of functions their names.
void ptx_resolve_locations(ptx_parser *parser) {
    const ptx_file *files = parser->files.data;
    ptx_location *locations = parser->locations.data;
    ptx_map numbers;
    if (!ptx_map_open(&numbers, parser->scratch)) {
        ptx_fail_memory(parser);
        return;
    }
    for (size_t i = 0; i < parser->files.count; i++) {
        const char *key = (const char *)&files[i].number;
        uint32_t hash = ptx_map_hash(key, sizeof files[i].number);
        if (ptx_map_find(&numbers, key, sizeof files[i].number, hash, 0)) continue;
        ptx_map_entry *entry = ptx_map_add(&numbers, key, sizeof files[i].number, hash, 0);
        if (entry) entry->number = (uint32_t)i;
    }
    for (size_t i = 0; i < parser->locations.count; i++) {
        const char *key = (const char *)&locations[i].file;
        ptx_map_entry *entry = ptx_map_find(&numbers, key, sizeof locations[i].file,
                                            ptx_map_hash(key, sizeof locations[i].file), 0);
        locations[i].file = entry ? entry->number : UINT32_MAX;
        if (!locations[i].function) continue;
        size_t length = word_length(locations[i].function);
        uint32_t hash = ptx_map_hash(locations[i].function, length);
        entry = ptx_map_find(&parser->strings, locations[i].function, length, hash, 0);
        locations[i].function = entry ? entry->pointer : NULL;
    }
    ptx_map_close(&numbers);
}
