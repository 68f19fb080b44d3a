// Reading launch lines. See lines.h.
#include "family/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    family_line_kind kind;
} words[] = {
    {"block", FAMILY_LINE_BLOCK},
    {"grid", FAMILY_LINE_GRID},
    {"shared", FAMILY_LINE_SHARED},
    {"fill", FAMILY_LINE_FILL},
    {"cooperative", FAMILY_LINE_COOPERATIVE},
    {"sm", FAMILY_LINE_OTHER},    // read by the compiler's driver
    {"task", FAMILY_LINE_OTHER},  // which task of the course a file is for
    {"begin", FAMILY_LINE_OTHER}, // marks of a solution that a starter is made from
    {"starter", FAMILY_LINE_OTHER},
    {"end", FAMILY_LINE_OTHER},
};

kz_status family_lines_fail(const family_lines *lines, const family_line *line, const char *what,
                            const char *text, kz_error *error) {
    base_fail(error, KZ_SYNTAX, "%s:%d: %s \"%s\"", lines->name, line->line, what, text);
    base_fail_note(error, "a launch line is one of: // kz: block E [E [E]], grid E [E [E]], shared E, "
                          "fill BUFFER BYTE, cooperative");
    return KZ_SYNTAX;
}

// Cuts "for SUFFIX" from the end of a line and gives the suffix.
static const char *cut_suffix(char *text) {
    char *last = NULL;
    for (char *at = strstr(text, "for "); at; at = strstr(at + 1, "for "))
        if (at == text || at[-1] == ' ') last = at;
    if (!last) return "";
    char *suffix = last + 4;
    suffix[strcspn(suffix, " \t")] = 0;
    *last = 0;
    return suffix;
}

static kz_status read_line(base_arena *arena, family_lines *lines, const char *text, size_t length, int line,
                           kz_error *error) {
    while (length && isspace((unsigned char)text[length - 1])) length--;
    char *copy = base_arena_string(arena, text, length);
    if (!copy) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", lines->name);
    size_t word = strcspn(copy, " \t"), k = 0;
    family_line l = {.line = line, .text = copy + word};
    while (k < BASE_COUNT(words) && (strlen(words[k].word) != word || memcmp(copy, words[k].word, word) != 0))
        k++;
    if (k == BASE_COUNT(words)) return family_lines_fail(lines, &l, "unknown launch line", copy, error);
    l.kind = words[k].kind;
    if (l.kind == FAMILY_LINE_OTHER) return KZ_OK;
    if (lines->count == FAMILY_LINES)
        return family_lines_fail(lines, &l, "too many launch lines:", copy, error);
    l.suffix = cut_suffix(copy + word);
    lines->items[lines->count++] = l;
    return KZ_OK;
}

kz_status family_lines_read(base_arena *arena, const char *name, const char *source, family_lines *lines,
                            kz_error *error) {
    *lines = (family_lines){.name = name};
    int line = 1;
    for (const char *at = source; *at; line++) {
        size_t length = strcspn(at, "\n");
        const char *text = at + strspn(at, " \t");
        if (strncmp(text, "//", 2) == 0) {
            text += 2;
            text += strspn(text, " \t");
            if (strncmp(text, "kz:", 3) == 0) {
                text += 3;
                text += strspn(text, " \t");
                kz_status status = read_line(arena, lines, text, (size_t)(at + length - text), line, error);
                if (status) return status;
            }
        }
        at += length + (at[length] == '\n');
    }
    return KZ_OK;
}

