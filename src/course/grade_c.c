// Kind c: a C function, compiled with its harness, run on every case under the compilers' sanitizers, judged by
// this side; gates by cachegrind, and time where it is wanted.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "c_build.h"
#include "executable.h"
#include "gate.h"
#include "sanitizer_report.h"
#include "scratch.h"
#include "toolchain/toolchain.h"

enum { COSTS = 16 };

// ---- compiling ------------------------------------------------------------------------------------

// The row of a file that does not compile. False where the error is the grader's own.
static bool add_refusal(const course_grade_job *job, course_verdict *verdict, const kz_error *error) {
    if (error->status != KZ_TOOL && error->status != KZ_LIMIT) return false;
    if (strstr(error->message, "poisoned")) {
        course_verdict_add(verdict, "source", COURSE_BAD, COURSE_SOURCE, "sanitizer",
                           "it takes code out of the sanitizer's sight", error->message);
        return true;
    }
    const char *function = job->task->function;
    char missing[COURSE_NAME * 2];
    snprintf(missing, sizeof missing, "undefined reference to `%s'", function);
    bool conflicts = strstr(error->message, "conflicting types for") && strstr(error->message, function);
    bool is_missing = strstr(error->message, missing) != NULL;
    base_text detail = {0};
    if (conflicts || is_missing) {
        base_text_add(&detail, is_missing ? "There is no function %s in the file" : "%s has other parameters",
                      function);
        base_text_add(&detail, "%s. Wanted:\n    ", is_missing ? "" : " than the task's");
        course_harness_prototype(job->task, &detail);
        base_text_add(&detail, "\n");
    }
    if (!is_missing) base_text_add(&detail, "%s\n", error->message);
    course_verdict_add(verdict, "compiles", COURSE_BAD,
                       conflicts || is_missing ? COURSE_SIGNATURE : COURSE_COMPILE, NULL,
                       is_missing  ? "the function is not there"
                       : conflicts ? "the function has another type"
                                   : "the compiler refuses it",
                       detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

// ---- findings -------------------------------------------------------------------------------------

static bool explain(const course_runner *runner, const course_data *data, const char *where,
                    const sandbox_result *result, bool only_faults) {
    course_report report;
    const char *output = result->output.data ? result->output.data : "";
    char summary[200];
    if (!course_report_read(output, runner->job->file, data, &report)) return false;
    if (only_faults && !report.is_fault) {
        base_text_free(&report.words);
        return false;
    }
    base_text detail = {0};
    snprintf(summary, sizeof summary, "%s%s%s", report.kind, report.where[0] ? " at " : "", report.where);
    base_text_add(&detail, "On %s: %s", where, report.words.data ? report.words.data : "");
    course_verdict_add(runner->verdict, "sanitizer", COURSE_BAD,
                       report.is_fault ? COURSE_FAULT : COURSE_FINDING, report.kind, summary,
                       detail.data ? detail.data : "");
    base_text_free(&detail);
    base_text_free(&report.words);
    return true;
}

// ---- gates ----------------------------------------------------------------------------------------

typedef struct counted {
    const course_case *at;
    course_c_cost cost;
} counted;

static kz_status grade_count(const course_runner *runner, const course_gate *gate, counted *costs,
                             size_t *count, bool *bad, kz_error *error) {
    counted *found = NULL;
    for (size_t i = 0; i < *count; i++)
        if (course_gate_same_case(runner->job->task, costs[i].at, &gate->at)) found = &costs[i];
    if (!found) {
        course_c_cost cost;
        if (runner->job->progress)
            runner->job->progress("counting with cachegrind", runner->job->progress_context);
        kz_status status = course_cachegrind_count(runner, &gate->at, &cost, bad, error);
        if (status || *bad) return status;
        if (*count == COSTS) return base_fail(error, KZ_LIMIT, "a task may have gates on %d cases", COSTS);
        found = &costs[(*count)++];
        *found = (counted){.at = &gate->at, .cost = cost};
    }
    double value = strcmp(gate->metric, "instructions") == 0 ? found->cost.instructions
                   : strcmp(gate->metric, "d1_misses") == 0  ? found->cost.d1_misses
                   : strcmp(gate->metric, "ll_misses") == 0  ? found->cost.ll_misses
                                                             : found->cost.started_threads;
    return course_gate_add(runner->verdict, gate, value, course_cachegrind_caches(), error);
}

static kz_status grade_gate(const course_runner *runner, const course_gate *gate, counted *costs,
                            size_t *count, bool *bad, kz_error *error) {
    if (strcmp(gate->metric, "ratio_to_solution") == 0) {
        if (runner->job->no_time) {
            course_gate_skip(runner->verdict, gate, "time was not measured", "");
            return KZ_OK;
        }
        double ratio = NAN;
        if (runner->job->progress) runner->job->progress("measuring time", runner->job->progress_context);
        kz_status status = course_c_ratio(runner, &gate->at, &ratio, bad, error);
        if (status || *bad) return status;
        runner->verdict->timed = true;
        return course_gate_add(runner->verdict, gate, ratio,
                               "by the clock: medians of fresh processes, your function and ours in turn",
                               error);
    }
    if (!course_cachegrind_is_there()) {
        course_gate_skip(runner->verdict, gate, "valgrind is not installed",
                         "This is counted by cachegrind, a tool of valgrind. Install it and grade again:\n"
                         "    sudo apt-get install valgrind\n");
        return KZ_OK;
    }
    return grade_count(runner, gate, costs, count, bad, error);
}

static kz_status grade_gates(const course_grade_job *job, course_verdict *verdict,
                             course_reference *reference, kz_error *error) {
    char folder[COURSE_PATH] = "", executable[COURSE_PATH], work[TOOLCHAIN_PATH] = "";
    counted costs[COSTS];
    size_t count = 0;
    bool bad = false;
    kz_status status = course_c_build(job->task, job->file, "none", folder, executable, NULL, error);
    bad = status == KZ_OK && course_add_replacing(job->task, folder, executable, verdict);
    if (status == KZ_OK) status = toolchain_work_open(work, error);
    // valgrind runs one thread at a time: waiting threads must sleep.
    const char *environment[] = {"OMP_NUM_THREADS=4", "OPENBLAS_NUM_THREADS=1", "OMP_WAIT_POLICY=passive",
                                 NULL};
    course_runner runner = {.job = job,
                            .verdict = verdict,
                            .reference = reference,
                            .folder = work,
                            .executable = executable,
                            .argv = (const char *const[]){executable, NULL},
                            .environment = environment,
                            .seconds = job->task->limit_seconds,
                            .memory = 0};
    for (size_t i = 0; i < job->task->gate_count && status == KZ_OK && !bad; i++)
        status = grade_gate(&runner, &job->task->gates[i], costs, &count, &bad, error);
    course_scratch_close(work);
    course_scratch_close(folder);
    return status;
}

// ---- all of it ------------------------------------------------------------------------------------

typedef struct options {
    char address[240], thread[160];
    const char *environment[8];
} options;

// clang's sanitizers start a program that knows lines: only where that is all that is wanted.
static void set_options(const course_task *task, bool is_clang, bool only_explains, options *o) {
    const char *lines = is_clang && !only_explains ? ":symbolize=0" : "";
    snprintf(o->address, sizeof o->address,
             "ASAN_OPTIONS=exitcode=%d:detect_leaks=1:allocator_may_return_null=1:hard_rss_limit_mb=%llu%s",
             COURSE_SANITIZER_EXIT, (unsigned long long)(task->limit_bytes >> 20), lines);
    // ThreadSanitizer shall not sleep a second at the end for threads that OpenMP keeps.
    snprintf(o->thread, sizeof o->thread,
             "TSAN_OPTIONS=exitcode=%d:halt_on_error=1:report_signal_unsafe=0:atexit_sleep_ms=0%s",
             COURSE_SANITIZER_EXIT, lines);
    const char *const all[] = {o->address,
                               o->thread,
                               "UBSAN_OPTIONS=print_stacktrace=0",
                               "OMP_NUM_THREADS=4",
                               "OMP_WAIT_POLICY=passive",
                               "OPENBLAS_NUM_THREADS=2",
                               only_explains ? "KZ_ONLY_EXPLAINS=1" : NULL,
                               NULL};
    memcpy(o->environment, all, sizeof all);
}

static kz_status grade_cases(const course_grade_job *job, course_verdict *verdict,
                             course_reference *reference, const char *executable, kz_error *error) {
    const char *sanitize = job->task->build_sanitize;
    bool threads = strcmp(sanitize, "thread") == 0, none = strcmp(sanitize, "none") == 0;
    char work[TOOLCHAIN_PATH] = "", cc[COURSE_PATH] = "";
    bool sees_races = true;
    options said, explained;
    kz_status status = course_c_compiler(job->task, cc, &sees_races, error);
    if (status) return status;
    bool is_clang = course_c_is_clang(cc);
    set_options(job->task, is_clang, false, &said);
    set_options(job->task, is_clang, true, &explained);
    // ThreadSanitizer needs addresses where it expects them, which a kernel with much randomness denies it.
    static const char setarch[] = "/usr/bin/setarch";
    const char *plainly[] = {executable, NULL}, *in_order[] = {setarch, "-R", executable, NULL};
    course_runner runner = {.job = job,
                            .verdict = verdict,
                            .reference = reference,
                            .folder = work,
                            .executable = executable,
                            .argv = threads && base_file_exists(setarch) ? in_order : plainly,
                            .environment = said.environment,
                            .explaining = is_clang && !none ? explained.environment : NULL,
                            .seconds = job->task->limit_seconds,
                            .memory = none ? job->task->limit_bytes : 0,
                            .explain = explain,
                            .together = true};
    size_t before = verdict->check_count;
    if (!threads) sees_races = true;
    status = toolchain_work_open(work, error); // it may write there, and not to itself
    if (!status) status = course_run_cases(&runner, error);
    course_scratch_close(work);
    if (status || verdict->reason != COURSE_PASSED) return status;
    if (!sees_races) {
        course_verdict_add(
            verdict, "sanitizer", COURSE_NOT_DONE, COURSE_PASSED, NULL,
            "races were not looked for: clang's OpenMP and ThreadSanitizer report ones that are none",
            "Install gcc (sudo apt-get install gcc) and grade again: with it they are seen.\n");
        return KZ_OK;
    }
    if (!none && verdict->check_count > before)
        course_verdict_add(
            verdict, "sanitizer", COURSE_RIGHT, COURSE_PASSED, NULL,
            threads ? "no data race" : "no access out of bounds, no undefined behaviour, no leak", "");
    return KZ_OK;
}

kz_status course_grade_c(const course_grade_job *job, const char *source, course_verdict *verdict,
                         kz_error *error) {
    char folder[COURSE_PATH] = "", executable[COURSE_PATH];
    kz_error problem = {0};
    base_text warnings = {0};
    course_reference *reference = NULL;
    snprintf(verdict->device, sizeof verdict->device, "cpu");
    if (job->progress) job->progress("compiling", job->progress_context);
    kz_status status = course_c_build(job->task, job->file, job->task->build_sanitize, folder, executable,
                                      &warnings, &problem);
    if (status && add_refusal(job, verdict, &problem)) {
        course_scratch_close(folder);
        return KZ_OK;
    }
    if (status && error) *error = problem;
    if (status == KZ_OK) {
        course_verdict_add(verdict, "compiles", COURSE_RIGHT, COURSE_PASSED, NULL, "cc -std=gnu11 -O2 -Wall",
                           "");
        course_verdict_add_warnings(verdict, &warnings);
        status = course_reference_open(job->task, &reference, error);
    }
    if (status == KZ_OK && !course_add_replacing(job->task, folder, executable, verdict))
        status = grade_cases(job, verdict, reference, executable, error);
    if (status == KZ_OK && verdict->reason == COURSE_PASSED && job->task->gate_count)
        status = grade_gates(job, verdict, reference, error);
    if (reference) course_reference_close(reference);
    course_scratch_close(folder);
    base_text_free(&warnings);
    return status;
}
