// Kernels under the debugger. See debug.h.
#include "workload/debug.h"

#include <stdlib.h>
#include <string.h>

#include "debug/debug.h"
#include "device/device.h"
#include "family/case.h"
#include "family/check.h"
#include "toolchain/toolchain.h"

enum { PARENTS = 5 };

typedef struct single {
    const workload *w;
    const workload_debug_options *o;
    char *ptx; // of a variant, compiled for debugging
    kz_device *device;
    kz_module *module;
    debug_session *session;
} single;

// ---- opening ------------------------------------------------------------------------------------------------

static kz_status open_session(single *s, kz_error *error) {
    kz_status status = debug_open_streams(s->o->streams, s->o->on_quit, NULL, &s->session, error);
    return status ? status : device_sim_listen(s->device, debug_listener(s->session), error);
}

static void close_all(single *s) {
    if (s->device) device_sim_listen(s->device, NULL, NULL);
    debug_close(s->session);
    if (s->module) kz_module_close(s->module);
    if (s->device) kz_device_close(s->device);
    free(s->ptx);
}

// kernels/<group>/<family>/<variant>.cu, here or above the executable; false where the sources are not there.
static bool find_source(const workload *w, char path[WORKLOAD_PATH]) {
    char own[BASE_PATH], name[256];
    snprintf(name, sizeof name, "kernels/%s/%s/%s.cu", w->family->group, w->family->name, w->variant->name);
    snprintf(path, WORKLOAD_PATH, "%s", name);
    if (base_file_exists(path)) return true;
    if (base_self_path(own, NULL)) return false;
    for (int i = 0; i < PARENTS && base_path_up(own); i++) {
        snprintf(path, WORKLOAD_PATH, "%.700s/%s", own, name);
        if (base_file_exists(path)) return true;
    }
    return false;
}

// Families include each other's headers as "<group>/<file>": the folder of the groups is two above theirs.
static kz_status compile_source(const char *path, char **ptx, size_t *size, kz_error *error) {
    char kernels[WORKLOAD_PATH];
    snprintf(kernels, sizeof kernels, "%s", path);
    for (int i = 0; i < 3; i++) base_path_up(kernels);
    return workload_compile(path, kernels, true, ptx, size, NULL, error);
}

static kz_status load_module(single *s, kz_error *error) {
    const workload *w = s->w;
    char path[WORKLOAD_PATH];
    kz_image image;
    size_t size;
    if (w->guest || s->o->optimized)
        return workload_load(w->family, w->variant, w->guest, s->device, NULL, &s->module, error);
    kz_status status = kz_variant_image(w->family, w->variant, &image, error);
    if (status) return status;
    kz_error why = {0};
    if (image.others)
        fprintf(s->o->out, "Kernels of other families are debugged as they were built, without variables.\n");
    if (!strchr(image.name, '/'))
        return kz_module_load(s->device, &image, &s->module, error); // no file of its own
    if (!find_source(w, path))
        fprintf(
            s->o->out,
            "The zoo's sources are not here: the kernel is debugged as it was built, without variables.\n");
    else if (compile_source(path, &s->ptx, &size, &why))
        fprintf(s->o->out, "%s\nThe kernel is debugged as it was built, without variables.\n", why.message);
    else
        image = (kz_image){.size = sizeof(kz_image),
                           .name = image.name,
                           .ptx = s->ptx,
                           .ptx_size = size,
                           .others = image.others};
    return kz_module_load(s->device, &image, &s->module, error);
}

// ---- the zoo, and guests --------------------------------------------------------------------------------------

static kz_status check_variant(const workload *w, kz_error *error) {
    if (w->guest) return KZ_OK;
    if (!w->variant) {
        base_fail(error, KZ_INVALID, "%s has several variants: one can be debugged at a time",
                  w->family->name);
        base_fail_note(error, "try: kz debug %s/%s", w->family->name,
                       w->family->variants[w->family->variant_count - 1].name);
        return KZ_INVALID;
    }
    if (!w->variant->natives) return KZ_OK;
    return base_fail(error, KZ_INVALID, "%s is plain C for the CPU: no kernel to debug", w->files[0]);
}

