// What a CUDA file names, seen from outside: no parser, for a name too many is harmless where it is the file's own,
// and a mistake is a file that is compiled alone.
#include "toolchain/internal.h"

#include <ctype.h>
#include <string.h>

static void add_name(toolchain_names *names, const char *at, size_t length) {
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->all[i]) == length && memcmp(names->all[i], at, length) == 0) return;
    if (length >= TOOLCHAIN_NAME || names->count == TOOLCHAIN_NAMES) {
        names->full = true;
        return;
    }
    memcpy(names->all[names->count], at, length);
    names->all[names->count++][length] = 0;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word_length(const char *at) {
    size_t length = 0;
    while (is_word(at[length])) length++;
    return length;
}

static const char *skip_line(const char *at) {
    while (*at && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

static const char *skip_quoted(const char *at) {
    const char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

// Behind blanks and comments.
static const char *skip_blanks(const char *at) {
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '/' && at[1] == '/')
            at = skip_line(at);
        else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else
            return at;
    }
}

// "#define NAME ..."; what stands behind its line.
static const char *read_directive(const char *at, toolchain_names *macros) {
    const char *word = at + 1 + strspn(at + 1, " \t");
    if (strncmp(word, "define", 6) == 0 && !is_word(word[6])) {
        word += 6 + strspn(word + 6, " \t");
        add_name(macros, word, word_length(word));
    }
    return skip_line(at);
}

static bool is_the_word(const char *at, size_t length, const char *word) {
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

// A declared name stands before one of these characters.
static bool is_declared(const char *word, size_t length, char next) {
    static const char *const never[] = {"static_assert", "alignas", "decltype", "sizeof",    "operator",
                                        "enum",          "struct",  "union",    "namespace", "class"};
    if (!next || !strchr("([=;{,}:", next) || strncmp(word, "__", 2) == 0) return false;
    for (size_t i = 0; i < BASE_COUNT(never); i++)
        if (is_the_word(word, length, never[i])) return false;
    return true;
}

// What "namespace a = b::c;" and "using ..." say of other files' names is none of this one's, but for the name that
// "using name = ..." gives. Where they end.
static const char *skip_alias(const char *at, size_t length, toolchain_names *names) {
    bool is_using = *at == 'u';
    at = skip_blanks(at + length);
    length = word_length(at);
    if (is_using && *skip_blanks(at + length) == '=') add_name(names, at, length);
    return at + strcspn(at, ";{");
}

void toolchain_read_names(const char *text, toolchain_names *names, toolchain_names *macros) {
    int braces = 0, parentheses = 0;
    bool in_enum = false; // of the outermost braces
    for (const char *at = skip_blanks(text); *at; at = skip_blanks(at)) {
        if (*at == '#') {
            at = read_directive(at, macros);
        } else if (*at == '"' || *at == '\'') {
            at = skip_quoted(at);
        } else if (isdigit((unsigned char)*at)) {
            while (is_word(*at) || *at == '.' || *at == '\'') at++;
        } else if (is_word(*at)) {
            size_t length = word_length(at);
            if (braces == 0 && (is_the_word(at, length, "namespace") || is_the_word(at, length, "using"))) {
                at = skip_alias(at, length, names);
                continue;
            }
            bool is_outside = parentheses == 0 && (braces == 0 || (braces == 1 && in_enum));
            if (is_the_word(at, length, "enum") && braces == 0) in_enum = true;
            if (is_outside && is_declared(at, length, *skip_blanks(at + length))) add_name(names, at, length);
            at += length;
        } else {
            // "int (*table[3])(int)": a name that is not seen here.
            if (*at == '(' && braces == 0 && parentheses == 0 && *skip_blanks(at + 1) == '*')
                names->full = true;
            braces += (*at == '{') - (*at == '}');
            parentheses += (*at == '(') - (*at == ')');
            if (*at == '}' && braces == 0) in_enum = false;
            at++;
        }
    }
}