bool family_ends_with(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

const family_line *family_lines_find(const family_lines *lines, family_line_kind kind, const char *entry) {
    const family_line *found = NULL;
    for (size_t i = 0; i < lines->count; i++) {
        const family_line *l = &lines->items[i];
        if (l->kind != kind || !family_ends_with(entry, l->suffix)) continue;
        if (!found || strlen(l->suffix) >= strlen(found->suffix)) found = l;
    }
    return found;
}

// Up to `capacity` expressions, each at least `least`.
static kz_status evaluate(const family_lines *lines, const family_line *l, const family_name_value *names,
                          double least, uint32_t *values, size_t capacity, kz_error *error) {
    const char *at = l->text;
    for (size_t i = 0; i < capacity; i++) {
        at += strspn(at, " \t");
        if (i > 0 && !*at) return KZ_OK;
        double value;
        kz_error inner = {0};
        if (family_evaluate(&at, names, &value, &inner)) {
            family_lines_fail(lines, l, "this launch line does not read:", l->text + strspn(l->text, " "),
                              error);
            base_fail_note(error, "%s", inner.message);
            return KZ_SYNTAX;
        }
        if (lines->is_strict && !(floor(value) >= least)) {
            family_lines_fail(lines, l, "this makes a launch of nothing:", l->text + strspn(l->text, " "),
                              error);
            base_fail_note(
                error,
                "likely: the number is rounded down; try ceil(n/block), or max(1, ...) for empty inputs");
            return KZ_SYNTAX;
        }
        value = fmax(floor(value), least);
        if (!(value <= INT32_MAX)) {
            family_lines_fail(lines, l, "this is more than 2^31 - 1:", l->text + strspn(l->text, " "), error);
            base_fail_note(error,
                           "fewer blocks and a loop in the kernel do it too: min(ceil(n/block), 32*sms)");
            return KZ_SYNTAX;
        }
        values[i] = (uint32_t)value;
    }
    return *at ? family_lines_fail(lines, l, "more than was expected:", at, error) : KZ_OK;
}

kz_status family_lines_shape(const family_lines *lines, const char *entry, const family_name_value *names,
                             kz_launch *launch, bool *has_grid, kz_error *error) {
    const family_line *block = family_lines_find(lines, FAMILY_LINE_BLOCK, entry),
                      *grid = family_lines_find(lines, FAMILY_LINE_GRID, entry),
                      *shared = family_lines_find(lines, FAMILY_LINE_SHARED, entry);
    family_name_value all[FAMILY_LINE_NAMES + 2] = {0};
    size_t count = 0;
    for (; names[count].name && count < FAMILY_LINE_NAMES; count++) all[count] = names[count];
    for (int i = 0; block && i < 3; i++) launch->block[i] = 1;
    for (int i = 0; grid && i < 3; i++) launch->grid[i] = 1;
    all[count] = (family_name_value){"block", 256};
    kz_status status = block ? evaluate(lines, block, all, 1, launch->block, 3, error) : KZ_OK;
    all[count].value = (double)launch->block[0] * launch->block[1] * launch->block[2];
    if (!status && grid) status = evaluate(lines, grid, all, 1, launch->grid, 3, error);
    if (!status && shared) status = evaluate(lines, shared, all, 0, &launch->dynamic_shared_bytes, 1, error);
    if (family_lines_find(lines, FAMILY_LINE_COOPERATIVE, entry)) launch->cooperative = true;
    if (has_grid) *has_grid = grid != NULL;
    return status;
}

kz_status family_lines_fill(const family_lines *lines, const char *entry, size_t *at, family_fill *fill,
                            bool *found, kz_error *error) {
    *found = false;
    for (; *at < lines->count; ++*at) {
        const family_line *l = &lines->items[*at];
        if (l->kind != FAMILY_LINE_FILL || !family_ends_with(entry, l->suffix)) continue;
        char byte[32] = "", *end = byte;
        *fill = (family_fill){.line = l};
        int read = sscanf(l->text, "%63s %31s", fill->buffer, byte);
        unsigned long value = read == 2 ? strtoul(byte, &end, 0) : 0;
        if (read != 2 || *end || end == byte || value > 255)
            return family_lines_fail(lines, l, "expected a buffer and a byte from 0 to 255:", l->text, error);
        fill->byte = (uint8_t)value;
        *found = true;
        ++*at;
        return KZ_OK;
    }
    return KZ_OK;
}
