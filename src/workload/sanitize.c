// The sanitizer's runs, and whole programs under it. See sanitize.h.
#include "workload/sanitize.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "workload/task.h"

bool workload_sanitize_stops(const workload_sanitizer *s) {
    const workload_program *settings = &s->options->settings;
    return settings->interrupted && settings->interrupted();
}

static void add_timeout(const workload_sanitizer *s, const char *name) {
    char text[100];
    if (workload_sanitize_stops(s)) return; // it was a signal, not the time allowed
    double asked = s->options->settings.timeout;
    snprintf(text, sizeof text, "it was stopped after %g s (--timeout)",
             asked > 0 ? asked : WORKLOAD_TASK_SECONDS);
    report_findings_add_unchecked(&s->run->findings, name, text);
}

kz_status workload_sanitize_seeds(const workload_sanitizer *s, const char *name, workload_sanitize_once once,
                                  void *context, kz_error *error) {
    const workload_sanitize_options *o = s->options;
    report_record records[WORKLOAD_SEEDS] = {0};
    kz_status status = KZ_OK;
    size_t done = 0;
    for (; done < o->seed_count && !status && !workload_sanitize_stops(s); done++) {
        status = once(context, o->seeds[done], done, &records[done], error);
        if (!status) report_findings_add(&s->run->findings, &records[done], name, o->seeds[done]);
        size_t at = 0;
        const json_t *end = status ? NULL : report_record_next(&records[done], "end", &at);
        if (strcmp(report_get_text(end, "status"), "timeout") == 0) add_timeout(s, name);
    }
    if (!status && o->compare) report_findings_compare(&s->run->findings, records, o->seeds, done, name);
    for (size_t i = 0; i < done; i++) report_record_free(&records[i]);
    return status;
}

// ---- programs -------------------------------------------------------------------------------------------

typedef struct program_run {
    const workload_sanitizer *s;
    const course_case *c;
} program_run;

// A run that did not come to its own end.
static void say_unchecked(const workload_sanitizer *s, const workload_result *result, bool is_unfinished) {
    report_findings *findings = &s->run->findings;
    const char *name = s->w->files[0];
    char text[200];
    if (workload_sanitize_stops(s)) return;
    if (result->timed_out) {
        add_timeout(s, name);
        return;
    }
    if (result->signal)
        snprintf(text, sizeof text, "it was ended by signal %d (%s)", result->signal,
                 strsignal(result->signal));
    else if (is_unfinished)
        snprintf(text, sizeof text,
                 "it left by exec() or a system call of its own, before the sanitizer could end its work");
    else
        return;
    report_findings_add_unchecked(findings, name, text);
}

static kz_status run_once(void *context, uint64_t seed, size_t which, report_record *record,
                          kz_error *error) {
    const program_run *p = context;
    const workload_sanitizer *s = p->s;
    const char *name = s->w->files[0];
    workload_program settings = s->options->settings;
    workload_result result;
    settings.seed = seed;
    settings.is_repeated = s->run->has_run;
    s->run->has_run = true;
    if (which) settings.output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    kz_status status = workload_run(s->w, &settings, p->c, NULL, &result, error);
    if (which && settings.output >= 0) close(settings.output);
    if (status) return status;
    char text[WORKLOAD_SENTENCE];
    const char *end = workload_program_end(&result, text);
    if (end && settings.note && !workload_sanitize_stops(s)) settings.note(end);
    if (result.exit_code && !s->run->exit_code) s->run->exit_code = result.exit_code;
    status = workload_program_record(&result, name, record, error);
    bool is_unfinished = status && workload_program_unfinished(&result, record);
    if (is_unfinished || workload_sanitize_stops(s)) status = KZ_OK; // what there is of it
    if (!status) say_unchecked(s, &result, is_unfinished);
    workload_program_discard(&result);
    return status;
}

kz_status workload_sanitize_program(const workload_sanitizer *s, const course_case *c, kz_error *error) {
    program_run p = {s, c};
    return workload_sanitize_seeds(s, s->w->files[0], run_once, &p, error);
}

// ---- which ----------------------------------------------------------------------------------------------

kz_status workload_sanitize_run(const workload *w, const workload_sanitize_options *options,
                                workload_sanitize *run, kz_error *error) {
    const workload_sanitizer s = {w, options, run};
    switch (w->kind) {
    case WORKLOAD_PROGRAM: return workload_sanitize_program(&s, NULL, error);
    case WORKLOAD_TASK: return workload_sanitize_task(&s, error);
    default: return workload_sanitize_zoo(&s, error);
    }
}
