// A learner's kernel or program, made ready to be looked into; see inspect.h.
#include "inspect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "family/check.h"

// ---- kernels --------------------------------------------------------------------------------------------

static kz_status check_kernel(const course_subject *s, const char *file, kz_error *error) {
    ptx_module *module = NULL;
    base_text summary = {0}, detail = {0};
    kz_status status = ptx_module_open(file, s->ptx, strlen(s->ptx), &module, error);
    if (!status && !course_kernel_fits(s->task, module, &summary, &detail)) {
        status = base_fail(error, KZ_INVALID, "%s: %s", file, summary.data ? summary.data : "");
        base_fail_note(error, "%s", detail.data ? detail.data : "");
    }
    base_text_free(&summary);
    base_text_free(&detail);
    if (module) ptx_module_close(module);
    return status;
}

kz_status course_subject_open(const course_task *task, const char *file, bool for_debugging,
                              course_subject *s, kz_error *error) {
    *s = (course_subject){.task = task, .arena = base_arena_open()};
    if (!s->arena) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", file);
    toolchain tools;
    bool refused = false;
    char *source = NULL;
    size_t size = 0;
    kz_status status = base_file_read(file, &source, &size, error);
    if (!status)
        status =
            course_kernel_compile(task, file, for_debugging, &tools, &s->ptx, &s->warnings, &refused, error);
    if (!status) status = check_kernel(s, file, error);
    if (!status) status = family_lines_read(s->arena, file, source, &s->lines, error);
    if (!status) status = course_kernel_fills(task, &s->lines, s->fills, error);
    if (!status) status = course_reference_open(task, &s->reference, error);
    if (!status)
        s->image =
            (kz_image){.size = sizeof(kz_image), .name = file, .ptx = s->ptx, .ptx_size = strlen(s->ptx)};
    free(source);
    return status;
}

void course_subject_close(course_subject *s) {
    course_reference_close(s->reference);
    base_arena_close(s->arena);
    base_text_free(&s->warnings);
    free(s->ptx);
    *s = (course_subject){0};
}

static bool is_kernels(kz_status status) {
    return status == KZ_FAULT || status == KZ_DEADLOCK || status == KZ_WRONG || status == KZ_TIMEOUT;
}

static kz_status judge_answer(const course_subject *s, course_data *data, const course_judge_result *result,
                              kz_error *wrong, kz_error *error) {
    family_comparison comparison;
    bool changed = false;
    kz_status status = course_kernel_take(data, result, error);
    if (status) return status;
    status = course_data_judge(data, s->reference, &changed, &comparison, wrong);
    if (status == KZ_WRONG || !status) return KZ_OK;
    *error = *wrong;
    *wrong = (kz_error){0};
    return status;
}

kz_status course_subject_look(const course_subject *s, kz_device *device, kz_module *module,
                              const course_look *look, course_seen *seen, kz_error *error) {
    course_judge_target target;
    course_judge_result result = {0};
    course_data data = {0};
    bool own_is_wrong = false;
    base_arena *arena = base_arena_open();
    *seen = (course_seen){0};
    if (!arena) return base_fail(error, KZ_NO_MEMORY, "no memory for a run");
    course_judge_run run = {
        .name = look->name, .observe = look->observe, .schedule = look->schedule, .want_outputs = true};
    kz_launch launch;
    kz_status status = course_kernel_launch(s->task, look->c, &s->lines, &launch, &own_is_wrong, error);
    if (!status) status = course_data_open(s->task, s->reference, look->c, FAMILY_SEED, &data, error);
    if (!status)
        status = course_judge_target_open(device, module, s->task->function, look->seconds, &target, error);
    if (!status) {
        target.trace = look->trace;
        data.launch = &launch;
        data.fills = s->fills;
        data.is_grid_given = course_kernel_gives_grid(s->task, &s->lines);
        course_kernel_fill_run(&data, s->fills, &launch, &run);
        course_judge_make_run(&target, &run, arena, &result, &seen->record);
        if (result.status == KZ_OK)
            status = judge_answer(s, &data, &result, &seen->wrong, error);
        else
            base_fail(is_kernels(result.status) ? &seen->fault : error, result.status, "%s", result.message);
        if (result.status && !is_kernels(result.status)) status = result.status;
    }
    course_data_close(&data);
    base_arena_close(arena);
    return status;
}

// ---- programs -------------------------------------------------------------------------------------------

static kz_status make_file(int *file, const base_text *content, kz_error *error) {
    *file = memfd_create("kz", MFD_CLOEXEC);
    bool made = *file >= 0;
    for (size_t done = 0; made && content && done < content->length;) {
        ssize_t put = write(*file, content->data + done, content->length - done);
        made = put > 0;
        done += made ? (size_t)put : 0;
    }
    if (made) made = lseek(*file, 0, SEEK_SET) == 0;
    return made ? KZ_OK : base_fail(error, KZ_IO, "cannot keep a case's data: %s", strerror(errno));
}

static course_harness_job job_of(course_program_subject *s) {
    return (course_harness_job){.data = &s->data, .calls = 1};
}

kz_status course_program_open(const course_task *task, const char *file, const course_case *c,
                              course_program_subject *s, kz_error *error) {
    *s = (course_program_subject){.input = -1, .answer = -1, .c = *c};
    base_text input = {0};
    char folder[TOOLCHAIN_PATH] = "";
    kz_status status = toolchain_work_open(folder, error);
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    if (!status) status = course_harness_write(task, s->folder, &s->harness, error);
    if (!status) status = course_reference_open(task, &s->reference, error);
    if (!status) status = course_data_open(task, s->reference, &s->c, FAMILY_SEED, &s->data, error);
    if (status) return status;
    const course_harness_job job = job_of(s);
    status = course_harness_pack(&job, 1, FAMILY_SEED, &input, error);
    if (!status) status = make_file(&s->input, &input, error);
    if (!status) status = make_file(&s->answer, NULL, error);
    base_text_free(&input);
    s->files[0] = file;
    s->files[1] = s->harness.main_file;
    s->before[0] = "-include";
    s->before[1] = s->harness.prototype_file;
    s->file_flags[0] = s->before;
    return status;
}

void course_program_close(course_program_subject *s) {
    course_data_close(&s->data);
    course_reference_close(s->reference);
    if (s->input >= 0) close(s->input);
    if (s->answer >= 0) close(s->answer);
    if (s->folder[0]) toolchain_work_close(s->folder);
}

kz_status course_program_judge(course_program_subject *s, bool *answered, kz_error *error) {
    base_text answer = {0};
    char piece[65536];
    ssize_t got;
    course_harness_job job = job_of(s);
    lseek(s->answer, 0, SEEK_SET);
    while ((got = read(s->answer, piece, sizeof piece)) > 0) base_text_add_bytes(&answer, piece, (size_t)got);
    kz_status status = course_harness_unpack(&answer, FAMILY_SEED, &job, 1, error);
    base_text_free(&answer);
    *answered = job.answered;
    if (status || !job.answered) return status;
    family_comparison comparison;
    bool changed = false;
    return course_data_judge(&s->data, s->reference, &changed, &comparison, error);
}
