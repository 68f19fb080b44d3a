// Learners' files for the tools that look inside a kernel; see task.h.
#include "workload/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/names.h"

// ---- which task -----------------------------------------------------------------------------------------

static kz_status fail_for_c(const char *command, const course_task *task, const char *file, kz_error *error) {
    base_fail(error, KZ_INVALID, "%s is for %s, a function in C for the processor: kz %s looks into kernels",
              file, task->id, command);
    base_fail_note(error,
                   "kz grade %s runs it under the sanitizers, and counts with cachegrind where the task does",
                   file);
    base_fail_note(
        error, "to look yourself, give it a main (the grader does not mind one) and use valgrind or perf:");
    base_text flags = {0};
    for (size_t i = 0; task->build_flags && task->build_flags[i]; i++)
        base_text_add(&flags, " %s", task->build_flags[i]);
    const char *more = flags.data ? flags.data : "";
    base_fail_note(error, "cc -O2 -g %s -o look%s -lm && valgrind --tool=cachegrind --cache-sim=yes ./look",
                   file, more);
    base_fail_note(error, "cc -O2 -g %s -o look%s -lm && perf stat ./look", file, more);
    base_text_free(&flags);
    return KZ_INVALID;
}

static kz_status fail_for_text(const char *command, const course_task *task, const char *file,
                               kz_error *error) {
    base_fail(error, KZ_INVALID, "%s is for %s, which asks for %s: there is no kernel for kz %s to look into",
              file, task->id, task->kind == COURSE_ANSWER ? "answers" : "commands and what they show",
              command);
    base_fail_note(error,
                   "the programs that it speaks of lie in files/ beside it; the task says how to run them");
    return KZ_INVALID;
}

kz_status workload_task_fail_missing(const char *command, const char *file, kz_error *error) {
    char folder[COURSE_PATH], path[COURSE_PATH + 600];
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    base_file_fail_open(file, ENOENT, error);
    if (course_home(folder, NULL)) return KZ_NOT_FOUND;
    snprintf(path, sizeof path, "%s/tasks/%.*s/%.250s", folder, (int)strcspn(name, "."), name, name);
    if (base_file_exists(path)) base_fail_note(error, "yours lies elsewhere: kz %s %s", command, path);
    return KZ_NOT_FOUND;
}

bool workload_task_may_be(const char *file) {
    static const char *const suffixes[] = {".cu", ".c", ".txt"};
    for (size_t i = 0; i < BASE_COUNT(suffixes); i++)
        if (base_ends_with(file, suffixes[i])) return !workload_program_has_main(file);
    return false;
}

static kz_status find(const char *file, const char *id, workload_task *found, kz_error *error) {
    char folder[COURSE_PATH];
    kz_status status = course_find(folder, error);
    if (!status) status = course_open(folder, &found->catalogue, error);
    if (status) return status;
    if (!id) return course_task_of_file(found->catalogue, file, &found->task, error);
    found->task = course_find_task(found->catalogue, id);
    return found->task ? KZ_OK : course_fail_task(found->catalogue, id, error);
}

kz_status workload_task_open(const char *command, const char *file, const char *id, workload_task *found,
                             kz_error *error) {
    *found = (workload_task){.file = file};
    if (!id && !(workload_task_may_be(file) && base_file_exists(file))) return KZ_OK;
    if (!base_file_exists(file)) return workload_task_fail_missing(command, file, error);
    kz_error why = {0};
    kz_status status = find(file, id, found, &why);
    if (status && !id && status != KZ_NOT_FOUND) return KZ_OK; // it does not say a task: it is something else
    if (status) {
        if (error) *error = why;
        return status;
    }
    return KZ_OK;
}

kz_status workload_task_check(const char *command, const workload_task *found, kz_error *error) {
    switch (found->task->kind) {
    case COURSE_CUDA: return KZ_OK;
    case COURSE_C: return fail_for_c(command, found->task, found->file, error);
    default: return fail_for_text(command, found->task, found->file, error);
    }
}

void workload_task_close(workload_task *found) {
    course_close(found->catalogue);
    *found = (workload_task){0};
}

kz_status workload_task_case(const course_task *task, const char *text,
                             kz_status (*choose)(const course_task *, course_case *, kz_error *),
                             course_case *c, kz_error *error) {
    kz_status status = choose(task, c, error);
    return status || !text ? status : course_case_read(task, text, c, error);
}

// ---- programs -------------------------------------------------------------------------------------------

static kz_status judge(course_program_subject *subject, workload_answer *answer, kz_error *error) {
    kz_error wrong = {0};
    kz_status status = course_program_judge(subject, &answer->given, &wrong);
    if (status == KZ_WRONG)
        answer->wrong = wrong;
    else if (status && error)
        *error = wrong;
    return status == KZ_WRONG ? KZ_OK : status;
}

static kz_status run_open(const workload_task *found, course_program_subject *subject,
                          const workload_program *program, workload_result *result, kz_error *error) {
    const char *flags[2 * WORKLOAD_WORDS];
    size_t count = 0;
    const char *const *own = found->task->build_flags;
    for (size_t i = 0; own && own[i] && count < WORKLOAD_WORDS; i++) flags[count++] = own[i];
    for (size_t i = 0; i < program->nvcc_flag_count && count < BASE_COUNT(flags); i++)
        flags[count++] = program->nvcc_flags[i];
    workload_program whole = *program;
    whole.files = subject->files;
    whole.file_count = BASE_COUNT(subject->files);
    whole.file_flags = subject->file_flags;
    whole.nvcc_flags = flags;
    whole.nvcc_flag_count = count;
    whole.input = subject->input;
    whole.answer = subject->answer;
    kz_status status = workload_program_run(&whole, result, error);
    if (status == KZ_TOOL) {
        base_text prototype = {0};
        course_harness_prototype(found->task, &prototype);
        base_fail_note(error, "the task calls: extern \"C\" %s", prototype.data ? prototype.data : "");
        base_text_free(&prototype);
    }
    return status;
}

kz_status workload_task_run(const workload_task *found, const course_case *c, const workload_program *program,
                            workload_answer *answer, workload_result *result, kz_error *error) {
    course_program_subject subject;
    kz_status status = course_program_open(found->task, found->file, c, &subject, error);
    if (!status) status = run_open(found, &subject, program, result, error);
    if (!status && answer) {
        *answer = (workload_answer){0};
        course_case_name(found->task, &subject.c, answer->name, sizeof answer->name);
        status = judge(&subject, answer, error);
    }
    course_program_close(&subject);
    return status;
}
