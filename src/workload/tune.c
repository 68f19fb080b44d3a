// Tuning. See tune.h.
#include "workload/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tune.h"
#include "family/check.h"
#include "family/choice.h"
#include "family/measured.h"
#include "report/bench/tune.h"

enum { MOST_WINS = 256 };

struct workload_tune {
    const workload *w;
    const workload_tune_options *options;
    kz_device *device;
    bench_probes *probes;
    bench_monitor *monitor;
    bench_rule rule;
    bench_run_info run;
    const char *records;
    report_progress progress;
    size_t done, total;            // cases
    workload_bench_cases of_suite; // of all families; none without a suite
    char label[200];
    // Of the family at hand.
    report_table *table;
    bench_win wins[MOST_WINS];
    size_t win_count;
    // Of one with a model, whose choice is by shape: its table, and the rows that were added to it.
    base_text measured, added;
};

static bool stops(const workload_tune *t) { return t->options->interrupted && t->options->interrupted(); }

// ---- one case -----------------------------------------------------------------------------------------

static void show(const char *what, void *context) {
    workload_tune *t = context;
    char text[300];
    snprintf(text, sizeof text, "%s: %s", t->label, what);
    report_progress_show(&t->progress, t->done, t->total, text);
}

// A row as soon as it is known: nothing that was measured is lost.
static kz_status keep_row(workload_tune *t, const bench_outcome *outcome, size_t winner, kz_error *error) {
    const bench_result *result = &outcome->results[winner];
    base_text row = {0};
    base_text_add(&row, "%s,%s,%s,%.4g\n", kz_device_get_info(t->device)->gpu, outcome->name,
                  result->candidate.name, 1e6 * result->timings[outcome->figure].series.summary.median);
    kz_status status = row.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for a row") : KZ_OK;
    if (!status) base_text_add(&t->added, "%s", row.data);
    if (!status && t->measured.length) status = base_file_append_line(t->measured.data, row.data, error);
    base_text_free(&row);
    return status;
}

static kz_status take_winner(workload_tune *t, const kz_family *family, const kz_case *c,
                             const bench_outcome *outcome, kz_error *error) {
    int winner = outcome->interrupted ? -1 : bench_tune_winner(outcome);
    if (winner < 0 || t->win_count == MOST_WINS) return KZ_OK;
    const kz_variant *variant = kz_variant_find(family, outcome->results[winner].candidate.name);
    t->wins[t->win_count++] =
        (bench_win){c->type, c->operation, family_case_elements(family, c), variant->name};
    report_tune_add(t->table, outcome, (size_t)winner);
    return family->estimate ? keep_row(t, outcome, (size_t)winner, error) : KZ_OK;
}

// Those that run there; of a family with a model not those that it expects to take many times longer than the best.
// `expected` is what the best of them is expected to take; infinite where nothing is known.
static size_t find_candidates(const workload_tune *t, const kz_family *family, const kz_case *c,
                              const kz_variant *variants[BENCH_CANDIDATES], double *expected) {
    enum { HOPELESS = 3 };
    const kz_device_info *device = kz_device_get_info(t->device);
    size_t used = 0;
    double least = HUGE_VAL, time[BENCH_CANDIDATES];
    for (size_t i = 0; i < family->variant_count && used < BENCH_CANDIDATES; i++) {
        char how[KZ_ESTIMATE_HOW];
        if (!kz_variant_fits(&family->variants[i], device)) continue;
        time[used] = 0;
        if (family->estimate && family_will_do(family, &family->variants[i], c, device, false))
            least = fmin(least, time[used] = family->estimate(c, device, &family->variants[i], how));
        variants[used++] = &family->variants[i];
    }
    size_t kept = 0;
    for (size_t i = 0; i < used; i++)
        if (time[i] <= HOPELESS * least) variants[kept++] = variants[i];
    *expected = least;
    return kept;
}

// The one by which the winner is found, where the model is sure of it (microseconds): single runs of what takes long, else a
// graph of them. NULL: both.
static const bench_condition *condition_of(double expected) {
    static const bench_condition latency = {.mode = BENCH_LATENCY}, throughput = {.mode = BENCH_THROUGHPUT};
    if (isinf(expected)) return NULL;
    bool short_at_most = bench_is_short(2e-6 * expected), short_at_least = bench_is_short(0.5e-6 * expected);
    return short_at_most ? &throughput : !short_at_least ? &latency : NULL;
}

static kz_status time_case(workload_tune *t, const kz_family *family, const kz_case *c, kz_error *error) {
    const kz_variant *variants[BENCH_CANDIDATES];
    double expected;
    size_t used = find_candidates(t, family, c, variants, &expected);
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    snprintf(t->label, sizeof t->label, "%s %s", family->name, name);
    const bench_request request = {.device = t->device,
                                   .probes = t->probes,
                                   .monitor = t->monitor,
                                   .family = family,
                                   .c = c,
                                   .variants = variants,
                                   .variant_count = used,
                                   .seed = FAMILY_SEED,
                                   .care = BENCH_CHECKED_ONCE,
                                   .conditions = condition_of(expected),
                                   .condition_count = condition_of(expected) != NULL,
                                   .rule = t->rule,
                                   .interrupted = t->options->interrupted,
                                   .progress = show,
                                   .progress_context = t};
    bench_outcome *outcome = NULL;
    kz_status status = bench_run(&request, &outcome, error);
    if (!status && t->records)
        status = bench_record_append(t->records, &t->run, &request, outcome, NULL, error);
    if (!status) status = take_winner(t, family, c, outcome, error);
    bench_outcome_free(outcome);
    t->done++;
    return status;
}

