// The reader. Each function bears its rule's name:
//     document   = { [ header | pair ] [ comment ] newline }
//     header     = "[" key "]" | "[[" key "]]"
//     pair       = key "=" value
//     key        = simple { "." simple }
//     value      = string | number | boolean | array | inline_table
#include "course/toml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32, KEY = 256, NUMBER = 64 };

typedef struct reader {
    course_toml *document;
    const char *at, *end;
    course_toml_value *table; // that pairs go to
    int depth;
} reader;

static course_toml_value *value(reader *r);

// ---- messages and memory ----------------------------------------------------------------------

// Under the position `at`. Only the first failure is kept; everything stops at it.
static bool fail(reader *r, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool fail(reader *r, const char *at, const char *format, ...) {
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    course_toml_value position = {.offset = (size_t)(at - r->document->text)};
    course_toml_fail(r->document, &position, "%s", message);
    return false;
}

static bool failed(const reader *r) { return r->document->status != KZ_OK; }

static course_toml_value *new_value(reader *r, course_toml_kind kind, const char *at) {
    course_toml_value *made = course_toml_alloc(r->document, sizeof *made);
    if (!made) return NULL;
    made->kind = kind;
    made->offset = (size_t)(at - r->document->text);
    return made;
}

static void append(course_toml_value *parent, course_toml_value *child) {
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

// ---- blanks -----------------------------------------------------------------------------------

static bool at_newline(const reader *r) {
    return r->at < r->end && (*r->at == '\n' || (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n'));
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

// One character of a comment or a string; false at a control character or broken UTF-8.
static bool plain_character(reader *r) {
    unsigned char c = (unsigned char)*r->at;
    if ((c < 0x20 && c != '\t') || c == 0x7f)
        return fail(r, r->at, "a control character (0x%02x) must be written as an escape", c);
    size_t length = base_utf8_length(r->at);
    if (length == 0 || length > (size_t)(r->end - r->at))
        return fail(r, r->at, "this byte (0x%02x) is no UTF-8: save the file as UTF-8", c);
    r->at += length;
    return true;
}

static bool comment(reader *r) {
    if (r->at < r->end && *r->at == '#')
        while (r->at < r->end && !at_newline(r))
            if (!plain_character(r)) return false;
    return true;
}

static bool newline(reader *r) {
    if (!at_newline(r)) return false;
    r->at += *r->at == '\r' ? 2 : 1;
    return true;
}

// Blanks, newlines and comments, as they may stand inside an array.
static bool skip_lines(reader *r) {
    do {
        skip_blanks(r);
        if (!comment(r)) return false;
    } while (newline(r));
    return true;
}

// ---- strings ----------------------------------------------------------------------------------

static void add_code_point(base_text *out, uint32_t c) {
    char bytes[4];
    size_t n = 0;
    if (c < 0x80) {
        bytes[n++] = (char)c;
    } else if (c < 0x800) {
        bytes[n++] = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        bytes[n++] = (char)(0xe0 | c >> 12);
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | c >> 18);
        bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80) bytes[n++] = (char)(0x80 | (c & 0x3f));
    base_text_add_bytes(out, bytes, n);
}

static bool unicode_escape(reader *r, const char *start, int digits, base_text *out) {
    uint32_t c = 0;
    for (int i = 0; i < digits; i++, r->at++) {
        if (r->at >= r->end || !isxdigit((unsigned char)*r->at))
            return fail(r, start, "\\%c takes %d hexadecimal digits", start[1], digits);
        c = c << 4 | (uint32_t)(isdigit((unsigned char)*r->at) ? *r->at - '0' : (*r->at | 32) - 'a' + 10);
    }
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return fail(r, start, "U+%04X is no character that a text here may hold", c);
    add_code_point(out, c);
    return true;
}

static bool escape(reader *r, bool several_lines, base_text *out) {
    static const char letters[] = "btnfre\"\\", meant[] = "\b\t\n\f\r\033\"\\";
    const char *start = r->at++;
    char c = r->at < r->end ? *r->at : 0;
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        base_text_add_bytes(out, &meant[found - letters], 1);
        r->at++;
        return true;
    }
    if (c == 'u' || c == 'U') return r->at++, unicode_escape(r, start, c == 'u' ? 4 : 8, out);
    if (several_lines) { // a backslash at the end of a line swallows it and the blanks that follow
        skip_blanks(r);
        if (at_newline(r)) {
            do skip_blanks(r);
            while (newline(r));
            return true;
        }
    }
    return fail(r, start,
                "a backslash means something only before b t n f r e u U \" and itself;"
                " write it twice, or the string in 'single quotes'");
}

static bool at_quotes(const reader *r, char quote, size_t count) {
    if ((size_t)(r->end - r->at) < count) return false;
    for (size_t i = 0; i < count; i++)
        if (r->at[i] != quote) return false;
    return true;
}

// The text between the quotes, which were taken; leaves the reader behind the last.
static bool string_body(reader *r, const char *start, char quote, bool several_lines, base_text *out) {
    size_t closing = several_lines ? 3 : 1;
    if (several_lines) newline(r); // the one right behind the quotes is not part of it
    while (r->at < r->end) {
        if (at_quotes(r, quote, closing)) {
            // Up to two quotes may stand right before the closing three.
            for (int i = 0; several_lines && i < 2 && at_quotes(r, quote, 4); i++)
                base_text_add_bytes(out, r->at++, 1);
            r->at += closing;
            return true;
        }
        const char *from = r->at;
        if (quote == '"' && *r->at == '\\') {
            if (!escape(r, several_lines, out)) return false;
        } else if (at_newline(r)) {
            if (!several_lines) return fail(r, start, "this string does not end on its line");
            newline(r);
            base_text_add_bytes(out, "\n", 1);
        } else {
            if (!plain_character(r)) return false;
            base_text_add_bytes(out, from, (size_t)(r->at - from));
        }
    }
    return fail(r, start, "this string does not end");
}

static const char *string_text(reader *r, bool may_have_lines) {
    const char *start = r->at, quote = *r->at;
    bool several_lines = at_quotes(r, quote, 3);
    if (several_lines && !may_have_lines) return fail(r, start, "a key stands on one line"), NULL;
    r->at += several_lines ? 3 : 1;
    base_text text = {0};
    char *kept = NULL;
    if (string_body(r, start, quote, several_lines, &text)) {
        kept = text.failed ? NULL
                           : base_arena_string(r->document->arena, text.data ? text.data : "", text.length);
        if (!kept) course_toml_alloc(r->document, SIZE_MAX); // says that memory is short
    }
    base_text_free(&text);
    return kept;
}

static course_toml_value *string(reader *r) {
    course_toml_value *made = new_value(r, COURSE_TOML_STRING, r->at);
    if (made) made->string = string_text(r, true);
    return failed(r) ? NULL : made;
}

// ---- numbers and words --------------------------------------------------------------------------

static bool is_bare(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-'; }

// Underscores stand between two digits only, and a leading 0 only alone.
static bool digits_are_right(const char *text) {
    const char *digits = text + (*text == '+' || *text == '-');
    bool radix = digits[0] == '0' && digits[1] && strchr("xob", digits[1]);
    if (!radix && digits[0] == '0' && (isdigit((unsigned char)digits[1]) || digits[1] == '_')) return false;
    if (radix && digits != text) return false;
    for (const char *c = text; *c; c++) {
        if (*c == '_' && (c == text || !isxdigit((unsigned char)c[-1]) || !isxdigit((unsigned char)c[1])))
            return false;
        if (*c == '.' && (c == text || !isdigit((unsigned char)c[-1]) || !isdigit((unsigned char)c[1])))
            return false;
    }
    return true;
}

static bool is_date(const char *word) {
    size_t digits = strspn(word, "0123456789");
    return (digits == 4 && word[4] == '-') || (digits == 2 && word[2] == ':');
}

static course_toml_value *whole_number(reader *r, const char *start, const char *digits) {
    int base = 10;
    if (digits[0] == '0' && digits[1]) {
        base = digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : 2;
        digits += 2;
    }
    char *end;
    errno = 0;
    long long number = strtoll(digits, &end, base);
    if (*end || end == digits) return fail(r, start, "this is no number"), NULL;
    if (errno) return fail(r, start, "this number does not fit into 64 bits"), NULL;
    course_toml_value *made = new_value(r, COURSE_TOML_INTEGER, start);
    if (made) made->integer = number, made->number = (double)number;
    return made;
}

static course_toml_value *real_number(reader *r, const char *start, const char *digits) {
    const char *word = digits + (*digits == '+' || *digits == '-');
    bool is_word = strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0;
    if (!is_word && (!isdigit((unsigned char)*word) || strspn(word, "0123456789.eE+-") != strlen(word)))
        return fail(r, start, "this is no number"), NULL;
    char *end;
    double number = strtod(digits, &end);
    if (*end) return fail(r, start, "this is no number"), NULL;
    course_toml_value *made = new_value(r, COURSE_TOML_FLOAT, start);
    if (made) made->number = number;
    return made;
}

// A number, true or false: everything that has no quotes or brackets.
static course_toml_value *word(reader *r) {
    const char *start = r->at;
    char text[NUMBER], plain[NUMBER];
    size_t length = 0, kept = 0;
    while (r->at < r->end && (is_bare(*r->at) || strchr("+.:", *r->at)) && *r->at) {
        if (length == NUMBER - 1) return fail(r, start, "this is too long for a number"), NULL;
        text[length++] = *r->at++;
    }
    text[length] = 0;
    if (length == 0) return fail(r, start, "expected a value: a string, a number, true, false, [ or {"), NULL;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        course_toml_value *made = new_value(r, COURSE_TOML_BOOLEAN, start);
        if (made) made->boolean = text[0] == 't';
        return made;
    }
    if (is_date(text)) return fail(r, start, "dates and times are not read here; write a string"), NULL;
    char first = text[text[0] == '+' || text[0] == '-'];
    if (!isdigit((unsigned char)first) && first != 'i' && first != 'n' && first != '.')
        return fail(r, start, "a text stands in quotes: \"%s\"", text), NULL;
    if (!digits_are_right(text))
        return fail(r, start, "this is no number: _ and . stand between digits, and no 0 before others"),
               NULL;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '_') plain[kept++] = text[i];
    plain[kept] = 0;
    bool radix = plain[0] == '0' && plain[1] && strchr("xob", plain[1]);
    bool real = !radix && strpbrk(plain, ".eEin");
    return real ? real_number(r, start, plain) : whole_number(r, start, plain);
}

// ---- keys -------------------------------------------------------------------------------------

static const char *simple_key(reader *r) {
    skip_blanks(r);
    const char *start = r->at;
    if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) return string_text(r, false);
    while (r->at < r->end && is_bare(*r->at)) r->at++;
    if (r->at == start)
        return fail(r, start, "expected a name: letters, digits, _ and -, or in quotes"), NULL;
    if (r->at - start > KEY) return fail(r, start, "this name is too long"), NULL;
    const char *kept = base_arena_string(r->document->arena, start, (size_t)(r->at - start));
    if (!kept) course_toml_alloc(r->document, SIZE_MAX);
    return kept;
}

static course_toml_value *member(course_toml_value *table, const char *key) {
    for (course_toml_value *m = table->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) return m;
    return NULL;
}

static uint32_t line_of(const reader *r, size_t offset) {
    uint32_t line = 1;
    for (size_t i = 0; i < offset; i++) line += r->document->text[i] == '\n';
    return line;
}

static course_toml_value *add_member(reader *r, course_toml_value *table, const char *key, const char *at,
                                     course_toml_value *child) {
    if (!child) return NULL;
    child->key = key;
    child->key_offset = (size_t)(at - r->document->text);
    append(table, child);
    return child;
}

// The table that a part of a key before its last leads to; made where there is none.
static course_toml_value *inner_table(reader *r, course_toml_value *table, const char *key, const char *at,
                                      bool by_dots) {
    course_toml_value *found = member(table, key);
    if (!found) {
        found = add_member(r, table, key, at, new_value(r, COURSE_TOML_TABLE, at));
        if (found) found->by_dots = by_dots;
        return found;
    }
    if (!by_dots && found->kind == COURSE_TOML_ARRAY && found->of_tables) return found->last;
    if (found->kind == COURSE_TOML_TABLE && !found->is_inline && !(by_dots && found->defined)) return found;
    fail(r, at, "\"%s\" was given in line %u and cannot be added to", key, line_of(r, found->key_offset));
    return NULL;
}

// Reads a whole key from `table` on; gives the table of its last part, which is in *last at *last_at.
static course_toml_value *key(reader *r, course_toml_value *table, bool by_dots, const char **last,
                              const char **last_at) {
    for (int parts = 0;; parts++) {
        skip_blanks(r);
        const char *at = r->at, *part = simple_key(r);
        if (failed(r)) return NULL;
        skip_blanks(r);
        if (r->at >= r->end || *r->at != '.') {
            *last = part, *last_at = at;
            return table;
        }
        if (parts == DEPTH) return fail(r, at, "this is nested too deep"), NULL;
        r->at++;
        table = inner_table(r, table, part, at, by_dots);
        if (!table) return NULL;
    }
}

static bool pair(reader *r, course_toml_value *table) {
    const char *name, *at;
    course_toml_value *to = key(r, table, true, &name, &at);
    if (!to) return false;
    if (r->at >= r->end || *r->at != '=') return fail(r, r->at, "expected \"=\" after the name");
    r->at++;
    course_toml_value *old = member(to, name);
    if (old) return fail(r, at, "\"%s\" was given before, in line %u", name, line_of(r, old->key_offset));
    skip_blanks(r);
    course_toml_value *made = value(r);
    return made && add_member(r, to, name, at, made);
}

// ---- arrays and tables --------------------------------------------------------------------------

static course_toml_value *array(reader *r) {
    const char *start = r->at++;
    course_toml_value *made = new_value(r, COURSE_TOML_ARRAY, start);
    if (!made) return NULL;
    for (;;) {
        if (!skip_lines(r)) return NULL;
        if (r->at < r->end && *r->at == ']') break;
        if (r->at >= r->end) return fail(r, start, "this array does not end: \"]\" is missing"), NULL;
        course_toml_value *element = value(r);
        if (!element) return NULL;
        append(made, element);
        if (!skip_lines(r)) return NULL;
        if (r->at < r->end && *r->at == ',')
            r->at++;
        else if (r->at >= r->end || *r->at != ']')
            return fail(r, r->at, "expected \",\" or \"]\""), NULL;
    }
    r->at++;
    return made;
}

static void seal(course_toml_value *table) { // nothing is added to it, nor to the tables in it, from outside
    table->is_inline = true;
    for (course_toml_value *m = table->first; m; m = m->next)
        if (m->kind == COURSE_TOML_TABLE) seal(m);
}

static course_toml_value *inline_table(reader *r) {
    const char *start = r->at++;
    course_toml_value *made = new_value(r, COURSE_TOML_TABLE, start);
    if (!made) return NULL;
    skip_blanks(r);
    while (r->at < r->end && *r->at != '}') {
        if (!pair(r, made)) return NULL;
        skip_blanks(r);
        if (r->at < r->end && *r->at == '}') break;
        if (r->at >= r->end || *r->at != ',')
            return fail(r, r->at, "expected \",\" or \"}\" on this line"), NULL;
        r->at++;
        skip_blanks(r);
        if (r->at < r->end && *r->at == '}') return fail(r, r->at, "a name is missing after the comma"), NULL;
    }
    if (r->at >= r->end) return fail(r, start, "this table does not end: \"}\" is missing"), NULL;
    r->at++;
    seal(made);
    return made;
}

static course_toml_value *value(reader *r) {
    if (++r->depth > DEPTH) return fail(r, r->at, "this is nested too deep"), NULL;
    course_toml_value *made;
    switch (r->at < r->end ? *r->at : 0) {
    case '"':
    case '\'': made = string(r); break;
    case '[': made = array(r); break;
    case '{': made = inline_table(r); break;
    default: made = word(r); break;
    }
    r->depth--;
    return made;
}

// ---- headers ----------------------------------------------------------------------------------

static course_toml_value *array_header(reader *r, course_toml_value *in, const char *name, const char *at) {
    course_toml_value *all = member(in, name);
    if (all && !(all->kind == COURSE_TOML_ARRAY && all->of_tables))
        return fail(r, at, "\"%s\" was given in line %u, as something else", name,
                    line_of(r, all->key_offset)),
               NULL;
    if (!all) {
        all = add_member(r, in, name, at, new_value(r, COURSE_TOML_ARRAY, at));
        if (!all) return NULL;
        all->of_tables = true;
    }
    course_toml_value *made = new_value(r, COURSE_TOML_TABLE, at);
    if (!made) return NULL;
    made->defined = true;
    append(all, made);
    return made;
}

static course_toml_value *table_header(reader *r, course_toml_value *in, const char *name, const char *at) {
    course_toml_value *found = member(in, name);
    if (!found) found = add_member(r, in, name, at, new_value(r, COURSE_TOML_TABLE, at));
    if (!found) return NULL;
    if (found->kind != COURSE_TOML_TABLE || found->defined || found->is_inline || found->by_dots)
        return fail(r, at, "\"%s\" was given before, in line %u", name, line_of(r, found->key_offset)), NULL;
    found->defined = true;
    return found;
}

static bool header(reader *r) {
    bool many = at_quotes(r, '[', 2);
    r->at += many ? 2 : 1;
    const char *name, *at;
    course_toml_value *in = key(r, r->document->root, false, &name, &at);
    if (!in) return false;
    if (!at_quotes(r, ']', many ? 2 : 1)) return fail(r, r->at, "expected \"%s\"", many ? "]]" : "]");
    r->at += many ? 2 : 1;
    r->table = many ? array_header(r, in, name, at) : table_header(r, in, name, at);
    return r->table != NULL;
}

static bool line(reader *r) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == '[') {
        if (!header(r)) return false;
    } else if (r->at < r->end && *r->at != '#' && !at_newline(r)) {
        if (!pair(r, r->table)) return false;
    }
    skip_blanks(r);
    if (!comment(r)) return false;
    if (r->at < r->end && !newline(r)) return fail(r, r->at, "expected the end of the line");
    return true;
}

kz_status course_toml_parse(base_arena *arena, const char *name, const char *text, size_t size,
                            course_toml *document, kz_error *error) {
    *document = (course_toml){.arena = arena, .error = error, .size = size};
    document->name = base_arena_string(arena, name, strlen(name));
    document->text = base_arena_string(arena, text, size);
    document->root = course_toml_alloc(document, sizeof *document->root);
    if (!document->name || !document->text || !document->root)
        return document->status = base_fail(error, KZ_NO_MEMORY, "%s: no memory to read it", name);
    document->root->kind = COURSE_TOML_TABLE;
    reader r = {
        .document = document, .at = document->text, .end = document->text + size, .table = document->root};
    if (size >= 3 && memcmp(r.at, "\xef\xbb\xbf", 3) == 0) r.at += 3; // a byte order mark
    while (r.at < r.end && line(&r)) continue;
    return document->status;
}

kz_status course_toml_read(base_arena *arena, const char *path, course_toml *document, kz_error *error) {
    *document = (course_toml){0};
    char *text;
    size_t size;
    kz_status status = base_file_read(path, &text, &size, error);
    if (status) return document->status = status;
    status = course_toml_parse(arena, path, text, size, document, error);
    free(text);
    return status;
}
