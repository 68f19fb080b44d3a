// One file's part of the PTX of several. nvcc's text is regular: directives that end with their line, and items that
// end with ';' or '}' outside of all braces. An item with a mark is of the file that bears it; one without (a table of
// a header's function, printf's declaration) belongs to all.
#include "toolchain/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct split {
    const char *mark;
    const toolchain_names *names;
    base_text *out;
} split;

// ---- names ----------------------------------------------------------------------------------------

// Of the longest name that ends here.
static size_t name_before(const toolchain_names *names, const char *begin, const char *end) {
    size_t best = 0;
    for (size_t i = 0; i < names->count; i++) {
        size_t length = strlen(names->all[i]);
        if (length > best && (size_t)(end - begin) >= length &&
            memcmp(end - length, names->all[i], length) == 0)
            best = length;
    }
    return best;
}

// Copies without the mark. A mangled name says a name's length before it, "11argmax_kz05" for "6argmax".
static void add_unmarked(const split *s, const char *text, size_t size, base_text *out) {
    size_t mark = strlen(s->mark);
    const char *from = text, *end = text + size, *at;
    while ((at = memmem(from, (size_t)(end - from), s->mark, mark))) {
        size_t length = name_before(s->names, from, at);
        const char *name = at - length;
        char marked[24], own[24];
        size_t digits = (size_t)snprintf(marked, sizeof marked, "%zu", length + mark);
        snprintf(own, sizeof own, "%zu", length);
        bool counted =
            length && (size_t)(name - from) >= digits && memcmp(name - digits, marked, digits) == 0;
        base_text_add_bytes(out, from, (size_t)(name - from) - (counted ? digits : 0));
        if (counted) base_text_add(out, "%s", own);
        base_text_add_bytes(out, name, length);
        from = at + mark;
    }
    base_text_add_bytes(out, from, (size_t)(end - from));
}

// The names of inlined functions: ".b8 95,90,...,0", as many lines as it takes for each.
static void add_strings(const split *s, const char *text, size_t size) {
    base_text bytes = {0}, own = {0};
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        size_t line = strcspn(at, "\n") + 1;
        if (line > (size_t)(end - at)) line = (size_t)(end - at);
        if (strncmp(at, ".b8 ", 4) != 0) {
            base_text_add_bytes(s->out, at, line);
            at += line;
            continue;
        }
        bytes.length = own.length = 0;
        while (at < end && strncmp(at, ".b8 ", 4) == 0) {
            for (const char *number = at + 4; isdigit((unsigned char)*number);) {
                char *behind;
                char byte = (char)strtol(number, &behind, 10);
                base_text_add_bytes(&bytes, &byte, 1);
                number = behind + (*behind == ',');
            }
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
        if (bytes.length) add_unmarked(s, bytes.data, bytes.length, &own);
        for (size_t i = 0; i < own.length; i++)
            base_text_add(s->out, "%s%d", i ? "," : ".b8 ", (unsigned char)own.data[i]);
        base_text_add(s->out, "\n");
    }
    base_text_free(&bytes);
    base_text_free(&own);
}

// ---- items ----------------------------------------------------------------------------------------

static bool is_line(const char *at) {
    static const char *const words[] = {"//", ".version", ".target", ".address_size", ".file", ".loc"};
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static const char *end_of_item(const char *at) {
    if (is_line(at)) return at + strcspn(at, "\n");
    for (int depth = 0; *at; at++) {
        if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (*at == '"')
            at += 1 + strcspn(at + 1, "\"\n");
        if (!*at) break;
        depth += (*at == '{' || *at == '(') - (*at == '}' || *at == ')');
        bool is_body = *at == '}' && at[1 + strspn(at + 1, " \t\n")] != ';'; // else a list of values
        if (depth == 0 && (*at == ';' || is_body)) return at + 1;
    }
    return at;
}

static bool has(const char *at, size_t size, const char *word) {
    return memmem(at, size, word, strlen(word)) != NULL;
}

void toolchain_split_ptx(const char *ptx, const char *head, const char *mark, const toolchain_names *names,
                         base_text *out) {
    const split s = {.mark = mark, .names = names, .out = out};
    for (const char *at = ptx; *at;) {
        size_t blank = strspn(at, " \t\n");
        base_text_add_bytes(out, at, blank);
        at += blank;
        size_t size = (size_t)(end_of_item(at) - at);
        if (strncmp(at, ".section", 8) == 0)
            add_strings(&s, at, size);
        else if (has(at, size, mark) || !has(at, size, head))
            add_unmarked(&s, at, size, out);
        at += size;
    }
}
