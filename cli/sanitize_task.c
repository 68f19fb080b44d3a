// kz sanitize on a learner's file: every case of its task, each under every schedule asked for.
//
// A finding is told once, with the case that showed it first: the same mistake shows in most of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "sanitize.h"

typedef struct looking {
    sanitize_run *run;
    const cli_task_file *task;
    course_subject subject; // of a kernel
    kz_device *device;
    kz_module *module;
} looking;

static kz_status run_kernel(looking *l, const course_case *c, size_t which, report_record *record,
                            kz_error *error) {
    course_seen seen = {0};
    const course_look look = {.c = c,
                              .name = l->task->file,
                              .observe = l->run->words,
                              .schedule = l->run->seeds[which],
                              .seconds = l->run->timeout ? l->run->timeout : CLI_TASK_FILE_SECONDS};
    kz_status status = course_subject_look(&l->subject, l->device, l->module, &look, &seen, error);
    if (!status)
        status = report_record_parse(l->task->file, seen.record.data, seen.record.length, record, error);
    base_text_free(&seen.record);
    return status;
}

static kz_status run_program(looking *l, const course_case *c, size_t which, report_record *record,
                             kz_error *error) {
    cli_program program = sanitize_program_of(l->run, which);
    cli_program_result result;
    kz_status status = cli_task_file_run(l->task, c, &program, CLI_TASK_SILENT, &result, error);
    if (program.output > STDERR_FILENO) close(program.output);
    return status ? status : sanitize_program_take(l->run, which, l->task->file, &result, record, error);
}

static kz_status run_case(looking *l, const course_case *c, kz_error *error) {
    sanitize_run *run = l->run;
    report_record records[SANITIZE_SEEDS] = {0};
    size_t done = 0;
    char name[200];
    kz_status status = KZ_OK;
    course_case_name(l->task->task, c, name, sizeof name);
    for (; done < run->seed_count && !status && !cli_interrupted(); done++) {
        status = l->device ? run_kernel(l, c, done, &records[done], error)
                           : run_program(l, c, done, &records[done], error);
        if (!status) report_findings_add(&run->findings, &records[done], l->task->file, run->seeds[done]);
    }
    if (!status && run->options->determinism.given)
        report_findings_compare(&run->findings, records, run->seeds, done, l->task->file);
    for (size_t i = 0; i < done; i++) report_record_free(&records[i]);
    report_findings_name_case(&run->findings, name);
    if (status) base_fail_note(error, "it was %s, case %s", l->task->file, name);
    return status;
}

static kz_status run_cases(looking *l, kz_error *error) {
    const course_task *task = l->task->task;
    course_case c;
    char name[200];
    if (l->run->options->pattern) {
        kz_status status =
            cli_task_file_case(task, l->run->options->pattern, course_case_to_profile, &c, error);
        return status ? status : run_case(l, &c, error);
    }
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && !status && !cli_interrupted(); i++) {
        course_case_name(task, &task->cases[i], name, sizeof name);
        report_progress_show(&l->run->progress, i, task->case_count, name);
        status = run_case(l, &task->cases[i], error);
    }
    report_progress_clear(&l->run->progress);
    return status;
}

static kz_status open_kernel(looking *l, kz_error *error) {
    const char *gpu = l->run->options->gpu;
    char id[128];
    snprintf(id, sizeof id, "sim%s%.100s", gpu ? ":" : "", gpu ? gpu : "");
    kz_status status = course_subject_open(l->task->task, l->task->file, false, &l->subject, error);
    if (!status) status = kz_device_open(id, &l->device, error);
    if (!status) status = kz_module_load(l->device, &l->subject.image, &l->module, error);
    return status;
}

kz_status sanitize_task(sanitize_run *run, const cli_task_file *task, kz_error *error) {
    looking l = {.run = run, .task = task};
    report_progress_begin(&run->progress, stderr);
    kz_status status = task->task->form == COURSE_KERNEL ? open_kernel(&l, error) : KZ_OK;
    if (!status) status = run_cases(&l, error);
    if (l.module) kz_module_close(l.module);
    if (l.device) kz_device_close(l.device);
    course_subject_close(&l.subject);
    return status;
}
