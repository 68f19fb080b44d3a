// Benchmarks. See bench.h.
#include "workload/bench.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/context.h"
#include "family/check.h"
#include "report/profile/peaks.h"
#include "workload/describe.h"

// What it may take to clean up after a device that is broken, and to start a rival in Python.
enum { CLEAN_UP_SECONDS = 10, STARTING_SECONDS = 600 };

struct workload_bench {
    const workload *w;
    const workload_bench_options *options;
    workload_page *page; // shared with who watches this process
    workload_devices devices;
    kz_stream *first_streams[WORKLOAD_WORDS]; // of the devices; NULL where streams are all alike
    bench_peers peers;
    bench_rule rule;
    workload_ptxas ptxas;
    size_t index; // of the device at hand
    bench_probes *probes;
    bench_monitor *monitor;
    bench_peaks peaks; // of the device at hand, as far as they are known
    workload_bench_cases cases;
    report_bench *report;
    report_progress progress;
    size_t done;
    char label[300];
    bool waited;     // progress shows who was waited for, instead of the phase
    bool spent;      // the budget is, and cases are left
    json_t *earlier; // by name: who has records of the cases that are not measured again
};

static bool stops(const workload_bench *b) { return b->options->interrupted && b->options->interrupted(); }

static void complain(workload_bench *b, const kz_error *error, const char *consequence) {
    report_progress_clear(&b->progress);
    if (b->options->complain) b->options->complain(error, consequence);
}

