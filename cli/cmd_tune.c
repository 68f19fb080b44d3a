// kz tune: measures the ladder of each family on this machine's GPU, and writes down which variant to take.
#include "options.h"

#include <string.h>

#include "report/bench/tune.h"
#include "workload/tune.h"

typedef struct tune_options {
    cli_shared shared;
    bool dry_run;
} tune_options;

static void print_family(const workload_tuned *tuned) {
    report_tune_print(stdout, tuned->table, tuned->family->name, tuned->rows);
    if (tuned->path[0])
        printf("  %s %s\n", tuned->path,
               !tuned->changed                            ? "says so already"
               : strncmp(tuned->path, "kernels/", 8) == 0 ? "written; it counts from the next build on"
                                                          : "written; the library reads it from now on");
    printf("\n");
    fflush(stdout);
}

static int tune(const cli_shared *options, const workload *w) {
    workload_tune_options wanted = {.pattern = options->pattern,
                                    .time = options->time,
                                    .dry_run = ((const tune_options *)options)->dry_run,
                                    .interrupted = cli_interrupted,
                                    .complain = cli_complain};
    kz_error error = {0};
    base_text records = {0};
    workload_tune *run = NULL;
    workload_suite suite = {0};
    cli_catch_interrupts();
    kz_status status = cli_one_device(options, "tune", &wanted.device, &error);
    if (!status && options->suite)
        status = workload_suite_open(options->suite, wanted.suite = &suite, &error);
    if (!status) status = workload_tune_open(w, &wanted, &run, &error);
    if (!status && !options->no_save) status = report_results_path("tune", &records, &error);
    if (!status) status = workload_tune_run(run, records.data, print_family, &error);
    if (records.data && base_file_exists(records.data)) printf("records: %s\n", records.data);
    workload_tune_close(run);
    base_text_free(&records);
    int code = status ? cli_fail(&error) : CLI_OK;
    workload_suite_close(&suite);
    if (status) return code;
    return cli_interrupted() ? CLI_INTERRUPTED : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    tune_options options = {0};
    static const workload_request request = {.command = "tune", .kinds = 1u << WORKLOAD_ZOO};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, tune);
}

static const cli_option options_table[] = {
    CLI_DEVICES("the GPU to choose for (the first)"),
    CLI_CASE("go by these cases alone: a name or a glob (all worth timing)"),
    CLI_SUITE,
    CLI_TIME("2.5"),
    {"dry-run", CLI_FLAG, offsetof(tune_options, dry_run), NULL, "print the rows, write no file"},
    CLI_NO_SAVE,
    {0},
};

const cli_command cli_command_tune = {
    .usage = "kz tune [FAMILY...] [OPTIONS]",
    .about =
        "Measures all variants of a family over the sizes worth timing, as kz bench does, and writes "
        "the rows of\n"
        "this GPU into kernels/<group>/<family>/choice.csv, from which the public operation picks its "
        "variant.\n\n"
        "In the order of the ladder, a later variant replaces an earlier one only if it is "
        "faster by 1%.\n"
        "Neighbouring sizes with the same choice become one range; two that differ are split at their "
        "geometric mean.\n"
        "Types and operations that agree become one row; those that no case measures follow the first "
        "that one\n"
        "does. Rows of other GPUs stay. Run it in the folder of the sources.\n\n"
        "A family with a model of its shapes (gemm) has a measured.csv instead, a row for each case: gpu, "
        "case, variant,\n"
        "microseconds. Rows are written as they come. Outside of the sources they go to "
        "measured_<family>.csv in\n"
        "$KZ_RESULTS, else $XDG_STATE_HOME/kz, else ~/.local/state/kz, which the library reads before its "
        "own.",
    .examples =
        "  kz tune                    all families\n"
        "  kz tune reduce --dry-run   what it would write\n"
        "  kz tune --suite gemm_shapes   by the shapes of a suite\n"
        "  kz tune gemm --case nt-bf16-m500-n4096-k4096-batch1-slack0-uniform   one shape of your own",
    .options = options_table,
    .run = run,
};
