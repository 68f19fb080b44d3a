// A linker for PTX texts. Each text is cut into its statements at module scope; out come all declarations of
// functions, then the variables, then the functions' bodies, each name once. Names that a text keeps to
// itself get its number, and so do the files of its line information, for other texts may use the same.
#include "link.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum item_kind { ITEM_HEAD, ITEM_FILE, ITEM_VARIABLE, ITEM_FUNCTION, ITEM_OTHER } item_kind;

typedef struct item {
    item_kind kind;
    const char *text;  // in its part
    size_t size, head; // of a function: what stands before its body
    char *name;
    bool has_body, is_extern, is_shown; // visible, weak or common
    unsigned part;
} item;

struct cudart_linker {
    char **parts;
    unsigned part_count;
    item *items;
    size_t count, capacity;
    bool failed;
};

cudart_linker *cudart_linker_open(void) { return calloc(1, sizeof(cudart_linker)); }

void cudart_linker_close(cudart_linker *linker) {
    if (!linker) return;
    for (unsigned i = 0; i < linker->part_count; i++) free(linker->parts[i]);
    for (size_t i = 0; i < linker->count; i++) free(linker->items[i].name);
    free(linker->parts);
    free(linker->items);
    free(linker);
}

// ---- cutting --------------------------------------------------------------------------------------------

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static const char *skip_blank(const char *at) {
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else
            return at;
    }
}

static const char *skip_quoted(const char *at) { // from one quotation mark behind the other
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

// Behind the statement that begins here. A function ends with its body, all others with a semicolon.
static const char *statement_end(const char *at, bool braces_end, const char **body) {
    int depth = 0;
    *body = NULL;
    while (*at) {
        if (*at == '"') {
            at = skip_quoted(at);
            continue;
        }
        if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            at = skip_blank(at);
            continue;
        }
        if (*at == '{' && depth++ == 0 && !*body) *body = at;
        if (*at == '}' && --depth == 0 && braces_end) return at + 1;
        if (*at == ';' && depth == 0) return at + 1;
        at++;
    }
    return at;
}

static bool has_word(const char *from, const char *to, const char *word) {
    size_t length = strlen(word);
    for (const char *at = from; at + length <= to; at++)
        if (memcmp(at, word, length) == 0 && (at + length == to || !is_name(at[length])) &&
            (at == from || !is_name(at[-1])))
            return true;
    return false;
}

static char *copy_name(const char *from) {
    size_t length = 0;
    while (is_name(from[length])) length++;
    return strndup(from, length);
}

// ".visible .func (.param .b32 r) name(...)": the name stands before the last list of parameters, or alone.
static char *function_name(const char *from, const char *to) {
    const char *at = strstr(from, ".entry");
    if (!at || at >= to) at = strstr(from, ".func");
    if (!at || at >= to) return NULL;
    at = skip_blank(at + (at[1] == 'e' ? 6 : 5));
    if (*at == '(') {
        while (at < to && *at != ')') at++;
        at = skip_blank(at + 1);
    }
    return copy_name(at);
}

// The last word before '[', '=' or ';'.
static char *variable_name(const char *from, const char *to) {
    const char *end = from, *name = from;
    while (end < to && *end != '[' && *end != '=' && *end != ';') {
        if (is_name(*end) && (end == from || !is_name(end[-1])) && (end == from || end[-1] != '.'))
            name = end;
        end++;
    }
    return copy_name(name);
}

static void add_item(cudart_linker *linker, const item *added) {
    if (linker->count == linker->capacity) {
        size_t capacity = linker->capacity ? linker->capacity * 2 : 64;
        item *grown = realloc(linker->items, capacity * sizeof *grown);
        if (!grown) {
            linker->failed = true;
            free(added->name);
            return;
        }
        linker->items = grown;
        linker->capacity = capacity;
    }
    linker->items[linker->count++] = *added;
}

static const char *cut_line(cudart_linker *linker, const char *at, unsigned part) {
    const char *end = at + strcspn(at, "\n");
    bool is_file = strncmp(at, ".file", 5) == 0;
    add_item(linker, &(item){.kind = is_file ? ITEM_FILE : ITEM_HEAD,
                             .text = at,
                             .size = (size_t)(end - at),
                             .part = part});
    return end;
}

static const char *cut(cudart_linker *linker, const char *at, unsigned part) {
    static const char *const lines[] = {".version", ".target", ".address_size", ".file"};
    for (size_t i = 0; i < BASE_COUNT(lines); i++)
        if (strncmp(at, lines[i], strlen(lines[i])) == 0) return cut_line(linker, at, part);
    const char *head_end = at + strcspn(at, "{;"), *body;
    bool is_function = has_word(at, head_end, ".func") || has_word(at, head_end, ".entry");
    bool is_section = strncmp(at, ".section", 8) == 0;
    const char *end = statement_end(at, is_function || is_section, &body);
    item made = {.kind = ITEM_OTHER, .text = at, .size = (size_t)(end - at), .part = part};
    made.is_extern = has_word(at, head_end, ".extern");
    made.is_shown = made.is_extern || has_word(at, head_end, ".visible") || has_word(at, head_end, ".weak") ||
                    has_word(at, head_end, ".common");
    if (is_function) {
        made.kind = ITEM_FUNCTION;
        made.has_body = body && body < end;
        made.head = (size_t)((made.has_body ? body : end) - at);
        made.name = function_name(at, head_end);
    } else if (has_word(at, head_end, ".global") || has_word(at, head_end, ".const") ||
               has_word(at, head_end, ".shared")) {
        made.kind = ITEM_VARIABLE;
        made.name = variable_name(at, end);
        made.has_body = !made.is_extern;
    }
    if (!is_section) add_item(linker, &made); // sections of debugging data do not survive a link
    return end;
}

