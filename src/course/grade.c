// Grading: what is the same for all kinds. The file is read, its rules are looked at (source_rules.c), a device and
// a fresh seed are chosen; then the kind's own part takes over.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "course.h"
#include "family/check.h"
#include "source_rules.h"
#include "source_text.h"

// ---- the device and the seed ----------------------------------------------------------------------------

// A GPU where there is one, else the simulator.
static kz_status choose_device(const course_grade_job *job, char id[32], kz_error *error) {
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    snprintf(id, 32, "%s", job->task->kind == COURSE_CUDA ? "sim" : "cpu");
    if (job->task->kind != COURSE_CUDA) return KZ_OK;
    if (job->device) {
        snprintf(id, 32, "%.31s", job->device);
        if (strcmp(id, "cpu") != 0) return KZ_OK;
        base_fail(error, KZ_UNSUPPORTED, "%s asks for CUDA C++, which the device cpu does not run",
                  job->task->id);
        base_fail_note(error, "--device sim runs it on this machine, as kz grade does by itself");
        return KZ_UNSUPPORTED;
    }
    kz_status status = kz_device_list(infos, BASE_COUNT(infos), &count, error);
    for (size_t i = 0; i < count && i < BASE_COUNT(infos) && !status; i++)
        if (infos[i].kind == KZ_DEVICE_CUDA) {
            memcpy(id, infos[i].id, sizeof infos[i].id);
            return KZ_OK;
        }
    return status;
}

static uint64_t fresh_seed(void) {
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
        seed = (uint32_t)base_wall_nanoseconds();
    return seed == FAMILY_SEED || seed == 0 ? 1 : seed;
}

// Compilers go by the ending: assembly, an object or a linker script would be taken for what it is.
static kz_status check_ending(const course_task *task, const char *file, kz_error *error) {
    if (task->kind != COURSE_CUDA && task->kind != COURSE_C) return KZ_OK;
    const char *name = base_file_name(file), *dot = strrchr(name, '.');
    if (!task->extension || (dot && strcmp(dot + 1, task->extension) == 0)) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s does not end in .%s: task %s asks for %s source", file, task->extension,
              task->id, task->kind == COURSE_C ? "C" : "CUDA C++");
    base_fail_note(error, "write it as source code, into a file such as %s.%s", task->id, task->extension);
    return KZ_INVALID;
}

// ---- all of it ------------------------------------------------------------------------------------------

static kz_status grade_kind(const course_grade_job *job, const char *source, course_verdict *verdict,
                            kz_error *error) {
    switch (job->task->kind) {
    case COURSE_C: return course_grade_c(job, source, verdict, error);
    case COURSE_CUDA:
        return job->task->form == COURSE_PROGRAM ? course_grade_program(job, source, verdict, error)
                                                 : course_grade_kernel(job, source, verdict, error);
    default: return course_grade_answers(job, source, verdict, error);
    }
}

kz_status course_grade(const course_grade_job *job, course_verdict *verdict, kz_error *error) {
    double began = base_seconds();
    *verdict = (course_verdict){.arena = base_arena_open(),
                                .task = job->task,
                                .reason_detail = "",
                                .passed = true,
                                .public_seed = FAMILY_SEED,
                                .fresh_seed = job->fresh_seed ? job->fresh_seed : fresh_seed()};
    if (!verdict->arena) return base_fail(error, KZ_NO_MEMORY, "no memory for a verdict");
    char *source = NULL, *path = realpath(job->file, NULL);
    if (!path) {
        verdict->passed = false;
        return base_file_fail_open(job->file, errno, error);
    }
    snprintf(verdict->file, sizeof verdict->file, "%s", path);
    free(path);
    char device[sizeof verdict->device];
    course_grade_job own = *job;
    own.file = verdict->file;
    kz_status status = check_ending(job->task, job->file, error);
    if (!status) status = course_read_submission(own.file, &source, error);
    if (!status) status = choose_device(&own, verdict->device, error);
    snprintf(device, sizeof device, "%s", verdict->device); // the kinds may say it more precisely
    own.device = device;
    own.fresh_seed = verdict->fresh_seed;
    if (!status) status = course_check_source(&own, source, verdict, error);
    if (!status && verdict->passed) status = grade_kind(&own, source, verdict, error);
    free(source);
    verdict->seconds = base_seconds() - began;
    if (status) verdict->passed = false;
    // A verdict without a single check that went well is no pass.
    bool any = false;
    for (size_t i = 0; i < verdict->check_count; i++) any = any || verdict->checks[i].outcome == COURSE_RIGHT;
    if (!any) verdict->passed = false;
    return status;
}
