// kz prof: what bounds a kernel, which lines cost most, and what to try.
#include "options.h"

#include <string.h>
#include <unistd.h>

#include "workload/profile.h"
#include "workload/targets.h"

enum { SHOWN = 5 }; // kernels, where --top says nothing

typedef struct prof_options {
    cli_shared shared;
    const char *kernel, *metrics, *keep;
    cli_integer top;
    bool annotate, csv, query;
} prof_options;

// ---- renderings -------------------------------------------------------------------------------------

static kz_status render_files(const prof_options *o, const report_prof *reports, size_t count,
                              report_prof_sources *sources, kz_error *error) {
    kz_status status = KZ_OK;
    if (o->shared.html.given) {
        base_text text = {0};
        if (count == 2)
            report_prof_compare_html(&text, &reports[0], &reports[1], sources);
        else
            report_prof_html_write(&text, &reports[0], sources);
        status = report_write_text(&text, o->shared.html.path, error);
        base_text_free(&text);
    }
    if (!status && o->shared.json.given)
        status = report_write_line(count == 2 ? report_prof_compare_to_json(&reports[0], &reports[1])
                                              : report_prof_to_json(&reports[0]),
                                   o->shared.json.path, error);
    return status;
}

static kz_status render(const prof_options *o, const report_prof *reports, size_t count,
                        report_prof_sources *sources, kz_error *error) {
    report_style style = report_detect_style(stdout);
    kz_status status = render_files(o, reports, count, sources, error);
    bool quiet = cli_to_stdout(&o->shared.html) || cli_to_stdout(&o->shared.json);
    if (status || quiet) return status;
    for (size_t i = 0; i < count && o->metrics && !status; i++)
        status = report_prof_metrics_print(stdout, &style, &reports[i], o->metrics, o->csv, error);
    if (o->metrics) return status;
    if (count == 2) report_prof_compare_print(stdout, &style, &reports[0], &reports[1], sources);
    for (size_t i = 0; i < count && count == 1 && !o->annotate; i++)
        report_prof_page_print(stdout, &style, &reports[i], sources);
    for (size_t i = 0; i < count && o->annotate; i++)
        report_prof_annotate_print(stdout, &style, &reports[i], sources);
    if (o->shared.html.path) printf("HTML: %s\n", o->shared.html.path);
    if (o->shared.json.path) printf("JSON: %s\n", o->shared.json.path);
    return KZ_OK;
}

static int finish(const prof_options *o, workload_profile *runs, size_t count) {
    report_prof reports[WORKLOAD_TARGETS] = {{0}};
    kz_error error = {0};
    kz_status status = KZ_OK;
    int code = CLI_OK;
    report_prof_sources *sources = workload_profile_sources();
    size_t opened = 0, top = o->top.given ? (size_t)o->top.value : SHOWN;
    while (opened < count && !status) {
        status = workload_profile_report(&runs[opened], o->kernel, top, &reports[opened], &error);
        opened++;
    }
    if (!status) status = render(o, reports, count, sources, &error);
    if (status) code = cli_fail(&error);
    // A program that failed is told of after its profile: what ran until then is worth seeing.
    for (size_t i = 0; i < count && code == CLI_OK; i++) code = runs[i].failure;
    for (size_t i = 0; i < opened; i++) report_prof_close(&reports[i]);
    report_prof_sources_close(sources);
    return code;
}

// ---- the words --------------------------------------------------------------------------------------

static kz_status parse(const cli_command *self, int argc, char **argv, prof_options *o, workload_targets *t,
                       kz_error *error) {
    cli_list words;
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0) own++;
    kz_status status = cli_parse(self, own, argv, o, &words, error);
    if (status && own == argc) base_fail_note(error, "what is meant for the program goes after --");
    if (status || o->query) return status;
    const workload_request request = {
        .command = "prof",
        .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST | 1u << WORKLOAD_TASK | 1u << WORKLOAD_PROGRAM |
                 1u << WORKLOAD_RECORD,
        .question = "what is to be profiled? a program, a kernel of the zoo, a task's, or a guest\n"
                    "try: kz prof transpose/01_naive, or kz help prof",
        .family = o->shared.family,
        .task = o->shared.task};
    size_t rest = own + 1 < argc ? (size_t)(argc - own - 1) : 0;
    return workload_targets_open(&request, words.items, words.count, argv + own + 1, rest, t, error);
}

// ---- the verb ---------------------------------------------------------------------------------------

static bool say_interruption(double began, bool has_counts) {
    char text[100];
    if (!cli_report_interruption(began, text, sizeof text)) return false;
    fprintf(stderr, "kz: %s; %s\n", text,
            has_counts ? "the profile is of the kernels that had ended"
                       : "there is no profile of what did not end");
    return true;
}

