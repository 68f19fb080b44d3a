// Benchmarks. See bench.h.
#include "workload/bench.h"

#include <stdlib.h>
#include <string.h>

#include "family/check.h"
#include "report/profile/peaks.h"
#include "workload/describe.h"

struct workload_bench {
    const workload *w;
    const workload_bench_options *options;
    workload_devices devices;
    kz_stream *first_streams[WORKLOAD_WORDS]; // of the devices; NULL where streams are all alike
    bench_peers peers;
    bench_rule rule;
    workload_ptxas ptxas;
    bench_peaks peaks; // of the device at hand, as far as they are known
    workload_bench_cases cases;
    report_bench *report;
    report_progress progress;
    size_t done;
    double start;
    char label[300];
};

static bool stops(const workload_bench *b) { return b->options->interrupted && b->options->interrupted(); }

static void complain(workload_bench *b, const kz_error *error, const char *consequence) {
    report_progress_clear(&b->progress);
    if (b->options->complain) b->options->complain(error, consequence);
}

// ---- one case ---------------------------------------------------------------------------------------

static void show(const char *what, void *context) {
    workload_bench *b = context;
    char text[400];
    snprintf(text, sizeof text, "%s: %s", b->label, what);
    report_progress_show(&b->progress, b->done, b->cases.count, text);
}

static size_t pick_variants(const workload_bench *b, const workload_bench_case *item,
                            const kz_device_info *device, const kz_variant *picked[BENCH_CANDIDATES]) {
    const kz_family *family = item->family;
    size_t count = 0;
    for (size_t i = 0; i < family->variant_count && !b->w->guest && count < BENCH_CANDIDATES; i++) {
        const kz_variant *variant = &family->variants[i];
        if (workload_wants(&b->w->zoo, family, variant) && family_variant_suits(variant, device) &&
            workload_suite_wants_variant(item->part, family, &item->c, device, variant))
            picked[count++] = variant;
    }
    return count;
}

static size_t pick_peers(const workload_bench *b, const workload_bench_case *item,
                         const kz_device_info *device, const kz_peer *picked[BENCH_PEERS]) {
    size_t count = 0;
    for (size_t i = 0; i < b->peers.count && device->has_clock; i++)
        if (workload_suite_wants_rival(item->part, b->peers.items[i]->name))
            picked[count++] = b->peers.items[i];
    return count;
}

static size_t pick_remotes(const workload_bench *b, const workload_bench_case *item,
                           const kz_device_info *device, bench_remote *picked[BENCH_REMOTES]) {
    bench_remote *all[BENCH_REMOTES];
    size_t count = 0, named = device->has_clock ? bench_peers_remotes(&b->peers, item->family, all) : 0;
    for (size_t i = 0; i < named; i++)
        if (workload_suite_wants_rival(item->part, bench_remote_name(all[i]))) picked[count++] = all[i];
    return count;
}

static kz_status run_request(workload_bench *b, const bench_request *request, kz_error *error) {
    bench_targets targets;
    bench_outcome *outcome = NULL;
    kz_status status = bench_targets_of(request->family->name, &targets, error);
    if (status) return status;
    status = bench_run(request, &outcome, error);
    report_progress_clear(&b->progress);
    if (outcome && outcome->count) {
        bool kept = b->report->write_error.status == KZ_OK;
        report_bench_case(b->report, request, outcome, &targets, &b->peers);
        if (kept && b->report->write_error.status) // the figures are still on the screen: measuring goes on
            complain(b, &b->report->write_error, "the results that follow are shown, and not kept");
    }
    bench_outcome_free(outcome);
    return status;
}

// What the command asks for, else what the suite does. A suite may be run on a device whose streams are all alike: what
// asks for the first is left out there.
static size_t choose_conditions(const workload_bench *b, const workload_bench_case *item, size_t device,
                                bench_condition list[BENCH_CONDITIONS]) {
    bool by_command = b->options->condition_count > 0;
    const bench_condition *from = by_command   ? b->options->conditions
                                  : item->part ? item->part->conditions
                                               : NULL;
    size_t wanted = by_command ? b->options->condition_count : item->part ? item->part->condition_count : 0;
    size_t count = 0;
    for (size_t i = 0; i < wanted; i++)
        if (from[i].stream != BENCH_FIRST_STREAM || b->first_streams[device]) list[count++] = from[i];
    return count;
}

