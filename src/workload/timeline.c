// Timelines of workloads. See timeline.h.
#include "workload/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "family/case.h"
#include "family/trace.h"

enum { MOST_ELEMENTS = 1 << 20 }; // what the simulator does within seconds

// ---- variants ---------------------------------------------------------------------------------------------

static kz_status take_trace(const family_check_job *job, const kz_plan *plan, const device_trace *trace,
                            report_timeline *t, kz_error *error) {
    char name[FAMILY_CASE_NAME];
    family_case_name(job->family, job->c, name);
    *t = (report_timeline){.modelled = trace->modelled,
                           .seconds = trace->seconds,
                           .spans = calloc(trace->count + 1, sizeof *t->spans),
                           .count = trace->count};
    if (!t->spans) return base_fail(error, KZ_NO_MEMORY, "no memory for a timeline");
    snprintf(t->title, sizeof t->title, "%s/%s %s", job->family->name, job->variant->name, name);
    snprintf(t->device, sizeof t->device, "%s", kz_device_get_info(job->device)->id);
    for (size_t i = 0; i < trace->count; i++) {
        const device_span *s = &trace->spans[i];
        const kz_step *step = &plan->steps[s->step];
        report_timeline_span *to = &t->spans[i];
        *to = (report_timeline_span){
            .engine = s->engine, .stream = s->stream, .bytes = s->bytes, .start = s->start, .end = s->end};
        const char *what = step->kind == KZ_STEP_LAUNCH ? step->entry
                           : step->kind == KZ_STEP_FILL ? "fill"
                                                        : "copy";
        snprintf(to->name, sizeof to->name, "%s", what);
    }
    return KZ_OK;
}

static kz_status trace_variant(const workload *w, const workload_timeline_options *o, kz_device *device,
                               report_timeline *t, kz_error *error) {
    kz_case c;
    kz_plan plan;
    device_trace trace;
    family_check_job job = {.family = w->family, .c = &c, .device = device, .seed = FAMILY_SEED};
    uint64_t most = kz_device_get_info(device)->kind == KZ_DEVICE_CUDA ? 0 : MOST_ELEMENTS;
    kz_status status = workload_choose(w, o->pattern, most, device, &c, &job.variant, error);
    if (!status) status = workload_load(w->family, job.variant, NULL, device, NULL, &job.module, error);
    if (!status) status = family_trace(&job, &plan, &trace, error);
    if (!status) status = take_trace(&job, &plan, &trace, t, error);
    if (job.module) kz_module_close(job.module);
    return status;
}

static kz_status run_variant(const workload *w, const workload_timeline_options *o, report_timeline *t,
                             kz_error *error) {
    kz_device *device = NULL;
    kz_status status = o->device ? kz_device_open(o->device, &device, error)
                                 : workload_open_simulator(o->settings.gpu, &device, error);
    if (!status) status = trace_variant(w, o, device, t, error);
    kz_device_close(device);
    return status;
}

// ---- programs ---------------------------------------------------------------------------------------------

static kz_status check_program(const workload *w, const workload_timeline_options *o, kz_error *error) {
    if (!workload_runs_as_program(w)) {
        base_fail(error, KZ_INVALID, "%s is one kernel, without host code: it has no timeline", w->files[0]);
        base_fail_note(error, "kz prof %s looks inside it", w->files[0]);
        return KZ_INVALID;
    }
    if (!o->device) return KZ_OK;
    return base_fail(error, KZ_INVALID,
                     "whole programs are drawn on the simulator alone: --gpu NAME says which GPU\n"
                     "on a real one, kz timeline draws the variants of a family: kz list");
}

static kz_status run_program(const workload *w, const workload_timeline_options *o, report_timeline *t,
                             workload_result *result, workload_answer *answer, kz_error *error) {
    course_case c;
    report_record record = {0};
    workload_program settings = o->settings;
    settings.observe = "time";
    kz_status status = check_program(w, o, error);
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
    return w->kind == WORKLOAD_ZOO ? run_variant(w, o, t, error)
                                   : run_program(w, o, t, result, answer, error);
}
