// kz timeline: which engine of the GPU did what, and when.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "report/report.h"
#include "workload/timeline.h"

enum { WIDTH = 80, LEAST_WIDTH = 40, MOST_WIDTH = 400 };

typedef struct timeline_options {
    cli_shared shared;
    cli_output svg;
    cli_integer width;
} timeline_options;

static const cli_option options_table[] = {
    CLI_DEVICES("where kernels run: sim, sim:t4, cuda; default: the simulator"),
    CLI_GPU,
    CLI_CASE("a family's kernel: the case; a task: its sizes"),
    CLI_FAMILY,
    {"width", CLI_INTEGER, offsetof(timeline_options, width), "N", "columns of the drawing; 80"},
    CLI_JSON_OF("the operations and the sums"),
    {"svg", CLI_OUTPUT, offsetof(timeline_options, svg), "PATH", "a picture"},
    CLI_HTML("a page with the picture and the operations"),
    CLI_NVCC_FLAG,
    CLI_TIMEOUT,
    CLI_TASK,
    {0},
};

// ---- what is shown ----------------------------------------------------------------------------------------

static kz_status write_text(base_text *text, const char *path, kz_error *error) {
    kz_status status = report_write_text(text, path, error);
    base_text_free(text);
    return status;
}

static bool is_quiet(const timeline_options *o) { // stdout is for what a program reads
    return cli_to_stdout(&o->shared.json) || cli_to_stdout(&o->svg) || cli_to_stdout(&o->shared.html);
}

static kz_status render(const timeline_options *o, const report_timeline *t, kz_error *error) {
    base_text svg = {0}, html = {0}, page = {0};
    kz_status status = KZ_OK;
    if (o->svg.given) report_timeline_svg(&svg, t), status = write_text(&svg, o->svg.path, error);
    if (!status && o->shared.html.given)
        report_timeline_html(&html, t), status = write_text(&html, o->shared.html.path, error);
    if (!status && o->shared.json.given)
        status = report_write_line(report_timeline_to_json(t), o->shared.json.path, error);
    if (status || is_quiet(o)) return status;
    report_timeline_print(&page, t, o->width.given ? (unsigned)o->width.value : WIDTH);
    if (o->svg.path) base_text_add(&page, "SVG: %s\n", o->svg.path);
    if (o->shared.html.path) base_text_add(&page, "HTML: %s\n", o->shared.html.path);
    if (o->shared.json.path) base_text_add(&page, "JSON: %s\n", o->shared.json.path);
    return write_text(&page, NULL, error);
}

// ---- the verb ---------------------------------------------------------------------------------------------

static int draw(const cli_shared *options, const workload *w) {
    const timeline_options *o = (const timeline_options *)options;
    report_timeline t;
    workload_result result;
    workload_answer answer;
    kz_error error = {0};
    workload_timeline_options wanted = {.settings = cli_program_settings(&o->shared),
                                        .pattern = o->shared.pattern};
    if (o->width.given && (o->width.value < LEAST_WIDTH || o->width.value > MOST_WIDTH))
        return cli_fail_with(KZ_INVALID, "--width takes %d to %d columns", LEAST_WIDTH, MOST_WIDTH);
    if (cli_one_device(&o->shared, "timeline", &wanted.device, &error)) return cli_fail(&error);
    if (is_quiet(o)) wanted.settings.output = STDERR_FILENO;
    kz_status status = workload_timeline(w, &wanted, &t, &result, &answer, &error);
    cli_print_answer(&answer, true);
    cli_print_end(&result);
    if (!status) status = render(o, &t, &error);
    report_timeline_free(&t);
    workload_program_discard(&result);
    return status ? cli_fail(&error) : result.exit_code;
}

static int run(const cli_command *self, int argc, char **argv) {
    timeline_options options = {0};
    static const workload_request request = {
        .command = "timeline",
        .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST | 1u << WORKLOAD_TASK | 1u << WORKLOAD_PROGRAM,
        .question = "of what? give a variant, a .cu file or an executable"};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, draw);
}

const cli_command cli_command_timeline = {
    .usage = "kz timeline FAMILY[/VARIANT] [OPTIONS]\n"
             "kz timeline --family FAMILY FILE.cu [OPTIONS]\n"
             "kz timeline [OPTIONS] PROGRAM.cu [MORE.cu ...] [ARGUMENTS]\n"
             "kz timeline [OPTIONS] YOURS.cu [--task ID]",
    .about = "Draws what ran when: a row per engine of the GPU (copies to the device, kernels, copies to the "
             "host) and a\n"
             "row per stream; then how busy each was, and how much of the copying hides behind kernels.\n"
             "Kernels of a family, a guest or a task are timed by events on a GPU (--device cuda); on the "
             "simulator, and\n"
             "for whole programs, times are those of its model of engines, streams and events: "
             "docs/timeline.md.",
    .examples = "  kz timeline streams/04_depth_first                 as a simulated H200 would do it\n"
                "  kz timeline streams/04_depth_first --device cuda   as the GPU did\n"
                "  kz timeline --family reduce my.cu                  a kernel of your own\n"
                "  kz timeline --gpu t4 pipeline.cu 1000000           a program of your own\n"
                "  kz timeline double-buffering.cu --svg=mine.svg     your file for a task of the course",
    .options = options_table,
    .run = run,
};
