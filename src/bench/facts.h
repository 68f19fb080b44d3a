// bench/facts: what is known of a variant before it runs: how many lines it has, what compiling it takes, and how people
// judge it.
//
// Lines are counted by the build (tools/count_lines.c), compile times measured by tools/compile_times and kept in
// results/compile_times.csv, grades written by hand into kernels/<group>/<family>/judged.csv:
//     variant,portability,readability,debugging,why
// Grades are 1 to 5, and more is better; docs/measuring.md says what each means.
#ifndef BENCH_FACTS_H
#define BENCH_FACTS_H

#include "base/base.h"

enum { BENCH_JUDGED_ROWS = 32, BENCH_WHY = 160 };

typedef struct bench_judgement {
    char variant[64];
    int portability, readability, debugging; // 1 to 5; 0 where nobody judged
    char why[BENCH_WHY];
} bench_judgement;

typedef struct bench_judgements {
    size_t count;
    bench_judgement rows[BENCH_JUDGED_ROWS];
} bench_judgements;

typedef struct bench_facts {
    int lines, all_lines;   // of code, in its file, and with the headers that it shares; -1 where unknown
    double compile_seconds; // of CPU time; NAN where unknown
    char compiler[64];      // which compiler and when: "nvcc 13.0.88, 2026-11-16"; "" where unknown
    bench_judgement judged;
} bench_facts;

bench_facts bench_facts_unknown(void);
// Of a variant of the zoo; unknown is what nobody noted.
bench_facts bench_facts_of(const char *family, const char *variant);

// Reads the text of a judged.csv; `name` is for messages.
kz_status bench_judgements_parse(const char *text, const char *name, bench_judgements *judged,
                                 kz_error *error);
// A variant's row of results/compile_times.csv; false where it has none. A line "# compiler: ..." stands before the
// rows that it is of.
bool bench_compile_time(const char *text, const char *family, const char *variant, double *seconds,
                        char compiler[64]);

// ---- what the build embeds ----------------------------------------------------------------------------

typedef struct bench_family_text {
    const char *family, *text;
} bench_family_text;
extern const bench_family_text bench_judged_texts[]; // ends with a NULL family
extern const char bench_compile_times[];

typedef struct bench_line_count {
    const char *family, *variant;
    int lines, all_lines;
} bench_line_count;
extern const bench_line_count bench_line_counts[]; // the same

#endif
