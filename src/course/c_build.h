// A C function with its harness as an executable; what cachegrind counts of it; how long it takes.
#ifndef COURSE_C_BUILD_H
#define COURSE_C_BUILD_H

#include "run_cases.h"

// The C compiler for a task. `sees_races`: the task asks for ThreadSanitizer, and with this compiler what it says is
// true. KZ_NOT_FOUND where there is none.
kz_status course_c_compiler(const course_task *task, char cc[COURSE_PATH], bool *sees_races, kz_error *error);
bool course_c_is_clang(const char *cc); // by what it says of itself
// Builds `file` for this task. `sanitize` is "address", "thread" (where races are seen) or "none". `folder` is made, and is to be
// removed with course_scratch_close. KZ_TOOL with the compiler's words where it refuses; `warnings` (may be NULL) gets its
// warnings where not.
kz_status course_c_build(const course_task *task, const char *file, const char *sanitize,
                         char folder[COURSE_PATH], char executable[COURSE_PATH], base_text *warnings,
                         kz_error *error);

// What one call costs by cachegrind, from cold caches.
typedef struct course_c_cost {
    double instructions, d1_misses, ll_misses, started_threads;
} course_c_cost;
// The caches that are simulated, in words.
const char *course_cachegrind_caches(void);
bool course_cachegrind_is_there(void);
// `runner` is that of the plain executable. `bad` where the function itself failed: a row was added.
kz_status course_cachegrind_count(const course_runner *runner, const course_case *at, course_c_cost *cost,
                                  bool *bad, kz_error *error);

// The learner's time over the solution's: both plain, in turn, in fresh processes; medians.
kz_status course_c_ratio(const course_runner *runner, const course_case *at, double *ratio, bool *bad,
                         kz_error *error);

#endif
