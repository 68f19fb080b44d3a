// Checks. See check.h.
#include "workload/check.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "observe/observe.h"
#include "report/profile/profile.h"
#include "workload/check_time.h"

enum { MOST_EXPLAINED = 1 << 20 }; // elements: what the simulator does in passing

struct workload_check {
    const workload *w;
    const workload_check_options *options;
    workload_devices devices;
    report_check *report;
    report_progress progress;
    workload_timer timer;
    kz_device *explainer; // the simulator, to tell what a GPU's kernels waste; NULL until it is needed
    size_t done, total, widest;
};

static bool stops(const workload_check *state) {
    return state->options->interrupted && state->options->interrupted();
}

static void complain(workload_check *state, const kz_error *error, const char *consequence) {
    report_progress_clear(&state->progress);
    if (state->options->complain) state->options->complain(error, consequence);
}

// ---- what to check --------------------------------------------------------------------------------

static bool has_natives(const workload *w) {
    for (size_t f = 0; f < w->zoo.count && !w->guest; f++) {
        const kz_family *family = w->zoo.families[f];
        for (size_t v = 0; v < family->variant_count; v++)
            if (family->variants[v].natives && workload_wants(&w->zoo, family, &family->variants[v]))
                return true;
    }
    return false;
}

// The rows of a family's table are its variants times the devices they are meant for.
static bool applies(const workload *w, const kz_family *family, const kz_variant *variant,
                    const kz_device *device) {
    const kz_device_info *info = kz_device_get_info(device);
    if (w->guest) return info->kind != KZ_DEVICE_CPU;
    return workload_wants(&w->zoo, family, variant) && family_variant_suits(variant, info);
}

static size_t row_variants(const workload *w, const kz_family *family) {
    return w->guest ? 1 : family->variant_count;
}

static uint32_t wanted_use(const workload_check_options *o) {
    return KZ_USE_CHECK | (o->huge ? KZ_USE_HUGE : 0u);
}

// Finds the cases of each family once more for the total; a pattern must match in one family at least.
static kz_status count_jobs(workload_check *state, kz_error *error) {
    const workload *w = state->w;
    bool found = false;
    for (size_t f = 0; f < w->zoo.count; f++) {
        kz_case *cases;
        size_t count, rows = 0;
        const kz_family *family = w->zoo.families[f];
        for (size_t v = 0; v < row_variants(w, family); v++) {
            const char *name = w->guest ? family_guest_name(w->guest) : family->variants[v].name;
            if (strlen(name) > state->widest) state->widest = strlen(name);
            for (size_t d = 0; d < state->devices.count; d++)
                rows += applies(w, family, w->guest ? NULL : &family->variants[v], state->devices.items[d]);
        }
        kz_status status = workload_find_cases(family, state->options->pattern, wanted_use(state->options),
                                               &cases, &count, error);
        if (status == KZ_NO_MEMORY) return status;
        if (status) continue;
        found = true;
        state->total += rows * count;
        free(cases);
    }
    if (!found && w->zoo.count > 1) {
        base_fail(error, KZ_NOT_FOUND, "no case of any family matches %s", state->options->pattern);
        base_fail_note(error, "try: kz info FAMILY, which lists the names");
    }
    if (found && state->total == 0) {
        base_fail(error, KZ_INVALID, "none of the variants asked for is meant for the devices asked for");
        base_fail_note(error, "native C variants run on cpu, all others on cuda and sim; try: kz devices");
        return KZ_INVALID;
    }
    return found ? KZ_OK : error->status;
}

// ---- the work -------------------------------------------------------------------------------------

// A fault ends a CUDA context: everything that lived in it is opened again.
static kz_status reopen(workload_check *state, size_t device, kz_error *error) {
    char id[32];
    snprintf(id, sizeof id, "%s", kz_device_get_info(state->devices.items[device])->id);
    kz_device_close(state->devices.items[device]);
    state->devices.items[device] = NULL;
    return kz_device_open(id, &state->devices.items[device], error);
}

static kz_status reopen_job(workload_check *state, size_t device, family_check_job *job, kz_error *error) {
    kz_module_close(job->module);
    job->module = NULL;
    kz_status status = reopen(state, device, error);
    job->device = state->devices.items[device];
    return status ? status
                  : workload_load(job->family, job->variant, state->w->guest, job->device, NULL, &job->module,
                                  error);
}

static void say_lost(workload_check *state, const kz_error *error) {
    complain(state, error, "the device is gone; the rest of its cases are left out");
}

static void show_progress(workload_check *state, const family_check_job *job, const char *variant) {
    char name[FAMILY_CASE_NAME], what[400];
    family_case_name(job->family, job->c, name);
    snprintf(what, sizeof what, "%s/%s %s on %s", job->family->name, variant, name,
             kz_device_get_info(job->device)->id);
    report_progress_show(&state->progress, state->done, state->total, what);
}

