// The marks in a solution, by lines (docs/tasks.md): "// kz: begin", "// kz: starter", "// kz: end", and "//| "
// before what the starter has instead; "#" in place of "//" where comments begin so.
#include "course/load.h"

#include <stdlib.h>
#include <string.h>

typedef enum mark { NO_MARK, BEGIN, STARTER, END } mark;
typedef enum part { OUTSIDE, SOLUTION, LOWER_HALF } part;

static mark mark_of(const char *line, size_t length) {
    static const char *const words[] = {[BEGIN] = "kz: begin", [STARTER] = "kz: starter", [END] = "kz: end"};
    while (length && (*line == ' ' || *line == '\t')) line++, length--;
    while (length && strchr(" \t\r", line[length - 1])) length--;
    if (length > 2 && memcmp(line, "//", 2) == 0)
        line += 2, length -= 2;
    else if (length > 1 && *line == '#')
        line++, length--;
    else
        return NO_MARK;
    while (length && *line == ' ') line++, length--;
    for (mark m = BEGIN; m <= END; m++)
        if (strlen(words[m]) == length && memcmp(words[m], line, length) == 0) return m;
    return NO_MARK;
}

// What follows "//| " or "#| "; false where the line has no such beginning.
static bool lower_line(const char **line, size_t *length) {
    while (*length && (**line == ' ' || **line == '\t')) ++*line, --*length;
    size_t mark_length = 0;
    if (*length >= 3 && memcmp(*line, "//|", 3) == 0) mark_length = 3;
    if (*length >= 2 && memcmp(*line, "#|", 2) == 0) mark_length = 2;
    if (!mark_length) return false;
    *line += mark_length, *length -= mark_length;
    if (*length && **line == ' ') ++*line, --*length;
    return true;
}

static const char *misplaced(mark m, part p) {
    if (m == BEGIN && p != OUTSIDE) return "\"kz: begin\" inside a piece that has not ended";
    if (m == STARTER && p != SOLUTION) return "\"kz: starter\" outside a piece, or twice in one";
    if (m == END && p == OUTSIDE) return "\"kz: end\" without a \"kz: begin\"";
    return NULL;
}

static kz_status fail_line(const char *name, size_t number, const char *line, size_t length, const char *what,
                           kz_error *error) {
    base_fail(error, KZ_SYNTAX, "%s:%zu: %s", name, number, what);
    base_fail_note(error, "%6zu | %.*s", number, (int)length, line);
    return KZ_SYNTAX;
}

kz_status course_split_marks(const char *name, const char *text, bool starter, char **out, kz_error *error) {
    base_text made = {0};
    part p = OUTSIDE;
    size_t number = 0, pieces = 0, began = 0;
    kz_status status = KZ_OK;
    *out = NULL;
    base_text_add_bytes(&made, "", 0);
    for (const char *line = text; *line && !status;) {
        size_t length = strcspn(line, "\n");
        const char *next = line + length + (line[length] == '\n'), *shown = line;
        size_t whole = (size_t)(next - line), rest = length;
        number++;
        mark m = mark_of(line, length);
        const char *wrong = misplaced(m, p);
        if (wrong) {
            status = fail_line(name, number, line, length, wrong, error);
        } else if (m != NO_MARK) {
            p = m == BEGIN ? SOLUTION : m == STARTER ? LOWER_HALF : OUTSIDE;
            if (m == BEGIN) pieces++, began = number;
        } else if (p == LOWER_HALF && !lower_line(&shown, &rest)) {
            status = fail_line(name, number, line, length,
                               "after \"kz: starter\" each line begins with \"//| \" (or \"#| \")", error);
        } else if (p == LOWER_HALF && starter) {
            base_text_add(&made, "%.*s\n", (int)rest, shown);
        } else if (p == OUTSIDE || (p == SOLUTION && !starter)) {
            base_text_add_bytes(&made, line, whole);
        }
        line = next;
    }
    if (!status && p != OUTSIDE)
        status = base_fail(error, KZ_SYNTAX, "%s:%zu: this \"kz: begin\" has no \"kz: end\"", name, began);
    if (!status && !pieces)
        status = base_fail(
            error, KZ_SYNTAX,
            "%s: it has no marks \"kz: begin\" ... \"kz: end\", so the starter would be the solution", name);
    if (!status && made.failed)
        status = base_fail(error, KZ_NO_MEMORY, "%s: no memory for the starter", name);
    if (status)
        base_text_free(&made);
    else
        *out = made.data;
    return status;
}