static kz_status find_in_suite(const workload_tune *t, const kz_family *family, kz_case **cases,
                               size_t *count, kz_error *error) {
    const workload_bench_cases *all = &t->of_suite;
    *count = 0;
    *cases = malloc((all->count + 1) * sizeof **cases);
    if (!*cases) return base_fail(error, KZ_NO_MEMORY, "no memory for the cases of the suite");
    for (size_t i = 0; i < all->count; i++) {
        const workload_bench_case *item = &all->items[i];
        bool wanted = !t->options->pattern || family_case_matches(family, &item->c, t->options->pattern);
        if (item->family == family && wanted) (*cases)[(*count)++] = item->c;
    }
    return KZ_OK;
}

static kz_status find_cases(const workload_tune *t, const kz_family *family, kz_case **cases, size_t *count,
                            kz_error *error) {
    if (t->options->suite) return find_in_suite(t, family, cases, count, error);
    return workload_find_cases(family, t->options->pattern, KZ_USE_BENCH, cases, count, error);
}

static kz_status time_cases(workload_tune *t, const kz_family *family, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status = find_cases(t, family, &cases, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status && !stops(t); i++) {
        kz_error own = {0};
        status = time_case(t, family, &cases[i], &own);
        if (status == KZ_OK) continue;
        base_fail_note(&own, "while measuring %s", t->label);
        if (error) *error = own;
        if (status != KZ_NO_MEMORY) break; // a case that does not fit is passed over
        report_progress_clear(&t->progress);
        if (t->options->complain) t->options->complain(&own, NULL);
        status = KZ_OK;
    }
    free(cases);
    return status;
}

// ---- one family ---------------------------------------------------------------------------------------

static kz_status write_rows(workload_tuned *family, const char *gpu, kz_error *error) {
    char *before = NULL;
    size_t size;
    snprintf(family->path, sizeof family->path, "kernels/%s/%s/choice.csv", family->family->group,
             family->family->name);
    kz_status status = base_file_read(family->path, &before, &size, error);
    if (status) {
        base_fail_note(error,
                       "kz tune writes into the folder of the sources: run it there, or with --dry-run");
        return status;
    }
    base_text after = {0};
    bench_tune_merge(before, gpu, family->rows, &after);
    family->changed = !after.data || strcmp(before, after.data) != 0;
    if (after.failed)
        status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", family->path);
    else if (family->changed)
        status = base_file_write(family->path, after.data, after.length, error);
    base_text_free(&after);
    free(before);
    return status;
}

// Into the sources where they are, else into the user's folder, where the library looks for it.
static kz_status open_measured(workload_tune *t, const kz_family *family, kz_error *error) {
    base_text_free(&t->added);
    base_text_free(&t->measured);
    if (!family->estimate || t->options->dry_run) return KZ_OK;
    base_text_add(&t->measured, "kernels/%s/%s/measured.csv", family->group, family->name);
    if (t->measured.data && base_file_exists(t->measured.data)) return KZ_OK;
    base_text_free(&t->measured);
    base_text folder = {0};
    kz_status status = KZ_OK;
    if (!base_state_folder(&folder) || !family_measured_path(family, &t->measured))
        status = base_fail(error, KZ_NOT_FOUND,
                           "no folder for what is measured of %s\nset HOME, or XDG_STATE_HOME", family->name);
    if (!status) status = base_make_folders(folder.data, error);
    base_text_free(&folder);
    return status;
}

// Of rows about one GPU and case the last stays.
static kz_status tidy_measured(workload_tune *t, const kz_family *family, workload_tuned *tuned,
                               kz_error *error) {
    char *before = NULL;
    size_t size;
    snprintf(tuned->path, sizeof tuned->path, "%s", t->measured.data);
    kz_status status = base_file_read(t->measured.data, &before, &size, error);
    if (status) return status;
    base_text after = {0};
    family_measured_tidy(family, before, &after);
    tuned->changed = true;
    status = after.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for %s", t->measured.data)
                          : base_file_write(t->measured.data, after.data, after.length, error);
    base_text_free(&after);
    free(before);
    return status;
}

