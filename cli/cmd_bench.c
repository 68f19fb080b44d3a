// kz bench: times kernels beside their rivals; on the simulator it counts instead. `kz bench sim` measures
// the simulator itself.
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/peers.h"
#include "bench/record.h"
#include "report/bench/table.h"
#include "family/check.h"
#include "report/profile/peaks.h"

int cmd_bench_sim(int argc, char **argv); // cmd_bench_sim.c

typedef struct bench_options {
    cli_shared shared;
    cli_list rivals;
    const char *suite, *budget;
    bool samples;
} bench_options;

// One case of one family on one device.
typedef struct job {
    const kz_family *family;
    kz_case c;
} job;

typedef struct bench_session {
    const bench_options *options;
    const workload *w;
    job *jobs;
    size_t job_count, job_capacity;
    bench_peers peers;
    bool told[BENCH_RIVALS]; // that it is missing
    bench_rule rule;
    bench_run_info info;
    bench_peaks peaks; // of the device, as far as they are known
    char *command;
    base_text path; // of the records; no data: none are kept
    kz_error write_error;
    report_style style;
    report_progress progress;
    report_bench_tally tally;
    size_t done;
    double start, budget;
    char label[300];
} bench_session;

// ---- what to measure ------------------------------------------------------------------------------

static kz_status add_job(bench_session *s, const kz_family *family, const kz_case *c, kz_error *error) {
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    for (size_t i = 0; i < s->job_count; i++)
        if (s->jobs[i].family == family && family_case_matches(family, &s->jobs[i].c, name)) return KZ_OK;
    if (s->job_count == s->job_capacity) {
        size_t capacity = s->job_capacity ? 2 * s->job_capacity : 64;
        job *grown = realloc(s->jobs, capacity * sizeof *grown);
        if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory for the list of cases");
        s->jobs = grown;
        s->job_capacity = capacity;
    }
    s->jobs[s->job_count++] = (job){.family = family, .c = *c};
    return KZ_OK;
}

// What a device does in reasonable time where nothing was asked for by name.
typedef struct job_limits {
    uint64_t elements;
    double flops;
} job_limits;
static job_limits limits_of(const kz_device_info *device) {
    switch (device->kind) {
    case KZ_DEVICE_SIM: return (job_limits){1 << 20, 1e8};
    case KZ_DEVICE_CPU: return (job_limits){1 << 24, 4e9};
    default: return (job_limits){UINT64_MAX, INFINITY};
    }
}

static kz_status add_matching(bench_session *s, const kz_family *family, const char *pattern,
                              const job_limits *most, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status = workload_find_cases(family, pattern, KZ_USE_BENCH, &cases, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status; i++) {
        bool fits = pattern || (family_case_elements(family, &cases[i]) <= most->elements &&
                                family->work(&cases[i]).flops <= most->flops);
        // A glob means cases worth timing, where there are any; edge cases must be named.
        bool meant = !pattern || !strpbrk(pattern, "*?[") || (cases[i].use & KZ_USE_BENCH);
        if (fits && meant) status = add_job(s, family, &cases[i], error);
    }
    free(cases);
    return status;
}

// All cases that are timed are too large for this device: why, and a command that is not.
static void suggest_case(const kz_family *family, const kz_device_info *device, const job_limits *most,
                         kz_error *error) {
    kz_case c;
    char name[FAMILY_CASE_NAME];
    base_fail(error, KZ_NOT_FOUND,
              "the cases of %s that are timed are of a GPU's size, too large for %s (%llu elements at most)",
              family->name, device->id, (unsigned long long)most->elements);
    if (workload_choose_case(family, NULL, NULL, most->elements, &c, NULL)) return;
    family_case_name(family, &c, name);
    base_fail_note(error, "one of any size can be named: kz bench %s --case %s --device %s", family->name,
                   name, device->id);
}

// A suite is what the targets of a GPU speak of, with the rivals and the whole ladder.
static kz_status add_suite(bench_session *s, const kz_family *family, const char *gpu, kz_error *error) {
    bench_targets targets;
    kz_status status = bench_targets_of(family->name, &targets, error);
    for (size_t i = 0; i < targets.count && !status; i++)
        if (strcmp(targets.rows[i].gpu, gpu) == 0)
            status = add_matching(s, family, targets.rows[i].pattern, NULL, error);
    return status;
}