// The first case that the kernel does.
static kz_status check_cases(single *s, const kz_case *cases, size_t count) {
    const workload *w = s->w;
    family_check_result result = {.outcome = FAMILY_SKIPPED};
    for (size_t i = 0; i < count && result.outcome == FAMILY_SKIPPED; i++) {
        char name[FAMILY_CASE_NAME];
        family_check_job job = {.family = w->family,
                                .variant = w->variant,
                                .guest = w->guest,
                                .c = &cases[i],
                                .device = s->device,
                                .module = s->module,
                                .seed = FAMILY_SEED};
        kz_plan plan;
        kz_error refused = {0};
        if (count > 1 && family_make_plan(&job, &plan, &refused)) continue;
        family_case_name(w->family, &cases[i], name);
        fprintf(s->o->out, "Case %s; a check runs it twice, on different data.\n", name);
        fflush(s->o->out);
        family_check(&job, &result);
    }
    if (result.outcome == FAMILY_PASSED) {
        fprintf(s->o->out, "The answer is right.\n");
        return KZ_OK;
    }
    fprintf(s->o->out, "The outcome: %s\n%s\n", family_outcome_name(result.outcome), result.error.message);
    return result.error.status;
}

static kz_status debug_kernel(single *s, kz_status *outcome, kz_error *error) {
    kz_case *cases = NULL;
    size_t count = 0;
    const workload_debug_options *o = s->o;
    kz_status status = check_variant(s->w, error);
    if (!status) status = workload_find_cases(s->w->family, o->pattern, KZ_USE_CHECK, &cases, &count, error);
    if (!status) status = workload_open_simulator(o->gpu, &s->device, error);
    if (!status) status = load_module(s, error);
    if (!status && o->seed) status = device_sim_set_seed(s->device, o->seed, error);
    if (!status) status = open_session(s, error);
    if (!status) *outcome = check_cases(s, cases, count);
    free(cases);
    return status;
}

// ---- learners' files ------------------------------------------------------------------------------------

static kz_status look(single *s, const course_subject *subject, const course_case *c, kz_error *error) {
    course_seen seen = {0};
    const course_look look = {.c = c, .name = s->w->files[0], .schedule = s->o->seed};
    kz_status status = course_subject_look(subject, s->device, s->module, &look, &seen, error);
    const kz_error *bad = seen.fault.status ? &seen.fault : seen.wrong.status ? &seen.wrong : NULL;
    if (!status && bad) {
        status = bad->status;
        *error = *bad;
    } else if (!status) {
        fprintf(s->o->out, "The answer is right.\n");
    }
    base_text_free(&seen.record);
    return status;
}

static kz_status debug_task(single *s, kz_error *error) {
    const course_task *task = s->w->task.task;
    course_subject subject = {0};
    course_case c;
    char name[200];
    kz_status status = workload_task_case(task, s->o->pattern, course_case_to_debug, &c, error);
    if (!status) status = course_subject_open(task, s->w->files[0], !s->o->optimized, &subject, error);
    workload_show_warnings(&subject.warnings);
    if (!status) status = workload_open_simulator(s->o->gpu, &s->device, error);
    if (!status) status = kz_module_load(s->device, &subject.image, &s->module, error);
    if (!status) status = open_session(s, error);
    if (!status) {
        course_case_name(task, &c, name, sizeof name);
        fprintf(s->o->out, "Task %s, case %s.\n", task->id, name);
        fflush(s->o->out);
        status = look(s, &subject, &c, error);
    }
    if (s->device) device_sim_listen(s->device, NULL, NULL);
    if (s->module) kz_module_close(s->module);
    s->module = NULL; // before what it was made from
    course_subject_close(&subject);
    return status;
}

kz_status workload_debug(const workload *w, const workload_debug_options *options, kz_status *outcome,
                         kz_error *error) {
    single s = {.w = w, .o = options};
    *outcome = KZ_OK;
    kz_status status = w->kind == WORKLOAD_TASK ? debug_task(&s, error) : debug_kernel(&s, outcome, error);
    close_all(&s);
    return status;
}