static kz_status run_case(workload_bench *b, const workload_bench_case *item, size_t index,
                          bench_probes *probes, const bench_monitor *monitor, kz_error *error) {
    kz_device *device = b->devices.items[index];
    bench_condition conditions[BENCH_CONDITIONS];
    const kz_device_info *info = kz_device_get_info(device);
    const kz_variant *variants[BENCH_CANDIDATES];
    const kz_peer *peers[BENCH_PEERS];
    bench_remote *remotes[BENCH_REMOTES];
    const bench_assembler assembler = workload_assembler(&b->ptxas);
    char name[FAMILY_CASE_NAME];
    family_case_name(item->family, &item->c, name);
    snprintf(b->label, sizeof b->label, "%s %s on %s", item->family->name, name, info->id);
    const bench_request request = {.device = device,
                                   .probes = probes,
                                   .monitor = monitor,
                                   .peaks = &b->peaks,
                                   .family = item->family,
                                   .c = &item->c,
                                   .variants = variants,
                                   .variant_count = pick_variants(b, item, info, variants),
                                   .guest = b->w->guest,
                                   .guest_facts = b->w->guest_facts,
                                   .assembler = b->options->assembles ? &assembler : NULL,
                                   .peers = peers,
                                   .peer_count = pick_peers(b, item, info, peers),
                                   .remotes = remotes,
                                   .remote_count = pick_remotes(b, item, info, remotes),
                                   .seed = b->options->seed,
                                   .rule = b->rule,
                                   .conditions = conditions,
                                   .condition_count = choose_conditions(b, item, index, conditions),
                                   .first_stream = b->first_streams[index],
                                   .interrupted = b->options->interrupted,
                                   .progress = show,
                                   .progress_context = b};
    return run_request(b, &request, error);
}

// ---- one device ---------------------------------------------------------------------------------------

static bool is_spent(const workload_bench *b) {
    double budget = b->options->budget;
    if (budget <= 0 || base_seconds() - b->start <= budget) return false;
    char text[200];
    snprintf(text, sizeof text, "the budget of %g s is spent: %zu of %zu cases are left out", budget,
             b->cases.count - b->done, b->cases.count);
    if (b->options->note) b->options->note(text);
    return true;
}

// A fault ends a device; what was measured before it is kept, and the case is named.
static kz_status run_cases(workload_bench *b, size_t index, bench_probes *probes,
                           const bench_monitor *monitor, kz_error *error) {
    kz_status status = KZ_OK;
    for (b->done = 0; b->done < b->cases.count && !stops(b) && !is_spent(b); b->done++) {
        kz_error own = {0};
        kz_status one = run_case(b, &b->cases.items[b->done], index, probes, monitor, &own);
        if (one == KZ_OK) continue;
        base_fail_note(&own, "while measuring %s", b->label);
        status = one;
        if (error) *error = own;
        // A case that does not fit is passed over; anything else may repeat itself in every case.
        if (one != KZ_NO_MEMORY && one != KZ_UNSUPPORTED) break;
        complain(b, &own, NULL);
    }
    return status;
}

static kz_status run_device(workload_bench *b, size_t index, kz_error *error) {
    kz_device *device = b->devices.items[index];
    const kz_device_info *info = kz_device_get_info(device);
    kz_status status = workload_bench_select(b->w, b->options, info, &b->cases, error);
    bench_probes *probes = NULL;
    bench_monitor *monitor = NULL;
    if (!status && info->has_clock) status = bench_probes_open(device, &probes, error);
    if (!status) {
        char key[REPORT_GPU_KEY];
        if (info->kind == KZ_DEVICE_CUDA) monitor = bench_monitor_open(info->id, info->name);
        bench_run_take_device(&b->report->run, info, monitor);
        report_bench_warn_of_others(&b->report->run);
        report_gpu_key(info, key);
        report_peaks_load(key, &b->peaks);
        status = run_cases(b, index, probes, monitor, error);
    }
    bench_probes_close(probes);
    bench_monitor_close(monitor);
    workload_bench_cases_free(&b->cases);
    return status;
}

