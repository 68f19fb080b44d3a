// Reading a preprocessor's output. See preprocessed.h.
#include "preprocessed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_text.h"

typedef struct location {
    uint32_t offset, file, line;
} location;

typedef struct reading {
    course_preprocessed *out;
    course_dialect dialect;
    bool (*is_own)(const char *path, const void *context);
    const void *context;
    const char *at;
    char name[COURSE_PATH]; // of the file that the lines are of, as the preprocessor spells it
    size_t file;
    bool own;
    int line;
    int attribute; // how many parentheses are open since __attribute__; 0: none
} reading;

// ---- whose lines ----------------------------------------------------------------------------------------------

// The name in a marker, with its \" and \303, to where it ends.
static const char *read_name(const char *at, char name[COURSE_PATH]) {
    size_t length = 0;
    for (at++; *at && *at != '"' && *at != '\n'; at++) {
        int c = (unsigned char)*at;
        if (*at == '\\' && at[1] >= '0' && at[1] <= '7') {
            char digits[4] = "";
            snprintf(digits, sizeof digits, "%.3s", at + 1);
            c = (int)strtol(digits, NULL, 8);
            at += strspn(digits, "01234567");
        } else if (*at == '\\' && at[1])
            c = (unsigned char)*++at;
        if (length + 1 < COURSE_PATH) name[length++] = (char)c;
    }
    name[length] = 0;
    return at;
}

static void enter_file(reading *r, const char *name) {
    if (strcmp(name, r->name) == 0) return;
    course_preprocessed *out = r->out;
    snprintf(r->name, sizeof r->name, "%s", name);
    bool is_file =
        name[0] != '<' && !base_ends_with(name, "//"); // "<built-in>", and gcc's note on the folder it is in
    char *real = is_file ? realpath(name, NULL) : NULL;
    const char *path = real ? real : name;
    r->own = is_file && r->is_own(path, r->context);
    for (r->file = 0; r->own && r->file < out->file_count; r->file++)
        if (strcmp(out->files[r->file], path) == 0) break;
    if (r->own && r->file == out->file_count) {
        if (out->file_count == COURSE_OWN_FILES || strlen(path) >= COURSE_PATH)
            out->is_full = true, r->file = 0;
        else
            snprintf(out->files[out->file_count++], COURSE_PATH, "%s", path);
    }
    free(real);
}

// A line that begins with "#": whose the next lines are ("# 12 "file.c" 2"), or a pragma.
static void read_directive(reading *r) {
    const char *end = r->at + strcspn(r->at, "\n"), *number = r->at + 1 + strspn(r->at + 1, " ");
    const char *name = number + strspn(number, "0123456789");
    char text[COURSE_PATH];
    if (name > number && name[0] == ' ' && name[1] == '"') {
        read_name(name + 1, text);
        enter_file(r, text);
        r->line = (int)strtol(number, NULL, 10);
    } else {
        if (r->own)
            base_text_add_bytes(&r->out->pragmas, r->at, (size_t)(end - r->at)),
                base_text_add(&r->out->pragmas, "\n");
        r->line++;
    }
    r->at = end + (*end == '\n');
}

// ---- the code -------------------------------------------------------------------------------------------------

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void add_location(reading *r) {
    base_text *all = &r->out->locations;
    location now = {(uint32_t)r->out->code.length, (uint32_t)r->file, (uint32_t)r->line}, last;
    if (all->length) {
        memcpy(&last, all->data + all->length - sizeof last, sizeof last);
        if (last.file == now.file && last.line == now.line) return;
    }
    base_text_add_bytes(all, (const char *)&now, sizeof now);
}

static bool ends_with_word(const base_text *code, const char *word) {
    size_t length = strlen(word);
    return code->length >= length && strcmp(code->data + code->length - length, word) == 0;
}

static void add_token(reading *r, const char *end, course_token token) {
    base_text *code = &r->out->code;
    add_location(r);
    if (*r->at == '(' &&
        (r->attribute || ends_with_word(code, "__attribute__") || ends_with_word(code, "__attribute")))
        r->attribute++;
    if (*r->at == ')' && r->attribute) r->attribute--;
    if (code->length && is_word(code->data[code->length - 1]) && is_word(*r->at)) base_text_add(code, " ");
    if (token == COURSE_TOKEN_STRING && !r->attribute)
        base_text_add(code, "\"\"");
    else
        base_text_add_bytes(code, r->at, (size_t)(end - r->at));
}

kz_status course_preprocessed_read(const char *text, bool is_cpp,
                                   bool (*is_own)(const char *path, const void *context), const void *context,
                                   course_preprocessed *out, kz_error *error) {
    reading r = {.out = out,
                 .dialect = {.is_cpp = is_cpp, .no_comments = true},
                 .is_own = is_own,
                 .context = context,
                 .at = text,
                 .line = 1};
    bool begins = true;
    while (*r.at) {
        if (begins && *r.at == '#') {
            read_directive(&r);
            continue;
        }
        course_token token;
        const char *end = course_token_end(r.at, r.dialect, &token);
        bool is_blank = token == COURSE_TOKEN_MARK && strchr(" \t\f\v\r\n", *r.at);
        if (r.own && !is_blank) add_token(&r, end, token);
        begins = *r.at == '\n'; // a "#" that a macro made has a blank before it
        for (; r.at < end; r.at++) r.line += *r.at == '\n';
    }
    if (!out->code.failed && !out->pragmas.failed && !out->locations.failed) return KZ_OK;
    return base_fail(error, KZ_NO_MEMORY, "no memory for what the preprocessor wrote");
}

void course_preprocessed_close(course_preprocessed *p) {
    base_text_free(&p->code);
    base_text_free(&p->pragmas);
    base_text_free(&p->locations);
}

void course_preprocessed_locate(const course_preprocessed *p, size_t offset, size_t *file, int *line) {
    *file = 0, *line = 0;
    for (size_t i = 0; i + sizeof(location) <= p->locations.length; i += sizeof(location)) {
        location one;
        memcpy(&one, p->locations.data + i, sizeof one);
        if (one.offset > offset) return;
        *file = one.file;
        *line = (int)one.line;
    }
}

// ---- lines of another name --------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at) {
    for (;;) {
        at += strspn(at, " \t\f\v\r");
        const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
        if (!end) return at;
        at = end + 2;
    }
}

// Whether what stands before a "#" in its line leaves it a directive: blanks, or the end of a comment.
static bool may_begin(const char *text, const char *at) {
    while (at > text && strchr(" \t\f\v\r", at[-1])) at--;
    return at == text || at[-1] == '\n' || (at - text >= 2 && at[-1] == '/' && at[-2] == '*');
}

int course_find_line_directive(const char *source) {
    char *text = course_join_lines(source);
    int line = 0;
    for (const char *at = text; at && !line && (at = strchr(at, '#')); at++) {
        if (!may_begin(text, at)) continue;
        const char *word = skip_blanks(at + 1);
        bool is_line = strncmp(word, "line", 4) == 0 && !is_word(word[4]);
        if (is_line) word = skip_blanks(word + 4);
        const char *after = word + strspn(word, "0123456789");
        if (!is_line && after == word) continue;
        after = skip_blanks(after);
        if (*after && *after != '\n' && strncmp(after, "//", 2) != 0) line = course_line_at(text, at);
    }
    free(text);
    return line;
}
