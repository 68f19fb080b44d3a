// Kernels of the zoo and guests under the sanitizer: on a simulated device with a session attached.
//
// Buffers are filled before the session listens, and it is told of them as a program would have made them:
// inputs written, outputs and workspace not. So an output that is not written shows as undefined.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "device/device.h"
#include "family/buffers.h"
#include "family/case.h"
#include "family/check.h"
#include "observe/observe.h"
#include "workload/sanitize.h"

typedef struct subject {
    const kz_family *family;
    const kz_variant *variant; // NULL for a guest
    const family_guest *guest; // NULL for a variant
    kz_device *device;
    kz_module *module;
    char name[160];
    const workload_sanitizer *s;
    const kz_plan *plan; // of the case in hand
    family_buffers *buffers;
} subject;

// ---- the time allowed -------------------------------------------------------------------------------

static kz_device *volatile interrupted_device; // for the signal's handler alone

static void on_alarm(int signal) {
    if (interrupted_device) device_sim_interrupt(interrupted_device);
}

// Without a time allowed too: whoever is interrupted sets an alarm of its own, and what was found is to be reported.
static void set_alarm(kz_device *device, double seconds) {
    static void (*earlier)(int) = SIG_DFL;
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds,
                     .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    interrupted_device = device;
    if (device)
        earlier = signal(SIGALRM, on_alarm);
    else
        signal(SIGALRM, earlier);
    if (seconds > 0 || !device) setitimer(ITIMER_REAL, &timer, NULL);
}

// ---- one case ---------------------------------------------------------------------------------------

static void declare_slot(observe_session *session, const family_slot *slot, bool is_written, const char *name,
                         uint64_t serial, size_t element) {
    observe_session_declare_buffer(session, &(observe_buffer){.name = name,
                                                              .serial = serial,
                                                              .base = slot->base,
                                                              .total = slot->total,
                                                              .data = slot->data,
                                                              .bytes = slot->bytes,
                                                              .element = (uint32_t)element,
                                                              .is_written = is_written});
}

static void declare_buffers(observe_session *session, const family_buffers *buffers) {
    for (size_t i = 0; i < buffers->count; i++) {
        const family_slot *slot = &buffers->slots[i];
        declare_slot(session, slot, slot->what.role != KZ_OUTPUT, slot->what.name, i + 1,
                     kz_type_size(slot->what.type));
    }
    if (buffers->workspace.total)
        declare_slot(session, &buffers->workspace, false, "the workspace", buffers->count + 1, 0);
}

// Elements that the family leaves to the kernel count as defined when the host reads them, written or not.
static kz_status declare_anything(observe_session *session, const family_buffers *buffers, kz_error *error) {
    kz_status status = kz_device_synchronize(buffers->device, error);
    void *host[KZ_FAMILY_BUFFERS];
    for (size_t i = 0; i < buffers->count; i++) host[i] = buffers->slots[i].host;
    for (size_t i = 0; i < buffers->count && !status; i++) {
        const family_slot *slot = &buffers->slots[i];
        uint64_t count = slot->what.count, size = kz_type_size(slot->what.type);
        if (slot->what.role == KZ_INPUT || count == 0) continue;
        double *expected = calloc(count, 2 * sizeof *expected), *bound = expected ? expected + count : NULL;
        if (!expected)
            return base_fail(error, KZ_NO_MEMORY, "no memory for %llu expected results",
                             (unsigned long long)count);
        status = buffers->family->reference(buffers->c, host, i, expected, bound, error);
        for (uint64_t first = 0, end; first < count && !status; first = end + 1) {
            for (end = first; end < count && bound[end] == KZ_ANYTHING;) end++;
            observe_session_declare_written(session, slot->data + first * size, (end - first) * size);
        }
        free(expected);
    }
    return status;
}

static kz_status open_session(const subject *s, uint64_t seed, observe_session **session, kz_error *error) {
    observe_options options;
    observe_gpu gpu;
    kz_status status = observe_options_parse(s->s->options->settings.observe, &options, error);
    options.leaks = false; // the buffers are the harness's
    if (!status) status = device_sim_gpu(s->device, &gpu, error);
    if (!status) status = observe_session_open(&options, &gpu, session, error);
    if (!status) observe_session_name(*session, s->name, seed);
    return status;
}

// A fault is a finding; what else goes wrong is an error.
static bool is_fault(kz_status status) {
    return status == KZ_FAULT || status == KZ_DEADLOCK || status == KZ_WRONG || status == KZ_TIMEOUT;
}

