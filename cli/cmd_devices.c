// kz devices: what kernels can run on here.
#include "options.h"

#include "report/report.h"

enum { DEVICES = 64 };

static const char *kind_name(kz_device_kind kind) {
    return kind == KZ_DEVICE_CUDA ? "cuda" : kind == KZ_DEVICE_SIM ? "sim" : "cpu";
}

static json_t *describe(const kz_device_info *d) {
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:o, s:o, s:b}", "id", d->id, "kind",
        kind_name(d->kind), "name", d->name, "gpu", d->gpu, "sm", d->sm, "multiprocessors",
        d->multiprocessors, "memory_bytes", (json_int_t)d->memory_bytes, "l2_bytes", (json_int_t)d->l2_bytes,
        "shared_per_block_optin", (json_int_t)d->shared_per_block_optin, "peak_bytes_per_s",
        d->peak_bytes_per_s > 0 ? json_real(d->peak_bytes_per_s) : json_null(), "peak_flops_f32",
        d->peak_flops_f32 > 0 ? json_real(d->peak_flops_f32) : json_null(), "has_clock", d->has_clock);
}

static int print_json(const kz_device_info *infos, size_t count, const char *path) {
    kz_error error;
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, describe(&infos[i]));
    kz_status status = report_write_lines(array, path, &error);
    json_decref(array);
    return status ? cli_fail(&error) : CLI_OK;
}

static void add_row(report_table *table, const kz_device_info *d) {
    char number[REPORT_NUMBER];
    report_table_add(table, REPORT_BOLD, "%s", d->id);
    report_table_add(table, REPORT_PLAIN, "%s", d->name);
    if (d->sm)
        report_table_add(table, REPORT_PLAIN, "sm_%d", d->sm);
    else
        report_table_add(table, REPORT_PLAIN, "-");
    report_table_add(table, REPORT_PLAIN, "%d", d->multiprocessors);
    report_table_add(table, REPORT_PLAIN, "%s", report_bytes(number, (double)d->memory_bytes));
    if (d->peak_bytes_per_s > 0)
        report_table_add(table, REPORT_PLAIN, "%s", report_si(number, d->peak_bytes_per_s, "B/s"));
    else
        report_table_add(table, REPORT_PLAIN, "-");
    report_table_add(table, REPORT_PLAIN, "%s", d->has_clock ? "times" : "counts");
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    kz_error error;
    kz_device_info infos[DEVICES] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    if (cli_parse_options(self, argc, argv, &options, &error)) return cli_fail(&error);
    if (kz_device_list(infos, DEVICES, &count, &error)) return cli_fail(&error);
    if (count > DEVICES) count = DEVICES;
    if (options.json.given) return print_json(infos, count, options.json.path);

    const report_column columns[] = {{.title = "--device"},
                                     {"name", .shrink = true},
                                     {.title = "arch"},
                                     {"SMs or cores", .right = true},
                                     {"memory", .right = true},
                                     {"peak", .right = true},
                                     {.title = "it"}};
    report_style style = report_detect_style(stdout);
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return cli_fail_with(KZ_NO_MEMORY, "no memory for the table");
    bool gpu = false;
    for (size_t i = 0; i < count; i++) {
        add_row(table, &infos[i]);
        gpu = gpu || infos[i].kind == KZ_DEVICE_CUDA;
    }
    report_table_print(table, stdout, &style, true);
    report_table_close(table);
    if (!gpu) printf("\nNo GPU here: kernels run in the simulator. kz doctor says why.\n");
    return CLI_OK;
}

static const cli_option options_table[] = {
    CLI_JSON_OBJECTS("device"),
    {0},
};

const cli_command cli_command_devices = {
    .usage = "kz devices [--json]",
    .about =
        "Lists what kernels can run on: the GPUs of this machine, the GPUs that can be simulated, and the\n"
        "CPU for native variants. The first column is what --device takes; \"cuda\" means the first GPU,\n"
        "\"sim\" the GPU that the variable KZ_GPU names, else the default.",
    .examples = "  kz devices\n"
                "  kz check reduce --device sim:h200",
    .options = options_table,
    .run = run,
};
