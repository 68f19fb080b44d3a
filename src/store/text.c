// Everything as plain text: one line for each fact, its fields between tabs.
//
//   kernel-zoo progress 1
//   attempt  time day task passed reason detail device figure value larger seconds hash forgotten file
//   task     id hints skipped seen
//   kata     id day quality
//   setting  key value
//   source   hash content
//
// In a field, \t \n \r \\ stand for what a line cannot hold; a number that is not known is "-".
#include "store/inside.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, FIELDS = 16 };
static const char TITLE[] = "kernel-zoo progress ";

// Each kind of line: its columns as a query that exports them, their types for checking (n name, t text, d
// day, i whole number, b 0 or 1, f number or "-", h hash), and the statement that adds one, whose changes are
// counted.
static const struct kind {
    const char *name, *types, *select, *insert;
} kinds[] = {
    {"attempt", "idnbttttfbfhbt",
     "SELECT time, day, task, passed, reason, detail, device, figure, value, larger, seconds, hash, "
     "forgotten, file"
     " FROM attempt ORDER BY time, id",
     "INSERT INTO attempt(time, day, task, passed, reason, detail, device, figure, value, larger, seconds, "
     "hash,"
     " forgotten, file) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14 WHERE NOT EXISTS("
     "SELECT 1 FROM attempt WHERE time=?1 AND task=?3 AND passed=?4 AND reason=?5 AND hash=?12 AND "
     "device=?7)"},
    {"task", "nibb", "SELECT task, hints, skipped, seen FROM task ORDER BY task",
     "INSERT INTO task VALUES(?1, ?2, ?3, ?4) ON CONFLICT(task) DO UPDATE SET hints=max(hints, "
     "excluded.hints),"
     " skipped=max(skipped, excluded.skipped), seen=max(seen, excluded.seen) WHERE excluded.hints>hints OR"
     " excluded.skipped>skipped OR excluded.seen>seen"},
    {"kata", "ndi", "SELECT task, day, quality FROM kata ORDER BY task, day",
     "INSERT OR IGNORE INTO kata VALUES(?1, ?2, ?3)"},
    {"setting", "nt", "SELECT key, value FROM setting WHERE key<>'" STORE_ANEW "' ORDER BY key",
     "INSERT OR IGNORE INTO setting VALUES(?1, ?2)"},
    {"source", "ht", "SELECT hash, content FROM source ORDER BY hash",
     "INSERT OR IGNORE INTO source VALUES(?1, ?2)"},
};

// ---- export ---------------------------------------------------------------------------------------------

static void add_field(base_text *out, const char *text) {
    for (; *text; text++) {
        const char *at = strchr("\tt\nn\rr\\\\", *text);
        if (at && (at - "\tt\nn\rr\\\\") % 2 == 0)
            base_text_add(out, "\\%c", at[1]);
        else
            base_text_add_bytes(out, text, 1);
    }
}

static kz_status export_kind(store *s, const struct kind *kind, base_text *out, kz_error *error) {
    sqlite3_stmt *row = NULL;
    kz_status status = store_prepare(s, &row, error, kind->select, "");
    while (!status && store_step(s, row, &status, error)) {
        base_text_add(out, "%s", kind->name);
        for (int i = 0; kind->types[i]; i++) {
            double value = store_column_double(row, i);
            const char *text = kind->types[i] == 'f' ? NULL : (const char *)sqlite3_column_text(row, i);
            base_text_add(out, "\t");
            if (kind->types[i] != 'f')
                add_field(out, text ? text : "");
            else if (isnan(value))
                base_text_add(out, "-");
            else
                base_text_add(out, "%.17g", value);
        }
        base_text_add(out, "\n");
    }
    sqlite3_finalize(row);
    return status;
}

kz_status store_export(store *s, base_text *out, kz_error *error) {
    kz_status status = store_refresh(s, error);
    if (!status) status = store_run(s, error, "BEGIN", ""); // all of it as it is at one moment
    if (status) return status;
    base_text_add(out, "%s%d\n", TITLE, FORMAT);
    for (size_t i = 0; !status && i < BASE_COUNT(kinds); i++) status = export_kind(s, &kinds[i], out, error);
    if (!status && out->failed) status = store_fail_memory(error);
    return store_end(s, status, error);
}

// ---- import ---------------------------------------------------------------------------------------------

// One line being read: where it is, for errors, and its fields, unescaped in place.
typedef struct line {
    const char *name;
    size_t number;
    char *fields[FIELDS];
    size_t count;
} line;

static kz_status fail_line(const line *l, kz_error *error, const char *what, const char *field) {
    base_fail(error, KZ_SYNTAX, "%s:%zu: %s%s%.60s%s", l->name, l->number, what, field ? ": \"" : "",
              field ? field : "", field ? "\"" : "");
    base_fail_note(error, "nothing was imported; the file should be as kz progress --export wrote it");
    return KZ_SYNTAX;
}