static kz_status select_jobs(bench_session *s, const kz_device_info *device, kz_error *error) {
    const kz_family *const *families = s->w->zoo.families;
    size_t count = s->w->zoo.count;
    const job_limits most = limits_of(device);
    s->job_count = 0;
    bool found = false;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count; i++) {
        if (s->options->suite)
            status = add_suite(s, families[i], s->options->suite, error);
        else
            status = add_matching(s, families[i], s->options->shared.pattern, &most, error);
        found = found || !status;
        if (status && status != KZ_NOT_FOUND && status != KZ_INVALID) return status;
    }
    if (!found && status) return status;
    if (s->job_count && s->options->suite && device->kind == KZ_DEVICE_SIM)
        return base_fail(error, KZ_NO_DEVICE,
                         "a suite is timed on a GPU, and %s has no clock\nname cases to count in the "
                         "simulator: kz bench FAMILY --device sim",
                         device->id);
    if (s->job_count) return KZ_OK;
    if (s->options->suite)
        base_fail(error, KZ_NOT_FOUND, "there is no suite \"%s\": no targets.csv names that GPU",
                  s->options->suite);
    else if (!s->options->shared.pattern && count == 1 && most.elements < UINT64_MAX) {
        suggest_case(families[0], device, &most, error);
        return KZ_NOT_FOUND;
    } else
        base_fail(error, KZ_NOT_FOUND, "there is no case to time on %s", device->id);
    base_fail_note(error, "kz info FAMILY lists cases; --case takes one of any size");
    return KZ_NOT_FOUND;
}

// ---- one case ---------------------------------------------------------------------------------------

static void show(const char *what, void *context) {
    bench_session *s = context;
    char text[400];
    snprintf(text, sizeof text, "%s: %s", s->label, what);
    report_progress_show(&s->progress, s->done, s->job_count, text);
}

static size_t pick_variants(const bench_session *s, const kz_family *family, const kz_device_info *device,
                            const kz_variant *picked[BENCH_CANDIDATES]) {
    size_t count = 0;
    for (size_t i = 0; i < family->variant_count && !s->w->guest && count < BENCH_CANDIDATES; i++) {
        const kz_variant *variant = &family->variants[i];
        if (workload_wants(&s->w->zoo, family, variant) && family_variant_suits(variant, device))
            picked[count++] = variant;
    }
    return count;
}

static bool is_folder(const char *path) {
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

// A folder gets one file per family: <date>-<commit>-<family>.jsonl, as under results/.
static void choose_file(bench_session *s, const kz_family *family) {
    const char *folder = s->options->shared.json.path;
    if (!folder || !is_folder(folder)) return;
    char date[32];
    report_time(date);
    s->path.length = 0;
    base_text_add(&s->path, "%s%.10s-%s-%s.jsonl", folder, date, s->info.commit ? s->info.commit : "unknown",
                  family->name);
}

static void keep(bench_session *s, const bench_request *request, const bench_outcome *outcome,
                 const bench_targets *targets) {
    if (s->options->shared.json.given && !s->options->shared.json.path)
        for (size_t i = 0; i < outcome->count; i++)
            for (int mode = 0; mode < (outcome->timed ? BENCH_MODES : 1); mode++) {
                json_t *record = bench_record(&s->info, request, outcome, i, (bench_mode)mode, NULL);
                if (record) json_dumpf(record, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)), putchar('\n');
                json_decref(record);
            }
    if (!s->path.data || s->write_error.status) return;
    kz_status status =
        bench_record_append(s->path.data, &s->info, request, outcome, targets, &s->write_error);
    if (status) { // the figures are still on the screen: measuring goes on
        report_progress_clear(&s->progress);
        cli_fail(&s->write_error);
        fprintf(stderr, "kz: the results that follow are shown, and not kept\n");
    }
}

// A race without its rival is told of, once; whoever chose rivals knows.
static void tell_missing_rivals(bench_session *s, FILE *file, const kz_family *family,
                                const kz_device_info *device, const bench_outcome *outcome) {
    for (size_t i = 0; i < BENCH_RIVALS && device->has_clock && !s->options->rivals.count; i++) {
        const bench_rival *rival = &bench_rivals[i];
        bool there = s->told[i];
        for (size_t k = 0; k < outcome->count; k++)
            there = there || strcmp(outcome->results[k].candidate.by, rival->name) == 0;
        base_text why = {0};
        if (there || !bench_rival_does(rival, family, device->kind == KZ_DEVICE_CPU)) continue;
        if (bench_rival_missing(rival, &s->peers, &why)) {
            fprintf(file, "no rival: %s\n\n", why.data);
            s->told[i] = true;
        }
        base_text_free(&why);
    }
}

