// TOML as the course's data is written in it: read strictly, asked for by name, nothing left over.
//
// Known are tables, dotted keys, arrays of tables, the four kinds of strings, whole numbers (also with _ and 0x,
// 0o, 0b), floats with inf and nan, booleans, arrays and inline tables; dates are an error that says so. The
// text, all values and names live in the caller's arena. The first error stays in the document: getters then
// give their fallback, so that a loader asks for all it wants and looks at the status once.
#ifndef COURSE_TOML_H
#define COURSE_TOML_H

#include "base/base.h"

typedef enum course_toml_kind {
    COURSE_TOML_STRING,
    COURSE_TOML_INTEGER,
    COURSE_TOML_FLOAT,
    COURSE_TOML_BOOLEAN,
    COURSE_TOML_ARRAY,
    COURSE_TOML_TABLE
} course_toml_kind;

typedef struct course_toml_value course_toml_value;
struct course_toml_value {
    course_toml_kind kind;
    size_t offset;           // where it stands in the text
    size_t key_offset;       // of a table's member: where its name stands
    const char *key;         // of a table's member; NULL
    course_toml_value *next; // the next member or element
    bool asked;              // somebody wanted it

    const char *string; // NUL-terminated; holds no NUL itself
    int64_t integer;
    double number; // of whole numbers too
    bool boolean;

    course_toml_value *first, *last; // of a table: members; of an array: elements
    size_t count;
    struct course_toml_name *wanted; // of a table: the names that were asked for
    bool defined, is_inline;         // of a table: by a header of its own; in braces: nothing is added later
    bool of_tables;                  // of an array: made by [[...]]
    bool by_dots;                    // of a table: made by a dotted key, which a header must not open again
};

typedef struct course_toml {
    base_arena *arena;
    const char *name, *text;
    size_t size;
    course_toml_value *root;
    kz_status status;
    kz_error *error;
} course_toml;

// Reads `size` bytes. `name` is for messages. The error is the document's from here on.
kz_status course_toml_parse(base_arena *arena, const char *name, const char *text, size_t size,
                            course_toml *document, kz_error *error);
kz_status course_toml_read(base_arena *arena, const char *path, course_toml *document, kz_error *error);

// The first failure with file, line and caret: at the value (NULL: the document as such), or at its key.
kz_status course_toml_fail(course_toml *document, const course_toml_value *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
kz_status course_toml_fail_key(course_toml *document, const course_toml_value *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Another line for the message just made.
void course_toml_note(course_toml *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A member by its name; NULL where there is none. `table` may be NULL.
course_toml_value *course_toml_get(course_toml *document, course_toml_value *table, const char *key);
course_toml_value *course_toml_table(course_toml *document, course_toml_value *table, const char *key);
// [[key]]: the array; its elements are tables. NULL where there is none.
course_toml_value *course_toml_tables(course_toml *document, course_toml_value *table, const char *key);

const char *course_toml_string(course_toml *document, course_toml_value *table, const char *key,
                               const char *fallback);
const char *course_toml_need_string(course_toml *document, course_toml_value *table, const char *key);
int64_t course_toml_integer(course_toml *document, course_toml_value *table, const char *key,
                            int64_t fallback);
double course_toml_number(course_toml *document, course_toml_value *table, const char *key, double fallback);
bool course_toml_boolean(course_toml *document, course_toml_value *table, const char *key, bool fallback);
// Strings, ending with NULL; never NULL itself unless memory is short.
const char *const *course_toml_strings(course_toml *document, course_toml_value *table, const char *key);
// A string, or a number as it is written: both are expressions. NULL where there is none.
const char *course_toml_expression(course_toml *document, course_toml_value *table, const char *key);
const char *course_toml_as_expression(course_toml *document, course_toml_value *value);

// Every member counts as asked for: where the names are data.
void course_toml_take_all(course_toml_value *table);
// Fails at the first member, here and below, that nobody asked for: "unknown key ..., did you mean ...".
kz_status course_toml_finish(course_toml *document);

const char *course_toml_kind_name(course_toml_kind kind); // "a string"
// Memory of the document's arena; NULL and the document's failure when there is none.
void *course_toml_alloc(course_toml *document, size_t bytes);

#endif
