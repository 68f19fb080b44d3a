// kz check: runs kernels on devices and compares them with the reference.
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "workload/check.h"

typedef struct check_options {
    cli_shared shared;
    bool verbose, huge;
} check_options;

// ---- the report -------------------------------------------------------------------------------------

static void begin_report(const check_options *o, const workload *w, char command[600],
                         base_text *journal_path, report_check *r) {
    snprintf(command, 600, "kz check");
    if (w->guest) snprintf(command, 600, "kz check --family %s %s", w->family->name, w->files[0]);
    *r = (report_check){.style = report_detect_style(stdout),
                        .quiet = cli_to_stdout(&o->shared.json),
                        .verbose = o->verbose,
                        .command = command};
    if (o->shared.json.given) r->records = json_array();
    if (o->shared.junit) r->junit = report_junit_open("kz check");
    if (o->shared.no_save) return;
    kz_status status = report_results_path("check", journal_path, &r->write_error);
    if (!status) report_journal_open(journal_path->data, &r->journal, &r->write_error);
}

// A report that could not be written at the end is told before hours are spent on it.
static kz_status check_output(const char *path, kz_error *error) {
    if (!path) return KZ_OK;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0) {
        close(fd);
        return KZ_OK;
    }
    base_fail(error, KZ_IO, "cannot write %s: %s", path, strerror(errno));
    base_fail_note(error, "check that the folder exists and may be written to");
    return KZ_IO;
}

static int exit_code(const report_check *report) {
    kz_error error = {0};
    kz_status status = report_check_verdict(report, &error);
    bool has_words = error.status != KZ_OK;
    if (has_words && !cli_interrupted()) return cli_fail(&error);
    // Where a worse exit code hides it, a file that could not be written is said all the same.
    if (report->write_error.status) cli_fail(&report->write_error);
    return status && !has_words ? (int)cli_exit_of(status) : cli_interrupted() ? CLI_INTERRUPTED : CLI_OK;
}

// ---- the verb -------------------------------------------------------------------------------------

static int check(const cli_shared *options, const workload *w) {
    const check_options *o = (const check_options *)options;
    const workload_check_options wanted = {.devices = options->devices.items,
                                           .device_count = options->devices.count,
                                           .pattern = options->pattern,
                                           .seed = cli_seed(options, FAMILY_SEED),
                                           .huge = o->huge,
                                           .no_time = options->no_time,
                                           .interrupted = cli_interrupted,
                                           .complain = cli_complain};
    kz_error error = {0};
    workload_check *run = NULL;
    cli_catch_interrupts();
    kz_status status = check_output(options->json.path, &error);
    if (!status) status = check_output(options->junit, &error);
    if (!status) status = workload_check_open(w, &wanted, &run, &error);
    int code = CLI_OK;
    if (status) {
        code = cli_fail(&error);
    } else {
        report_check report;
        base_text journal_path = {0};
        char command[600];
        double start = base_seconds();
        begin_report(o, w, command, &journal_path, &report);
        status = workload_check_run(run, &report, &error);
        report_check_end(&report, base_seconds() - start, cli_interrupted(), options->json.path,
                         options->junit, journal_path.data);
        code = exit_code(&report);
        if (status) code = cli_fail(&error);
        base_text_free(&journal_path);
    }
    workload_check_close(run);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    check_options options = {0};
    static const workload_request request = {.command = "check",
                                             .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, check);
}

static const cli_option options_table[] = {
    CLI_DEVICES("where to run; may be repeated (kz devices lists them)"),
    CLI_CASE("only this case: a name, a glob, or one of your own size"),
    CLI_FAMILY,
    CLI_TASK_ROW("not here: kz grade compares a file with its task's reference"),
    CLI_INPUT_SEED,
    CLI_JSON_OBJECTS("row"),
    CLI_JUNIT,
    {"huge", CLI_FLAG, offsetof(check_options, huge), NULL,
     "also the cases past 2^31 elements, on GPUs with the memory"},
    {"verbose", CLI_FLAG, offsetof(check_options, verbose), NULL, "every case on a line of its own"},
    CLI_NO_TIME("check only: no figures from the clock"),
    CLI_NO_SAVE,
    {0},
};

const cli_command cli_command_check = {
    .usage = "kz check [FAMILY[/VARIANT]...] [OPTIONS]\nkz check --family FAMILY FILE.cu [OPTIONS]",
    .about =
        "Runs every variant on every edge case, on every device, and compares each element with a reference "
        "in\n"
        "double precision and its error bound. Outputs are poisoned before, buffers are guarded, and each "
        "case\n"
        "runs twice on different data. Without names it checks the whole zoo; without --device on all GPUs,\n"
        "or in the simulator if there is none, and native C variants on the CPU.\n\n"
        "The worst waste comes from the simulator's counts, for a GPU too: both run the same PTX. A kernel\n"
        "without waste has its peak there, by the roofline: the grid is not looked at, and kz prof says "
        "what\n"
        "bounds a launch. The figures are counts on the simulator and short timings on a GPU: one case per\n"
        "family, beside a plain copy and the rival, with ~ if they have not converged. kz bench measures\n"
        "properly.\n\n"
        "Results are kept as they come, one JSON object per line, in $KZ_RESULTS, else $XDG_STATE_HOME/kz,\n"
        "else ~/.local/state/kz.",
    .examples = "  kz check                                       the whole zoo\n"
                "  kz check reduce/warp_shuffle --device sim      one variant in the simulator\n"
                "  kz check reduce/vector saxpy/vector            two variants\n"
                "  kz check reduce --case 'sum-f32-*'             some of its cases\n"
                "  kz check reduce --case sum-f32-n5000-uniform   a size of your own\n"
                "  kz check --family reduce my.cu                 a kernel of your own (see kz info reduce)",
    .options = options_table,
    .run = run,
};
