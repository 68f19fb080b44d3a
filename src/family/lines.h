// Launch lines: the comments "// kz: ..." of a .cu file that say how its kernels are launched. Their form
// stands in guest.h; guests of the zoo and learners' files read them alike.
//
// Lines that are for others ("// kz: task ...", the marks "begin", "starter" and "end", "sm") are skipped.
#ifndef FAMILY_LINES_H
#define FAMILY_LINES_H

#include "base/base.h"
#include "family/expression.h"

enum { FAMILY_LINES = 32, FAMILY_LINE_NAMES = 12 };

typedef enum family_line_kind {
    FAMILY_LINE_BLOCK,
    FAMILY_LINE_GRID,
    FAMILY_LINE_SHARED,
    FAMILY_LINE_FILL,
    FAMILY_LINE_COOPERATIVE,
    FAMILY_LINE_OTHER, // not about a launch
} family_line_kind;

typedef struct family_line {
    family_line_kind kind;
    const char *text;   // what follows the word, without "for SUFFIX"
    const char *suffix; // "" for all entries
    int line;
} family_line;

typedef struct family_lines {
    const char *name; // the file's, for messages; the caller's
    family_line items[FAMILY_LINES];
    size_t count;
    bool is_strict; // no blocks or no threads is an error, as it is in CUDA; else it becomes one
} family_lines;

// Texts go into the arena. KZ_SYNTAX names file and line.
kz_status family_lines_read(base_arena *arena, const char *name, const char *source, family_lines *lines,
                            kz_error *error);

// The last line of its kind that holds for the entry: one written for it before a general one. NULL.
const family_line *family_lines_find(const family_lines *lines, family_line_kind kind, const char *entry);

// Overwrites those parts of `launch` that lines speak of. `names` (ends with a NULL name) are the axes and
// the like; `block` is added to them. `has_grid`, which may be NULL, says whether a line gave the grid.
kz_status family_lines_shape(const family_lines *lines, const char *entry, const family_name_value *names,
                             kz_launch *launch, bool *has_grid, kz_error *error);

// The next fill line for the entry at or after *at, which goes past it; false where there is none.
typedef struct family_fill {
    char buffer[64];
    uint8_t byte;
    const family_line *line;
} family_fill;
kz_status family_lines_fill(const family_lines *lines, const char *entry, size_t *at, family_fill *fill,
                            bool *found, kz_error *error);

// KZ_SYNTAX: "file.cu:3: what "text"", and which launch lines there are.
kz_status family_lines_fail(const family_lines *lines, const family_line *line, const char *what,
                            const char *text, kz_error *error);

bool family_ends_with(const char *text, const char *suffix);

#endif