static bool unescape(char *text) {
    char *to = text;
    for (; *text; text++) {
        if (*text != '\\') {
            *to++ = *text;
            continue;
        }
        static const char from[] = "tnr\\", into[] = "\t\n\r\\";
        const char *at = text[1] ? strchr(from, text[1]) : NULL;
        if (!at) return false;
        *to++ = into[at - from];
        text++;
    }
    *to = 0;
    return true;
}

static kz_status split(line *l, char *text, kz_error *error) {
    l->count = 0;
    for (char *at = text; at;) {
        if (l->count == FIELDS) return fail_line(l, error, "too many fields", NULL);
        char *tab = strchr(at, '\t');
        if (tab) *tab = 0;
        if (!unescape(at)) return fail_line(l, error, "a backslash that stands for nothing", at);
        l->fields[l->count++] = at;
        at = tab ? tab + 1 : NULL;
    }
    return KZ_OK;
}

static kz_status bind_field(store *s, sqlite3_stmt *statement, const line *l, int index, char type,
                            kz_error *error) {
    const char *text = l->fields[index];
    char *end = NULL;
    int64_t day;
    int code = 0;
    errno = 0;
    if (type == 'i' || type == 'b') {
        long long value = strtoll(text, &end, 10);
        if (end == text || *end || errno || value < 0 || (type == 'b' && value > 1))
            return fail_line(l, error, type == 'b' ? "0 or 1 was expected" : "a whole number was expected",
                             text);
        code = sqlite3_bind_int64(statement, index, value);
    } else if (type == 'f' && strcmp(text, "-") != 0) {
        double value = strtod(text, &end);
        if (end == text || *end || !isfinite(value))
            return fail_line(l, error, "a number was expected", text);
        code = sqlite3_bind_double(statement, index, value);
    } else if (type != 'f') {
        if (type == 'd' && !store_day_number(text, &day))
            return fail_line(l, error, "a day was expected, as 2026-11-15 is one", text);
        if (type == 'n' && store_check_name("task", text, STORE_NAME, NULL))
            return fail_line(l, error, "a name was expected", text);
        if (type == 'h' && *text &&
            (strlen(text) != STORE_HASH - 1 || strspn(text, "0123456789abcdef") != 16))
            return fail_line(l, error, "a hash of 16 hexadecimal digits was expected", text);
        code = sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
    }
    return code ? store_fail(s, "write", error) : KZ_OK;
}

static kz_status import_line(store *s, line *l, char *text, uint64_t *added, kz_error *error) {
    kz_status status = split(l, text, error);
    if (status) return status;
    const struct kind *kind = NULL;
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, l->fields[0]) == 0) kind = &kinds[i];
    if (!kind) return fail_line(l, error, "no such kind of line", l->fields[0]);
    if (l->count != strlen(kind->types) + 1)
        return fail_line(l, error, "this kind of line has another number of fields", kind->name);
    if (strcmp(kind->name, "kata") == 0 && (strlen(l->fields[3]) != 1 || l->fields[3][0] > '5'))
        return fail_line(l, error, "a kata's quality is 0 to 5", l->fields[3]);
    sqlite3_stmt *statement = NULL;
    status = store_prepare(s, &statement, error, kind->insert, "");
    for (int i = 0; !status && kind->types[i]; i++)
        status = bind_field(s, statement, l, i + 1, kind->types[i], error);
    if (!status) {
        int64_t before = sqlite3_total_changes(s->db);
        while (store_step(s, statement, &status, error)) continue;
        *added += (uint64_t)(sqlite3_total_changes(s->db) - before);
    }
    sqlite3_finalize(statement);
    return status;
}

static kz_status check_title(const char *name, const char *text, kz_error *error) {
    line first = {.name = name, .number = 1};
    size_t length = strlen(TITLE);
    if (strncmp(text, TITLE, length) != 0)
        return fail_line(&first, error, "the first line of an export is \"kernel-zoo progress 1\"", NULL);
    char *end;
    long format = strtol(text + length, &end, 10);
    if (format == FORMAT && strchr("\r\n", *end)) return KZ_OK;
    base_fail(error, KZ_UNSUPPORTED, "%s:1: an export of format %ld; this kz knows %d", name, format, FORMAT);
    base_fail_note(error, "it was written by a newer Kernel Zoo: import it with that one");
    return KZ_UNSUPPORTED;
}

kz_status store_import(store *s, const char *name, const char *text, uint64_t *added, kz_error *error) {
    *added = 0;
    kz_status status = check_title(name, text, error);
    if (status) return status;
    char *copy = strdup(text);
    if (!copy) return store_fail_memory(error);
    status = store_begin(s, error);
    if (status) goto end;
    line l = {.name = name};
    for (char *at = copy; !status && at && *at;) {
        char *next = strchr(at, '\n');
        if (next) *next++ = 0;
        size_t length = strlen(at);
        if (length && at[length - 1] == '\r') at[--length] = 0; // it went through another system
        l.number++;
        if (l.number > 1 && length) status = import_line(s, &l, at, added, error);
        at = next;
    }
    status = store_end(s, status, error);
    if (status) *added = 0;
end:
    free(copy);
    return status;
}