static kz_status run_job(bench_session *s, const job *j, kz_device *device, bench_probes *probes,
                         const bench_monitor *monitor, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(device);
    const kz_variant *variants[BENCH_CANDIDATES];
    bench_targets targets;
    kz_status status = bench_targets_of(j->family->name, &targets, error);
    if (status) return status;
    char name[FAMILY_CASE_NAME];
    family_case_name(j->family, &j->c, name);
    snprintf(s->label, sizeof s->label, "%s %s on %s", j->family->name, name, info->id);
    const bench_request request = {
        .device = device,
        .probes = probes,
        .monitor = monitor,
        .peaks = &s->peaks,
        .family = j->family,
        .c = &j->c,
        .variants = variants,
        .variant_count = pick_variants(s, j->family, info, variants),
        .guest = s->w->guest,
        .peers = s->peers.items,
        .peer_count = info->has_clock ? s->peers.count : 0,
        .seed = s->options->shared.seed.given ? (uint64_t)s->options->shared.seed.value : FAMILY_SEED,
        .rule = s->rule,
        .interrupted = cli_interrupted,
        .progress = show,
        .progress_context = s};
    bench_outcome *outcome = NULL;
    status = bench_run(&request, &outcome, error);
    report_progress_clear(&s->progress);
    if (outcome && outcome->count) {
        bool quiet = s->options->shared.json.given && !s->options->shared.json.path;
        choose_file(s, j->family);
        keep(s, &request, outcome, &targets);
        FILE *file = quiet ? stderr : stdout;
        report_bench_print(file, &s->style, j->family, &j->c, info, outcome, &targets, &s->tally);
        tell_missing_rivals(s, file, j->family, info, outcome);
        fflush(stdout);
    }
    bench_outcome_free(outcome);
    return status;
}

// ---- one device ---------------------------------------------------------------------------------------

static void warn_of_others(bench_session *s, const bench_monitor *monitor) {
    s->info.other_processes = bench_monitor_others(monitor);
    if (s->info.other_processes > 0)
        fprintf(stderr, "kz: warning: %d other process%s on this GPU: the figures will suffer\n",
                s->info.other_processes, s->info.other_processes > 1 ? "es compute" : " computes");
}

// A fault ends a device; what was measured before it is kept, and the case is named.
static kz_status run_jobs(bench_session *s, kz_device *device, bench_probes *probes,
                          const bench_monitor *monitor, kz_error *error) {
    kz_status status = KZ_OK;
    for (s->done = 0; s->done < s->job_count && !cli_interrupted(); s->done++) {
        if (s->budget > 0 && base_seconds() - s->start > s->budget) {
            fprintf(stderr, "kz: the budget of %g s is spent: %zu of %zu cases are left out\n", s->budget,
                    s->job_count - s->done, s->job_count);
            break;
        }
        kz_error own = {0};
        kz_status one = run_job(s, &s->jobs[s->done], device, probes, monitor, &own);
        if (one == KZ_OK) continue;
        base_fail_note(&own, "while measuring %s", s->label);
        status = one;
        if (error) *error = own;
        // A case that does not fit is passed over; anything else may repeat itself in every case.
        if (one != KZ_NO_MEMORY && one != KZ_UNSUPPORTED) break;
        cli_fail(&own);
    }
    return status;
}

static kz_status bench_device(bench_session *s, kz_device *device, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(device);
    kz_status status = select_jobs(s, info, error);
    if (status) return status;
    bench_probes *probes = NULL;
    bench_monitor *monitor = NULL;
    if (info->has_clock) status = bench_probes_open(device, &probes, error);
    if (!status && info->kind == KZ_DEVICE_CUDA) {
        monitor = bench_monitor_open(info->id, info->name);
        warn_of_others(s, monitor);
    }
    s->info.device = *info;
    char key[REPORT_GPU_KEY];
    report_gpu_key(info, key);
    report_peaks_load(key, &s->peaks);
    s->info.driver = bench_monitor_driver(monitor);
    s->info.uuid = bench_monitor_uuid(monitor);
    if (!status) status = run_jobs(s, device, probes, monitor, error);
    bench_probes_close(probes);
    bench_monitor_close(monitor);
    return status;
}

// ---- the verb -------------------------------------------------------------------------------------------

static kz_status read_seconds(const char *text, const char *option, double fallback, double *value,
                              kz_error *error) {
    *value = fallback;
    if (!text) return KZ_OK;
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == 0 && *value > 0 && isfinite(*value)) return KZ_OK;
    return base_fail(error, KZ_INVALID, "--%s takes seconds, such as 2.5; \"%s\" is none", option, text);
}