// A module that does not load fails its cases, but for those that the variant would not have done here
// anyway.
static void note_unloadable(const family_check_job *job, const kz_error *why, family_check_result *result) {
    kz_plan plan;
    bool refused = family_make_plan(job, &plan, &result->error) == KZ_UNSUPPORTED;
    result->outcome = refused ? FAMILY_SKIPPED : FAMILY_FAILED;
    if (!refused) result->error = *why;
}

// All cases of one variant on one device. False where the device could not be brought back.
static bool check_row_cases(workload_check *state, family_check_job *job, size_t device, const char *variant,
                            const kz_case *cases, size_t count, kz_status unloadable, const kz_error *why,
                            report_check_row *row) {
    bool alive = true;
    for (size_t i = 0; i < count && alive && !stops(state); i++) {
        family_check_result result = {.seed = job->seed};
        job->c = &cases[i];
        show_progress(state, job, variant);
        double start = base_seconds();
        if (unloadable)
            note_unloadable(job, why, &result);
        else
            family_check(job, &result);
        if (state->report->verbose) report_progress_clear(&state->progress);
        report_check_case(state->report, job, variant, &result, base_seconds() - start, row);
        state->done++;
        kz_error error;
        if (result.device_lost && reopen_job(state, device, job, &error)) {
            alive = false;
            say_lost(state, &error);
        }
    }
    return alive;
}

static bool check_row_all(workload_check *state, const kz_family *family, const kz_variant *variant,
                          size_t device, const kz_case *cases, size_t count, report_check_row *row) {
    const workload *w = state->w;
    const char *name = w->guest ? family_guest_name(w->guest) : variant->name;
    family_check_job job = {.family = family,
                            .variant = variant,
                            .guest = w->guest,
                            .device = state->devices.items[device],
                            .seed = state->options->seed,
                            .count = true};
    *row = (report_check_row){.variant = name, .device = *kz_device_get_info(job.device)};
    kz_error error = {0};
    kz_status status = workload_load(family, variant, w->guest, job.device, NULL, &job.module, &error);
    bool alive = check_row_cases(state, &job, device, name, cases, count, status, &error, row);
    if (job.module) kz_module_close(job.module);
    return alive;
}

// What bounds the kernel that takes most of the run, as kz prof says it; "" where the record has none.
static void read_limit(const base_text *record, const char *gpu, char limit[FAMILY_LIMIT]) {
    report_record parsed = {0};
    report_prof report = {0};
    report_prof_options options = {0};
    if (!record->data || report_record_parse("check", record->data, record->length, &parsed, NULL)) return;
    device_gpu_load(gpu, &options.gpu, NULL);
    if (report_prof_open(&parsed, &options, &report, NULL) == KZ_OK) {
        const report_prof_kernel *k = report.kernel_count ? &report.kernels[0] : NULL;
        if (k) snprintf(limit, FAMILY_LIMIT, "%s", report_prof_bound_title(k->bound));
        if (k && report.kernel_count > 1)
            snprintf(limit, FAMILY_LIMIT, "%s (%.40s)", report_prof_bound_title(k->bound), k->title);
        report_prof_close(&report);
    }
    report_record_free(&parsed);
}

// A GPU has no counters for us, but the simulator runs the same PTX: what kz prof would say bounds a variant is its
// limit. The case is the row's own, or the largest that the simulator does in passing. What it does not do stays
// unexplained.
static void explain_row(workload_check *state, const kz_family *family, report_check_row *row) {
    const observe_options options = {.counters = true, .caches = true, .cold = true};
    const char *gpu = row->device.gpu[0] ? row->device.gpu : NULL;
    kz_module *module;
    kz_case c = row->figure_case;
    observe_session *session = NULL;
    observe_gpu limits;
    if (!state->explainer && workload_open_simulator(gpu, &state->explainer, NULL)) return;
    const kz_variant *variant = state->w->guest ? NULL : kz_variant_find(family, row->variant);
    const workload_doer doer = {state->w->guest, variant, kz_device_get_info(state->explainer)};
    if (row->elements > MOST_EXPLAINED && workload_choose_case(family, &doer, NULL, MOST_EXPLAINED, &c, NULL))
        return;
    if (workload_load(family, variant, state->w->guest, state->explainer, NULL, &module, NULL)) return;
    const family_check_job job = {.family = family,
                                  .variant = variant,
                                  .guest = state->w->guest,
                                  .c = &c,
                                  .device = state->explainer,
                                  .module = module,
                                  .seed = FAMILY_SEED};
    family_check_result result = {0};
    base_text record = {0};
    if (device_sim_gpu(state->explainer, &limits, NULL) == KZ_OK &&
        observe_session_open(&options, &limits, &session, NULL) == KZ_OK &&
        device_sim_observe(state->explainer, session, NULL) == KZ_OK) {
        family_check(&job, &result);
        device_sim_observe(state->explainer, NULL, NULL);
        observe_session_finish(session, &record);
        if (result.outcome == FAMILY_PASSED) read_limit(&record, limits.key, row->limit);
    }
    base_text_free(&record);
    observe_session_close(session);
    kz_module_close(module);
}

