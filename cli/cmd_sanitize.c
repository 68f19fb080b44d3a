// kz sanitize: what is wrong with a kernel or a whole program, line by line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "workload/sanitize.h"

typedef struct sanitize_options {
    cli_shared shared;
    cli_integer seeds, determinism;
    bool numerics, leaks;
    const char *only, *ignore, *suppress, *sarif;
} sanitize_options;

// ---- what is asked for ----------------------------------------------------------------------------------

static kz_status choose_seeds(const sanitize_options *o, workload_sanitize_options *to, kz_error *error) {
    int64_t wanted = o->determinism.given ? o->determinism.value : o->seeds.given ? o->seeds.value : 1;
    int least = o->determinism.given ? 2 : 1;
    if (wanted < least || wanted > WORKLOAD_SEEDS)
        return base_fail(error, KZ_INVALID, "%s takes %d to %d runs",
                         o->determinism.given ? "--determinism" : "--seeds", least, WORKLOAD_SEEDS);
    if (o->seeds.given && o->determinism.given && o->seeds.value > wanted)
        return base_fail(error, KZ_INVALID, "--seeds %lld needs --determinism %lld or more",
                         (long long)o->seeds.value, (long long)o->seeds.value);
    uint64_t first = cli_seed(&o->shared, o->seeds.given && !o->determinism.given ? 1 : 0);
    to->seed_count = (size_t)wanted;
    for (size_t i = 0; i < to->seed_count; i++) to->seeds[i] = first + i;
    return KZ_OK;
}

static kz_status prepare(const sanitize_options *o, char instruments[96], workload_sanitize_options *to,
                         report_findings *findings, kz_error *error) {
    snprintf(instruments, 96, "races,sync,undefined%s%s%s", o->numerics ? ",numerics" : "",
             o->leaks ? ",leaks" : "", o->determinism.given ? ",hashes" : "");
    if (!report_findings_open(findings)) return base_fail(error, KZ_NO_MEMORY, "no memory for findings");
    kz_status status = choose_seeds(o, to, error);
    if (!status) status = report_findings_choose(findings, o->only, o->ignore, error);
    if (!status && o->suppress) status = report_findings_suppress(findings, o->suppress, error);
    to->settings = cli_program_settings(&o->shared);
    to->settings.observe = instruments;
    if (cli_to_stdout(&o->shared.json)) to->settings.output = STDERR_FILENO; // not between the lines of JSON
    to->pattern = o->shared.pattern;
    to->compare = o->determinism.given;
    to->settings.interrupted = cli_interrupted;
    return status;
}

// ---- what is said -------------------------------------------------------------------------------------

static kz_status write_reports(const sanitize_options *o, const report_findings *findings, kz_error *error) {
    kz_status status = KZ_OK;
    if (o->shared.json.given) {
        json_t *lines = report_findings_to_json(findings);
        status = report_write_lines(lines, o->shared.json.path, error);
        json_decref(lines);
    }
    if (!status && o->shared.junit) status = report_findings_write_junit(findings, o->shared.junit, error);
    if (!status && o->sarif)
        status = report_write_indented(report_findings_to_sarif(findings), o->sarif, error);
    return status;
}

static void print(const sanitize_options *o, const report_findings *findings) {
    FILE *file = cli_to_stdout(&o->shared.json) ? stderr : stdout;
    report_style style = report_detect_style(file);
    report_prof_sources *sources = report_prof_sources_open(NULL, 0);
    fflush(stdout);
    report_findings_print(file, &style, findings, sources);
    report_findings_print_summary(file, &style, findings);
    report_prof_sources_close(sources);
}

// ---- the command --------------------------------------------------------------------------------------

static void add_interruption(const workload *w, double began, report_findings *findings) {
    char text[100];
    size_t count = json_array_size(findings->targets);
    const char *last = count ? json_string_value(json_array_get(findings->targets, count - 1)) : NULL;
    if (!last) last = w->file_count ? w->files[0] : "the zoo";
    if (cli_report_interruption(began, text, sizeof text))
        report_findings_add_unchecked(findings, last, text);
}