static kz_status read_rule(bench_session *s, kz_error *error) {
    s->rule = bench_default_rule();
    if (s->options->suite) { // many cases, some with very slow first rungs
        s->rule.most_seconds = 2.5;
        s->rule.warm_seconds = 0.4;
    }
    kz_status status =
        read_seconds(s->options->shared.time, "time", s->rule.most_seconds, &s->rule.most_seconds, error);
    if (s->rule.least_seconds > s->rule.most_seconds) s->rule.least_seconds = s->rule.most_seconds;
    if (s->rule.warm_seconds > s->rule.most_seconds) s->rule.warm_seconds = s->rule.most_seconds;
    return status ? status : read_seconds(s->options->budget, "budget", 0, &s->budget, error);
}

static kz_status fail_rival(const char *name, kz_error *error) {
    base_text why = {0};
    const bench_rival *rival = bench_rival_find(name);
    base_fail(error, KZ_NOT_FOUND, "there is no rival \"%s\" here", name);
    if (rival && bench_rival_missing(rival, &(bench_peers){0}, &why)) base_fail_note(error, "%s", why.data);
    base_text_free(&why);
    base_fail_note(
        error,
        "rivals are lib/libkz_peer_<name>.so beside the folder of kz; `--rivals none` leaves them out");
    return KZ_NOT_FOUND;
}

static kz_status open_rivals(bench_session *s, bool has_clock, kz_error *error) {
    const cli_list *asked = &s->options->rivals;
    bool none = asked->count == 1 && strcmp(asked->items[0], "none") == 0;
    for (size_t i = 0; !has_clock && !none && i < asked->count; i++)
        if (!bench_rival_find(asked->items[i])) return fail_rival(asked->items[i], error);
    if (!has_clock || none) return KZ_OK;
    kz_status status = bench_peers_open(&s->peers, error);
    if (status || asked->count == 0) return status;
    size_t kept = 0;
    for (size_t i = 0; i < s->peers.count; i++)
        for (size_t k = 0; k < asked->count; k++)
            if (strcmp(s->peers.items[i]->name, asked->items[k]) == 0)
                s->peers.items[kept++] = s->peers.items[i];
    s->peers.count = kept;
    return kept ? KZ_OK : fail_rival(asked->items[0], error);
}

static kz_status open_file(bench_session *s, kz_error *error) {
    const bench_options *o = s->options;
    if (o->shared.json.given && o->shared.json.path) {
        base_text_add(&s->path, "%s", o->shared.json.path);
        return cli_make_folder_of(o->shared.json.path, error);
    }
    return o->shared.no_save || o->shared.json.given ? KZ_OK : report_results_path("bench", &s->path, error);
}

static int finish(bench_session *s, kz_status status, const kz_error *error) {
    const report_bench_tally *t = &s->tally;
    FILE *file = s->options->shared.json.given && !s->options->shared.json.path ? stderr : stdout;
    char seconds[REPORT_NUMBER];
    if (status && !t->cases) return cli_fail(error);
    fprintf(file, "%zu case%s in %s", t->cases, t->cases == 1 ? "" : "s",
            report_seconds(seconds, base_seconds() - s->start));
    if (t->met + t->missed + t->open)
        fprintf(file, "; targets: %zu met, %zu missed, %zu open", t->met, t->missed, t->open);
    if (t->wrong) fprintf(file, "; %zu wrong", t->wrong);
    if (t->unsettled) fprintf(file, "; %zu not settled", t->unsettled);
    fprintf(file, "\n");
    if (t->shortfalls.data) fprintf(file, "%s", t->shortfalls.data);
    if (s->path.data && t->cases && !s->write_error.status)
        fprintf(file, "records: %s\n",
                s->options->shared.json.path ? s->options->shared.json.path : s->path.data);
    if (status) return cli_fail(error);
    if (t->wrong) return CLI_WRONG;
    if (s->write_error.status) return (int)cli_exit_of(s->write_error.status);
    if (cli_interrupted()) return CLI_INTERRUPTED;
    if (t->failed) return CLI_NO_DEVICE;
    return t->missed || t->unsettled ? CLI_REGRESSION : CLI_OK;
}

