// kz bench: times kernels beside their rivals; on the simulator it counts instead. `kz bench sim` measures
// the simulator itself.
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/baseline.h"
#include "family/check.h"
#include "workload/bench.h"

int cmd_bench_sim(int argc, char **argv); // cmd_bench_sim.c

typedef struct bench_options {
    cli_shared shared;
    cli_list rival_lists, modes, caches, streams, columns;
    cli_list rivals;       // the names in those lists,
    base_text rival_names; // which lie here
    const char *resume;
    double budget;
    bool samples, quick, trial, retry;
} bench_options;

// What ptxas knows of a kernel and the simulator does not.
enum { STATIC_GROUPS = 1u << REPORT_METRIC_resources | 1u << REPORT_METRIC_code };

// What is resumed is added to: else the same command would measure the same cases for ever.
static kz_status check_resume(const cli_shared *o, const char *resume, kz_error *error) {
    bool elsewhere = resume && o->json.path && strcmp(o->json.path, resume) != 0;
    if (!elsewhere && !(resume && o->no_save)) return KZ_OK;
    base_fail(error, KZ_INVALID, "--resume %s adds the new records there, and %s %s", resume,
              elsewhere ? "--json names" : "--no-save keeps", elsewhere ? o->json.path : "none");
    base_fail_note(error, "leave one of the two out; --json without a path prints the records too");
    return KZ_INVALID;
}

// Before anything is measured: what cannot be kept would be minutes for nothing. A file that was not there is not left.
static kz_status check_path(const char *path, kz_error *error) {
    struct stat about;
    bool fresh = stat(path, &about) != 0, folder = base_ends_with(path, "/");
    int file = -1;
    if (folder && access(path, W_OK | X_OK) == 0) return KZ_OK;
    if (!folder && !fresh && !S_ISREG(about.st_mode)) return KZ_OK; // a pipe, a device: who knows
    if (!folder) file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return base_fail(error, KZ_IO, "no records can be written to %s: %s", path, strerror(errno));
    close(file);
    if (fresh) unlink(path);
    return KZ_OK;
}

// Where the records go; `path` stays empty where none are kept.
static kz_status open_file(const cli_shared *o, const char *resume, base_text *path, kz_error *error) {
    const char *given = o->json.path ? o->json.path : resume;
    struct stat about;
    if (given && !*given) return base_fail(error, KZ_INVALID, "the path of the records is empty");
    if (given) {
        size_t length = strlen(given);
        bool folder =
            length && given[length - 1] != '/' && stat(given, &about) == 0 && S_ISDIR(about.st_mode);
        base_text_add(path, "%s%s", given, folder ? "/" : "");
        kz_status status = path->failed ? base_fail(error, KZ_NO_MEMORY, "no memory for a path")
                                        : cli_make_folder_of(path->data, error);
        return status ? status : check_path(path->data, error);
    }
    if (o->no_save || o->json.given) return KZ_OK;
    kz_status status = report_results_path("bench", path, error);
    return status ? status : check_path(path->data, error);
}

static int exit_code(const report_bench *report) {
    const report_bench_tally *t = &report->tally;
    if (t->wrong) return CLI_WRONG;
    if (report->write_error.status) return (int)cli_exit_of(report->write_error.status);
    if (cli_interrupted()) return CLI_INTERRUPTED;
    if (t->failed) return (int)cli_exit_of(t->failure);
    // Few samples settle nothing, and meet no target.
    if (!report->run.quick && (t->missed || t->unsettled || t->over || report->since.worse))
        return CLI_REGRESSION;
    return report->absent || report_bench_compared_nothing(report) ? CLI_UNCHECKED : CLI_OK;
}

// ---- what there is ---------------------------------------------------------------------------------------

