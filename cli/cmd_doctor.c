// kz doctor: what this machine has, and what is missing.
#include "options.h"

#include <stdlib.h>

#include "doctor/doctor.h"

static int print_findings(const cli_output *json, const doctor_findings *all) {
    kz_error error = {0};
    report_style style = report_detect_style(stdout);
    if (json->given && report_write_indented(doctor_json(all), json->path, &error)) return cli_fail(&error);
    if (!cli_to_stdout(json)) doctor_print(stdout, &style, all);
    return all->no_compiler ? CLI_TOOL : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    kz_error error = {0};
    if (cli_parse_options(self, argc, argv, &options, &error)) return cli_fail(&error);
    doctor_findings *all = calloc(1, sizeof *all);
    if (!all) return cli_fail_with(KZ_NO_MEMORY, "no memory for the findings");
    doctor_look(all);
    int code = print_findings(&options.json, all);
    free(all);
    return code;
}

static const cli_option option_table[] = {
    CLI_JSON_OF("the findings"),
    {0},
};

const cli_command cli_command_doctor = {
    .usage = "kz doctor [--json[=PATH]]",
    .about =
        "Looks at this machine: system, CPU, memory, GPU and driver, the CUDA compiler, the programs that\n"
        "building and testing need, and the place for compiled kernels. For what is missing it shows the\n"
        "command that gets it. The exit status is 6 where there is no CUDA compiler.",
    .examples = "  kz doctor                 the page for people\n"
                "  kz doctor --json          the same for programs",
    .options = option_table,
    .run = run,
};