static kz_status run_plan(void *context, uint64_t seed, size_t which, report_record *record,
                          kz_error *error) {
    const subject *s = context;
    observe_session *session = NULL;
    base_text text = {0};
    kz_error fault = {0};
    kz_status status = open_session(s, seed, &session, error);
    if (!status) status = family_buffers_fill(s->buffers, FAMILY_SEED, 0xff, error);
    if (!status) status = device_sim_set_seed(s->device, seed, error);
    if (!status) status = device_sim_observe(s->device, session, error);
    if (!status) {
        declare_buffers(session, s->buffers);
        set_alarm(s->device, s->s->options->settings.timeout);
        kz_status ran = kz_plan_run(s->device, NULL, s->module, s->plan, s->buffers->addresses,
                                    s->buffers->count, s->buffers->workspace.data, &fault);
        if (!ran) ran = declare_anything(session, s->buffers, &fault);
        if (!ran) ran = family_buffers_read(s->buffers, &fault);
        set_alarm(NULL, 0);
        device_sim_observe(s->device, NULL, NULL);
        if (ran && !is_fault(ran)) {
            status = ran;
            if (error) *error = fault;
        }
        observe_session_finish(session, &text);
    }
    if (!status) status = report_record_parse(s->name, text.data, text.length, record, error);
    observe_session_close(session);
    base_text_free(&text);
    return status;
}

static kz_status run_case(subject *s, const kz_case *c, kz_error *error) {
    family_buffers buffers;
    kz_plan plan = {0};
    family_check_job job = {.family = s->family,
                            .variant = s->variant,
                            .guest = s->guest,
                            .c = c,
                            .device = s->device,
                            .module = s->module};
    kz_status status = family_make_plan(&job, &plan, error);
    if (status == KZ_UNSUPPORTED) return KZ_OK; // this variant does not do this case
    if (!status) status = family_buffers_open(s->family, c, s->device, plan.workspace_bytes, &buffers, error);
    if (status) return status;
    s->plan = &plan;
    s->buffers = &buffers;
    status = workload_sanitize_seeds(s->s, s->name, run_plan, s, error);
    family_buffers_close(&buffers);
    return status;
}

// ---- many -------------------------------------------------------------------------------------------

static kz_status run_subject(subject *s, const kz_case *cases, size_t count, kz_error *error) {
    char name[FAMILY_CASE_NAME];
    report_progress *progress = &s->s->run->progress;
    kz_status status = workload_load(s->family, s->variant, s->guest, s->device, NULL, &s->module, error);
    if (status == KZ_UNSUPPORTED) { // for another architecture than the simulated GPU's
        base_text skipped = {0};
        report_progress_clear(progress);
        base_text_add(&skipped, "skipped %s: %s", s->name, error->message);
        if (skipped.data && s->s->options->settings.note) s->s->options->settings.note(skipped.data);
        base_text_free(&skipped);
        return KZ_OK;
    }
    for (size_t i = 0; i < count && !status && !workload_sanitize_stops(s->s); i++) {
        base_text what = {0};
        family_case_name(s->family, &cases[i], name);
        base_text_add(&what, "%s %s", s->name, name);
        report_progress_show(progress, i, count, what.data ? what.data : "");
        base_text_free(&what);
        status = run_case(s, &cases[i], error);
        if (status) base_fail_note(error, "it was %s, case %s", s->name, name);
    }
    report_progress_clear(progress);
    kz_module_close(s->module);
    return status;
}

static kz_status run_family(subject *s, const workload_zoo *zoo, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status =
        workload_find_cases(s->family, s->s->options->pattern, KZ_USE_CHECK, &cases, &count, error);
    if (status) return zoo->count > 1 ? KZ_OK : status; // the pattern is another family's
    if (s->guest) {
        snprintf(s->name, sizeof s->name, "%s", family_guest_name(s->guest));
        status = run_subject(s, cases, count, error);
    }
    for (size_t v = 0; !s->guest && v < s->family->variant_count && !status && !workload_sanitize_stops(s->s);
         v++) {
        s->variant = &s->family->variants[v];
        if (!workload_wants(zoo, s->family, s->variant) ||
            !family_variant_suits(s->variant, kz_device_get_info(s->device)))
            continue;
        snprintf(s->name, sizeof s->name, "%s/%s", s->family->name, s->variant->name);
        status = run_subject(s, cases, count, error);
    }
    free(cases);
    return status;
}

kz_status workload_sanitize_zoo(const workload_sanitizer *sanitizer, kz_error *error) {
    const workload_zoo *zoo = &sanitizer->w->zoo;
    subject s = {.s = sanitizer, .guest = sanitizer->w->guest};
    kz_status status = workload_open_simulator(sanitizer->options->settings.gpu, &s.device, error);
    if (status) return status;
    report_progress_begin(&sanitizer->run->progress, stderr);
    for (size_t i = 0; i < zoo->count && !status && !workload_sanitize_stops(sanitizer); i++) {
        s.family = zoo->families[i];
        status = run_family(&s, zoo, error);
    }
    kz_device_close(s.device);
    return status;
}
