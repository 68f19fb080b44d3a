// Asking a document for what is wanted. What was asked for is remembered, also where it is missing: an
// unknown key is then compared with all that could have stood there.
#include "course/toml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct course_toml_name {
    const char *name;
    struct course_toml_name *next;
} course_toml_name;

// ---- messages ---------------------------------------------------------------------------------

static kz_status fail_at(course_toml *document, size_t offset, const char *format, va_list list) {
    if (document->status) return document->status;
    char message[600];
    vsnprintf(message, sizeof message, format, list);
    if (offset > document->size) offset = document->size;
    uint32_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < offset; i++)
        if (document->text[i] == '\n') line++, start = i + 1;
    return document->status =
               base_fail_caret(document->error, KZ_SYNTAX, document->name, document->text, document->size,
                               offset, line, (uint32_t)(offset - start) + 1, message);
}

kz_status course_toml_fail(course_toml *document, const course_toml_value *at, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (at) {
        fail_at(document, at->offset, format, list);
    } else if (!document->status) {
        char message[600];
        vsnprintf(message, sizeof message, format, list);
        document->status = base_fail(document->error, KZ_SYNTAX, "%s: %s", document->name, message);
    }
    va_end(list);
    return document->status;
}

kz_status course_toml_fail_key(course_toml *document, const course_toml_value *at, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fail_at(document, at->key ? at->key_offset : at->offset, format, list);
    va_end(list);
    return document->status;
}

void course_toml_note(course_toml *document, const char *format, ...) {
    char message[600];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    base_fail_note(document->error, "%s", message);
}

void *course_toml_alloc(course_toml *document, size_t bytes) {
    void *memory = base_arena_alloc(document->arena, bytes);
    if (!memory && !document->status)
        document->status = base_fail(document->error, KZ_NO_MEMORY, "%s: no memory to read it",
                                     document->name ? document->name : "a TOML file");
    return memory;
}

const char *course_toml_kind_name(course_toml_kind kind) {
    static const char *const names[] = {"a string",      "a whole number", "a number",
                                        "true or false", "an array",       "a table"};
    return names[kind];
}

// ---- members ----------------------------------------------------------------------------------

static void remember(course_toml *document, course_toml_value *table, const char *key) {
    for (course_toml_name *n = table->wanted; n; n = n->next)
        if (strcmp(n->name, key) == 0) return;
    course_toml_name *made = course_toml_alloc(document, sizeof *made);
    if (!made) return;
    made->name = base_arena_string(document->arena, key, strlen(key));
    made->next = table->wanted;
    if (made->name) table->wanted = made;
}

course_toml_value *course_toml_get(course_toml *document, course_toml_value *table, const char *key) {
    if (!table || document->status) return NULL;
    remember(document, table, key);
    for (course_toml_value *m = table->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) {
            m->asked = true;
            return m;
        }
    return NULL;
}

static course_toml_value *get_kind(course_toml *document, course_toml_value *table, const char *key,
                                   course_toml_kind kind) {
    course_toml_value *found = course_toml_get(document, table, key);
    if (!found || found->kind == kind) return found;
    if (kind == COURSE_TOML_FLOAT && found->kind == COURSE_TOML_INTEGER) return found;
    course_toml_fail(document, found, "%s must be %s, and is %s", key, course_toml_kind_name(kind),
                     course_toml_kind_name(found->kind));
    return NULL;
}

course_toml_value *course_toml_table(course_toml *document, course_toml_value *table, const char *key) {
    return get_kind(document, table, key, COURSE_TOML_TABLE);
}

course_toml_value *course_toml_tables(course_toml *document, course_toml_value *table, const char *key) {
    course_toml_value *found = course_toml_get(document, table, key);
    if (!found) return NULL;
    bool right = found->kind == COURSE_TOML_ARRAY;
    for (course_toml_value *e = right ? found->first : NULL; e; e = e->next)
        right = right && e->kind == COURSE_TOML_TABLE;
    if (right) return found;
    course_toml_fail_key(document, found, "%s is a list of tables: each begins with a line [[%s]]", key, key);
    return NULL;
}

const char *course_toml_string(course_toml *document, course_toml_value *table, const char *key,
                               const char *fallback) {
    course_toml_value *found = get_kind(document, table, key, COURSE_TOML_STRING);
    return found ? found->string : fallback;
}

