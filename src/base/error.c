// Filling a kz_error. A message that does not fit is cut at its end, never overrun.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

kz_status base_fail(kz_error *error, kz_status status, const char *format, ...) {
    if (!error) return status;
    error->status = status;
    va_list list;
    va_start(list, format);
    // Through a buffer of its own: the arguments may point into error->message.
    char message[sizeof error->message];
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    base_clean(message);
    memcpy(error->message, message, strlen(message) + 1);
    return status;
}

void base_fail_note(kz_error *error, const char *format, ...) {
    if (!error) return;
    size_t used = strnlen(error->message, sizeof error->message - 1);
    if (used + 2 >= sizeof error->message) return;
    if (used > 0 && error->message[used - 1] != '\n') error->message[used++] = '\n';
    error->message[used] = 0;
    va_list list;
    va_start(list, format);
    vsnprintf(error->message + used, sizeof error->message - used, format, list);
    va_end(list);
    base_clean(error->message + used);
}

kz_status base_need(const void *pointer, const char *call, base_argument argument, kz_error *error) {
    static const struct {
        const char *what, *instead;
    } rows[] = {
#define BASE_ARGUMENT(id, what, instead) [BASE_NEEDS_##id] = {what, instead},
#include "base/arguments.def"
#undef BASE_ARGUMENT
    };
    if (pointer) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s: %s is NULL", call, rows[argument].what);
    base_fail_note(error, "%s", rows[argument].instead);
    return KZ_INVALID;
}

kz_status base_need_result(const void *pointer, const char *call, const char *type, kz_error *error) {
    if (pointer) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s: the place for the result is NULL", call);
    base_fail_note(error, "pass the address of a %s", type);
    return KZ_INVALID;
}

kz_status base_fail_caret(kz_error *error, kz_status status, const char *name, const char *text,
                          size_t length, size_t offset, uint32_t line_number, uint32_t column_number,
                          const char *message) {
    enum { WIDTH = 100 };
    base_fail(error, status, "%s:%u:%u: %s", name, line_number, column_number, message);
    if (!error) return status;
    // A long line is shown from shortly before the column.
    size_t column = column_number - 1, from = column > WIDTH - 30 ? column - (WIDTH - 30) : 0;
    const char *line = text + offset - column;
    char shown[WIDTH + 1];
    size_t count = 0;
    for (const char *c = line + from; count < WIDTH && c < text + length && *c != '\n'; c++)
        shown[count++] = *c == '\t' ? ' ' : (unsigned char)*c < 32 || (unsigned char)*c > 126 ? '?' : *c;
    while (count > 0 && (shown[count - 1] == ' ' || shown[count - 1] == '?') && count > column - from + 1)
        count--;
    shown[count] = 0;
    base_fail_note(error, "%6u | %s", line_number, shown);
    base_fail_note(error, "%6s | %*s^", "", (int)(column - from), "");
    return status;
}

// ---- the nearest name -------------------------------------------------------------------------

// Levenshtein's distance, with words cut at 63 characters.
static size_t distance(const char *a, const char *b) {
    enum { LENGTH = 63 };
    size_t m = strnlen(a, LENGTH), n = strnlen(b, LENGTH), row[LENGTH + 1];
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = change < shorter + 1 ? change : shorter + 1;
        }
    }
    return row[n];
}

const char *base_nearest(const char *word, const char *const *names) {
    const char *best = NULL;
    size_t best_distance = SIZE_MAX, length = strlen(word);
    for (; *names; names++) {
        size_t d = distance(word, *names);
        // A part of the name is near too: "warp_shuffle" for "03_warp_shuffle".
        if (length >= 3 && strstr(*names, word)) d = 1;
        if (d < best_distance) best = *names, best_distance = d;
    }
    return best_distance <= 1 + length / 3 ? best : NULL;
}