static void explain(workload_check *state, const kz_family *family, report_check_row *rows, size_t count) {
    for (size_t i = 0; i < count && !stops(state); i++)
        if (rows[i].device.kind == KZ_DEVICE_CUDA && rows[i].has_figures)
            explain_row(state, family, &rows[i]);
}

// A device that timing broke is opened again for the next family.
static void time_family(workload_check *state, const kz_family *family, report_check_row *rows,
                        size_t count) {
    const workload_check_options *o = state->options;
    if (o->no_time || o->pattern) return;
    state->timer.done = state->done;
    for (size_t d = 0; d < state->devices.count && !stops(state); d++) {
        kz_error error = {0};
        if (!state->devices.items[d]) continue;
        kz_status status = workload_time_family(&state->timer, state->report, family, state->w->guest,
                                                state->devices.items[d], rows, count, &error);
        if (!status) continue;
        if (status != KZ_FAULT && status != KZ_DEADLOCK) { // those stand below the table
            base_fail_note(&error, "while %s; the checks stand", state->timer.label);
            complain(state, &error, NULL);
        }
        if (reopen(state, d, &error)) say_lost(state, &error);
    }
}

static kz_status check_family(workload_check *state, const kz_family *family, kz_error *error) {
    const workload *w = state->w;
    kz_case *cases;
    size_t count, used = 0;
    if (workload_find_cases(family, state->options->pattern, wanted_use(state->options), &cases, &count,
                            error))
        return KZ_OK;
    report_check_row *rows = calloc(row_variants(w, family) * state->devices.count + 1, sizeof *rows);
    if (!rows) {
        free(cases);
        return base_fail(error, KZ_NO_MEMORY, "no memory for the table");
    }
    for (size_t v = 0; v < row_variants(w, family); v++) {
        const kz_variant *variant = w->guest ? NULL : &family->variants[v];
        for (size_t d = 0; d < state->devices.count && !stops(state); d++) {
            kz_device *device = state->devices.items[d];
            if (!device || !applies(w, family, variant, device)) continue;
            check_row_all(state, family, variant, d, cases, count, &rows[used++]);
        }
    }
    explain(state, family, rows, used);
    time_family(state, family, rows, used);
    report_progress_clear(&state->progress);
    report_check_family(state->report, family, rows, used, state->widest);
    free(rows);
    free(cases);
    return KZ_OK;
}

// ---- all of it ------------------------------------------------------------------------------------

kz_status workload_check_open(const workload *w, const workload_check_options *options, workload_check **out,
                              kz_error *error) {
    workload_check *state = *out = calloc(1, sizeof *state);
    if (!state) return base_fail(error, KZ_NO_MEMORY, "no memory for the checks");
    state->w = w;
    state->options = options;
    kz_status status = workload_open_devices(options->devices, options->device_count, has_natives(w),
                                             &state->devices, error);
    return status ? status : count_jobs(state, error);
}

// Rivals run on a GPU alone; opening them costs a little, and they are not asked for where nothing is timed.
static void begin_timing(workload_check *state) {
    report_check *report = state->report;
    bool has_cuda = false, timing = !state->options->no_time && !state->options->pattern;
    for (size_t i = 0; i < state->devices.count; i++) {
        const kz_device_info *info = kz_device_get_info(state->devices.items[i]);
        has_cuda = has_cuda || info->kind == KZ_DEVICE_CUDA;
        report->counts = report->counts || info->kind != KZ_DEVICE_CPU;
        if ((int)strlen(info->id) > report->widest_device) report->widest_device = (int)strlen(info->id);
    }
    kz_error error = {0};
    state->timer = (workload_timer){.seed = state->options->seed,
                                    .progress = &state->progress,
                                    .total = state->total,
                                    .interrupted = state->options->interrupted};
    if (workload_timer_open(&state->timer, has_cuda && timing, &error))
        complain(state, &error, "the figures come without that rival");
    report->rivals = state->timer.peers.count > 0;
}

kz_status workload_check_run(workload_check *state, report_check *report, kz_error *error) {
    const workload_zoo *zoo = &state->w->zoo;
    kz_status status = KZ_OK;
    state->report = report;
    report_progress_begin(&state->progress, stderr);
    begin_timing(state);
    for (size_t f = 0; f < zoo->count && !status && !stops(state); f++)
        status = check_family(state, zoo->families[f], error);
    return status;
}

void workload_check_close(workload_check *state) {
    if (!state) return;
    workload_timer_close(&state->timer);
    if (state->explainer) kz_device_close(state->explainer);
    for (size_t i = 0; i < state->devices.count; i++)
        if (state->devices.items[i]) kz_device_close(state->devices.items[i]);
    free(state);
}