const char *course_toml_need_string(course_toml *document, course_toml_value *table, const char *key) {
    const char *found = course_toml_string(document, table, key, NULL);
    if (!found && !document->status)
        course_toml_fail(document, table == document->root ? NULL : table, "%s = \"...\" is missing%s", key,
                         table == document->root ? "" : " here");
    if (found && !*found)
        course_toml_fail(document, course_toml_get(document, table, key), "%s must not be empty", key);
    return found;
}

int64_t course_toml_integer(course_toml *document, course_toml_value *table, const char *key,
                            int64_t fallback) {
    course_toml_value *found = get_kind(document, table, key, COURSE_TOML_INTEGER);
    return found ? found->integer : fallback;
}

double course_toml_number(course_toml *document, course_toml_value *table, const char *key, double fallback) {
    course_toml_value *found = get_kind(document, table, key, COURSE_TOML_FLOAT);
    return found ? found->number : fallback;
}

bool course_toml_boolean(course_toml *document, course_toml_value *table, const char *key, bool fallback) {
    course_toml_value *found = get_kind(document, table, key, COURSE_TOML_BOOLEAN);
    return found ? found->boolean : fallback;
}

const char *const *course_toml_strings(course_toml *document, course_toml_value *table, const char *key) {
    static const char *const none[] = {NULL};
    course_toml_value *found = get_kind(document, table, key, COURSE_TOML_ARRAY);
    if (!found) return none;
    const char **strings = course_toml_alloc(document, (found->count + 1) * sizeof *strings);
    if (!strings) return none;
    size_t count = 0;
    for (course_toml_value *e = found->first; e; e = e->next) {
        if (e->kind != COURSE_TOML_STRING) {
            course_toml_fail(document, e, "%s is a list of strings, and this is %s", key,
                             course_toml_kind_name(e->kind));
            return none;
        }
        strings[count++] = e->string;
    }
    return strings;
}

const char *course_toml_as_expression(course_toml *document, course_toml_value *value) {
    if (!value || document->status) return NULL;
    if (value->kind == COURSE_TOML_STRING) return value->string;
    if (value->kind == COURSE_TOML_INTEGER || (value->kind == COURSE_TOML_FLOAT && isfinite(value->number))) {
        char text[32];
        if (value->kind == COURSE_TOML_INTEGER)
            snprintf(text, sizeof text, "%lld", (long long)value->integer);
        else
            snprintf(text, sizeof text, "%.17g", value->number);
        const char *kept = base_arena_string(document->arena, text, strlen(text));
        return kept;
    }
    course_toml_fail(document, value, "expected a number or an expression in quotes, not %s",
                     course_toml_kind_name(value->kind));
    return NULL;
}

const char *course_toml_expression(course_toml *document, course_toml_value *table, const char *key) {
    return course_toml_as_expression(document, course_toml_get(document, table, key));
}

// ---- what nobody asked for --------------------------------------------------------------------

void course_toml_take_all(course_toml_value *table) {
    if (!table) return;
    for (course_toml_value *m = table->first; m; m = m->next) m->asked = true;
}

static void fail_unknown(course_toml *document, const course_toml_value *table,
                         const course_toml_value *member) {
    enum { NAMES = 64 };
    const char *names[NAMES + 1] = {NULL};
    size_t count = 0;
    base_text known = {0};
    for (const course_toml_name *n = table->wanted; n && count < NAMES; n = n->next) names[count++] = n->name;
    for (size_t i = count; i > 0; i--) base_text_add(&known, " %s", names[i - 1]); // as they were asked for
    const char *near = base_nearest(member->key, names);
    course_toml_fail_key(document, member, "unknown key \"%s\"%s%s%s", member->key,
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    course_toml_note(document, "known here:%s", known.data ? known.data : " nothing");
    base_text_free(&known);
}

static kz_status finish_table(course_toml *document, const course_toml_value *table) {
    for (const course_toml_value *m = table->first; m && !document->status; m = m->next) {
        if (!m->asked) {
            fail_unknown(document, table, m);
        } else if (m->kind == COURSE_TOML_TABLE) {
            finish_table(document, m);
        } else if (m->kind == COURSE_TOML_ARRAY) {
            for (const course_toml_value *e = m->first; e; e = e->next)
                if (e->kind == COURSE_TOML_TABLE) finish_table(document, e);
        }
    }
    return document->status;
}

kz_status course_toml_finish(course_toml *document) {
    return document->status ? document->status : finish_table(document, document->root);
}
