// report: what people and programs read. Terminal tables, a progress line, JSON lines, JUnit.
//
// Nothing here decides what is said; it decides how it looks. Functions that print take the FILE they
// print on, and a style that says what that FILE can show.
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "base/base.h"

// ---- style --------------------------------------------------------------------------------------

typedef struct report_style {
    bool terminal; // somebody is watching
    bool colour;   // never without a terminal, nor where NO_COLOR or CI is set
    bool utf8;
    int width; // columns; 120 where there is no terminal
} report_style;

report_style report_detect_style(FILE *file);

typedef enum report_tone {
    REPORT_PLAIN,
    REPORT_GOOD,
    REPORT_BAD,
    REPORT_WARN,
    REPORT_DIM,
    REPORT_BOLD
} report_tone;

void report_print(FILE *file, const report_style *style, report_tone tone, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// A line of text, `indent` columns in. A terminal that is too narrow for it gets it wrapped at spaces, two columns
// further in; a file gets one line, which can be searched.
void report_note(FILE *file, const report_style *style, report_tone tone, int indent, const char *text);

// ---- numbers for people ---------------------------------------------------------------------------

enum { REPORT_NUMBER = 32 };
// Three digits and an SI prefix: "4.37 TB/s", "12.3 us", "1.05 M"; "-" for NaN.
const char *report_si(char text[REPORT_NUMBER], double value, const char *unit);
const char *report_seconds(char text[REPORT_NUMBER], double seconds); // "12.3 us", "1 min 05 s"
const char *report_bytes(char text[REPORT_NUMBER], double bytes);     // "141 GB"

// A kernel's mangled name for people: "scale<2, float>"; arguments of its template that are of no simple kind are "...".
void report_kernel_title(base_text *out, const char *mangled); // profile/titles.c

// ---- tables ---------------------------------------------------------------------------------------

enum { REPORT_COLUMNS = 10 };

typedef enum report_shrink {
    REPORT_STAYS,
    REPORT_SHRINKS, // `true`: it is cut
    REPORT_SPARE    // it is left out, before others are cut
} report_shrink;

typedef struct report_column {
    const char *title;
    bool right;           // numbers
    report_shrink shrink; // what becomes of it where the line is too long
    int least; // columns it takes where there is room: tables printed one after another stay aligned
} report_column;

typedef struct report_table report_table;
report_table *report_table_open(const report_column *columns, size_t count); // NULL when out of memory
// What is too wide for a terminal is printed in parts, one below the other; each has the first column.
void report_table_fold(report_table *table);
// One cell after another, row after row.
void report_table_add(report_table *table, report_tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_table_print(const report_table *table, FILE *file, const report_style *style, bool header);
void report_table_close(report_table *table);

// Columns a UTF-8 text takes on a terminal, one per character.
size_t report_width(const char *text);

// ---- progress -------------------------------------------------------------------------------------

// One line that rewrites itself on a terminal; elsewhere a plain line every 15 seconds.
typedef struct report_progress {
    FILE *file;
    report_style style;
    double last; // when something was shown, in seconds
    bool shown;
} report_progress;

void report_progress_begin(report_progress *progress, FILE *file);
void report_progress_show(report_progress *progress, size_t done, size_t total, const char *what);
void report_progress_clear(report_progress *progress); // before anything else is printed

// ---- JSON lines -----------------------------------------------------------------------------------

// A file of JSON lines that is written as it goes: what a line says is on the disk before the next
// one is made, and a full disk loses nothing that was written before.
typedef struct report_journal report_journal;
kz_status report_journal_open(const char *path, report_journal **journal, kz_error *error);
// Does not take the object over. After a failure every later call fails the same way.
kz_status report_journal_add(report_journal *journal, const json_t *object, kz_error *error);
kz_status report_journal_close(report_journal *journal, kz_error *error);

// A new file's name for one run of `verb`: <folder>/<verb>-<UTC time>-<pid>.jsonl, where <folder> is
// $KZ_RESULTS, else $XDG_STATE_HOME/kz, else ~/.local/state/kz. The folder is made.
kz_status report_results_path(const char *verb, base_text *path, kz_error *error);
void report_results_folder(base_text *path); // that folder; nothing is made

// Output for programs: to `path` whole or not at all, to stdout where it is NULL.
kz_status report_write_text(const base_text *text, const char *path, kz_error *error);
kz_status report_write_lines(const json_t *array, const char *path, kz_error *error); // a line per object
kz_status report_write_line(json_t *object, const char *path, kz_error *error);       // takes it over
kz_status report_write_indented(json_t *object, const char *path, kz_error *error);   // takes it over

json_t *report_number(double value); // null where it is not finite: unknown is never 0

// ---- JUnit ----------------------------------------------------------------------------------------

typedef enum report_verdict { REPORT_PASSED, REPORT_FAILED, REPORT_ERROR, REPORT_SKIPPED } report_verdict;

typedef struct report_junit report_junit;
report_junit *report_junit_open(const char *suite); // NULL when out of memory
void report_junit_add(report_junit *junit, const char *classname, const char *name, double seconds,
                      report_verdict verdict, const char *message);
kz_status report_junit_write(const report_junit *junit, const char *path, kz_error *error);
void report_junit_close(report_junit *junit);

#endif
