// The records of many runs of `kz bench`, as the tables of results need them.
//
// A figure is one candidate's time in one case of one run, which is one call of the command. What is compared is of one
// run and one condition, and was timed by turns with the same processes. Only figures that stand are kept: right, timed, below the
// peak.
#ifndef PAGES_ARCHIVE_H
#define PAGES_ARCHIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "bench/condition.h"
#include "kz/kz.h"

typedef struct bench_figure { // strings belong to `record`
    json_t *record;
    const char *gpu, *device, *family, *name, *by, *candidate, *time, *commit, *file;
    const char *run; // its id
    bench_condition condition;
    const char *beside; // the processes that it was timed by turns with: "torch, triton"; "" for none
    double seconds, bytes;
    size_t of_case; // the index of the first figure of the same GPU, family and case
} bench_figure;

typedef struct bench_archive {
    bench_figure *figures;
    size_t count, capacity;
    bench_figure *unusual; // times under conditions that no figure is of; `of_case` is not theirs
    size_t unusual_count, unusual_capacity;
} bench_archive;

// Adds what the file holds; of a candidate that a run has twice in a case, the newer. `path` is kept.
kz_status bench_archive_read(bench_archive *archive, const char *path, kz_error *error);
void bench_archive_free(bench_archive *archive);

const char *bench_figure_text(const bench_figure *figure, const char *outer,
                              const char *inner);                                             // "" for none
double bench_figure_number(const bench_figure *figure, const char *outer, const char *inner); // NAN for none
bool bench_figure_same_case(const bench_figure *a, const bench_figure *b); // of the same GPU
bool bench_figure_is_ours(const bench_figure *figure);                     // a variant of the zoo
bool bench_figure_is_rival(const bench_figure *figure); // neither ours, nor a guest, nor a peak
// Whether they were taken alike: under one condition, beside the same processes.
bool bench_figure_alike(const bench_figure *a, const bench_figure *b);
// What stands before a figure that has not converged, "~"; else "".
const char *bench_figure_mark(const bench_figure *figure);
// "latency", or "latency beside torch".
enum { BENCH_FIGURE_MODE = 400 };
const char *bench_figure_mode(const bench_figure *figure, char text[BENCH_FIGURE_MODE]);

// Of this candidate in this case, among all runs; one that was timed by turns with other processes only where no other is.
bool bench_archive_is_newest(const bench_archive *archive, const bench_figure *figure);

// The run whose figures stand for the case in a table where everything is compared with everything: one
// that timed a rival before one that did not; one that timed the last of the variants that were ever timed in
// the case before one that did not; then the newest.
// NULL where there is none. Runs by turns with other processes (`beside`) are chosen among themselves.
const char *bench_archive_run(const bench_archive *archive, size_t of_case, bool beside);

// The run that timed most variants and rivals in the case, by turns with no other process, of such the newest: figures draw
// a ladder of one run. NULL where there is none.
const char *bench_archive_fullest(const bench_archive *archive, size_t of_case);

// The commit whose times under unusual conditions a table has of the case: the newest; NULL where there is none. A script
// may measure them by several commands, and each run has a row.
const char *bench_archive_unusual(const bench_archive *archive, const bench_figure *of_case);

// A figure of the record's case; NULL where that has none.
const bench_figure *bench_archive_case(const bench_archive *archive, json_t *record);

// Whether results/ keeps the record, for a page shows it or may: it is of one of these runs, or its candidate's
// newest in the case. What was not measured at all is not kept, nor is the other of the two usual conditions, beside the
// figure, nor a peak under an unusual one. Records of a case without figures are kept.
bool bench_archive_keeps(const bench_archive *archive, json_t *record);

// The table of unusual conditions of the GPU and family that `head` is of; nothing where there are none (conditions.c).
void bench_archive_add_conditions(const bench_archive *archive, const bench_figure *head, base_text *out);

// The fastest variant of the run that stands for the case; NULL where it has none.
const bench_figure *bench_archive_best(const bench_archive *archive, size_t of_case, bool beside);
// The fastest rival that was timed in the same run, and alike; NULL where there is none.
const bench_figure *bench_archive_rival(const bench_archive *archive, const bench_figure *ours);

// How many variants have a figure in the case, by any run.
size_t bench_archive_rungs(const bench_archive *archive, size_t of_case);

// What a variant is called now: a record may have its former name.
const char *bench_current_name(const char *family, const char *variant);

#endif
