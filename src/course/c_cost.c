// What a C function costs: cachegrind's counts, and time beside the solution's. See c_build.h.
//
// Cachegrind counts whole programs. What the harness and the libraries do around the call is known from a second
// program: the same harness around a function that does nothing. That one is the grader's own, so whatever the submission
// does, before the call, after it or in threads, is added to its count and never taken off. Who keeps the harness from its
// work gains what that costs, which is little: the kernel writes the data to where the function reads them, so that the
// call starts with cold caches. The data are of no other run, and two calls with other data in each come first, so that
// an answer that was kept is wrong.
//
// What cachegrind says comes through a pipe. The function may write to it too; then there are two sayings, and none counts.
// With it come the system calls: who makes code, or copies through the kernel, works where nothing is counted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_build.h"
#include "counted_run.h"
#include "executable.h"
#include "scratch.h"
#include "toolchain/toolchain.h"

#define CACHE_L1 "32768,8,64"
#define CACHE_LL "1048576,16,64"

enum { ROUNDS = 5, MOST_CALLS = 200, LOG_BYTES = 4 << 20 };
static const double LEAST_SECONDS = 0.02, VALGRIND_SECONDS = 120;

const char *course_cachegrind_caches(void) {
    return "by cachegrind, for one call from cold caches: 32 KiB of first level (8 ways), 1 MiB of last "
           "level "
           "(16 ways), lines of 64 bytes";
}

bool course_cachegrind_is_there(void) {
    char path[TOOLCHAIN_PATH];
    return toolchain_find_program("valgrind", path);
}

// Calls with other data in each, without an instrument.
static kz_status time_calls(const course_runner *runner, const char *executable, const course_case *at,
                            uint32_t calls, double *seconds, bool *bad, kz_error *error) {
    const char *argv[] = {executable, NULL};
    char where[256];
    course_runner one = *runner;
    one.argv = argv;
    course_data data = {0};
    course_harness_job job = {0};
    sandbox_result result = {0};
    kz_status status =
        course_run_one(&one, at, calls, COURSE_HARNESS_OTHER_DATA, &data, &job, &result, error);
    course_case_name(runner->job->task, at, where, sizeof where);
    if (status == KZ_OK) *bad = course_add_end(&one, &data, where, job.answered, &result);
    if (status == KZ_OK && !*bad) status = course_add_result(&one, &job, where, &result, bad, error);
    if (status == KZ_OK && !*bad) *bad = course_add_exit(&one, false, where, &result);
    *seconds = job.seconds;
    course_data_close(&data);
    sandbox_result_free(&result);
    return status;
}

// Where the program ran well, and yet its counts are not those of all its work: a row, and true.
static bool add_disturbed(const course_runner *runner, const char *where, const base_text *log,
                          course_c_cost *cost) {
    char summary[400];
    bool is_whole = course_counted_totals(log, cost);
    char call[COURSE_CALL_WORDS];
    const char *what = course_uncounted_call(log, call) ? call : NULL;
    if (log->length >= LOG_BYTES)
        what = "it asks the system for so much that not all of it can be looked at";
    else if (!what && !is_whole)
        what = "cachegrind's totals are missing, or there twice";
    if (!what) return false;
    snprintf(summary, sizeof summary, "%s: %s", where, what);
    course_verdict_add(
        runner->verdict, "counted", COURSE_BAD, COURSE_FINDING, "counts", summary,
        "The function returned, but cachegrind's counts are not those of all that it did.\n"
        "next: compute in plain sight, with memory from malloc; open no files, and make no code");
    return true;
}

// One call of `executable`'s function. `bad` where it failed: a row was added.
static kz_status count_call(const course_runner *runner, const char *executable, const course_case *at,
                            bool is_ours, course_c_cost *cost, bool *bad, kz_error *error) {
    char valgrind[TOOLCHAIN_PATH], where[256];
    toolchain_find_program("valgrind", valgrind);
    const char *argv[] = {valgrind,
                          "--tool=cachegrind",
                          "--cache-sim=yes",
                          "--I1=" CACHE_L1,
                          "--D1=" CACHE_L1,
                          "--LL=" CACHE_LL,
                          "--cachegrind-out-file=/dev/null",
                          "--log-fd=4",
                          "--trace-syscalls=yes",
                          executable,
                          NULL};
    course_runner under = *runner;
    under.argv = argv;
    under.memory = 0;
    under.signals_threads = true;
    under.seconds = VALGRIND_SECONDS;
    under.log_bytes = LOG_BYTES;
    under.seed = runner->verdict->fresh_seed ^ UINT64_C(0x636f756e74); // of no case
    course_data data = {0};
    course_harness_job job = {0};
    sandbox_result result = {0};
    kz_status status = course_run_one(&under, at, 1, COURSE_HARNESS_COUNTED, &data, &job, &result, error);
    course_case_name(runner->job->task, at, where, sizeof where);
    if (status == KZ_OK) *bad = course_add_end(&under, &data, where, job.answered, &result);
    if (status == KZ_OK && !*bad && !is_ours)
        status = course_add_result(&under, &job, where, &(sandbox_result){0}, bad, error);
    if (status == KZ_OK && !*bad) *bad = course_add_exit(&under, false, where, &result);
    if (status == KZ_OK && !*bad && !is_ours)
        *bad = add_disturbed(runner, where, &result.log, cost);
    else if (status == KZ_OK && !*bad && !course_counted_totals(&result.log, cost))
        status = base_fail(error, KZ_TOOL, "%s gave no totals; it said: %.1000s", valgrind,
                           result.log.data ? result.log.data : "nothing");
    course_data_close(&data);
    sandbox_result_free(&result);
    return status;
}