void cudart_linker_add(cudart_linker *linker, const char *text, size_t size) {
    char **grown = realloc(linker->parts, (linker->part_count + 1) * sizeof *grown);
    if (grown) linker->parts = grown;
    char *copy = grown ? strndup(text, size) : NULL;
    if (!copy) {
        linker->failed = true;
        return;
    }
    unsigned part = linker->part_count++;
    linker->parts[part] = copy;
    for (const char *at = skip_blank(copy); *at; at = skip_blank(at)) at = cut(linker, at, part);
}

// ---- joining --------------------------------------------------------------------------------------------

static const item *find_own(const cudart_linker *linker, unsigned part, const char *name, size_t length) {
    for (size_t i = 0; i < linker->count; i++) {
        const item *it = &linker->items[i];
        if (it->part == part && it->name && !it->is_shown && strlen(it->name) == length &&
            memcmp(it->name, name, length) == 0)
            return it;
    }
    return NULL;
}

// A piece of a part, with its own names and its files' numbers made different from the others'.
static void write_piece(const cudart_linker *linker, const char *at, size_t size, unsigned part,
                        base_text *out) {
    const char *end = at + size;
    while (at < end) {
        if (*at == '"') {
            const char *after = skip_quoted(at);
            base_text_add_bytes(out, at, (size_t)(after - at));
            at = after;
            continue;
        }
        bool starts = is_name(*at) || *at == '.';
        size_t length = 1;
        while (starts && at + length < end && is_name(at[length])) length++;
        base_text_add_bytes(out, at, length);
        if (length == 5 && memcmp(at, ".file", 5) == 0 ? true : length == 4 && memcmp(at, ".loc", 4) == 0) {
            at += length + strspn(at + length, " \t");
            unsigned long number = strtoul(at, (char **)&at, 10);
            base_text_add(out, " %lu", number + 1000ul * part);
            continue;
        }
        if (starts && *at != '.' && *at != '%' && find_own(linker, part, at, length))
            base_text_add(out, "$%u", part);
        at += length;
    }
}

static void write_item(const cudart_linker *linker, const item *it, size_t size, base_text *out) {
    write_piece(linker, it->text, size, it->part, out);
    base_text_add(out, "\n");
}

static bool same_name(const item *a, const item *b) {
    bool own = !a->is_shown || !b->is_shown;
    return a->kind == b->kind && a->name && b->name && strcmp(a->name, b->name) == 0 &&
           (!own || a->part == b->part);
}

// Whether an earlier item, or any that has a body where this one has none, already says this one.
static bool is_said(const cudart_linker *linker, size_t index) {
    const item *it = &linker->items[index];
    for (size_t i = 0; i < linker->count; i++) {
        const item *other = &linker->items[i];
        if (i == index || !same_name(it, other)) continue;
        if (other->has_body && (!it->has_body || i < index)) return true;
        if (!other->has_body && !it->has_body && i < index) return true;
    }
    return false;
}

// A function's head as a declaration; one that is defined elsewhere is no longer external.
static void write_declaration(const cudart_linker *linker, const item *it, base_text *out) {
    base_text head = {0};
    size_t size = it->head;
    while (size && (isspace((unsigned char)it->text[size - 1]) || it->text[size - 1] == ';')) size--;
    write_piece(linker, it->text, size, it->part, &head);
    base_text_add(out, "%s;\n", head.data ? head.data : "");
    base_text_free(&head);
}

bool cudart_linker_finish(cudart_linker *linker, char **text, size_t *size) {
    base_text out = {0};
    for (size_t i = 0; i < linker->count; i++) // the first text's version and target are everybody's
        if (linker->items[i].kind == ITEM_HEAD && linker->items[i].part == 0)
            write_item(linker, &linker->items[i], linker->items[i].size, &out);
    for (size_t i = 0; i < linker->count; i++)
        if (linker->items[i].kind == ITEM_FILE)
            write_item(linker, &linker->items[i], linker->items[i].size, &out);
    for (size_t i = 0; i < linker->count; i++) {
        const item *it = &linker->items[i];
        bool entry = it->kind == ITEM_FUNCTION && has_word(it->text, it->text + it->head, ".entry");
        if (it->kind == ITEM_FUNCTION && !entry && !is_said(linker, i)) write_declaration(linker, it, &out);
    }
    for (size_t i = 0; i < linker->count; i++)
        if (linker->items[i].kind == ITEM_VARIABLE && !is_said(linker, i))
            write_item(linker, &linker->items[i], linker->items[i].size, &out);
    for (size_t i = 0; i < linker->count; i++) {
        const item *it = &linker->items[i];
        if (it->kind == ITEM_OTHER || (it->kind == ITEM_FUNCTION && it->has_body && !is_said(linker, i)))
            write_item(linker, it, it->size, &out);
    }
    if (linker->failed || out.failed || !out.data) {
        base_text_free(&out);
        return false;
    }
    *text = out.data;
    *size = out.length;
    return true;
}
