// Short timings beside checks. See check_time.h.
#include "workload/check_time.h"

#include <math.h>
#include <string.h>

enum { MOST_ON_GPU = 1 << 26, MOST_ON_CPU = 1 << 20, ROOM = 8 };
static const double MOST_FLOPS_ON_GPU = 2e11, MOST_FLOPS_ON_CPU = 1e8; // the slowest variants take a second

static const bench_rule short_rule = {.least_samples = 10,
                                      .least_seconds = 0.03,
                                      .precision = 0.01,
                                      .most_seconds = 0.1,
                                      .warm_precision = 0.02,
                                      .warm_seconds = 0.05};

kz_status workload_timer_open(workload_timer *timer, bool has_cuda, kz_error *error) {
    bench_keep_single_precision();
    timer->run = bench_run_begin("kz check", NULL);
    return has_cuda ? bench_peers_open(&timer->peers, error) : KZ_OK;
}

void workload_timer_close(workload_timer *timer) { bench_peers_close(&timer->peers); }

// ---- which case -----------------------------------------------------------------------------------

typedef struct limits {
    uint64_t elements;
    size_t bytes;
    double flops;
} limits;

// The bench keeps several sets of the buffers, and the peaks have as many again.
static limits limits_of(kz_device *device) {
    size_t available = 0;
    kz_memory_available(device, &available, NULL);
    bool cpu = kz_device_get_info(device)->kind == KZ_DEVICE_CPU;
    return (limits){.elements = cpu ? MOST_ON_CPU : MOST_ON_GPU,
                    .bytes = available / ROOM,
                    .flops = cpu ? MOST_FLOPS_ON_CPU : MOST_FLOPS_ON_GPU};
}

static bool fits(const kz_family *family, const kz_case *c, const limits *most) {
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    double bytes = 0;
    size_t count = family->buffers(c, buffers);
    for (size_t i = 0; i < count; i++)
        bytes += (double)buffers[i].count * (double)kz_type_size(buffers[i].type);
    return family_case_elements(family, c) <= most->elements && bytes <= (double)most->bytes &&
           family->work(c).flops <= most->flops;
}

static bool has_target(const bench_targets *targets, const char *gpu, const kz_family *family,
                       const kz_case *c) {
    for (size_t i = 0; i < targets->count; i++)
        if (bench_target_holds(&targets->rows[i], gpu, family, c)) return true;
    return false;
}

// A smaller one of the same kind, where none in the list is small enough.
static bool shrink(const kz_family *family, const limits *most, kz_case *c) {
    c->use = 0;
    while (!fits(family, c, most)) {
        size_t longest = 0;
        for (size_t i = 1; i < KZ_CASE_AXES && family->axes[i]; i++)
            if (c->axes[i] > c->axes[longest]) longest = i;
        if (c->axes[longest] < 2) return false;
        c->axes[longest] /= 2;
    }
    return true;
}

// The largest that the GPU has a target for, else the largest worth timing, within the limits.
static bool pick_case(const kz_family *family, kz_device *device, const bench_targets *targets, kz_case *c) {
    const char *gpu = kz_device_get_info(device)->gpu;
    const limits most = limits_of(device);
    const kz_case *best = NULL, *least = NULL;
    bool best_is_target = false;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *one = &family->cases[i];
        if (!(one->use & KZ_USE_BENCH)) continue;
        uint64_t elements = family_case_elements(family, one);
        if (!least || elements < family_case_elements(family, least)) least = one;
        if (!fits(family, one, &most)) continue;
        bool target = has_target(targets, gpu, family, one);
        bool larger = !best || elements > family_case_elements(family, best);
        if (!best || (target && !best_is_target) || (target == best_is_target && larger)) {
            best = one;
            best_is_target = target;
        }
    }
    if (!best && !least) return false;
    *c = best ? *best : *least;
    return best || shrink(family, &most, c);
}

// ---- figures --------------------------------------------------------------------------------------

static bool is_right(const report_check_row *row) {
    return row->outcomes[FAMILY_PASSED] && !row->outcomes[FAMILY_WRONG] && !row->outcomes[FAMILY_FAULTED] &&
           !row->outcomes[FAMILY_FAILED];
}

static bool is_of(const report_check_row *row, const kz_device_info *device) {
    return strcmp(row->device.id, device->id) == 0;
}

static void fill_row(const bench_outcome *o, size_t index, int rival, report_check_row *row) {
    const bench_timing *t = &o->results[index].timings[o->figure];
    if (!t->taken || o->results[index].status != KZ_OK) return;
    row->timed = true;
    row->settled = t->series.state == BENCH_CONVERGED && !t->over_peak;
    row->seconds = t->series.summary.median;
    row->bytes_per_s = o->work.bytes > 0 ? t->bytes_per_s : NAN;
    // Faster than the copy: one of the two is wrong. And arithmetic has no share of a copy.
    row->of_copy = t->over_peak || bench_work_computes(&o->work) ? NAN : t->of_copy;
    if (rival < 0) return;
    snprintf(row->rival, sizeof row->rival, "%s", o->results[rival].candidate.by);
    row->ratio = bench_outcome_ratio(o, index, (size_t)rival, o->figure);
}

// What the rows' figures are of, on one line below the table.
static void add_caption(report_check *report, const kz_device_info *device, const bench_outcome *o,
                        int rival) {
    char text[REPORT_NUMBER], rate[REPORT_NUMBER];
    base_text_add(&report->captions, "  timed: %s on %s, %s, cold caches", o->name, device->id,
                  report_bytes(text, o->work.bytes));
    if (isfinite(o->copy[o->figure]))
        base_text_add(&report->captions, "; a copy moves %s", report_si(text, o->copy[o->figure], "B/s"));
    if (rival >= 0) {
        const bench_result *r = &o->results[rival];
        const bench_timing *t = &r->timings[o->figure];
        base_text_add(&report->captions, "; %s %s: %s, %s", r->candidate.by, r->candidate.name,
                      report_seconds(text, t->series.summary.median), report_si(rate, t->bytes_per_s, "B/s"));
    }
    base_text_add(&report->captions, "\n");
}

