// kz prof: what bounds a kernel, which lines cost most, and what to try.
#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof_run.h"
#include "prof_tables.h"
#include "report/profile/profile.h"
#include "report/profile/roofs.h"

enum { SHOWN = 5 }; // kernels, where --top says nothing

static kz_status write_text(const base_text *text, const char *path, kz_error *error) {
    if (text->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for the output");
    if (path) return base_file_write(path, text->data, text->length, error);
    fwrite(text->data, 1, text->length, stdout);
    return KZ_OK;
}

// ---- renderings -------------------------------------------------------------------------------------

static kz_status write_json(json_t *object, const char *path, kz_error *error) {
    json_t *array = json_array();
    json_array_append_new(array, object);
    kz_status status = report_write_lines(array, path, error);
    json_decref(array);
    return status;
}

static kz_status render_files(const prof_choices *o, const report_prof *reports, size_t count,
                              report_prof_sources *sources, kz_error *error) {
    kz_status status = KZ_OK;
    if (o->html.given) {
        base_text text = {0};
        if (count == 2)
            report_prof_compare_html(&text, &reports[0], &reports[1], sources);
        else
            report_prof_html_write(&text, &reports[0], sources);
        status = write_text(&text, o->html.path, error);
        base_text_free(&text);
    }
    if (!status && o->json.given)
        status = write_json(count == 2 ? report_prof_compare_to_json(&reports[0], &reports[1])
                                       : report_prof_to_json(&reports[0]),
                            o->json.path, error);
    return status;
}

static kz_status render(const prof_choices *o, const report_prof *reports, size_t count,
                        report_prof_sources *sources, kz_error *error) {
    report_style style = report_detect_style(stdout);
    kz_status status = render_files(o, reports, count, sources, error);
    bool quiet = (o->html.given && !o->html.path) || (o->json.given && !o->json.path);
    if (status || quiet) return status;
    for (size_t i = 0; i < count && o->metrics && !status; i++)
        status = report_prof_metrics_print(stdout, &style, &reports[i], o->metrics, o->csv, error);
    if (o->metrics) return status;
    if (count == 2) report_prof_compare_print(stdout, &style, &reports[0], &reports[1], sources);
    for (size_t i = 0; i < count && count == 1 && !o->annotate; i++)
        report_prof_page_print(stdout, &style, &reports[i], sources);
    for (size_t i = 0; i < count && o->annotate; i++)
        report_prof_annotate_print(stdout, &style, &reports[i], sources);
    if (o->html.path) printf("HTML: %s\n", o->html.path);
    if (o->json.path) printf("JSON: %s\n", o->json.path);
    return KZ_OK;
}

static kz_status open_report(const prof_choices *o, prof_run *run, report_prof *report, kz_error *error) {
    report_prof_options options = {.title = run->title[0] ? run->title : NULL,
                                   .detail = run->detail,
                                   .pattern = o->kernel,
                                   .top = o->top.given ? (size_t)o->top.value : SHOWN,
                                   .registers = prof_run_registers,
                                   .context = run};
    size_t at = 0;
    const json_t *head = report_record_next(&run->record, "record", &at);
    // The GPU's limits are not in the record; a GPU that is gone leaves its
    // peaks.
    if (head) device_gpu_load(report_get_text(head, "gpu"), &options.gpu, NULL);
    bench_roofs roofs;
    report_roofs_load(options.gpu.key, &roofs);
    options.roofs = &roofs;
    kz_status status = report_prof_open(&run->record, &options, report, error);
    if (status || report->kernel_count || run->failure) return status;
    if (o->kernel && report->hidden_count) {
        status = base_fail(error, KZ_NOT_FOUND, "no kernel of %s matches %s", report->program, o->kernel);
        base_fail_note(error, "it ran %zu other%s; kz prof without --kernel lists them", report->hidden_count,
                       report->hidden_count == 1 ? "" : "s");
    } else {
        status =
            base_fail(error, KZ_INVALID, "%s launched no kernel: there is nothing to tell", report->program);
        base_fail_note(error, "check that it reaches its launches: kz run %s", report->program);
    }
    return status;
}

// ---- the verb ---------------------------------------------------------------------------------------

static int finish(const prof_choices *o, prof_run *runs, size_t count) {
    report_prof reports[2] = {{0}};
    kz_error error = {0};
    kz_status status = KZ_OK;
    int code = CLI_OK;
    report_prof_sources *sources = prof_run_sources();
    size_t opened = 0;
    while (opened < count && !status) {
        status = open_report(o, &runs[opened], &reports[opened], &error);
        opened++;
    }
    if (!status) status = render(o, reports, count, sources, &error);
    if (status) code = cli_fail(&error);
    // A program that failed is told of after its profile: what ran until then is
    // worth seeing.
    for (size_t i = 0; i < count && code == CLI_OK; i++) code = runs[i].failure;
    for (size_t i = 0; i < opened; i++) report_prof_close(&reports[i]);
    report_prof_sources_close(sources);
    return code;
}

// Words after "tables" are families, no targets.
static int run_tables(const cli_command *self, int argc, char **argv) {
    prof_choices options = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    return prof_tables(words.items, words.count, options.check);
}

static int run(const cli_command *self, int argc, char **argv) {
    prof_choices options = {0};
    prof_targets targets = {0};
    prof_run runs[2];
    if (argc > 1 && strcmp(argv[1], "tables") == 0) return run_tables(self, argc - 1, argv + 1);
    memset(runs, 0, sizeof runs);
    kz_error error = {0};
    kz_status status = prof_run_parse(self, argc, argv, &options, &targets, &error);
    if (status) {
        prof_targets_close(&targets);
        return cli_fail(&error);
    }
    if (options.query) {
        report_style style = report_detect_style(stdout);
        report_prof_metrics_list(stdout, &style);
        return CLI_OK;
    }
    cli_catch_interrupts();
    for (size_t i = 0; i < targets.count && !status && !cli_interrupted(); i++)
        status = prof_run_target(&options, &targets, i, &runs[i], &error);
    int code = status              ? cli_fail(&error)
               : cli_interrupted() ? CLI_INTERRUPTED
                                   : finish(&options, runs, targets.count);
    for (size_t i = 0; i < targets.count; i++) prof_run_close(&runs[i]);
    prof_targets_close(&targets);
    return code;
}

static const cli_option options_table[] = {
    {"gpu", CLI_TEXT, offsetof(prof_choices, gpu), "NAME",
     "the GPU to simulate: a name that `kz devices` lists, or a .gpu file"},
    {"kernel", CLI_TEXT, offsetof(prof_choices, kernel), "PATTERN",
     "only kernels whose name has this, or matches it"},
    {"top", CLI_INTEGER, offsetof(prof_choices, top), "N", "the N most costly kernels (5; 0 means all)"},
    {"annotate", CLI_FLAG, offsetof(prof_choices, annotate), NULL, "the source, with counters in the margin"},
    {"html", CLI_OUTPUT, offsetof(prof_choices, html), "FILE", "the page as one self-contained HTML file"},
    {"json", CLI_OUTPUT, offsetof(prof_choices, json), "FILE", "the page as JSON, to stdout or a file"},
    {"metrics", CLI_TEXT, offsetof(prof_choices, metrics), "NAMES",
     "metrics by name, as ncu prints them: all, NAME,NAME, regex:PATTERN"},
    {"csv", CLI_FLAG, offsetof(prof_choices, csv), NULL, "with --metrics: comma-separated values"},
    {"query-metrics", CLI_FLAG, offsetof(prof_choices, query), NULL,
     "lists every metric, with what it means"},
    {"case", CLI_TEXT, offsetof(prof_choices, pattern), "NAME",
     "the case: of a kernel of the zoo or a guest; for a task its sizes, n=4096"},
    {"task", CLI_TEXT, offsetof(prof_choices, task), "ID",
     "the task of the course that a file is for, where it does not say it"},
    {"family", CLI_TEXT, offsetof(prof_choices, family), "FAMILY",
     "profile kernels of your own in this family's place"},
    {"check", CLI_FLAG, offsetof(prof_choices, check), NULL,
     "tables: change nothing, fail where a README is stale"},
    {"seed", CLI_INTEGER, offsetof(prof_choices, seed), "N", "the seed of the schedule (0: the plain order)"},
    {"timeout", CLI_TEXT, offsetof(prof_choices, timeout), "SECONDS", "stops a program that takes longer"},
    {"nvcc-flag", CLI_LIST, offsetof(prof_choices, flags), "FLAG", "one more word for nvcc; may be repeated"},
    {"keep", CLI_TEXT, offsetof(prof_choices, keep), "FOLDER", "keeps the record and the PTX there"},
    {0},
};

const cli_command cli_command_prof = {
    .usage = "kz prof PROGRAM.cu [OPTIONS] [-- ARGUMENTS]\n"
             "kz prof ./BINARY [OPTIONS] [-- ARGUMENTS]\n"
             "kz prof FAMILY[/VARIANT] [OPTIONS]\n"
             "kz prof --family FAMILY FILE.cu [OPTIONS]\n"
             "kz prof YOURS.cu [--task ID] [OPTIONS]\n"
             "kz prof BEFORE AFTER [OPTIONS]\n"
             "kz prof RECORD.jsonl [OPTIONS]\n"
             "kz prof tables [FAMILY...] [--check]",
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
        "--task. It runs on the case of the task's first gate, else on its largest that is quick enough.\n\n"
        "`kz prof tables` writes the tables of counters in the families' READMEs, in the folder of the "
        "sources.",
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
