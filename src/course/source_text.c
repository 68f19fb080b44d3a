// Reading a submission, and its tokens. See source_text.h.
#include "source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 4 << 20 };

// ---- reading ------------------------------------------------------------------------------------------------

static kz_status fail_file(const char *file, const char *what, const char *next, kz_error *error) {
    base_fail(error, KZ_INVALID, "%s is %s", file, what);
    base_fail_note(error, "%s", next);
    return KZ_INVALID;
}

kz_status course_read_submission(const char *file, char **source, kz_error *error) {
    struct stat about;
    size_t size = 0;
    *source = NULL;
    if (stat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return fail_file(file, "a folder", "name the file in it: kz grade FILE", error);
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return fail_file(file, "no plain file, but a pipe or a device", "write your code into a file", error);
    if (stat(file, &about) == 0 && about.st_size > LARGEST_FILE)
        return fail_file(file, "larger than 4 MiB", "is it the right one? A submission is source code",
                         error);
    kz_status status = base_file_read(file, source, &size, error);
    if (status) return status;
    if (strlen(*source) != size) {
        free(*source);
        *source = NULL;
        return fail_file(file, "no text: it holds a zero byte",
                         "is it a program instead of its source, or saved as UTF-16? Save it as UTF-8",
                         error);
    }
    if (strncmp(*source, "\xef\xbb\xbf", 3) == 0) memmove(*source, *source + 3, size - 2);
    return KZ_OK;
}

// ---- tokens -------------------------------------------------------------------------------------------------

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *end_of_string(const char *at) {
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += at[0] == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
    return at + (*at == quote);
}

// "marker( ... )marker", from its first quote.
static const char *end_of_raw_string(const char *at) {
    char close[24];
    size_t length = strcspn(at + 1, "( )\\\t\v\f\n\"");
    if (length > 16 || at[1 + length] != '(') return end_of_string(at);
    snprintf(close, sizeof close, ")%.*s\"", (int)length, at + 1);
    const char *end = strstr(at + 1, close);
    return end ? end + strlen(close) : at + strlen(at);
}

static bool is_one_of(const char *word, size_t length, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == length && strncmp(word, *list, length) == 0) return true;
    return false;
}

// A name, or a string that it is the prefix of: L"", u8R"()". XR"(" is a name and a string.
static const char *end_of_word(const char *at, course_dialect dialect, course_token *token) {
    static const char *const plain[] = {"L", "u", "U", "u8", NULL}, *const raw[] = {"R",  "LR",  "uR",
                                                                                    "UR", "u8R", NULL};
    const char *end = at;
    while (is_word(*end)) end++;
    size_t length = (size_t)(end - at);
    bool is_raw = *end == '"' && !dialect.no_raw_strings && is_one_of(at, length, raw);
    if (!is_raw && ((*end != '"' && *end != '\'') || !is_one_of(at, length, plain))) return end;
    *token = COURSE_TOKEN_STRING;
    return is_raw ? end_of_raw_string(end) : end_of_string(end);
}

static const char *end_of_number(const char *at, course_dialect dialect) {
    for (;; at++) {
        bool is_sign = (*at == '+' || *at == '-') && strchr("eEpP", at[-1]);
        bool parts_digits = *at == '\'' && dialect.is_cpp && is_word(at[1]);
        if (!is_word(*at) && *at != '.' && !is_sign && !parts_digits) return at;
    }
}

const char *course_token_end(const char *at, course_dialect dialect, course_token *token) {
    *token = COURSE_TOKEN_WORD;
    if (isdigit((unsigned char)at[0]) || (at[0] == '.' && isdigit((unsigned char)at[1])))
        return end_of_number(at + 1, dialect);
    if (is_word(*at)) return end_of_word(at, dialect, token);
    *token = COURSE_TOKEN_STRING;
    if (*at == '"' || *at == '\'') return end_of_string(at);
    *token = COURSE_TOKEN_COMMENT;
    if (at[0] == '/' && at[1] == '/' && !dialect.no_comments) return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*' && !dialect.no_comments) {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    *token = COURSE_TOKEN_MARK;
    return at + 1;
}

// ---- the source without comments ------------------------------------------------------------------------

char *course_join_lines(const char *source) {
    char *out = malloc(strlen(source) + 1), *to = out;
    size_t owed = 0;
    if (!out) return NULL;
    for (const char *at = source; *at; at++) {
        size_t blanks = at[0] == '\\' ? strspn(at + 1, " \t\f\v\r") : 0;
        if (at[0] == '\\' && at[1 + blanks] == '\n') {
            at += 1 + blanks;
            owed++;
            continue;
        }
        if (at[0] == '%' && at[1] == ':') {
            *to++ = '#';
            at++;
            continue;
        }
        *to++ = *at;
        for (; *at == '\n' && owed; owed--) *to++ = '\n';
    }
    for (; owed; owed--) *to++ = '\n';
    *to = 0;
    return out;
}

char *course_strip_source(const char *text, course_dialect dialect, bool strings) {
    char *source = course_join_lines(text);
    for (char *at = source; source && *at;) {
        course_token token;
        char *end = at + (course_token_end(at, dialect, &token) - at);
        if (token == COURSE_TOKEN_COMMENT || (token == COURSE_TOKEN_STRING && strings))
            for (char *c = at; c < end; c++)
                if (*c != '\n') *c = ' ';
        at = end;
    }
    return source;
}

char *course_bare_source(const char *source) {
    return course_strip_source(source, (course_dialect){.is_cpp = true}, true);
}

int course_line_at(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}