static void note(const workload_bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(const workload_bench *b, const char *format, ...) {
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (b->options->note) b->options->note(text);
}

// ---- signs of life ------------------------------------------------------------------------------------------

// Inputs and references of the largest cases take minutes, and so does compiling: --timeout does not shorten them. A
// rival may compile in its first run too, and gets time for it unless --timeout says otherwise. One in Python has limits of
// its own (bench/remote.c): while it is waited for, this process gives signs of life.
static double patience_of(const workload_bench *b) {
    const char *phase = b->page->phase;
    bool opens = strcmp(phase, "inputs and reference") == 0 || strcmp(phase, "opening") == 0,
         verifies = strcmp(phase, "verifying") == 0;
    double usual = opens ? 1800 : verifies ? 1200 : 360, asked = b->options->timeout;
    if (opens) return asked > usual ? asked : usual;
    return asked > 0 ? asked : usual;
}

static void show_progress(workload_bench *b, const char *what) {
    char text[400];
    snprintf(text, sizeof text, "%s, %s", what, b->label); // a narrow terminal cuts off the end
    report_progress_show(&b->progress, b->done, b->cases.count, text);
}

static void show(const char *what, void *context) {
    workload_bench *b = context;
    snprintf(b->page->phase, sizeof b->page->phase, "%s", what);
    workload_page_beat(b->page, "", "", patience_of(b));
    show_progress(b, what);
}

static void watch(const char *by, const char *name, void *context) {
    workload_bench *b = context;
    workload_page_pause(b->page);
    workload_page_beat(b->page, by, name, patience_of(b));
    if (b->waited) show_progress(b, b->page->phase);
    b->waited = false;
}

// Who is waited for has a limit of its own; this process lives.
static void wait_for(const char *by, const char *name, const char *doing, void *context) {
    workload_bench *b = context;
    char text[200];
    workload_page_beat(b->page, by, name, patience_of(b));
    if (!doing[0]) return;
    snprintf(text, sizeof text, "%s%s%s: %s", by, name[0] ? " " : "", name, doing);
    show_progress(b, text);
    b->waited = true;
}

// ---- one case ---------------------------------------------------------------------------------------

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

// One that the command names is wanted whatever the suite says.
static bool wants_rival(const workload_bench *b, const workload_bench_case *item, const char *name) {
    return b->peers.chosen || workload_suite_wants_rival(item->part, name);
}

static size_t pick_peers(const workload_bench *b, const workload_bench_case *item,
                         const kz_device_info *device, const kz_peer *picked[BENCH_PEERS]) {
    size_t count = 0;
    for (size_t i = 0; i < b->peers.count && device->has_clock; i++)
        if (wants_rival(b, item, b->peers.items[i]->name)) picked[count++] = b->peers.items[i];
    return count;
}

static size_t pick_remotes(const workload_bench *b, const workload_bench_case *item,
                           const kz_device_info *device, bench_remote *picked[BENCH_REMOTES]) {
    bench_remote *all[BENCH_REMOTES];
    size_t count = 0, named = device->has_clock ? bench_peers_remotes(&b->peers, item->family, all) : 0;
    for (size_t i = 0; i < named; i++)
        if (wants_rival(b, item, bench_remote_name(all[i]))) picked[count++] = all[i];
    return count;
}

// Those that would have run here.
static size_t pick_broken(const workload_bench *b, const workload_bench_case *item,
                          const kz_device_info *device, bench_lost picked[BENCH_PEERS]) {
    size_t count = 0;
    for (size_t i = 0; i < b->peers.broken_count && device->has_clock; i++) {
        const char *name = b->peers.broken[i].name;
        const bench_rival *rival = bench_rival_find(name);
        if (!rival || !bench_rival_does(rival, item->family, device->kind == KZ_DEVICE_CPU) ||
            !wants_rival(b, item, name))
            continue;
        picked[count] = (bench_lost){.error = b->peers.broken[i].error};
        snprintf(picked[count++].by, sizeof picked[0].by, "%s", name);
    }
    return count;
}

// Whether the device has what a condition's stream asks for: a GPU has.
static bool has_stream(const workload_bench *b, size_t device, bench_stream stream) {
    if (stream == BENCH_FIRST_STREAM) return b->first_streams[device] != NULL;
    return stream != BENCH_SWITCHED_STREAM || device_has_contexts(b->devices.items[device]);
}

// What the command asks for, else what the suite does. A suite may be run on a device with one kind of stream: what
// asks for another is left out there.
static size_t pick_conditions(const workload_bench *b, const workload_bench_case *item,
                              bench_condition picked[BENCH_CONDITIONS]) {
    const workload_bench_options *o = b->options;
    const bench_condition *from = o->condition_count ? o->conditions
                                  : item->part       ? item->part->conditions
                                                     : NULL;
    size_t count = o->condition_count ? o->condition_count : item->part ? item->part->condition_count : 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (has_stream(b, b->index, from[i].stream)) picked[kept++] = from[i];
    return kept;
}

typedef struct prepared { // a request and what it points at
    const kz_variant *variants[BENCH_CANDIDATES];
    const kz_peer *peers[BENCH_PEERS];
    bench_remote *remotes[BENCH_REMOTES];
    bench_condition conditions[BENCH_CONDITIONS];
    bench_assembler assembler;
    bench_lost lost[BENCH_CANDIDATES], broken[BENCH_PEERS];
    bench_request request;
} prepared;

// Those that were lost in this case, and those that were lost in others so often that they are not tried any more.
static size_t pick_lost(const workload_bench *b, bench_lost picked[BENCH_CANDIDATES]) {
    const workload_page *page = b->page;
    size_t count = page->lost_count;
    memcpy(picked, page->lost, count * sizeof *picked);
    for (size_t i = 0; i < page->loss_count && count < BENCH_CANDIDATES; i++) {
        if (page->losses[i].cases < WORKLOAD_LOST_CASES) continue;
        bench_lost *lost = &picked[count];
        *lost = (bench_lost){.loss = page->losses[i].loss};
        memcpy(lost->by, page->losses[i].by, sizeof lost->by);
        memcpy(lost->name, page->losses[i].name, sizeof lost->name);
        base_fail(&lost->error, KZ_LOST, "%s in %d cases before this one: it is not tried again in this run",
                  bench_loss_name(lost->loss), WORKLOAD_LOST_CASES);
        count++;
    }
    return count;
}

static void prepare(workload_bench *b, const workload_bench_case *item, prepared *p) {
    kz_device *device = b->devices.items[b->index];
    const kz_device_info *info = kz_device_get_info(device);
    p->assembler = workload_assembler(&b->ptxas);
    p->request = (bench_request){.device = device,
                                 .probes = b->probes,
                                 .monitor = b->monitor,
                                 .peaks = &b->peaks,
                                 .family = item->family,
                                 .c = &item->c,
                                 .variants = p->variants,
                                 .variant_count = pick_variants(b, item, info, p->variants),
                                 .guest = b->w->guest,
                                 .guest_facts = b->w->guest_facts,
                                 .assembler = b->options->assembles ? &p->assembler : NULL,
                                 .peers = p->peers,
                                 .peer_count = pick_peers(b, item, info, p->peers),
                                 .remotes = p->remotes,
                                 .remote_count = pick_remotes(b, item, info, p->remotes),
                                 .all_remotes = b->peers.remotes,
                                 .all_remote_count = b->peers.remote_count,
                                 .seed = b->options->seed,
                                 .care = b->options->trial ? BENCH_UNCHECKED : BENCH_CHECKED,
                                 .rule = b->rule,
                                 .conditions = p->conditions,
                                 .condition_count = pick_conditions(b, item, p->conditions),
                                 .first_stream = b->first_streams[b->index],
                                 .lost = p->lost,
                                 .lost_count = pick_lost(b, p->lost),
                                 .broken = p->broken,
                                 .broken_count = pick_broken(b, item, info, p->broken),
                                 .interrupted = b->options->interrupted,
                                 .progress = show,
                                 .watch = watch,
                                 .waiting = wait_for,
                                 .timeout = b->options->timeout,
                                 .progress_context = b};
}

static kz_status report_case(workload_bench *b, const bench_request *request, const bench_outcome *outcome,
                             kz_error *error) {
    bench_targets targets;
    kz_status status = bench_targets_of(request->family->name, &targets, error);
    report_progress_clear(&b->progress);
    if (status) return status;
    bool kept = b->report->write_error.status == KZ_OK;
    report_bench_case(b->report, request, outcome, &targets, &b->peers);
    if (kept && b->report->write_error.status) // the figures are still on the screen: measuring goes on
        complain(b, &b->report->write_error, "the results that follow are shown, and not kept");
    return KZ_OK;
}

static bool was_lost_before(const bench_request *q, const bench_candidate *c) {
    for (size_t i = 0; i < q->lost_count; i++)
        if (strcmp(q->lost[i].by, c->by) == 0 &&
            (!q->lost[i].name[0] || strcmp(q->lost[i].name, c->name) == 0))
            return true;
    return false;
}

// A rival in Python takes only its own process with it. It is given up after as many cases as one that takes ours.
static void count_losses(workload_bench *b, const bench_request *q, const bench_outcome *o) {
    for (size_t i = 0; i < o->count; i++) {
        const bench_result *r = &o->results[i];
        const bench_candidate *c = &r->candidate;
        bench_lost lost = {.loss = r->loss};
        if (!r->loss || was_lost_before(q, c)) continue;
        memcpy(lost.by, c->by, sizeof lost.by);
        if (strcmp(c->name, c->by) != 0) memcpy(lost.name, c->name, sizeof lost.name);
        workload_page_count_loss(b->page, &lost);
    }
}

// After such an error the device cannot be used in this process any more.
static bool breaks_device(kz_status status) {
    return status == KZ_LOST || status == KZ_FAULT || status == KZ_DEADLOCK;
}

static kz_status run_case(workload_bench *b, const workload_bench_case *item, kz_error *error) {
    prepared p;
    bench_outcome *outcome = NULL;
    char name[FAMILY_CASE_NAME];
    family_case_name(item->family, &item->c, name);
    snprintf(b->label, sizeof b->label, "%s %s on %s", item->family->name, name,
             kz_device_get_info(b->devices.items[b->index])->id);
    prepare(b, item, &p);
    kz_status status = bench_run(&p.request, &outcome, error);
    if (breaks_device(status) && b->probes) { // who watches starts another process, which goes on
        b->page->fault = *error;
        b->page->faulted = true;
        workload_page_beat(b->page, b->page->by, b->page->name, CLEAN_UP_SECONDS);
    } else if (outcome && outcome->count) {
        count_losses(b, &p.request, outcome);
        kz_status told = report_case(b, &p.request, outcome, error);
        if (!status) status = told;
    }
    bench_outcome_free(outcome);
    return status;
}

// ---- one device ---------------------------------------------------------------------------------------

static bool is_spent(workload_bench *b) {
    double budget = b->options->budget;
    size_t left = b->cases.count - b->done;
    if (budget <= 0 || base_seconds() - b->options->start <= budget) return false;
    note(b, "the budget of %g s is spent: %zu of %zu cases are left%s", budget, left, b->cases.count,
         b->options->resume ? "; the same command goes on with them" : "");
    return b->spent = true;
}

// A case is done, whatever came of it: whoever comes next goes on with the one after it.
static void finish_case(workload_bench *b) {
    workload_page *page = b->page;
    report_bench_save(b->report, &page->counts);
    page->in_case = false;
    page->lost_count = 0;
    page->given_up = (kz_error){0};
    page->done = ++b->done;
}

static kz_status run_one(workload_bench *b, kz_error *error) {
    workload_page *page = b->page;
    const workload_bench_case *item = &b->cases.items[b->done];
    if (page->given_up.status == KZ_OK) return run_case(b, item, error);
    char name[FAMILY_CASE_NAME];
    family_case_name(item->family, &item->c, name);
    base_fail_note(&page->given_up, "while measuring %s %s", item->family->name, name);
    complain(b, &page->given_up, "the case is left out");
    if (b->report->tally.failed++ == 0) b->report->tally.failure = page->given_up.status;
    return KZ_OK;
}

static kz_status run_cases(workload_bench *b, kz_error *error) {
    kz_status status = KZ_OK;
    while (b->done < b->cases.count && !stops(b) && !is_spent(b)) {
        kz_error own = {0};
        b->page->in_case = true;
        kz_status one = run_one(b, &own);
        if (b->page->faulted) return one;
        finish_case(b);
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

// Adds the rivals of a request, with their versions. Those in Python are started for it, one by one.
static void add_rivals(workload_bench *b, const bench_request *q, json_t *rivals) {
    char text[100];
    for (size_t i = 0; i < q->remote_count; i++) {
        workload_page_beat(b->page, "", "", STARTING_SECONDS);
        snprintf(text, sizeof text, "which version of %s there is", bench_remote_label(q->remotes[i]));
        if (!bench_remote_version(q->remotes[i])) report_progress_show(&b->progress, 0, b->cases.count, text);
        bench_remote_identify(q->remotes[i], kz_device_get_info(q->device)->id, b->options->interrupted);
    }
    json_object_update_new(rivals, bench_request_rivals(q));
}

static bool is_done(const workload_bench *b, bench_resume_answer answer) {
    return answer == BENCH_MEASURED || (answer == BENCH_MEASURED_FAILING && !b->options->retry);
}

// What the records have of a case, with the rivals as they are now: a process asks for them where it is the first, for all
// must come to the same cases.
static bench_resume_answer ask_records(workload_bench *b, workload_bench_case *item, json_t *rivals) {
    const bench_resume *resume = b->options->resume;
    prepared p;
    char digest[BENCH_DIGEST];
    prepare(b, item, &p);
    bench_request_digest(&b->report->run, &p.request, digest);
    item->runs = bench_resume_runs(resume, digest);
    if (!item->runs) return BENCH_NOT_MEASURED;
    if (!b->page->rivals[0]) add_rivals(b, &p.request, rivals);
    bench_resume_answer answer = bench_resume_ask(resume, digest, rivals);
    if (is_done(b, answer)) json_object_update(b->earlier, bench_resume_providers(resume, digest));
    return answer;
}

// Kept for the processes that may follow.
static void keep_rivals(workload_bench *b, const json_t *rivals) {
    char *text = json_dumps(rivals, JSON_COMPACT);
    if (text) snprintf(b->page->rivals, sizeof b->page->rivals, "%s", text);
    free(text);
}

static void note_done(const workload_bench *b, const size_t counts[4], size_t all, size_t left) {
    note(b, "%zu of %zu cases are in the records already: %zu %s left", all - left, all, left,
         left == 1 ? "is" : "are");
    if (counts[BENCH_MEASURED_WITHOUT])
        note(b,
             "%zu of those left %s measured before, without a rival that is here now or with another version "
             "of it",
             counts[BENCH_MEASURED_WITHOUT], counts[BENCH_MEASURED_WITHOUT] == 1 ? "was" : "were");
    if (counts[BENCH_MEASURED_FAILING] && !b->options->retry)
        note(b,
             "in %zu of those in the records a candidate crashed, hung, failed or was wrong: --retry "
             "measures them again",
             counts[BENCH_MEASURED_FAILING]);
}

// Stable. What fails again and again does not keep a run in pieces from the others.
static void sort_by_runs(workload_bench_cases *cases) {
    for (size_t i = 1; i < cases->count; i++) {
        workload_bench_case item = cases->items[i];
        size_t k = i;
        for (; k > 0 && cases->items[k - 1].runs > item.runs; k--) cases->items[k] = cases->items[k - 1];
        cases->items[k] = item;
    }
}

// What earlier records have is not measured again.
static void drop_done(workload_bench *b) {
    size_t kept = 0, all = b->cases.count, counts[4] = {0};
    if (!b->options->resume) return;
    if (!b->earlier) b->earlier = json_object();
    json_t *rivals = b->page->rivals[0] ? json_loads(b->page->rivals, 0, NULL) : json_object();
    for (size_t i = 0; i < all; i++) {
        bench_resume_answer answer = ask_records(b, &b->cases.items[i], rivals);
        counts[answer]++;
        if (!is_done(b, answer)) b->cases.items[kept++] = b->cases.items[i];
    }
    b->cases.count = kept;
    if (b->options->retry) sort_by_runs(&b->cases);
    report_progress_clear(&b->progress);
    keep_rivals(b, rivals);
    json_decref(rivals);
    if (b->page->children == 0) note_done(b, counts, all, kept);
}

// KZ_OPENBLAS and the like: a run that would call the library stops where there is no such file.
static kz_status check_variable(const char *peer, kz_error *error) {
    char name[40];
    snprintf(name, sizeof name, "KZ_%.30s", peer);
    for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
    const char *path = bench_rival_find(peer) ? getenv(name) : NULL;
    if (!path || !strchr(path, '/') || access(path, F_OK) == 0)
        return KZ_OK; // a bare name is the loader's to find
    base_fail(error, KZ_INVALID, "%s names %s: there is no such file", name, path);
    base_fail_note(error, "correct it, or unset %s to take what is found; --rivals none does without", name);
    return KZ_INVALID;
}

static kz_status check_libraries(const workload_bench *b, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(b->devices.items[b->index]);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < b->cases.count && !status; i++) {
        const workload_bench_case *item = &b->cases.items[i];
        const kz_peer *picked[BENCH_PEERS];
        size_t count = pick_peers(b, item, info, picked);
        for (size_t k = 0; k < count && !status; k++)
            if (bench_peer_offer(picked[k], item->family, &item->c, info->kind == KZ_DEVICE_CPU))
                status = check_variable(picked[k]->name, error);
    }
    return status;
}

static kz_status run_device(workload_bench *b, kz_error *error) {
    kz_device *device = b->devices.items[b->index];
    const kz_device_info *info = kz_device_get_info(device);
    workload_bench_options asked = *b->options;
    if (b->page->children) asked.note = NULL, asked.complain = NULL; // it was said by the first
    kz_status status = workload_bench_select(b->w, &asked, info, &b->cases, error);
    if (!status) status = check_libraries(b, error);
    if (!status && info->has_clock) status = bench_probes_open(device, &b->probes, error);
    if (!status) {
        char key[REPORT_GPU_KEY];
        if (info->kind == KZ_DEVICE_CUDA) b->monitor = bench_monitor_open(info->id, info->name);
        bench_run_take_device(&b->report->run, info, b->monitor);
        if (b->page->children == 0) report_bench_warn_of_others(&b->report->run);
        report_gpu_key(info, key);
        report_peaks_load(key, &b->peaks);
        drop_done(b);
        b->done = b->page->done;
        status = run_cases(b, error);
    }
    bench_probes_close(b->probes);
    bench_monitor_close(b->monitor);
    b->probes = NULL;
    b->monitor = NULL;
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

// Conditions are of times, and streams that differ are a GPU's.
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
            if (has_stream(b, i, o->conditions[k].stream)) continue;
            base_fail(error, KZ_INVALID, "%s runs what is enqueued at once: its streams are all alike",
                      info->id);
            base_fail_note(error, "leave out --stream %s, or use --device cuda:0",
                           bench_stream_name(o->conditions[k].stream));
            return KZ_INVALID;
        }
    }
    return KZ_OK;
}

