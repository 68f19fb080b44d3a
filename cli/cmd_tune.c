// kz tune: measures the ladder of each family on this machine's GPU, and writes down which variant to take.
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/record.h"
#include "bench/tune.h"
#include "family/check.h"
#include "report/report.h"

enum { MOST_WINS = 256 };

typedef struct tune_options {
    cli_shared shared;
    bool dry_run;
} tune_options;

typedef struct tune_session {
    const tune_options *options;
    const workload *w;
    kz_device *device;
    bench_probes *probes;
    bench_monitor *monitor;
    bench_rule rule;
    bench_run_info run;
    base_text records; // the path; no data: none are kept
    report_style style;
    report_progress progress;
    size_t done, total; // cases
    char label[200];
} tune_session;

// ---- one case -----------------------------------------------------------------------------------------

static void show(const char *what, void *context) {
    tune_session *s = context;
    char text[300];
    snprintf(text, sizeof text, "%s: %s", s->label, what);
    report_progress_show(&s->progress, s->done, s->total, text);
}

static void add_row(report_table *table, const bench_outcome *o, int winner) {
    char time[REPORT_NUMBER];
    int fastest = bench_outcome_best(o, BENCH_ZOO);
    const bench_series *series = &o->results[winner].timings[o->figure].series;
    double seconds = series->summary.median;
    report_table_add(table, REPORT_PLAIN, "%s", "");
    report_table_add(table, REPORT_PLAIN, "%s", o->name);
    report_table_add(table, REPORT_BOLD, "%s", o->results[winner].candidate.name);
    report_table_add(table, REPORT_PLAIN, "%s%s", series->state == BENCH_CONVERGED ? "" : "~",
                     report_seconds(time, seconds));
    if (fastest == winner)
        report_table_add(table, REPORT_PLAIN, "%s", "");
    else
        report_table_add(table, REPORT_DIM, "simpler; %s is %.1f%% faster",
                         o->results[fastest].candidate.name,
                         100 * (seconds / o->results[fastest].timings[o->figure].series.summary.median - 1));
}

static kz_status time_case(tune_session *s, const kz_family *family, const kz_case *c, report_table *table,
                           bench_win *wins, size_t *count, kz_error *error) {
    const kz_device_info *device = kz_device_get_info(s->device);
    const kz_variant *variants[BENCH_CANDIDATES];
    size_t used = 0;
    for (size_t i = 0; i < family->variant_count && used < BENCH_CANDIDATES; i++)
        if (kz_variant_fits(&family->variants[i], device)) variants[used++] = &family->variants[i];
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    snprintf(s->label, sizeof s->label, "%s %s", family->name, name);
    const bench_request request = {.device = s->device,
                                   .probes = s->probes,
                                   .monitor = s->monitor,
                                   .family = family,
                                   .c = c,
                                   .variants = variants,
                                   .variant_count = used,
                                   .seed = FAMILY_SEED,
                                   .rule = s->rule,
                                   .interrupted = cli_interrupted,
                                   .progress = show,
                                   .progress_context = s};
    bench_outcome *outcome = NULL;
    kz_status status = bench_run(&request, &outcome, error);
    int winner = outcome && !outcome->interrupted ? bench_tune_winner(outcome) : -1;
    if (!status && s->records.data)
        status = bench_record_append(s->records.data, &s->run, &request, outcome, NULL, error);
    if (!status && winner >= 0 && *count < MOST_WINS) {
        const kz_variant *variant = kz_variant_find(family, outcome->results[winner].candidate.name);
        wins[(*count)++] = (bench_win){c->type, c->operation, family_case_elements(family, c), variant->name};
        add_row(table, outcome, winner);
    }
    bench_outcome_free(outcome);
    s->done++;
    return status;
}

// ---- one family ---------------------------------------------------------------------------------------

