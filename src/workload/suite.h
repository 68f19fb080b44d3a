// workload/suite: what to measure, as a file says it: suites/*.toml.
//
//     title = "Sums of every size"
//     providers = ["chosen", "cub"]             # for all tables that say nothing else
//     [[families]]
//     names = ["reduce"]                        # or globs of group/name: "primitives/*"
//     operations = ["sum"]
//     types = ["f32", "bf16"]
//     axes.n = "65536..536870912*4"             # or a number, or a list of both
//
// The cases of a table are one of three kinds: `cases` (names or globs of the family's own; all that are timed where
// nothing is said), `targets` (those that a GPU has targets for), or the product of operations, types, axes and data.
// With `draw`, an axis that is not named, and one that is a range without a step, is drawn from a seed: log-uniform,
// every other shape without a multiple of 8, the same on every machine. docs/measuring.md lists the keys.
#ifndef WORKLOAD_SUITE_H
#define WORKLOAD_SUITE_H

#include "bench/condition.h"
#include "course/toml.h"
#include "workload/names.h"

typedef struct workload_axis {
    int64_t *values; // in the order written
    size_t count;
    int64_t from, to; // where it is drawn
    bool drawn;
} workload_axis;

typedef struct workload_draw {
    int64_t count, from, to;
    uint64_t seed;
    bool equal; // all drawn axes of a shape by the same random number: equal where their ranges are
} workload_draw;

typedef struct workload_suite_part { // one [[families]]
    course_toml_value *at;
    const kz_family **families;                                  // ends with NULL
    course_toml_value *operations, *types, *data, *cases, *axes; // NULL where the table does not say
    const char *targets;                                         // a GPU, or NULL
    workload_draw draw;                                          // count 0: nothing is drawn
    const char *const *providers;                                // ends with NULL; none: as the command says
    const bench_condition *conditions;
    size_t condition_count; // none: as the command says
} workload_suite_part;

enum { WORKLOAD_SUITE_NAME = 64, WORKLOAD_SUITE_DIGEST = 20 };

typedef struct workload_suite {
    base_arena *arena;
    course_toml toml;
    const char *word;                   // as it was asked for: its name or its path
    char name[WORKLOAD_SUITE_NAME];     // of the file, without its suffix
    char digest[WORKLOAD_SUITE_DIGEST]; // of its content
    const char *title, *gpu;            // the GPU that it was written for; NULL: any
    workload_suite_part *parts;
    size_t count;
} workload_suite;

// A name of share/kz/suites, or the path of a file (with a slash, or ending in .toml). Read strictly, all of it: what is
// wrong has file and line. Close it whatever is returned. `error` belongs to it until then.
kz_status workload_suite_open(const char *word, workload_suite *suite, kz_error *error);
void workload_suite_close(workload_suite *suite);

// The cases of a suite, or of a command line: each family's once, and again for a table that wants other providers or
// conditions.
typedef struct workload_bench_case {
    const kz_family *family;
    kz_case c;
    const workload_suite_part *part; // NULL: of a command line
    size_t runs;                     // that the records which are resumed have of it
} workload_bench_case;
typedef struct workload_bench_cases {
    workload_bench_case *items;
    size_t count, capacity;
    size_t drawn_again; // drawn cases that are there already, of the same table
} workload_bench_cases;
kz_status workload_bench_cases_add(workload_bench_cases *cases, const kz_family *family, const kz_case *c,
                                   const workload_suite_part *part, kz_error *error);
void workload_bench_cases_free(workload_bench_cases *cases);

// All that the suite names. What no machine could hold is an error of the file.
kz_status workload_suite_cases(workload_suite *suite, workload_bench_cases *cases, kz_error *error);

// An error about a table, with file, line and caret.
void workload_suite_point(workload_suite *suite, const workload_suite_part *part, kz_error *error,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

// Those that came with kz: their names, sorted, ending with NULL; in the arena.
kz_status workload_suite_list(base_arena *arena, const char *const **names, kz_error *error);

// Whether the table wants it. A variant: by its name, as one of `all`, as what the library chooses for the case
// (`chosen`), or for any case of the family that is timed (`choices`). A rival: by its name, or as one of `rivals` or, if it
// is not in Python, of `libraries`.
bool workload_suite_wants_variant(const workload_suite_part *part, const kz_family *family, const kz_case *c,
                                  const kz_device_info *device, const kz_variant *variant);
bool workload_suite_wants_rival(const workload_suite_part *part, const char *rival);

#endif