static int profile(const prof_options *o, const workload_targets *t) {
    workload_profile runs[WORKLOAD_TARGETS] = {{.failure = 0}};
    kz_error error = {0};
    workload_profile_options wanted = {.settings = cli_program_settings(&o->shared),
                                       .pattern = o->shared.pattern};
    kz_status status = KZ_OK;
    wanted.settings.session = o->keep;
    if (cli_to_stdout(&o->shared.json) || cli_to_stdout(&o->shared.html) || (o->metrics && o->csv))
        wanted.settings.output = STDERR_FILENO; // stdout is for what a program reads
    wanted.settings.interrupted = cli_interrupted;
    double began = base_seconds();
    cli_catch_interrupts();
    size_t done = 0;
    for (; done < t->count && !status && !cli_interrupted(); done++) {
        status = workload_profile_run(&t->items[done], &wanted, &runs[done], &error);
        cli_print_answer(&runs[done].answer, false);
        cli_print_end(&runs[done].program);
    }
    bool is_cut = say_interruption(began, done == t->count && !status);
    int code = status ? cli_fail(&error) : done == t->count ? finish(o, runs, t->count) : CLI_OK;
    if (is_cut) code = CLI_INTERRUPTED;
    for (size_t i = 0; i < done; i++) workload_profile_close(&runs[i]);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    prof_options options = {0};
    workload_targets t = {.count = 0};
    kz_error error = {0};
    int code = CLI_OK;
    if (parse(self, argc, argv, &options, &t, &error)) {
        code = cli_fail(&error);
    } else if (options.query) {
        report_style style = report_detect_style(stdout);
        report_prof_metrics_list(stdout, &style);
    } else {
        code = profile(&options, &t);
    }
    workload_targets_close(&t);
    return code;
}

static const cli_option options_table[] = {
    CLI_GPU,
    {"kernel", CLI_TEXT, offsetof(prof_options, kernel), "PATTERN",
     "only kernels whose name has this, or matches it"},
    {"top", CLI_INTEGER, offsetof(prof_options, top), "N", "the N most costly kernels (5; 0 means all)"},
    {"annotate", CLI_FLAG, offsetof(prof_options, annotate), NULL, "the source, with counters in the margin"},
    CLI_HTML("the page as one self-contained HTML file"),
    CLI_JSON_OF("the page"),
    {"metrics", CLI_TEXT, offsetof(prof_options, metrics), "NAMES",
     "metrics by name, as ncu prints them: all, NAME,NAME, regex:PATTERN"},
    {"csv", CLI_FLAG, offsetof(prof_options, csv), NULL, "with --metrics: comma-separated values"},
    {"query-metrics", CLI_FLAG, offsetof(prof_options, query), NULL,
     "lists every metric, with what it means"},
    CLI_CASE("the case: of a kernel of the zoo or a guest; for a task its sizes, n=4096"),
    CLI_TASK,
    CLI_FAMILY,
    CLI_SCHEDULE_SEED,
    CLI_TIMEOUT,
    CLI_NVCC_FLAG,
    {"keep", CLI_TEXT, offsetof(prof_options, keep), "FOLDER", "keeps the record and the PTX there"},
    {0},
};

const cli_command cli_command_prof = {
    .usage = "kz prof PROGRAM.cu [OPTIONS] [-- ARGUMENTS]\n"
             "kz prof ./BINARY [OPTIONS] [-- ARGUMENTS]\n"
             "kz prof FAMILY[/VARIANT] [OPTIONS]\n"
             "kz prof --family FAMILY FILE.cu [OPTIONS]\n"
             "kz prof YOURS.cu [--task ID] [OPTIONS]\n"
             "kz prof BEFORE AFTER [OPTIONS]\n"
             "kz prof RECORD.jsonl [OPTIONS]",
    .about =
        "Runs a CUDA program, a kernel of the zoo or a kernel of your own in the simulator and says, "
        "per kernel,\n"
        "what would bound it on the GPU, which source lines cost most and why, and what to try. Counts\n"
        "(instructions, sectors, wavefronts, lanes) are exact; hit rates come from a model of the "
        "caches, and\n"
        "times are estimates from counts and the GPU's peaks: docs/profiling.md says how.\n\n"
        "Two targets of one kind are compared. Words after a program are its arguments; those that "
        "begin with\n"
        "a dash, or name a program themselves, go after --. A .cu file without a main belongs to the "
        "program\n"
        "before it. Kernels of the zoo run one case of moderate size, and without VARIANT the one that "
        "kz would\n"
        "choose. RECORD.jsonl is what --keep has kept.\n\n"
        "YOURS.cu is your file for a task of the course: it says so in its first lines, by its folder or by\n"
        "--task. It runs on the case of the task's first gate, else on its largest that is quick enough.",
    .examples =
        "  kz prof saxpy.cu 1000000                 a program with a main of its own, and its argument\n"
        "  kz prof ./app -- --size 4                a program that is built already\n"
        "  kz prof transpose/01_naive               a kernel of the zoo\n"
        "  kz prof transpose/04_shared_tile transpose/05_padded    what padding changed\n"
        "  kz prof --family reduce my.cu            a kernel of your own\n"
        "  kz prof saxpy.cu --case n=4096           your file for the task saxpy, at a size of your choice\n"
        "  kz prof before.cu after.cu               what a change changed\n"
        "  kz prof app.cu --annotate                the source, with counters in the margin\n"
        "  kz prof app.cu --html=app.html           a page to share\n"
        "  kz prof app.cu --metrics regex:sectors   as ncu prints it",
    .options = options_table,
    .run = run,
};
