// bench/counts: what the simulator counts of kernels, exactly, and the file that keeps it for later runs.
//
// The file is CSV: comments (the version, the GPU that was simulated, the compiler whose PTX was counted, what a program
// was run with, how many rows follow), a line of column names, a row per kernel and case; a " is the case of the row above.
// Counts that are 0 in all rows have no column. `kz gate` writes it and compares with it; one more of anything is worse.
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "base/base.h"

typedef enum bench_count {
#define BENCH_HOST_COUNT(id, name, text) BENCH_COUNT_##id,
#define BENCH_COUNT(id)                  BENCH_COUNT_##id,
#include "bench/counts.def"
    BENCH_COUNTS
} bench_count;

const char *bench_count_name(bench_count count); // as kz prof calls it; "launches"
const char *bench_count_text(bench_count count); // "global loads: 32-byte sectors they touched"

typedef struct bench_counts_row {
    char *kernel, *case_name; // a variant or a guest, and its case; a kernel of a program, and ""
    uint64_t values[BENCH_COUNTS];
} bench_counts_row;

// {0} is empty.
typedef struct bench_counts {
    char gpu[40], compiler[64]; // "h200", "13.0.88"; "" for a compiler that the PTX does not name
    char written_by[512]; // the command that wrote the file: it names whose counts they are; "" where unknown
    char flags[512], arguments[512]; // what a program was built and run with, as a shell takes it; ""
    int64_t stated;                  // the rows that the file says it has; -1: it does not say
    bench_counts_row *rows;
    size_t count, capacity;
} bench_counts;

void bench_counts_free(bench_counts *counts);
const bench_counts_row *bench_counts_find(const bench_counts *counts, const char *kernel,
                                          const char *case_name); // NULL
// The row, made where there is none; NULL when out of memory. It stays where it is until the next one is made.
bench_counts_row *bench_counts_row_of(bench_counts *counts, const char *kernel, const char *case_name);

// KZ_SYNTAX names the line that is wrong. Free the counts whatever is returned.
kz_status bench_counts_parse(const char *name, const char *text, size_t size, bench_counts *counts,
                             kz_error *error);
// KZ_SYNTAX where the file has not the rows that it says it has: it was cut off, or rows were deleted.
kz_status bench_counts_check_rows(const char *name, const bench_counts *counts, kz_error *error);
// `command` is what writes it anew.
void bench_counts_write(const bench_counts *counts, const char *command, base_text *out);
// What "Cuda compilation tools, release 13.0, V13.0.88" in PTX says; "" where it says nothing.
void bench_counts_compiler(const char *ptx, char compiler[64]);

// ---- comparing ----------------------------------------------------------------------------------------------

typedef enum bench_counts_verdict {
    BENCH_COUNTS_SAME,
    BENCH_COUNTS_WORSE,   // some count grew
    BENCH_COUNTS_BETTER,  // some shrank, none grew
    BENCH_COUNTS_RENAMED, // the counts of one that is gone, in the same case
    BENCH_COUNTS_NEW,
    BENCH_COUNTS_GONE,
    BENCH_COUNTS_VERDICTS
} bench_counts_verdict;
const char *bench_counts_verdict_name(bench_counts_verdict verdict); // "worse"

typedef struct bench_counts_change {
    bench_counts_verdict verdict;
    const bench_counts_row *before, *now; // NULL where it is new, or gone
} bench_counts_change;

// A change for each row of either, in the order of `now`; those that are gone come last. It is malloc'ed and points into
// both; NULL when out of memory.
bench_counts_change *bench_counts_compare(const bench_counts *before, const bench_counts *now, size_t *count);

#endif