static kz_status write_rows(const kz_family *family, const char *gpu, const char *rows, kz_error *error) {
    char path[300], *before = NULL;
    size_t size;
    snprintf(path, sizeof path, "kernels/%s/%s/choice.csv", family->group, family->name);
    kz_status status = base_file_read(path, &before, &size, error);
    if (status) {
        base_fail_note(error,
                       "kz tune writes into the folder of the sources: run it there, or with --dry-run");
        return status;
    }
    base_text after = {0};
    bench_tune_merge(before, gpu, rows, &after);
    bool same = after.data && strcmp(before, after.data) == 0;
    if (after.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    if (!status && !same) status = base_file_write(path, after.data, after.length, error);
    if (!status)
        printf("  %s %s\n", path, same ? "says so already" : "written; it counts from the next build on");
    base_text_free(&after);
    free(before);
    return status;
}

static kz_status tune_cases(tune_session *s, const kz_family *family, report_table *table, bench_win *wins,
                            size_t *count, kz_error *error) {
    kz_case *cases;
    size_t case_count;
    kz_status status =
        workload_find_cases(family, s->options->shared.pattern, KZ_USE_BENCH, &cases, &case_count, error);
    for (size_t i = 0; i < case_count && !status && !cli_interrupted(); i++) {
        kz_error own = {0};
        status = time_case(s, family, &cases[i], table, wins, count, &own);
        if (status == KZ_OK) continue;
        base_fail_note(&own, "while measuring %s", s->label);
        if (error) *error = own;
        if (status != KZ_NO_MEMORY) break; // a case that does not fit is passed over
        report_progress_clear(&s->progress);
        cli_fail(&own);
        status = KZ_OK;
    }
    free(cases);
    return status;
}

// An interrupted family is left as it was: half a table would choose from half the sizes.
static kz_status tune_family(tune_session *s, const kz_family *family, kz_error *error) {
    const char *gpu = kz_device_get_info(s->device)->gpu;
    static const report_column columns[] = {{.title = ""},
                                            {.title = "case", .shrink = true},
                                            {.title = "choice"},
                                            {.title = "time", .right = true},
                                            {.title = ""}};
    bench_win wins[MOST_WINS];
    size_t count = 0;
    base_text rows = {0};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return base_fail(error, KZ_NO_MEMORY, "no memory for the table");
    kz_status status = tune_cases(s, family, table, wins, &count, error);
    report_progress_clear(&s->progress);
    if (!status && count && !cli_interrupted()) {
        bench_tune_rows(family, gpu, wins, count, &rows);
        report_print(stdout, &s->style, REPORT_BOLD, "%s\n", family->name);
        report_table_print(table, stdout, &s->style, true);
        for (const char *line = rows.data; line && *line; line += strcspn(line, "\n") + 1)
            printf("  %.*s\n", (int)strcspn(line, "\n"), line);
        if (!s->options->dry_run) status = write_rows(family, gpu, rows.data, error);
        printf("\n");
        fflush(stdout);
    } else if (!status && !cli_interrupted()) {
        status = base_fail(error, KZ_NOT_FOUND, "no case of %s could be timed", family->name);
    }
    base_text_free(&rows);
    report_table_close(table);
    return status;
}

// ---- the verb -----------------------------------------------------------------------------------------

// The choice is by what a GPU's clock says, and by the GPU's name in gpus/.
static kz_status open_device(tune_session *s, kz_error *error) {
    const char *id;
    kz_status status = cli_one_device(&s->options->shared, "tune", &id, error);
    if (status) return status;
    status = kz_device_open(id ? id : "cuda", &s->device, error);
    if (status) {
        base_fail_note(error, "kz tune needs a GPU: it goes by times, and the simulator has no clock");
        return status;
    }
    const kz_device_info *info = kz_device_get_info(s->device);
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

static kz_status read_rule(tune_session *s, kz_error *error) {
    s->rule = bench_default_rule();
    s->rule.most_seconds = 2.5; // many cases, some with very slow first rungs
    s->rule.warm_seconds = 0.4;
    const char *text = s->options->shared.time;
    if (!text) return KZ_OK;
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0 && seconds < 1e6))
        return base_fail(error, KZ_INVALID, "--time takes seconds, such as 2.5; \"%s\" is none", text);
    s->rule.most_seconds = seconds;
    if (s->rule.least_seconds > seconds) s->rule.least_seconds = seconds;
    if (s->rule.warm_seconds > seconds) s->rule.warm_seconds = seconds;
    return KZ_OK;
}

