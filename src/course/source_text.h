// A submission's text, and C, C++ and CUDA cut into tokens as a compiler's lexer cuts them.
#ifndef COURSE_SOURCE_TEXT_H
#define COURSE_SOURCE_TEXT_H

#include "course.h"

// The file's text, malloc'ed, without a byte-order mark. KZ_INVALID where it is no text or no plain file: devices
// and pipes have no end.
kz_status course_read_submission(const char *file, char **source, kz_error *error);

// In C a ' begins a character, in C++ it may part the digits of a number. Clang's C has no raw strings. After the
// preprocessor there are no comments.
typedef struct course_dialect {
    bool is_cpp, no_raw_strings, no_comments;
} course_dialect;

typedef enum course_token {
    COURSE_TOKEN_MARK,   // one character: an operator, white space, anything
    COURSE_TOKEN_WORD,   // a name, or a number
    COURSE_TOKEN_STRING, // with its prefix; a character too
    COURSE_TOKEN_COMMENT
} course_token;

// The end of the token at `at`, which is not at the text's end. Strings that are not closed end with their line.
const char *course_token_end(const char *at, course_dialect dialect, course_token *token);

// Joins lines that end with a backslash, blanks behind it or not; the newlines that go stand after the joined line, so
// that those behind it keep their numbers. "#" for "%:", another spelling. Malloc'ed, NULL without memory.
char *course_join_lines(const char *source);
// The same with comments blanked, and with `strings` what is in quotes too.
char *course_strip_source(const char *source, course_dialect dialect, bool strings);
char *course_bare_source(const char *source); // of CUDA: without comments and strings

int course_line_at(const char *text, const char *at); // from 1

#endif