static kz_status end_family(workload_tune *t, const kz_family *family,
                            void (*done)(const workload_tuned *family), kz_error *error) {
    if (!t->win_count) return base_fail(error, KZ_NOT_FOUND, "no case of %s could be timed", family->name);
    const char *gpu = kz_device_get_info(t->device)->gpu;
    base_text rows = {0};
    if (!family->estimate) bench_tune_rows(family, gpu, t->wins, t->win_count, &rows);
    workload_tuned tuned = {
        .family = family, .table = t->table, .rows = family->estimate ? t->added.data : rows.data};
    kz_status status = KZ_OK;
    if (!t->options->dry_run)
        status = family->estimate ? tidy_measured(t, family, &tuned, error) : write_rows(&tuned, gpu, error);
    if (status) tuned.path[0] = 0; // the figures are worth seeing all the same
    done(&tuned);
    base_text_free(&rows);
    return status;
}

static kz_status tune_family(workload_tune *t, const kz_family *family,
                             void (*done)(const workload_tuned *family), kz_error *error) {
    t->win_count = 0;
    t->table = report_tune_open();
    if (!t->table) return base_fail(error, KZ_NO_MEMORY, "no memory for the table");
    kz_status status = open_measured(t, family, error);
    if (!status) status = time_cases(t, family, error);
    report_progress_clear(&t->progress);
    if (!status && !stops(t)) status = end_family(t, family, done, error);
    report_table_close(t->table);
    return status;
}

// ---- all of it ----------------------------------------------------------------------------------------

// The choice is by what a GPU's clock says, and by the GPU's name in gpus/.
static kz_status open_device(workload_tune *t, kz_error *error) {
    const char *id = t->options->device;
    kz_status status = kz_device_open(id ? id : "cuda", &t->device, error);
    if (status) {
        base_fail_note(error, "kz tune needs a GPU: it goes by times, and the simulator has no clock");
        return status;
    }
    const kz_device_info *info = kz_device_get_info(t->device);
    if (info->kind != KZ_DEVICE_CUDA) {
        base_fail(error, KZ_UNSUPPORTED, "%s cannot be tuned for: %s", info->id,
                  info->has_clock ? "choice.csv is about GPUs" : "it has no clock, it only counts");
        base_fail_note(error, "try on a machine with a GPU: kz tune --device cuda:0");
        return KZ_UNSUPPORTED;
    }
    if (info->gpu[0]) return KZ_OK;
    base_fail(error, KZ_UNSUPPORTED, "%s (%s) is in no file of gpus/, so no row can name it", info->id,
              info->name);
    base_fail_note(error, "gpus/README.md says how to add one");
    return KZ_UNSUPPORTED;
}

kz_status workload_tune_open(const workload *w, const workload_tune_options *options, workload_tune **out,
                             kz_error *error) {
    workload_tune *t = *out = calloc(1, sizeof *t);
    if (!t) return base_fail(error, KZ_NO_MEMORY, "no memory for tuning");
    t->w = w;
    t->options = options;
    t->rule = bench_suite_rule();
    bench_rule_limit(&t->rule, options->time);
    for (size_t i = 0; i < w->zoo.wanted_count; i++)
        if (w->zoo.wanted[i].variant)
            return base_fail(error, KZ_INVALID, "kz tune chooses among all variants: name the family, not %s",
                             w->files[i]);
    kz_status status = open_device(t, error);
    return status ? status : bench_probes_open(t->device, &t->probes, error);
}

static void begin(workload_tune *t) {
    const kz_device_info *info = kz_device_get_info(t->device);
    t->monitor = bench_monitor_open(info->id, info->name);
    t->run = bench_run_begin("kz tune", NULL);
    bench_run_take_device(&t->run, info, t->monitor);
    report_progress_begin(&t->progress, stderr);
    for (size_t f = 0; f < t->w->zoo.count; f++) {
        kz_case *cases;
        size_t count;
        if (find_cases(t, t->w->zoo.families[f], &cases, &count, NULL)) continue;
        t->total += count;
        free(cases);
    }
}

static bool names(const workload_bench_cases *cases, const kz_family *family) {
    for (size_t i = 0; i < cases->count; i++)
        if (cases->items[i].family == family) return true;
    return false;
}

kz_status workload_tune_run(workload_tune *t, const char *records, void (*done)(const workload_tuned *family),
                            kz_error *error) {
    workload_suite *suite = t->options->suite;
    kz_status status = suite ? workload_suite_cases(suite, &t->of_suite, error) : KZ_OK;
    if (status) return status;
    t->records = records;
    begin(t);
    if (suite && !t->total) {
        base_fail(error, KZ_NOT_FOUND, "the suite %s has %zu cases, and none of what was asked for",
                  suite->name, t->of_suite.count);
        base_fail_note(error, "kz bench --suite %s --list shows them", suite->word);
        return KZ_NOT_FOUND;
    }
    for (size_t f = 0; f < t->w->zoo.count && !status && !stops(t); f++)
        if (!suite || names(&t->of_suite, t->w->zoo.families[f]))
            status = tune_family(t, t->w->zoo.families[f], done, error);
    return status;
}

void workload_tune_close(workload_tune *t) {
    if (!t) return;
    workload_bench_cases_free(&t->of_suite);
    base_text_free(&t->measured);
    base_text_free(&t->added);
    bench_probes_close(t->probes);
    bench_monitor_close(t->monitor);
    if (t->device) kz_device_close(t->device);
    free(t);
}