static void begin(tune_session *s) {
    const kz_device_info *info = kz_device_get_info(s->device);
    bench_run_id(s->run.id);
    s->run.command = "kz tune";
    s->run.commit = bench_commit();
    s->monitor = bench_monitor_open(info->id, info->name);
    s->run.device = *info;
    s->run.driver = bench_monitor_driver(s->monitor);
    s->run.uuid = bench_monitor_uuid(s->monitor);
    s->run.other_processes = bench_monitor_others(s->monitor);
    s->style = report_detect_style(stdout);
    report_progress_begin(&s->progress, stderr);
    for (size_t f = 0; f < s->w->zoo.count; f++) {
        kz_case *cases;
        size_t count;
        if (workload_find_cases(s->w->zoo.families[f], s->options->shared.pattern, KZ_USE_BENCH, &cases,
                                &count, NULL))
            continue;
        s->total += count;
        free(cases);
    }
}

static kz_status tune(tune_session *s, kz_error *error) {
    kz_status status = read_rule(s, error);
    for (size_t i = 0; i < s->w->zoo.wanted_count && !status; i++)
        if (s->w->zoo.wanted[i].variant)
            status = base_fail(error, KZ_INVALID,
                               "kz tune chooses among all variants: name the family, not %s", s->w->files[i]);
    if (!status) status = open_device(s, error);
    if (!status) status = bench_probes_open(s->device, &s->probes, error);
    if (!status && !s->options->shared.no_save) status = report_results_path("tune", &s->records, error);
    if (status) return status;
    begin(s);
    for (size_t f = 0; f < s->w->zoo.count && !status && !cli_interrupted(); f++)
        status = tune_family(s, s->w->zoo.families[f], error);
    if (s->records.data && s->done) printf("records: %s\n", s->records.data);
    return status;
}

static int tune_workload(const cli_shared *options, const workload *w) {
    kz_error error = {0};
    tune_session s = {.options = (const tune_options *)options, .w = w};
    cli_catch_interrupts();
    kz_status status = tune(&s, &error);
    bench_probes_close(s.probes);
    bench_monitor_close(s.monitor);
    if (s.device) kz_device_close(s.device);
    base_text_free(&s.records);
    if (status) return cli_fail(&error);
    return cli_interrupted() ? CLI_INTERRUPTED : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    tune_options options = {0};
    static const workload_request request = {.command = "tune", .kinds = 1u << WORKLOAD_ZOO};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, tune_workload);
}

static const cli_option options_table[] = {
    CLI_DEVICES("the GPU to choose for (the first)"),
    CLI_CASE("go by these cases alone: a name or a glob (all worth timing)"),
    CLI_TIME("2.5"),
    {"dry-run", CLI_FLAG, offsetof(tune_options, dry_run), NULL, "print the rows, write no choice.csv"},
    CLI_NO_SAVE,
    {0},
};

const cli_command cli_command_tune = {
    .usage = "kz tune [FAMILY...] [OPTIONS]",
    .about = "Measures all variants of a family over the sizes worth timing, as kz bench does, and writes "
             "the rows of\n"
             "this GPU into kernels/<group>/<family>/choice.csv, from which the public operation picks its "
             "variant.\n\n"
             "In the order of the ladder, a later variant replaces an earlier one only if it is "
             "faster by 1%.\n"
             "Neighbouring sizes with the same choice become one range; two that differ are split at their "
             "geometric mean.\n"
             "Types and operations that agree become one row; those that no case measures follow the first "
             "that one\n"
             "does. Rows of other GPUs stay. Run it in the folder of the sources.",
    .examples = "  kz tune                    all families\n"
                "  kz tune reduce --dry-run   what it would write",
    .options = options_table,
    .run = run,
};