// Where a kernel cannot run, its rivals would be timed for nothing.
static kz_status check_guest(const workload_bench *b, kz_error *error) {
    for (size_t i = 0; i < b->devices.count && b->w->guest; i++) {
        if (kz_device_get_info(b->devices.items[i])->kind != KZ_DEVICE_CPU) continue;
        base_fail(error, KZ_UNSUPPORTED, "%s is a CUDA kernel, and cpu runs native C alone",
                  family_guest_name(b->w->guest));
        base_fail_note(error, "--device cuda:0 times it beside its rivals, --device sim counts what it does");
        return KZ_UNSUPPORTED;
    }
    return KZ_OK;
}

bool workload_bench_is_safe(const workload_bench_options *options) {
    for (size_t i = 0; i < options->device_count; i++)
        if (strncmp(options->devices[i], "sim", 3) != 0) return false;
    return options->device_count > 0;
}

kz_status workload_bench_open(const workload *w, const workload_bench_options *options, workload_page *page,
                              workload_bench **out, kz_error *error) {
    static const char *const none[] = {"none"};
    workload_bench *b = *out = calloc(1, sizeof *b);
    if (!b) return base_fail(error, KZ_NO_MEMORY, "no memory for the benchmark");
    b->w = w;
    b->options = options;
    b->page = page;
    b->rule = options->quick   ? bench_quick_rule()
              : options->suite ? bench_suite_rule()
                               : bench_default_rule();
    bench_rule_limit(&b->rule, options->time);
    kz_status status = open_devices(b, error);
    if (!status) status = open_first_streams(b, error);
    if (!status) status = check_conditions(b, error);
    if (!status) status = check_guest(b, error);
    bool has_clock = false;
    for (size_t i = 0; i < b->devices.count; i++)
        has_clock = has_clock || kz_device_get_info(b->devices.items[i])->has_clock;
    if (status) return status;
    if (!w->family || !bench_is_of_tf32(w->family)) bench_keep_single_precision();
    if (page->without_rivals) return bench_peers_open_named(&b->peers, none, 1, has_clock, error);
    status = bench_peers_open_named(&b->peers, options->rivals, options->rival_count, has_clock, error);
    for (size_t i = 0; i < b->peers.broken_count && !status && !page->children; i++)
        complain(b, &b->peers.broken[i].error, "it is a row of the cases that name it, and the others run");
    return status;
}

