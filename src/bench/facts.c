// bench/facts: see facts.h.
#include "bench/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5, LINE = 400 };
static const char HEADER[] = "variant,portability,readability,debugging,why";

// The next line of `*text`, without its end; false where none is left.
static bool next_line(const char **text, char line[LINE]) {
    if (!**text) return false;
    size_t length = strcspn(*text, "\n"), kept = length < LINE - 1 ? length : LINE - 1;
    memcpy(line, *text, kept);
    line[kept] = 0;
    *text += length + ((*text)[length] == '\n');
    return true;
}

// ---- grades ---------------------------------------------------------------------------------------

// Cuts at the first four commas: the last column may have some.
static bool split(char *line, char *columns[COLUMNS]) {
    for (size_t i = 0; i < COLUMNS; i++) {
        char *comma = i + 1 < COLUMNS ? strchr(line, ',') : line + strlen(line);
        if (!comma) return false;
        columns[i] = line;
        line = comma + (*comma == ',');
        *comma = 0;
    }
    return true;
}

static kz_status parse_row(char *line, const char *name, int number, bench_judgement *row, kz_error *error) {
    char *column[COLUMNS];
    if (!split(line, column) || !*column[0] || !*column[COLUMNS - 1])
        return base_fail(error, KZ_SYNTAX, "%s:%d: a row has %d columns, none of them empty: %s", name,
                         number, COLUMNS, HEADER);
    int *const grades[] = {&row->portability, &row->readability, &row->debugging};
    for (size_t i = 0; i < BASE_COUNT(grades); i++) {
        const char *text = column[1 + i];
        if (text[0] < '1' || text[0] > '5' || text[1])
            return base_fail(error, KZ_SYNTAX, "%s:%d: \"%s\" is not a grade from 1 to 5", name, number,
                             text);
        *grades[i] = text[0] - '0';
    }
    if (strlen(column[0]) >= sizeof row->variant || strlen(column[4]) >= sizeof row->why)
        return base_fail(error, KZ_LIMIT, "%s:%d: the reason has %zu characters, of at most %d", name, number,
                         strlen(column[4]), BENCH_WHY - 1);
    snprintf(row->variant, sizeof row->variant, "%s", column[0]);
    snprintf(row->why, sizeof row->why, "%s", column[4]);
    return KZ_OK;
}

kz_status bench_judgements_parse(const char *text, const char *name, bench_judgements *judged,
                                 kz_error *error) {
    char line[LINE];
    *judged = (bench_judgements){0};
    if (!next_line(&text, line) || strcmp(line, HEADER) != 0)
        return base_fail(error, KZ_SYNTAX, "%s:1: the first line must be %s", name, HEADER);
    for (int number = 2; next_line(&text, line); number++) {
        if (!line[0]) continue;
        if (judged->count == BENCH_JUDGED_ROWS)
            return base_fail(error, KZ_LIMIT, "%s has more than %d rows", name, BENCH_JUDGED_ROWS);
        kz_status status = parse_row(line, name, number, &judged->rows[judged->count], error);
        if (status) return status;
        judged->count++;
    }
    return KZ_OK;
}

static bench_judgement judged_of(const char *family, const char *variant) {
    bench_judgements judged;
    for (const bench_family_text *t = bench_judged_texts; t->family; t++) {
        if (strcmp(t->family, family) != 0 || bench_judgements_parse(t->text, family, &judged, NULL))
            continue;
        for (size_t i = 0; i < judged.count; i++)
            if (strcmp(judged.rows[i].variant, variant) == 0) return judged.rows[i];
    }
    return (bench_judgement){.variant = ""};
}

// ---- compile times ------------------------------------------------------------------------------------

bool bench_compile_time(const char *text, const char *family, const char *variant, double *seconds,
                        char compiler[64]) {
    static const char said[] = "# compiler: ";
    char line[LINE], wanted[LINE];
    size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s,%s,", family, variant);
    compiler[0] = 0;
    while (next_line(&text, line)) {
        if (strncmp(line, said, sizeof said - 1) == 0)
            snprintf(compiler, 64, "%.63s", line + sizeof said - 1);
        if (strncmp(line, wanted, length) != 0) continue;
        *seconds = strtod(line + length, NULL);
        return true;
    }
    return false;
}

// ---- all of it ------------------------------------------------------------------------------------------

bench_facts bench_facts_unknown(void) {
    return (bench_facts){.lines = -1, .all_lines = -1, .compile_seconds = NAN};
}

bench_facts bench_facts_of(const char *family, const char *variant) {
    bench_facts facts = bench_facts_unknown();
    facts.judged = judged_of(family, variant);
    for (const bench_line_count *c = bench_line_counts; c->family; c++)
        if (strcmp(c->family, family) == 0 && strcmp(c->variant, variant) == 0) {
            facts.lines = c->lines;
            facts.all_lines = c->all_lines;
        }
    if (!bench_compile_time(bench_compile_times, family, variant, &facts.compile_seconds, facts.compiler))
        facts.compiler[0] = 0;
    return facts;
}
