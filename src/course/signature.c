// A task's signature, "vector_add(const float *x, float *z, int n)", and the axes it has:
//     signature = name "(" parameter { "," parameter } ")"
//     parameter = [ "const" ] type [ "*" [ "__restrict__" ] ] name
#include "course/load.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const course_scalar_type scalar_types[COURSE_SCALAR_COUNT] = {
#define COURSE_SCALAR_TYPE(id, name, bytes, is_float) {name, bytes, is_float},
#include "course/scalars.def"
#undef COURSE_SCALAR_TYPE
};

const course_scalar_type *course_scalar_type_of(course_scalar scalar) { return &scalar_types[scalar]; }

typedef struct reader {
    course_toml *toml;
    const course_toml_value *value;
    const char *at;
    course_task *task;
} reader;

bool course_is_identifier(const char *text) {
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    return !*text;
}

static bool fail(reader *r, const char *expected) {
    course_toml_fail(r->toml, r->value, "the signature: expected %s at \"%.40s\"", expected, r->at);
    course_toml_note(r->toml, "it reads like: signature = \"vector_add(const float *x, float *z, int n)\"");
    return false;
}

static void skip_blanks(reader *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

// The next identifier, or "" where there is none; nothing is taken.
static size_t peek(reader *r, char word[COURSE_NAME]) {
    skip_blanks(r);
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') length++;
    snprintf(word, COURSE_NAME, "%.*s", (int)length, r->at);
    return isdigit((unsigned char)*r->at) || length >= COURSE_NAME ? 0 : length;
}

static bool take(reader *r, char c) {
    skip_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *wanted) {
    char word[COURSE_NAME];
    size_t length = peek(r, word);
    if (!length || strcmp(word, wanted) != 0) return false;
    r->at += length;
    return true;
}

static const char *name(reader *r) {
    char word[COURSE_NAME];
    size_t length = peek(r, word);
    if (!length) return fail(r, "a name"), NULL;
    r->at += length;
    return base_arena_string(r->toml->arena, word, length);
}

// One or two words: "int", "unsigned char", "long long".
static bool type_words(reader *r, char type[2 * COURSE_NAME]) {
    char word[COURSE_NAME], more[COURSE_NAME];
    size_t length = peek(r, word);
    if (!length) return fail(r, "a type");
    r->at += length;
    snprintf(type, 2 * COURSE_NAME, "%s", word);
    bool is_unsigned = strcmp(word, "unsigned") == 0, is_long = strcmp(word, "long") == 0;
    length = is_unsigned || is_long ? peek(r, more) : 0;
    if (length && is_unsigned && strcmp(more, "int") == 0) {
        r->at += length;
    } else if (length &&
               ((is_unsigned && strcmp(more, "char") == 0) || (is_long && strcmp(more, "long") == 0))) {
        r->at += length;
        snprintf(type, 2 * COURSE_NAME, "%s %s", word, more);
    }
    return true;
}

static bool buffer_type(reader *r, const char *type, course_parameter *p) {
    for (int t = 0; t < KZ_TYPE_COUNT; t++)
        if (strcmp(base_type_of((kz_type)t)->cuda, type) == 0) return p->type = (kz_type)t, true;
    base_text known = {0};
    for (int t = 0; t < KZ_TYPE_COUNT; t++)
        base_text_add(&known, "%s%s", t ? ", " : "", base_type_of((kz_type)t)->cuda);
    course_toml_fail(r->toml, r->value, "the signature: \"%s *\" is no type of a buffer; there are %s", type,
                     known.data ? known.data : "?");
    base_text_free(&known);
    return false;
}

static bool scalar_type(reader *r, const char *type, course_parameter *p) {
    base_text known = {0};
    for (size_t i = 0; i < COURSE_SCALAR_COUNT; i++) {
        if (strcmp(scalar_types[i].name, type) == 0) {
            base_text_free(&known);
            return p->scalar = (course_scalar)i, true;
        }
        base_text_add(&known, "%s%s", i ? ", " : "", scalar_types[i].name);
    }
    course_toml_fail(r->toml, r->value, "the signature: \"%s\" is no type of a scalar; there are %s", type,
                     known.data ? known.data : "?");
    base_text_free(&known);
    return false;
}

static bool parameter(reader *r, course_parameter *p) {
    char type[2 * COURSE_NAME];
    *p = (course_parameter){.axis = -1, .fill = -1};
    bool is_const = take_word(r, "const");
    if (!type_words(r, type)) return false;
    bool pointer = take(r, '*');
    if (pointer && !take_word(r, "__restrict__")) take_word(r, "restrict");
    if (pointer ? !buffer_type(r, type, p) : !scalar_type(r, type, p)) return false;
    p->role = !pointer ? COURSE_SCALAR : is_const ? COURSE_INPUT : COURSE_OUTPUT;
    p->name = name(r);
    if (!p->name) return false;
    if (strcmp(p->name, "i") == 0 || strcmp(p->name, "block") == 0)
        return course_toml_fail(r->toml, r->value,
                                "the signature: \"%s\" has a meaning in expressions; call the parameter "
                                "otherwise",
                                p->name),
               false;
    for (size_t i = 0; i < r->task->parameter_count; i++)
        if (strcmp(r->task->parameters[i].name, p->name) == 0)
            return course_toml_fail(r->toml, r->value, "the signature has two parameters \"%s\"", p->name),
                   false;
    return true;
}

static bool signature(reader *r) {
    course_task *task = r->task;
    task->function = name(r);
    if (!task->function) return false;
    if (!take(r, '('))
        return fail(r, "\"(\" (the name and the parameters alone, without void or __global__)");
    do {
        if (task->parameter_count == COURSE_PARAMETERS)
            return course_toml_fail(r->toml, r->value, "the signature has more than %d parameters",
                                    COURSE_PARAMETERS),
                   false;
        if (!parameter(r, &task->parameters[task->parameter_count])) return false;
        task->parameter_count++;
    } while (take(r, ','));
    if (!take(r, ')')) return fail(r, "\",\" or \")\"");
    skip_blanks(r);
    return *r->at ? fail(r, "nothing after \")\"") : true;
}

static void find_axes(reader *r, course_toml_value *scalars) {
    course_task *task = r->task;
    for (size_t i = 0; i < task->parameter_count; i++) {
        course_parameter *p = &task->parameters[i];
        if (p->role != COURSE_SCALAR || course_toml_get(r->toml, scalars, p->name)) continue;
        if (course_scalar_type_of(p->scalar)->is_float) {
            course_toml_fail(r->toml, r->value,
                             "the signature: the scalar \"%s\" needs a value in [scalars]: "
                             "an expression, or \"uniform\"",
                             p->name);
            return;
        }
        if (task->axis_count == COURSE_AXES) {
            course_toml_fail(r->toml, r->value, "the signature has more than %d axes", COURSE_AXES);
            return;
        }
        p->axis = (int)task->axis_count;
        task->axes[task->axis_count++] = p->name;
    }
}

void course_load_signature(course_toml *toml, course_toml_value *scalars, course_task *task) {
    task->signature = course_toml_need_string(toml, toml->root, "signature");
    if (toml->status) return;
    reader r = {toml, course_toml_get(toml, toml->root, "signature"), task->signature, task};
    if (!signature(&r)) return;
    find_axes(&r, scalars);
}
