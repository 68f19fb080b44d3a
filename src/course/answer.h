// Inside the grader of kinds answer and command: the learner's lines, numbers as people write them, and whether
// a value is the one that is asked for.
#ifndef COURSE_ANSWER_H
#define COURSE_ANSWER_H

#include "course.h"

// One line "name = value" of the learner's file.
typedef struct course_line {
    const char *name, *value; // trimmed; `value` is "" or "?" where nothing is answered yet
    int line;                 // from 1
} course_line;

typedef struct course_lines {
    course_line *items;
    size_t count;
    int stray; // the first line that is neither empty, a comment nor "name = value"; 0: none
} course_lines;

// "#" begins a comment, at a line's start or after a blank, outside quotes. Texts are the arena's.
kz_status course_lines_read(base_arena *arena, const char *source, course_lines *lines, kz_error *error);
const course_line *course_line_find(const course_lines *lines,
                                    const char *name); // without regard to case; NULL
bool course_line_is_open(const course_line *line);     // "", "?", "...", "TODO"

// The numbers that `text` may mean: "4", "4 sectors", "1,048,576", "2^20", "3/8", "50%" (0.5 or 50), "4 KiB"
// (4 or 4096). Gives how many (at most 2); 0 where it is no number.
size_t course_read_number(const char *text, double values[2]);

// Words without regard to case, blanks, commas and brackets between them; numbers among them by their value.
bool course_same_words(const char *a, const char *b, double tolerance);
bool course_same_number(double got, double wanted, double tolerance); // relative

// Splits a command into words without a shell: '...' and "..." hold a word together, \ takes the next character
// as it is. `words` ends with NULL. KZ_SYNTAX for an open quote, and for what only a shell could do.
kz_status course_split_command(base_arena *arena, const char *text, const char *const **words, size_t *count,
                               kz_error *error);

// The first group of the pattern in the text, else the whole match; NULL where there is none.
kz_status course_find_group(base_arena *arena, const char *text, const char *pattern, const char **found,
                            kz_error *error);

#endif