// Without a word the best device: the first GPU, or the simulator.
static kz_status open_devices(const bench_options *o, workload_devices *devices, kz_error *error) {
    const cli_list *ids = &o->shared.devices;
    if (ids->count) return workload_open_devices(ids->items, ids->count, false, devices, error);
    kz_device_info first = {.size = sizeof first};
    size_t count = 0;
    kz_status status = kz_device_list(&first, 1, &count, error);
    const char *id = !status && count && first.kind == KZ_DEVICE_CUDA ? first.id : "sim";
    if (status) return status;
    return workload_open_devices(&id, 1, false, devices, error);
}

static int measure(bench_session *s) {
    kz_error error = {0};
    workload_devices devices = {0};
    bool has_clock = false;
    kz_status status = read_rule(s, &error);
    if (!status) status = open_devices(s->options, &devices, &error);
    for (size_t i = 0; i < devices.count; i++)
        has_clock = has_clock || kz_device_get_info(devices.items[i])->has_clock;
    if (!status) status = open_rivals(s, has_clock, &error);
    if (!status) status = open_file(s, &error);
    int code = CLI_OK;
    if (status) {
        code = cli_fail(&error);
    } else {
        s->start = base_seconds();
        s->style = report_detect_style(stdout);
        report_progress_begin(&s->progress, stderr);
        for (size_t i = 0; i < devices.count && !status && !cli_interrupted(); i++)
            status = bench_device(s, devices.items[i], &error);
        code = finish(s, status, &error);
    }
    workload_close_devices(&devices);
    return code;
}

static int bench(const cli_shared *options, const workload *w) {
    bench_session s = {.options = (const bench_options *)options, .w = w};
    cli_catch_interrupts();
    bench_run_id(s.info.id);
    s.info.command = options->command_line.data;
    s.info.commit = options->commit ? options->commit : bench_commit();
    s.info.other_processes = -1;
    s.info.samples = s.options->samples;
    int code = measure(&s);
    bench_peers_close(&s.peers);
    base_text_free(&s.path);
    base_text_free(&s.tally.shortfalls);
    free(s.jobs);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "sim") == 0) return cmd_bench_sim(argc - 1, argv + 1);
    bench_options options = {0};
    static const workload_request request = {.command = "bench",
                                             .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, bench);
}

static const cli_option options_table[] = {
    CLI_DEVICES("where to run (the first GPU, else the simulator)"),
    CLI_CASE("only these cases: a name, a glob, or any size"),
    CLI_FAMILY,
    {"rivals", CLI_LIST, offsetof(bench_options, rivals), "NAME",
     "only this rival; none for none (all there are)"},
    {"suite", CLI_TEXT, offsetof(bench_options, suite), "GPU", "the cases that GPU has targets for"},
    CLI_TIME("10"),
    {"budget", CLI_TEXT, offsetof(bench_options, budget), "S", "start no case after so many seconds"},
    CLI_INPUT_SEED,
    CLI_JSON("records added to this file, or to one per family in this folder/"),
    {"samples", CLI_FLAG, offsetof(bench_options, samples), NULL,
     "keep every sample in the records, not their statistics alone"},
    CLI_NO_SAVE,
    CLI_COMMIT,
    {0},
};

const cli_command cli_command_bench = {
    .usage = "kz bench [FAMILY[/VARIANT]...] [OPTIONS]\n"
             "kz bench --family FAMILY FILE.cu [OPTIONS]\n"
             "kz bench --suite GPU [FAMILY...] [OPTIONS]\n"
             "kz bench sim",
    .about =
        "Times the variants of a family beside each other, the rivals and a plain copy: all on the same "
        "bytes,\n"
        "with cold caches, interleaved, each checked against the reference before and after. The figure is "
        "the "
        "median\n"
        "with its 95% interval; below 50 us it is taken from a graph of launches over rotating buffers. A "
        "candidate\n"
        "is sampled until the interval is within 0.5%, and called not converged after --time seconds.\n\n"
        "The simulator has no clock: there it counts instructions, sectors and wavefronts instead.\n\n"
        "Records are kept as they come, one JSON object per line, in $KZ_RESULTS, else $XDG_STATE_HOME/kz,\n"
        "else ~/.local/state/kz: statistics, and with --samples every sample. `kz bench sim` times the "
        "simulator itself.",
    .examples = "  kz bench reduce                                  the ladder on this machine's GPU\n"
                "  kz bench vector_add --device cpu                 the native variant, by the wall clock\n"
                "  kz bench reduce --case 'sum-f32-n2^22-uniform'   one size\n"
                "  kz bench --suite h200 --json out.jsonl           everything an H200 has targets for\n"
                "  kz bench --family reduce my.cu                   a kernel of your own",
    .options = options_table,
    .run = run,
};
