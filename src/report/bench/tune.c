// A family's choices. See tune.h.
#include "report/bench/tune.h"

#include <string.h>

report_table *report_tune_open(void) {
    static const report_column columns[] = {{.title = ""},
                                            {.title = "case", .shrink = true},
                                            {.title = "choice"},
                                            {.title = "time", .right = true},
                                            {.title = ""}};
    return report_table_open(columns, BASE_COUNT(columns));
}

void report_tune_add(report_table *table, const bench_outcome *o, size_t winner) {
    char time[REPORT_NUMBER];
    int fastest = bench_outcome_best(o, BENCH_ZOO);
    const bench_series *series = &o->results[winner].timings[o->figure].series;
    double seconds = series->summary.median;
    report_table_add(table, REPORT_PLAIN, "%s", "");
    report_table_add(table, REPORT_PLAIN, "%s", o->name);
    report_table_add(table, REPORT_BOLD, "%s", o->results[winner].candidate.name);
    report_table_add(table, REPORT_PLAIN, "%s%s", series->state == BENCH_CONVERGED ? "" : "~",
                     report_seconds(time, seconds));
    if (fastest == (int)winner)
        report_table_add(table, REPORT_PLAIN, "%s", "");
    else
        report_table_add(table, REPORT_DIM, "simpler; %s is %.1f%% faster",
                         o->results[fastest].candidate.name,
                         100 * (seconds / o->results[fastest].timings[o->figure].series.summary.median - 1));
}

void report_tune_print(FILE *file, const report_table *table, const char *family, const char *rows) {
    const report_style style = report_detect_style(file);
    report_print(file, &style, REPORT_BOLD, "%s\n", family);
    report_table_print(table, file, &style, true);
    for (const char *line = rows; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        fprintf(file, "  %.*s\n", (int)strcspn(line, "\n"), line);
}