static report_check_row *row_of(const kz_device_info *device, const bench_candidate *c,
                                report_check_row *rows, size_t count) {
    if (c->provider != BENCH_ZOO && c->provider != BENCH_GUEST) return NULL;
    for (size_t i = 0; i < count; i++)
        if (is_of(&rows[i], device) && strcmp(rows[i].variant, c->name) == 0) return &rows[i];
    return NULL;
}

static void take_figures(workload_timer *timer, report_check *report, const bench_request *request,
                         const bench_targets *targets, const bench_outcome *o, report_check_row *rows,
                         size_t count) {
    const kz_device_info *device = kz_device_get_info(request->device);
    int rival = bench_outcome_best(o, BENCH_PEER);
    bool any = false;
    for (size_t i = 0; i < o->count; i++) {
        const bench_result *r = &o->results[i];
        report_check_row *row = row_of(device, &r->candidate, rows, count);
        bool faulted = r->status == KZ_FAULT || r->status == KZ_DEADLOCK;
        if (row) fill_row(o, i, rival, row);
        any = any || (row && row->timed);
        if (row && (r->status == KZ_WRONG || faulted)) {
            row->outcomes[faulted ? FAMILY_FAULTED : FAMILY_WRONG]++;
            report_check_broken(report, request->family, row->variant, request->guest != NULL, o->name,
                                device->id, o->seed, &r->error);
        }
        bench_target_verdict verdict = {0};
        if (r->candidate.provider == BENCH_ZOO)
            verdict = bench_targets_judge(targets, device->gpu, request->family, request->c, o, i);
        report_check_timing(report, bench_record(&timer->run, request, o, i, o->figure, &verdict));
    }
    if (any) add_caption(report, device, o, rival);
    for (size_t i = 0; i < o->count; i++) {
        const bench_result *r = &o->results[i];
        if (r->candidate.provider == BENCH_PEER && r->status != KZ_OK)
            base_text_add(&report->captions, "  no figure of %s: %.*s\n", r->candidate.by,
                          (int)strcspn(r->error.message, "\n"), r->error.message);
    }
}

// ---- the measurement --------------------------------------------------------------------------------

static void show(const char *what, void *context) {
    workload_timer *timer = context;
    char text[300];
    snprintf(text, sizeof text, "%s: %s", timer->label, what);
    report_progress_show(timer->progress, timer->done, timer->total, text);
}

static size_t pick_variants(const kz_family *family, const kz_device_info *device,
                            const report_check_row *rows, size_t count,
                            const kz_variant *picked[BENCH_CANDIDATES]) {
    size_t used = 0;
    for (size_t i = 0; i < count && used < BENCH_CANDIDATES; i++)
        if (is_of(&rows[i], device) && is_right(&rows[i]))
            picked[used++] = kz_variant_find(family, rows[i].variant);
    return used;
}

static kz_status measure(workload_timer *timer, report_check *report, bench_request *request,
                         const bench_targets *targets, report_check_row *rows, size_t count,
                         kz_error *error) {
    const kz_device_info *device = kz_device_get_info(request->device);
    bench_probes *probes = NULL;
    bench_monitor *monitor = NULL;
    bench_outcome *outcome = NULL;
    if (device->kind == KZ_DEVICE_CUDA) monitor = bench_monitor_open(device->id, device->name);
    bench_run_take_device(&timer->run, device, monitor);
    kz_status status = bench_probes_open(request->device, &probes, error);
    if (!status) {
        request->probes = probes;
        request->monitor = monitor;
        status = bench_run(request, &outcome, error);
    }
    if (outcome) take_figures(timer, report, request, targets, outcome, rows, count);
    bench_outcome_free(outcome);
    bench_probes_close(probes);
    bench_monitor_close(monitor);
    return status;
}

kz_status workload_time_family(workload_timer *timer, report_check *report, const kz_family *family,
                               const family_guest *guest, kz_device *device, report_check_row *rows,
                               size_t count, kz_error *error) {
    static const bench_condition one_launch = {.mode = BENCH_LATENCY}; // the cases are long enough
    const kz_device_info *info = kz_device_get_info(device);
    const kz_variant *variants[BENCH_CANDIDATES];
    bench_targets targets;
    kz_case c;
    size_t used = pick_variants(family, info, rows, count, variants);
    if (!info->has_clock || used == 0) return KZ_OK;
    if (bench_targets_of(family->name, &targets, NULL) || !pick_case(family, device, &targets, &c))
        return KZ_OK;
    snprintf(timer->label, sizeof timer->label, "timing %s on %s", family->name, info->id);
    bench_request request = {.device = device,
                             .family = family,
                             .c = &c,
                             .variants = variants,
                             .variant_count = guest ? 0 : used,
                             .guest = guest,
                             .peers = timer->peers.items,
                             .peer_count = info->kind == KZ_DEVICE_CUDA ? timer->peers.count : 0,
                             .seed = timer->seed,
                             .rule = short_rule,
                             .conditions = &one_launch,
                             .condition_count = 1,
                             .interrupted = timer->interrupted,
                             .progress = show,
                             .progress_context = timer};
    kz_status status = measure(timer, report, &request, &targets, rows, count, error);
    // No room is no harm done: the rows stay without figures. Anything else may have cost the context.
    return status == KZ_NO_MEMORY || status == KZ_UNSUPPORTED ? KZ_OK : status;
}
