// Declared types of parameters, read leniently from the source. See declared.h.
#include "declared.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "source_text.h"

enum { WORDS = 8, WORD = 32 };

typedef enum sort { UNKNOWN, WHOLE, REAL } sort;

typedef struct type {
    sort sort;
    unsigned bytes;
    bool is_pointer;
} type;

static const struct {
    const char *words; // without sign and qualifiers
    type type;
} known[] = {
    {"float", {REAL, 4, false}},         {"double", {REAL, 8, false}},
    {"__half", {REAL, 2, false}},        {"half", {REAL, 2, false}},
    {"__nv_bfloat16", {REAL, 2, false}}, {"nv_bfloat16", {REAL, 2, false}},
    {"int", {WHOLE, 4, false}},          {"", {WHOLE, 4, false}},
    {"short", {WHOLE, 2, false}},        {"short int", {WHOLE, 2, false}},
    {"long", {WHOLE, 8, false}},         {"long int", {WHOLE, 8, false}},
    {"long long", {WHOLE, 8, false}},    {"long long int", {WHOLE, 8, false}},
    {"size_t", {WHOLE, 8, false}},       {"int32_t", {WHOLE, 4, false}},
    {"uint32_t", {WHOLE, 4, false}},     {"int64_t", {WHOLE, 8, false}},
    {"uint64_t", {WHOLE, 8, false}},     {"int16_t", {WHOLE, 2, false}},
    {"uint16_t", {WHOLE, 2, false}},     {"std::size_t", {WHOLE, 8, false}},
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

static bool is_qualifier(const char *word) {
    static const char *const list[] = {"const",      "volatile", "__restrict__",
                                       "__restrict", "restrict", "__grid_constant__"};
    for (size_t i = 0; i < BASE_COUNT(list); i++)
        if (strcmp(list[i], word) == 0) return true;
    return false;
}

// "const float *__restrict__ x": the last word is the name, where there is more than a type.
static type read_type(const char *at, const char *end) {
    char words[WORDS][WORD], joined[WORDS * WORD] = "";
    size_t count = 0;
    bool has_sign = false, after_star = false;
    type found = {0};
    while (at < end) {
        size_t length = 0;
        while (at + length < end && is_word(at[length])) length++;
        if (!length) {
            if (!isspace((unsigned char)*at) && *at != '*') return found; // [], &, <>, =, ...
            if (*at == '*' && found.is_pointer) return (type){0};         // a pointer to pointers
            if (*at == '*') found.is_pointer = after_star = true;
            at++;
            continue;
        }
        char word[WORD];
        if (length >= WORD || count == WORDS) return found;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        at += length;
        if (is_qualifier(word) || after_star) continue; // what follows the star is the name
        if (strcmp(word, "unsigned") == 0 || strcmp(word, "signed") == 0)
            has_sign = true;
        else
            memcpy(words[count++], word, sizeof word);
    }
    if (!found.is_pointer && count) count--; // the name of a scalar
    char *to = joined;
    for (size_t i = 0; i < count; i++) { // each word is shorter than WORD: there is room for a space after it
        if (i) *to++ = ' ';
        to = stpcpy(to, words[i]);
    }
    for (size_t i = 0; i < BASE_COUNT(known); i++)
        if (strcmp(known[i].words, joined) == 0 && (joined[0] || has_sign)) {
            found.sort = known[i].type.sort;
            found.bytes = known[i].type.bytes;
        }
    return found;
}

static type wanted_type(const course_parameter *p) {
    if (p->role == COURSE_SCALAR) {
        const course_scalar_type *scalar = course_scalar_type_of(p->scalar);
        return (type){scalar->is_float ? REAL : WHOLE, scalar->bytes, false};
    }
    bool is_real = base_type_is_float(p->type);
    return (type){is_real ? REAL : WHOLE, (unsigned)kz_type_size(p->type), true};
}

// The list of the definition's parameters, behind its "("; NULL where the name is not followed by one and a body.
static const char *find_parameters(const char *code, const char *function) {
    size_t length = strlen(function);
    for (const char *at = code; (at = strstr(at, function)); at += length) {
        if ((at > code && is_word(at[-1])) || is_word(at[length])) continue;
        const char *open = at + length + strspn(at + length, " \t\r\n");
        if (*open != '(') continue;
        const char *close = strchr(open, ')');
        if (close && close[1 + strspn(close + 1, " \t\r\n")] == '{') return open + 1;
    }
    return NULL;
}

static bool is_other(type got, type wanted) {
    if (got.sort == UNKNOWN || got.is_pointer != wanted.is_pointer) return false;
    return got.sort != wanted.sort || got.bytes != wanted.bytes;
}

// A declaration without its parameter's name and with single blanks.
static void add_trimmed(base_text *out, const char *at, const char *end) {
    bool blank = false;
    for (; at < end; at++) {
        if (isspace((unsigned char)*at)) {
            blank = true;
            continue;
        }
        if (blank && out->length) base_text_add(out, " ");
        blank = false;
        base_text_add(out, "%c", *at);
    }
}

void course_declared_types(const course_task *task, const char *source, base_text *lines) {
    char *code = course_bare_source(source);
    const char *at = code ? find_parameters(code, task->function) : NULL;
    base_text all = {0};
    size_t i = 0;
    for (; at && i < task->parameter_count; i++) {
        const char *end = at + strcspn(at, ",)<(#");
        if (*end != ',' && *end != ')') break; // a template, a macro, a directive: no telling
        if ((*end == ')') != (i + 1 == task->parameter_count)) break;
        const course_parameter *p = &task->parameters[i];
        if (is_other(read_type(at, end), wanted_type(p))) {
            base_text declared = {0};
            add_trimmed(&declared, at, end);
            base_text_add(&all, "declared \"%s\", and the grader gives \"",
                          declared.data ? declared.data : "");
            course_harness_parameter(task, i, &all);
            base_text_add(&all, "\"\n");
            base_text_free(&declared);
        }
        at = end + 1;
    }
    if (i == task->parameter_count && all.length) base_text_add(lines, "%s", all.data);
    base_text_free(&all);
    free(code);
}
