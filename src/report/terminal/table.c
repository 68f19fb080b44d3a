// Tables: cells are kept until they are printed, for only then the widths are known.
//
// Where the line would be longer than the terminal, blanks give way first; then the spare columns are left out; then those
// that shrink are cut, the widest first. What is still too long is folded, if that was asked for.
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell {
    char *text;
    report_tone tone;
} cell;

struct report_table {
    report_column columns[REPORT_COLUMNS];
    size_t column_count;
    bool folds;
    cell *cells;
    size_t cell_count, capacity;
};

enum { GAP = 2, LEAST_SHRUNK = 12, LEFT_OUT = -1 };

size_t report_width(const char *text) {
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

report_table *report_table_open(const report_column *columns, size_t count) {
    report_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->column_count = count < REPORT_COLUMNS ? count : REPORT_COLUMNS;
    memcpy(table->columns, columns, table->column_count * sizeof *columns);
    return table;
}

void report_table_fold(report_table *table) { table->folds = true; }

void report_table_add(report_table *table, report_tone tone, const char *format, ...) {
    if (table->cell_count == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 64;
        cell *cells = realloc(table->cells, capacity * sizeof *cells);
        if (!cells) return;
        table->cells = cells;
        table->capacity = capacity;
    }
    base_text text = {0};
    va_list list;
    va_start(list, format);
    base_text_add_v(&text, format, list);
    va_end(list);
    table->cells[table->cell_count++] = (cell){text.data, tone};
}

static const char *text_of(const cell *c) { return c->text ? c->text : ""; }

// Of the columns that are wider than `least`, all of them or those that are cut.
static int widest(const report_table *table, const int *widths, const int *least, bool all) {
    int found = -1;
    for (int i = 0; i < (int)table->column_count; i++)
        if ((all || table->columns[i].shrink == REPORT_SHRINKS) && widths[i] > least[i] &&
            (found < 0 || widths[i] > widths[found]))
            found = i;
    return found;
}

static void measure(const report_table *table, int room, bool header, int widths[REPORT_COLUMNS]) {
    int total = 0, content[REPORT_COLUMNS], least[REPORT_COLUMNS];
    for (size_t i = 0; i < table->column_count; i++)
        content[i] = header ? (int)report_width(table->columns[i].title) : 0;
    for (size_t i = 0; i < table->cell_count; i++) {
        int width = (int)report_width(text_of(&table->cells[i]));
        int *column = &content[i % table->column_count];
        if (width > *column) *column = width;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = content[i] > table->columns[i].least ? content[i] : table->columns[i].least;
        least[i] = LEAST_SHRUNK;
        total += widths[i] + (i ? GAP : 0);
    }
    for (int i; total > room && (i = widest(table, widths, content, true)) >= 0; total--) widths[i]--;
    for (size_t i = table->column_count; i-- > 0 && total > room;)
        if (table->columns[i].shrink == REPORT_SPARE) {
            total -= widths[i] + GAP;
            widths[i] = LEFT_OUT;
        }
    for (int i; total > room && (i = widest(table, widths, least, false)) >= 0; total--) widths[i]--;
}

// `width` characters of the text, the last one an ellipsis where it is longer.
static void print_cell(FILE *file, const report_style *style, const char *text, report_tone tone, int width,
                       bool right, bool last) {
    int length = (int)report_width(text);
    int blanks = length < width ? width - length : 0;
    if (right) fprintf(file, "%*s", blanks, "");
    if (length <= width) {
        if (*text) report_print(file, style, tone, "%s", text);
    } else {
        size_t bytes = 0;
        for (int i = 0; i < width - 1; i++) {
            bytes++;
            while (((unsigned char)text[bytes] & 0xc0) == 0x80) bytes++;
        }
        report_print(file, style, tone, "%.*s%s", (int)bytes, text, style->utf8 ? "…" : "~");
    }
    if (!right && !last) fprintf(file, "%*s", blanks, "");
    if (!last) fprintf(file, "%*s", GAP, "");
}

// A row without the columns that are left out, and without blanks at its end.
static void print_row(const report_table *table, FILE *file, const report_style *style, const cell *cells,
                      const int widths[REPORT_COLUMNS]) {
    size_t used = table->column_count;
    while (used > 0 && (widths[used - 1] == LEFT_OUT || !*text_of(&cells[used - 1]))) used--;
    for (size_t i = 0; i < used; i++)
        if (widths[i] != LEFT_OUT)
            print_cell(file, style, text_of(&cells[i]), cells[i].tone, widths[i], table->columns[i].right,
                       i + 1 == used);
    fputc('\n', file);
}

static void print_part(const report_table *table, FILE *file, const report_style *style, bool header,
                       const int widths[REPORT_COLUMNS]) {
    size_t n = table->column_count;
    if (header) {
        cell titles[REPORT_COLUMNS];
        for (size_t i = 0; i < n; i++) titles[i] = (cell){(char *)table->columns[i].title, REPORT_DIM};
        print_row(table, file, style, titles, widths);
    }
    for (size_t row = 0; row + n <= table->cell_count; row += n)
        print_row(table, file, style, table->cells + row, widths);
}

// Leaves out of `part` what is not in the part that begins with column `from`: one column at least, and as many as fit
// beside the first. Gives back where the next part begins.
static size_t take_part(const report_table *table, int room, size_t from, int part[REPORT_COLUMNS]) {
    size_t to = from;
    for (int total = part[0]; to < table->column_count; to++) {
        total += part[to] == LEFT_OUT ? 0 : GAP + part[to];
        if (total > room && to > from) break;
    }
    for (size_t i = 1; i < table->column_count; i++)
        if (i < from || i >= to) part[i] = LEFT_OUT;
    return to;
}

void report_table_print(const report_table *table, FILE *file, const report_style *style, bool header) {
    int widths[REPORT_COLUMNS], part[REPORT_COLUMNS];
    size_t from = 1;
    measure(table, style->width, header, widths);
    if (!table->folds || !style->terminal) {
        print_part(table, file, style, header, widths);
        return;
    }
    do {
        memcpy(part, widths, sizeof part);
        from = take_part(table, style->width, from, part);
        print_part(table, file, style, header, part);
    } while (from < table->column_count);
}

void report_table_close(report_table *table) {
    if (!table) return;
    for (size_t i = 0; i < table->cell_count; i++) free(table->cells[i].text);
    free(table->cells);
    free(table);
}
