// A learner's file under the sanitizer: every case of its task, each under every schedule asked for.
//
// A finding is told once, with the case that showed it first: the same mistake shows in most of them.
#include "workload/sanitize.h"

typedef struct kernel {
    const workload_sanitizer *s;
    const course_case *c;
    course_subject subject;
    kz_device *device; // NULL: the file is a program
    kz_module *module;
} kernel;

static kz_status run_kernel(void *context, uint64_t seed, size_t which, report_record *record,
                            kz_error *error) {
    const kernel *k = context;
    const workload_program *settings = &k->s->options->settings;
    const char *name = k->s->w->files[0];
    course_seen seen = {0};
    const course_look look = {.c = k->c,
                              .name = name,
                              .observe = settings->observe,
                              .schedule = seed,
                              .seconds = settings->timeout > 0 ? settings->timeout : WORKLOAD_TASK_SECONDS};
    kz_status status = course_subject_look(&k->subject, k->device, k->module, &look, &seen, error);
    if (!status) status = report_record_parse(name, seen.record.data, seen.record.length, record, error);
    base_text_free(&seen.record);
    return status;
}

static kz_status run_case(kernel *k, const course_case *c, kz_error *error) {
    const workload *w = k->s->w;
    char name[200];
    course_case_name(w->task.task, c, name, sizeof name);
    k->c = c;
    kz_status status = k->device ? workload_sanitize_seeds(k->s, w->files[0], run_kernel, k, error)
                                 : workload_sanitize_program(k->s, c, error);
    report_findings_name_case(&k->s->run->findings, name);
    if (status) base_fail_note(error, "it was %s, case %s", w->files[0], name);
    return status;
}

static kz_status run_cases(kernel *k, kz_error *error) {
    const course_task *task = k->s->w->task.task;
    const char *pattern = k->s->options->pattern;
    report_progress *progress = &k->s->run->progress;
    course_case c;
    char name[200];
    if (pattern) {
        kz_status status = workload_task_case(task, pattern, course_case_to_profile, &c, error);
        return status ? status : run_case(k, &c, error);
    }
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && !status && !workload_sanitize_stops(k->s); i++) {
        course_case_name(task, &task->cases[i], name, sizeof name);
        report_progress_show(progress, i, task->case_count, name);
        status = run_case(k, &task->cases[i], error);
    }
    report_progress_clear(progress);
    return status;
}

static kz_status open_kernel(kernel *k, kz_error *error) {
    const workload *w = k->s->w;
    kz_status status = course_subject_open(w->task.task, w->files[0], false, &k->subject, error);
    workload_show_warnings(&k->subject.warnings);
    if (!status) status = workload_open_simulator(k->s->options->settings.gpu, &k->device, error);
    if (!status) status = kz_module_load(k->device, &k->subject.image, &k->module, error);
    return status;
}

kz_status workload_sanitize_task(const workload_sanitizer *s, kz_error *error) {
    kernel k = {.s = s};
    report_progress_begin(&s->run->progress, stderr);
    kz_status status = workload_runs_as_program(s->w) ? KZ_OK : open_kernel(&k, error);
    if (!status) status = run_cases(&k, error);
    if (k.module) kz_module_close(k.module);
    if (k.device) kz_device_close(k.device);
    course_subject_close(&k.subject);
    return status;
}