// The harness around nothing.
static kz_status count_nothing(const course_runner *runner, const course_case *at, course_c_cost *cost,
                               bool *bad, kz_error *error) {
    char work[TOOLCHAIN_PATH] = "", file[TOOLCHAIN_PATH + 16], folder[COURSE_PATH] = "",
         executable[COURSE_PATH];
    base_text text = {0};
    kz_status status = toolchain_work_open(work, error);
    snprintf(file, sizeof file, "%s/nothing.c", work);
    course_harness_prototype(runner->job->task, &text);
    base_text_add(&text, " {}\n");
    if (status == KZ_OK && text.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for a function");
    if (status == KZ_OK) status = base_file_write_scratch(file, text.data, text.length, error);
    if (status == KZ_OK)
        status = course_c_build(runner->job->task, file, "none", folder, executable, NULL, error);
    course_runner alone = *runner; // it shares no folder with the submission
    alone.folder = work;
    alone.executable = executable;
    if (status == KZ_OK) status = count_call(&alone, executable, at, true, cost, bad, error);
    course_scratch_close(folder);
    course_scratch_close(work);
    base_text_free(&text);
    return status;
}

kz_status course_cachegrind_count(const course_runner *runner, const course_case *at, course_c_cost *cost,
                                  bool *bad, kz_error *error) {
    course_c_cost own = {0}, nothing = {0};
    *bad = course_add_uncountable(runner->argv[0], runner->verdict);
    double seconds;
    kz_status status =
        *bad ? KZ_OK : time_calls(runner, runner->argv[0], at, 2, &seconds, bad, error); // for the results
    if (status == KZ_OK && !*bad) status = count_call(runner, runner->argv[0], at, false, &own, bad, error);
    if (status == KZ_OK && !*bad) status = count_nothing(runner, at, &nothing, bad, error);
    *cost = (course_c_cost){.instructions = fmax(0, own.instructions - nothing.instructions),
                            .d1_misses = fmax(0, own.d1_misses - nothing.d1_misses),
                            .ll_misses = fmax(0, own.ll_misses - nothing.ll_misses),
                            .started_threads = fmax(0, own.started_threads - nothing.started_threads)};
    return status;
}

// ---- time -----------------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static kz_status time_both(const course_runner *runner, const char *solution, const course_case *at,
                           double *ratio, bool *bad, kz_error *error) {
    double first, own[ROUNDS], theirs[ROUNDS];
    kz_status status = time_calls(runner, runner->argv[0], at, 1, &first, bad, error);
    double calls = ceil(LEAST_SECONDS / fmax(first, 1e-7));
    uint32_t count = (uint32_t)fmin(MOST_CALLS, fmax(3, calls));
    for (int i = 0; i < ROUNDS && status == KZ_OK && !*bad; i++) {
        status = time_calls(runner, runner->argv[0], at, count, &own[i], bad, error);
        if (status == KZ_OK && !*bad)
            status = time_calls(runner, solution, at, count, &theirs[i], bad, error);
    }
    if (status || *bad) return status;
    qsort(own, ROUNDS, sizeof *own, compare_doubles);
    qsort(theirs, ROUNDS, sizeof *theirs, compare_doubles);
    *ratio = own[ROUNDS / 2] / fmax(theirs[ROUNDS / 2], 1e-9);
    return KZ_OK;
}

kz_status course_c_ratio(const course_runner *runner, const course_case *at, double *ratio, bool *bad,
                         kz_error *error) {
    char *text = NULL, work[TOOLCHAIN_PATH] = "", file[TOOLCHAIN_PATH + 32], folder[COURSE_PATH] = "",
         executable[COURSE_PATH];
    kz_status status = course_task_solution(runner->job->task, &text, error);
    if (status == KZ_OK) status = toolchain_work_open(work, error); // not where the submission ran
    snprintf(file, sizeof file, "%s/solution.c", work);
    if (status == KZ_OK) status = base_file_write_scratch(file, text, strlen(text), error);
    free(text);
    if (status == KZ_OK)
        status = course_c_build(runner->job->task, file, "none", folder, executable, NULL, error);
    if (status == KZ_OK) status = time_both(runner, executable, at, ratio, bad, error);
    course_scratch_close(folder);
    course_scratch_close(work);
    return status;
}