kz_status workload_bench_run(workload_bench *b, report_bench *report, kz_error *error) {
    kz_status status = KZ_OK;
    b->report = report;
    report_bench_restore(report, &b->page->counts);
    report_progress_begin(&b->progress, stderr);
    while (b->page->device < b->devices.count && !status && !stops(b)) {
        b->index = b->page->device;
        status = run_device(b, error);
        if (b->page->faulted) return status;
        b->page->device++;
        b->page->done = 0;
        b->page->rivals[0] = 0;
    }
    const workload_bench_options *o = b->options;
    bool named = o->rival_count && strcmp(o->rivals[0], "none") != 0;
    // A piece of a run says nothing of the cases in the next ones.
    bool whole = !status && !stops(b) && !b->spent && (report->tally.cases || o->resume);
    if (whole && named && b->page->without_rivals)
        report->absent += o->rival_count; // that was said when they were given up
    else if (whole && named)
        report_bench_idle_rivals(report, &b->peers, b->earlier);
    return status;
}

void workload_bench_close(workload_bench *b) {
    if (!b) return;
    bench_peers_close(&b->peers);
    json_decref(b->earlier);
    for (size_t i = 0; i < b->devices.count; i++)
        if (b->first_streams[i]) kz_stream_close(b->first_streams[i]);
    workload_close_devices(&b->devices);
    free(b);
}