// ---- all of it ------------------------------------------------------------------------------------------

static kz_status open_devices(workload_bench *b, kz_error *error) {
    const workload_bench_options *o = b->options;
    if (o->device_count) return workload_open_devices(o->devices, o->device_count, false, &b->devices, error);
    kz_device_info first = {.size = sizeof first};
    size_t count = 0;
    kz_status status = kz_device_list(&first, 1, &count, error);
    if (status) return status;
    const char *id = count && first.kind == KZ_DEVICE_CUDA ? first.id : "sim";
    return workload_open_devices(&id, 1, false, &b->devices, error);
}

// Before rivals make handles and streams of their own: what is first can only be made first. A stream that was made
// later is a later one even where nobody asks for the first.
static kz_status open_first_streams(workload_bench *b, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < b->devices.count && !status; i++)
        if (kz_device_get_info(b->devices.items[i])->kind == KZ_DEVICE_CUDA)
            status = kz_stream_open(b->devices.items[i], &b->first_streams[i], error);
    return status;
}

// Conditions are of times, and the first stream is a GPU's.
static kz_status check_conditions(const workload_bench *b, kz_error *error) {
    const workload_bench_options *o = b->options;
    for (size_t i = 0; i < b->devices.count; i++) {
        const kz_device_info *info = kz_device_get_info(b->devices.items[i]);
        if (!info->has_clock && o->condition_count) {
            base_fail(error, KZ_INVALID, "%s has no clock: what it counts is the same under every condition",
                      info->id);
            base_fail_note(error, "--mode, --cache and --stream are for --device cuda:0 or cpu");
            return KZ_INVALID;
        }
        for (size_t k = 0; k < o->condition_count; k++) {
            if (o->conditions[k].stream != BENCH_FIRST_STREAM || b->first_streams[i]) continue;
            base_fail(error, KZ_INVALID, "%s runs what is enqueued at once: its streams are all alike",
                      info->id);
            base_fail_note(error, "leave out --stream first, or use --device cuda:0");
            return KZ_INVALID;
        }
    }
    return KZ_OK;
}

kz_status workload_bench_open(const workload *w, const workload_bench_options *options, workload_bench **out,
                              kz_error *error) {
    workload_bench *b = *out = calloc(1, sizeof *b);
    if (!b) return base_fail(error, KZ_NO_MEMORY, "no memory for the benchmark");
    b->w = w;
    b->options = options;
    b->rule = options->quick   ? bench_quick_rule()
              : options->suite ? bench_suite_rule()
                               : bench_default_rule();
    bench_rule_limit(&b->rule, options->time);
    kz_status status = open_devices(b, error);
    if (!status) status = open_first_streams(b, error);
    if (!status) status = check_conditions(b, error);
    bool has_clock = false;
    for (size_t i = 0; i < b->devices.count; i++)
        has_clock = has_clock || kz_device_get_info(b->devices.items[i])->has_clock;
    return status
               ? status
               : bench_peers_open_named(&b->peers, options->rivals, options->rival_count, has_clock, error);
}

kz_status workload_bench_run(workload_bench *b, report_bench *report, kz_error *error) {
    kz_status status = KZ_OK;
    b->report = report;
    b->start = base_seconds();
    report_progress_begin(&b->progress, stderr);
    for (size_t i = 0; i < b->devices.count && !status && !stops(b); i++) status = run_device(b, i, error);
    return status;
}

void workload_bench_close(workload_bench *b) {
    if (!b) return;
    bench_peers_close(&b->peers);
    for (size_t i = 0; i < b->devices.count; i++)
        if (b->first_streams[i]) kz_stream_close(b->first_streams[i]);
    workload_close_devices(&b->devices);
    free(b);
}
