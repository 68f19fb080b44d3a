// Timelines of workloads. See timeline.h.
#include "workload/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "family/case.h"
#include "family/trace.h"

enum { MOST_ELEMENTS = 1 << 20 }; // what the simulator does within seconds

// ---- kernels: of the zoo, guests, learners' ---------------------------------------------------------------

static const char *name_of(const kz_step *step) {
    switch (step->kind) {
    case KZ_STEP_LAUNCH: return step->entry;
    case KZ_STEP_FILL: return "fill";
    default: return "copy";
    }
}

// `plan` NULL: the trace is of one launch of `kernel`.
static kz_status take_trace(const device_trace *trace, const kz_plan *plan, const char *kernel,
                            report_timeline *t, kz_error *error) {
    t->modelled = trace->modelled;
    t->seconds = trace->seconds;
    t->spans = calloc(trace->count + 1, sizeof *t->spans);
    t->count = t->spans ? trace->count : 0;
    if (!t->spans) return base_fail(error, KZ_NO_MEMORY, "no memory for a timeline");
    for (size_t i = 0; i < trace->count; i++) {
        const device_span *s = &trace->spans[i];
        report_timeline_span *to = &t->spans[i];
        *to = (report_timeline_span){
            .engine = s->engine, .stream = s->stream, .bytes = s->bytes, .start = s->start, .end = s->end};
        snprintf(to->name, sizeof to->name, "%s", plan ? name_of(&plan->steps[s->step]) : kernel);
    }
    return KZ_OK;
}

static kz_status trace_family(const workload *w, const workload_timeline_options *o, kz_device *device,
                              report_timeline *t, kz_error *error) {
    kz_case c;
    kz_plan plan;
    device_trace trace;
    char name[FAMILY_CASE_NAME];
    family_check_job job = {
        .family = w->family, .guest = w->guest, .c = &c, .device = device, .seed = FAMILY_SEED};
    uint64_t most = kz_device_get_info(device)->kind == KZ_DEVICE_CUDA ? 0 : MOST_ELEMENTS;
    kz_status status = workload_choose(w, o->pattern, most, device, &c, &job.variant, error);
    if (!status) status = workload_load(w->family, job.variant, w->guest, device, NULL, &job.module, error);
    if (!status) status = family_trace(&job, &plan, &trace, error);
    if (!status) {
        family_case_name(w->family, &c, name);
        if (w->guest)
            snprintf(t->title, sizeof t->title, "%s %s", family_guest_name(w->guest), name);
        else
            snprintf(t->title, sizeof t->title, "%s/%s %s", w->family->name, job.variant->name, name);
        status = take_trace(&trace, &plan, NULL, t, error);
    }
    if (job.module) kz_module_close(job.module);
    return status;
}

static kz_status look(const course_subject *subject, const course_case *c, const workload_timeline_options *o,
                      kz_device *device, report_timeline *t, workload_answer *answer, kz_error *error) {
    kz_module *module = NULL;
    course_seen seen = {0};
    device_trace trace = {0};
    double seconds = o->settings.timeout;
    const course_look wanted = {.c = c,
                                .name = subject->image.name,
                                .seconds = seconds > 0 ? seconds : WORKLOAD_TASK_SECONDS,
                                .trace = &trace};
    kz_status status = kz_module_load(device, &subject->image, &module, error);
    if (!status) status = course_subject_look(subject, device, module, &wanted, &seen, error);
    if (!status && seen.fault.status) {
        status = seen.fault.status;
        *error = seen.fault;
        base_fail_note(error, "kz sanitize %s says more about it", subject->image.name);
    }
    answer->given = !status;
    answer->wrong = seen.wrong;
    if (!status) status = take_trace(&trace, NULL, subject->task->function, t, error);
    base_text_free(&seen.record);
    if (module) kz_module_close(module);
    return status;
}

static kz_status trace_task(const workload *w, const workload_timeline_options *o, kz_device *device,
                            report_timeline *t, workload_answer *answer, kz_error *error) {
    const course_task *task = w->task.task;
    course_subject subject = {0};
    course_case c;
    kz_status status = workload_task_case(task, o->pattern, course_case_to_profile, &c, error);
    if (status) return status;
    course_case_name(task, &c, answer->name, sizeof answer->name);
    snprintf(t->title, sizeof t->title, "%.60s %.90s", base_file_name(w->files[0]), answer->name);
    status = course_subject_open(task, w->files[0], false, &subject, error);
    workload_show_warnings(&subject.warnings);
    if (!status) status = look(&subject, &c, o, device, t, answer, error);
    course_subject_close(&subject);
    return status;
}

static kz_status run_kernel(const workload *w, const workload_timeline_options *o, report_timeline *t,
                            workload_answer *answer, kz_error *error) {
    kz_device *device = NULL;
    kz_status status = o->device ? kz_device_open(o->device, &device, error)
                                 : workload_open_simulator(o->settings.gpu, &device, error);
    if (status) return status;
    snprintf(t->device, sizeof t->device, "%s", kz_device_get_info(device)->id);
    status = w->kind == WORKLOAD_TASK ? trace_task(w, o, device, t, answer, error)
                                      : trace_family(w, o, device, t, error);
    kz_device_close(device);
    return status;
}

// ---- programs ---------------------------------------------------------------------------------------------

static kz_status check_device(const workload_timeline_options *o, kz_error *error) {
    if (!o->device) return KZ_OK;
    return base_fail(error, KZ_INVALID,
                     "whole programs are drawn on the simulator alone: --gpu NAME says which GPU\n"
                     "on a real one, kz timeline draws kernels: a family's, a guest, a task's");
}

static kz_status run_program(const workload *w, const workload_timeline_options *o, report_timeline *t,
                             workload_result *result, workload_answer *answer, kz_error *error) {
    course_case c;
    report_record record = {0};
    workload_program settings = o->settings;
    settings.observe = "time";
    kz_status status = check_device(o, error);
    if (!status && w->kind == WORKLOAD_TASK)
        status = workload_task_case(w->task.task, o->pattern, course_case_to_profile, &c, error);
    if (!status) status = workload_run(w, &settings, &c, answer, result, error);
    if (!status) status = workload_program_record(result, w->files[0], &record, error);
    if (!status) status = report_timeline_read(&record, t, error);
    if (!status) snprintf(t->title, sizeof t->title, "%s", base_file_name(w->files[0]));
    report_record_free(&record);
    return status;
}

kz_status workload_timeline(const workload *w, const workload_timeline_options *o, report_timeline *t,
                            workload_result *result, workload_answer *answer, kz_error *error) {
    *t = (report_timeline){0};
    *result = (workload_result){0};
    *answer = (workload_answer){0};
    return workload_runs_as_program(w) ? run_program(w, o, t, result, answer, error)
                                       : run_kernel(w, o, t, answer, error);
}