static int list_suites(void) {
    base_arena *arena = base_arena_open();
    const char *const *names = NULL;
    kz_error error = {0};
    kz_status status = arena ? workload_suite_list(arena, &names, &error) : KZ_NO_MEMORY;
    const report_style style = report_detect_style(stdout);
    const report_column columns[] = {
        {"suite", .least = 12}, {"cases", .right = true}, {"title", .shrink = true}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    for (size_t i = 0; !status && table && names[i]; i++) {
        workload_suite suite;
        workload_bench_cases cases = {0};
        status = workload_suite_open(names[i], &suite, &error);
        if (!status) status = workload_suite_cases(&suite, &cases, &error);
        if (!status) {
            report_table_add(table, REPORT_PLAIN, "%s", names[i]);
            report_table_add(table, REPORT_PLAIN, "%zu", cases.count);
            report_table_add(table, REPORT_DIM, "%s", suite.title);
        }
        workload_bench_cases_free(&cases);
        workload_suite_close(&suite);
    }
    if (!status && table) report_table_print(table, stdout, &style, true);
    report_table_close(table);
    base_arena_close(arena);
    return status ? cli_fail(&error) : CLI_OK;
}

// What the suite names for this family: of rivals, those that the family has.
static void add_providers(report_table *table, const workload_bench_case *item) {
    base_text text = {0};
    for (const char *const *p = item->part ? item->part->providers : NULL; p && *p; p++) {
        const bench_rival *rival = bench_rival_find(*p);
        if (!rival || bench_rival_does(rival, item->family, false) ||
            bench_rival_does(rival, item->family, true))
            base_text_add(&text, "%s%s", text.length ? "," : "", *p);
    }
    report_table_add(table, REPORT_DIM, "%s", text.data ? text.data : "");
    base_text_free(&text);
}

static int list_cases(const workload *w, const workload_bench_options *wanted) {
    workload_bench_cases cases;
    kz_error error = {0};
    kz_status status = workload_bench_select(w, wanted, NULL, &cases, &error);
    report_style style = report_detect_style(stdout);
    if (!style.terminal) style.width = INT_MAX; // a program that reads names needs whole ones
    const report_column columns[] = {{.title = "family", .shrink = REPORT_SHRINKS},
                                     {.title = "case", .shrink = REPORT_SHRINKS},
                                     {.title = "providers", .shrink = REPORT_SPARE}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    for (size_t i = 0; i < cases.count && !status && table; i++) {
        char name[FAMILY_CASE_NAME];
        const workload_bench_case *item = &cases.items[i];
        family_case_name(item->family, &item->c, name);
        report_table_add(table, REPORT_PLAIN, "%s", item->family->name);
        report_table_add(table, REPORT_PLAIN, "%s", name);
        add_providers(table, item);
    }
    if (!status && table) report_table_print(table, stdout, &style, false);
    if (!status) printf("%zu case%s\n", cases.count, cases.count == 1 ? "" : "s");
    report_table_close(table);
    workload_bench_cases_free(&cases);
    return status ? cli_fail(&error) : CLI_OK;
}

// ---- measuring ---------------------------------------------------------------------------------------------

typedef struct job { // what is known before any process or device is opened
    const bench_options *options;
    const workload *w;
    workload_bench_options *wanted;
    unsigned metrics;
    bench_run_info run;
    base_text path; // of the records
    json_t *baseline;
    bench_resume *resume;
} job;

static int measure(const job *j, workload_bench *bench, workload_page *page) {
    kz_error error = {0};
    const bench_options *o = j->options;
    bool to_stdout = cli_to_stdout(&o->shared.json);
    report_bench report = {.file = to_stdout ? stderr : stdout,
                           .run = j->run,
                           .path = j->path.data,
                           .to_stdout = to_stdout,
                           .metrics = j->metrics,
                           .baseline = json_incref(j->baseline),
                           .rivals = o->rivals.items,
                           .rival_count = o->rivals.count};
    kz_status status = workload_bench_run(bench, &report, &error);
    if (!page->faulted && (!status || report.tally.cases))
        report_bench_end(&report, base_seconds() - j->wanted->start);
    int code = !status ? exit_code(&report) : page->faulted ? (int)cli_exit_of(status) : cli_fail(&error);
    code = cli_check_output(code);
    report_bench_free(&report);
    page->code = code;
    page->finished = !page->faulted;
    return code;
}

static int measure_in_process(void *context, workload_page *page) {
    const job *j = context;
    workload_bench *run = NULL;
    kz_error error = {0};
    cli_catch_interrupts();
    cli_keep_in_mind(j->path.data);
    kz_status status = workload_bench_open(j->w, j->wanted, page, &run, &error);
    int code = status ? cli_fail(&error) : measure(j, run, page);
    if (status) page->code = code, page->finished = true;
    workload_bench_close(run);
    return code;
}

static kz_status open_resume(job *j, kz_error *error) {
    const char *path = j->options->resume;
    if (!path && j->options->retry) {
        base_fail(error, KZ_INVALID,
                  "--retry is for --resume PATH: without it every case is measured anyway");
        base_fail_note(error, "name the records whose failed cases are to be measured again");
        return KZ_INVALID;
    }
    if (!path) return KZ_OK;
    kz_status status = bench_resume_open(path, &j->resume, error);
    char text[200];
    size_t torn = bench_resume_torn(j->resume);
    snprintf(text, sizeof text, "%zu line%s in %.100s, cut off when a run was killed, %s passed over", torn,
             torn == 1 ? "" : "s", path, torn == 1 ? "is" : "are");
    if (torn) cli_note(text);
    if (!status && j->run.commit && base_ends_with(j->run.commit, "-dirty"))
        cli_note(
            "the code had uncommitted changes when kz was built: records of other such changes count too");
    return status;
}

static int run_job(job *j) {
    const bench_options *o = j->options;
    kz_error error = {0};
    j->run = bench_run_begin(o->shared.command_line.data, o->shared.commit);
    j->run.samples = o->samples;
    j->run.quick = o->quick || o->trial;
    j->run.trial = o->trial;
    if (j->wanted->suite)
        j->run.suite.name = j->wanted->suite->name, j->run.suite.digest = j->wanted->suite->digest;
    kz_status status = bench_commit_check(o->shared.commit, bench_commit(), &error);
    if (!status && o->shared.against) status = bench_baseline_read(o->shared.against, &j->baseline, &error);
    if (!status) status = check_resume(&o->shared, o->resume, &error);
    if (!status) status = open_resume(j, &error);
    j->wanted->resume = j->resume;
    if (!status) status = open_file(&o->shared, o->resume, &j->path, &error);
    if (status) return cli_fail(&error);
    const workload_supervision supervision = {.run = measure_in_process,
                                              .context = j,
                                              .here = workload_bench_is_safe(j->wanted),
                                              .complain = cli_complain};
    j->wanted->start = base_seconds();
    int code = workload_supervise(&supervision, &error);
    return code < 0 ? cli_fail(&error) : code;
}

// ---- all of it ---------------------------------------------------------------------------------------------

// None where nobody asked for any: the usual ones.
static kz_status choose_conditions(const bench_options *o, bench_condition *list, size_t *count,
                                   kz_error *error) {
    const bench_condition_names names = {o->modes.items, o->caches.items, o->streams.items,
                                         o->modes.count, o->caches.count, o->streams.count};
    *count = 0;
    if (!names.mode_count && !names.cache_count && !names.stream_count) return KZ_OK;
    return bench_conditions_parse(&names, list, count, error);
}

static int bench_suite(const cli_shared *options, const workload *w, workload_suite *suite) {
    const bench_options *o = (const bench_options *)options;
    bench_condition conditions[BENCH_CONDITIONS];
    size_t condition_count;
    kz_error error = {0};
    unsigned metrics;
    if (choose_conditions(o, conditions, &condition_count, &error) ||
        report_metrics_parse(o->columns.items, o->columns.count, &metrics, &error))
        return cli_fail(&error);
    workload_bench_options wanted = {.devices = options->devices.items,
                                     .device_count = options->devices.count,
                                     .rivals = o->rivals.items,
                                     .rival_count = o->rivals.count,
                                     .pattern = options->pattern,
                                     .suite = suite,
                                     .quick = o->quick,
                                     .trial = o->trial,
                                     .retry = o->retry,
                                     .conditions = conditions,
                                     .condition_count = condition_count,
                                     .assembles = metrics & STATIC_GROUPS,
                                     .seed = cli_seed(options, FAMILY_SEED),
                                     .time = options->time,
                                     .budget = o->budget,
                                     .timeout = options->timeout,
                                     .interrupted = cli_interrupted,
                                     .complain = cli_complain,
                                     .note = cli_note};
    if (options->list) return list_cases(w, &wanted);
    job j = {.options = o, .w = w, .wanted = &wanted, .metrics = metrics};
    int code = run_job(&j);
    bench_resume_close(j.resume);
    json_decref(j.baseline);
    base_text_free(&j.path);
    return code;
}

static int bench(const cli_shared *options, const workload *w) {
    bench_options o = *(const bench_options *)options;
    workload_suite suite = {0};
    kz_error error = {0};
    if (options->list && !o.shared.suite && !w->zoo.wanted_count) return list_suites();
    kz_status status = cli_split(&o.rival_lists, &o.rival_names, &o.rivals, &error);
    if (!status && o.shared.suite) status = workload_suite_open(o.shared.suite, &suite, &error);
    int code = status ? cli_fail(&error) : bench_suite(&o.shared, w, o.shared.suite ? &suite : NULL);
    workload_suite_close(&suite);
    base_text_free(&o.rival_names);
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
    CLI_CASE("only the case of this name, of any size, or those of a glob"),
    CLI_FAMILY,
    {"rivals", CLI_LIST, offsetof(bench_options, rival_lists), "LIST",
     "only these rivals: names, or ./mine.py, a provider of your own; none for none (all there are)"},
    CLI_SUITE,
    CLI_SHOW_LIST("the suites; with --suite, what it would measure"),
    {"quick", CLI_FLAG, offsetof(bench_options, quick), NULL,
     "few samples of few sizes, to see that it runs; the records say so"},
    {"trial", CLI_FLAG, offsetof(bench_options, trial), NULL,
     "no reference and no check, to see quickly what is worth measuring; the records say so"},
    {"mode", CLI_LIST, offsetof(bench_options, modes), "LIST",
     "how runs follow each other: latency, throughput, sustained, burst (the first two)"},
    {"cache", CLI_LIST, offsetof(bench_options, caches), "LIST",
     "what the caches hold before: cold, dirty, hot, fresh (cold)"},
    {"stream", CLI_LIST, offsetof(bench_options, streams), "LIST",
     "where they run: later, first, the first stream of this process, or switched, after another context "
     "worked (later)"},
    {"columns", CLI_LIST, offsetof(bench_options, columns), "LIST",
     "more columns, in tables by group: time, rate, error, memory, power, resources, code, judged, or all"},
    {"resume", CLI_TEXT, offsetof(bench_options, resume), "PATH",
     "what the records in this file or folder/ have is not measured again; new ones are added"},
    {"retry", CLI_FLAG, offsetof(bench_options, retry), NULL,
     "with --resume: cases again in which a candidate crashed, hung, failed or was wrong"},
    CLI_AGAINST("compare with the records in this file or folder; worse is exit status 7"),
    CLI_TIME("10"),
    {"budget", CLI_SECONDS, offsetof(bench_options, budget), "S", "start no case after so many seconds"},
    CLI_TIMEOUT_ROW("a run or a sample that takes so long is hung (360); compiling has limits of its own"),
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
             "kz bench --suite SUITE [FAMILY...] [OPTIONS]\n"
             "kz bench sim",
    .about =
        "Times the variants of a family beside each other, the rivals and a plain copy: all on the same "
        "bytes,\n"
        "with cold caches, interleaved, each checked against the reference before and after. The figure is "
        "the "
        "median\n"
        "with its 95% interval; below 50 us it is taken from a graph of runs over rotating buffers. A "
        "candidate\n"
        "is sampled until the interval is within 0.5%, and called not converged after --time seconds.\n\n"
        "A time is of a condition: single runs or a graph of them, cold, unless --mode, --cache and "
        "--stream\n"
        "ask for others. Every combination is measured, and ratios are of one condition alone.\n\n"
        "The simulator has no clock: there it counts instructions, sectors and wavefronts instead.\n\n"
        "Records are kept as they come, one JSON object per line, in $KZ_RESULTS, else $XDG_STATE_HOME/kz,\n"
        "else ~/.local/state/kz: statistics, and with --samples every sample. `kz bench sim` times the "
        "simulator itself.",
    .examples = "  kz bench reduce                               on this machine's GPU\n"
                "  kz bench vector_add --device cpu              native code, by the wall clock\n"
                "  kz bench reduce --case sum-f32-n2^22-uniform  one size\n"
                "  kz bench reduce --rivals cub,torch            beside these two alone\n"
                "  kz bench reduce --cache cold,dirty,hot        as the caches change\n"
                "  kz bench reduce --columns resources,code      registers, occupancy, code size\n"
                "  kz bench --suite h200 --json out.jsonl        all that an H200 has targets for\n"
                "  kz bench --suite h200 --resume out/           goes on where it was cut off\n"
                "  kz bench --suite h200 --against results/h200  is anything slower than it was?\n"
                "  kz bench --family reduce my.cu                a kernel of your own",
    .options = options_table,
    .run = run,
};