static int sanitize(const cli_shared *options, const workload *w) {
    const sanitize_options *o = (const sanitize_options *)options;
    char instruments[96];
    workload_sanitize_options wanted = {0};
    workload_sanitize run = {0};
    kz_error error = {0};
    double began = base_seconds();
    cli_catch_interrupts();
    kz_status status = prepare(o, instruments, &wanted, &run.findings, &error);
    if (!status) status = workload_sanitize_run(w, &wanted, &run, &error);
    if (status == KZ_BUSY && cli_interrupted()) status = KZ_OK; // the compiler was stopped
    add_interruption(w, began, &run.findings);
    if (!status) {
        print(o, &run.findings);
        status = write_reports(o, &run.findings, &error);
    }
    size_t bad =
        report_findings_count(&run.findings, "error") + report_findings_count(&run.findings, "warning");
    bool is_cut = json_array_size(run.findings.unchecked) > 0;
    report_findings_close(&run.findings);
    if (status) return cli_fail(&error);
    return bad ? CLI_FINDINGS : is_cut ? CLI_UNCHECKED : run.exit_code;
}

static int run(const cli_command *self, int argc, char **argv) {
    sanitize_options options = {0};
    static const workload_request request = {.command = "sanitize",
                                             .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST |
                                                      1u << WORKLOAD_TASK | 1u << WORKLOAD_PROGRAM};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, sanitize);
}

static const cli_option options_table[] = {
    CLI_GPU,
    {"numerics", CLI_FLAG, offsetof(sanitize_options, numerics), NULL,
     "also the first instruction that makes a NaN or infinity from finite numbers"},
    {"leak-check", CLI_FLAG, offsetof(sanitize_options, leaks), NULL, "also memory that is never freed"},
    {"seeds", CLI_INTEGER, offsetof(sanitize_options, seeds), "N", "try N adversarial schedules, 1 to N"},
    CLI_SCHEDULE_SEED,
    {"determinism", CLI_INTEGER, offsetof(sanitize_options, determinism), "N",
     "compare the results of N schedules"},
    {"only", CLI_TEXT, offsetof(sanitize_options, only), "KINDS",
     "only these kinds of findings: race,undefined"},
    {"ignore", CLI_TEXT, offsetof(sanitize_options, ignore), "KINDS", "all but these kinds"},
    {"suppress", CLI_TEXT, offsetof(sanitize_options, suppress), "FILE",
     "known findings: lines KIND FILE:LINE, with * for any"},
    CLI_JSON_OBJECTS("row"),
    CLI_JUNIT,
    {"sarif", CLI_TEXT, offsetof(sanitize_options, sarif), "PATH", "a SARIF 2.1.0 report, for code hosts"},
    CLI_TIMEOUT,
    CLI_FAMILY,
    CLI_CASE("kernels of the zoo: only this case, or a glob; for a task its sizes, n=4096"),
    CLI_TASK,
    CLI_NVCC_FLAG,
    {0},
};

const cli_command cli_command_sanitize = {
    .usage = "kz sanitize [OPTIONS] PROGRAM.cu|./EXECUTABLE [ARGUMENTS]\n"
             "kz sanitize [FAMILY[/VARIANT]...] [OPTIONS]\n"
             "kz sanitize --family FAMILY FILE.cu [OPTIONS]\n"
             "kz sanitize YOURS.cu [--task ID] [OPTIONS]",
    .about =
        "Runs a program or kernels on the simulator and reports, with both source lines and the threads:\n"
        "data races on shared, global and distributed shared memory, within a warp too; accesses out of\n"
        "bounds, after free or misaligned; undefined values that decide a branch or an address or reach the\n"
        "host; barriers that threads miss, shuffles from outside the mask, asynchronous copies that nobody\n"
        "waited for. No GPU is needed, and nothing is sampled: every access is checked.\n\n"
        "YOURS.cu is your file for a task of the course: it says so in its first lines, by its folder or by\n"
        "--task. It runs on every case of the task, or on that of --case.\n\n"
        "The exit status is 0 where there is no error and no warning (notes do not count), 11 where there\n"
        "is one, 12 where there is none and a run was cut short, by --timeout, a signal, a crash or a limit; "
        "else a\n"
        "program's own exit status is kept. docs/sanitizer.md explains each kind.",
    .examples = "  kz sanitize prog.cu 1000                   a whole program with an argument\n"
                "  kz sanitize --seeds 8 ./prog               under eight schedules\n"
                "  kz sanitize --numerics --leak-check prog.cu\n"
                "  kz sanitize --determinism 4 prog.cu        do the results depend on the schedule?\n"
                "  kz sanitize reduce/06_vector               a kernel of the zoo\n"
                "  kz sanitize --family reduce my.cu          a kernel of your own\n"
                "  kz sanitize reverse.cu --seeds 4           your file for a task of the course\n"
                "  kz sanitize --sarif out.sarif prog.cu      for a code host's review",
    .options = options_table,
    .run = run,
};
