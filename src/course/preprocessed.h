// What a compiler's preprocessor makes of a submission: the one text that rules about it are tried on. No comment, no
// macro, no #if and no spelling hides or fakes a word there.
#ifndef COURSE_PREPROCESSED_H
#define COURSE_PREPROCESSED_H

#include "course.h"

enum { COURSE_OWN_FILES = 64 };

// The submission's own lines. The code is one line without strings, with blanks only where two words would become one:
// "sqrt (x)" is "sqrt(x)". Strings within attributes stay: __attribute__((optimize("fast-math"))).
typedef struct course_preprocessed {
    base_text code;
    base_text pragmas;                         // and other lines that begin with "#", as they are
    base_text locations;                       // which line each piece of `code` is of
    char files[COURSE_OWN_FILES][COURSE_PATH]; // the submission's own, real; "" from file_count on
    size_t file_count;
    bool is_full; // there are more of them
} course_preprocessed;

// Reads what the preprocessor wrote. A file is the submission's own where `is_own` says so of its real path.
kz_status course_preprocessed_read(const char *text, bool is_cpp,
                                   bool (*is_own)(const char *path, const void *context), const void *context,
                                   course_preprocessed *out, kz_error *error);
void course_preprocessed_close(course_preprocessed *p);
// Where a piece of `code` stands: an index of `files`, and a line.
void course_preprocessed_locate(const course_preprocessed *p, size_t offset, size_t *file, int *line);

// The line of a directive that gives lines another file's name ("#line 1 \"x\"", "# 1 \"x\""); 0 where there is none. It sees
// more than there are: such lines in comments and strings too.
int course_find_line_directive(const char *source);

#endif
