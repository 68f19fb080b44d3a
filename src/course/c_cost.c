// What a C function costs: cachegrind's counts, and time beside the solution's. See c_build.h.
//
// Cachegrind counts whole programs, so the harness runs twice: with one call, and with two. The difference is
// one call with all it does, libraries and threads too, and without what happens only once. Each call has other data,
// and before each the harness sweeps the caches, so that the call starts cold.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_build.h"
#include "scratch.h"
#include "toolchain/toolchain.h"

#define CACHE_L1 "32768,8,64"
#define CACHE_LL "1048576,16,64"

enum { ROUNDS = 5, MOST_CALLS = 200, EVENTS = 16 };
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

// The file's lines "events: Ir I1mr ..." and "summary: 123 4 ...".
static bool read_counts(const char *text, course_c_cost *cost) {
    const char *events = strstr(text, "events: "), *summary = strstr(text, "\nsummary: ");
    if (!events || !summary) return false;
    *cost = (course_c_cost){0};
    events += strlen("events: ");
    summary += strlen("\nsummary: ");
    for (int i = 0; i < EVENTS && *events && *events != '\n'; i++) {
        size_t length = strcspn(events, " \n");
        char *end;
        double value = (double)strtoull(summary, &end, 10);
        if (end == summary) break;
        summary = end;
        if (strncmp(events, "Ir", length) == 0) cost->instructions = value;
        if (length == 4 && (strncmp(events, "D1mr", 4) == 0 || strncmp(events, "D1mw", 4) == 0))
            cost->d1_misses += value;
        if (length == 4 && (strncmp(events, "DLmr", 4) == 0 || strncmp(events, "DLmw", 4) == 0))
            cost->ll_misses += value;
        events += length + (events[length] == ' ');
    }
    return true;
}

static kz_status count_calls(const course_runner *runner, const course_case *at, uint32_t calls,
                             uint32_t flags, course_c_cost *cost, bool *bad, kz_error *error) {
    char valgrind[TOOLCHAIN_PATH], out[COURSE_PATH + 32], argument[COURSE_PATH + 64], where[256];
    toolchain_find_program("valgrind", valgrind);
    snprintf(out, sizeof out, "%s/cachegrind.%u", runner->folder, calls);
    snprintf(argument, sizeof argument, "--cachegrind-out-file=%s", out);
    const char *argv[] = {valgrind,          "--tool=cachegrind",
                          "--cache-sim=yes", "--I1=" CACHE_L1,
                          "--D1=" CACHE_L1,  "--LL=" CACHE_LL,
                          argument,          "-q",
                          runner->argv[0],   NULL};
    course_runner under = *runner;
    under.argv = argv;
    under.memory = 0;
    under.signals_threads = true;
    under.seconds = VALGRIND_SECONDS;
    course_data data = {0};
    course_harness_job job = {0};
    sandbox_result result = {0};
    kz_status status = course_run_one(&under, at, calls, flags, &data, &job, &result, error);
    course_case_name(runner->job->task, at, where, sizeof where);
    if (status == KZ_OK) *bad = course_add_end(&under, &data, where, job.answered, &result);
    if (status == KZ_OK && !*bad && !(flags & COURSE_HARNESS_EVICT_AFTER))
        status = course_add_result(&under, &job, where, &(sandbox_result){0}, bad, error);
    if (status == KZ_OK && !*bad) {
        char *text = NULL;
        size_t size;
        status = base_file_read(out, &text, &size, error);
        if (status == KZ_OK && !read_counts(text, cost))
            status = base_fail(error, KZ_TOOL, "cachegrind's file has no totals: %s", out);
        free(text);
    }
    course_data_close(&data);
    base_text_free(&result.output);
    base_text_free(&result.answer);
    return status;
}

kz_status course_cachegrind_count(const course_runner *runner, const course_case *at, course_c_cost *cost,
                                  bool *bad, kz_error *error) {
    course_c_cost once = {0}, twice = {0};
    const uint32_t flags = COURSE_HARNESS_EVICT | COURSE_HARNESS_OTHER_DATA;
    kz_status status = count_calls(runner, at, 1, flags | COURSE_HARNESS_EVICT_AFTER, &once, bad, error);
    if (status == KZ_OK && !*bad) status = count_calls(runner, at, 2, flags, &twice, bad, error);
    // The sweep and the restoring before the second call belong to the harness: a run of one call has them too,
    // after it.
    *cost = (course_c_cost){.instructions = fmax(0, twice.instructions - once.instructions),
                            .d1_misses = fmax(0, twice.d1_misses - once.d1_misses),
                            .ll_misses = fmax(0, twice.ll_misses - once.ll_misses)};
    return status;
}

// ---- time -----------------------------------------------------------------------------------------

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
    *seconds = job.seconds;
    course_data_close(&data);
    base_text_free(&result.output);
    base_text_free(&result.answer);
    return status;
}

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
    char *text = NULL, file[COURSE_PATH + 32], folder[COURSE_PATH] = "", executable[COURSE_PATH];
    kz_status status = course_task_solution(runner->job->task, &text, error);
    snprintf(file, sizeof file, "%s/solution.c", runner->folder);
    if (status == KZ_OK) status = base_file_write_scratch(file, text, strlen(text), error);
    free(text);
    if (status == KZ_OK)
        status = course_c_build(runner->job->task, file, "none", folder, executable, NULL, error);
    if (status == KZ_OK) status = time_both(runner, executable, at, ratio, bad, error);
    course_scratch_close(folder);
    return status;
}
