// kz microbench: measures the ceilings and latencies of a GPU, shows them, and keeps them as its peaks.
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/bench/microbench.h"
#include "report/bench/run.h"
#include "report/profile/peaks.h"

typedef struct microbench_options {
    cli_shared shared;
    const char *figures;
    bool show;
} microbench_options;

typedef struct microbench_session {
    const microbench_options *options;
    bool groups[BENCH_MICRO_GROUPS];
    bench_run_info info;
    bench_micro_list list;
    base_text path; // of the records; no data: none are kept
    report_progress progress;
    size_t wrong, failed;
    base_text complaints;
} microbench_session;

// ---- one point -------------------------------------------------------------------------------------

static void complain(microbench_session *s, const bench_micro_point *point) {
    const char *why = point->error.message;
    s->wrong += point->status == KZ_WRONG;
    s->failed += point->status != KZ_WRONG && point->status != KZ_UNSUPPORTED;
    if (point->status != KZ_UNSUPPORTED)
        base_text_add(&s->complaints, "  %s %s: %.*s\n", bench_micro_group_name(point->group), point->name,
                      (int)strcspn(why, "\n"), why);
}

static kz_status take(const bench_micro_point *point, void *context, kz_error *error) {
    microbench_session *s = context;
    const cli_output *json = &s->options->shared.json;
    bench_micro_figure figure = bench_micro_figure_of(point);
    char text[160];
    snprintf(text, sizeof text, "%s: %s", bench_micro_group_name(point->group), point->name);
    report_progress_show(&s->progress, point->group, BENCH_MICRO_GROUPS, text);
    if (point->status) complain(s, point);
    if (!bench_micro_list_add(&s->list, &figure))
        return base_fail(error, KZ_NO_MEMORY, "no memory for the figures");
    if (json->given && !json->path) {
        json_t *record = bench_micro_record(&s->info, point);
        if (record) json_dumpf(record, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)), putchar('\n');
        json_decref(record);
    }
    if (!s->path.data) return KZ_OK;
    return bench_record_write(s->path.data, bench_micro_record(&s->info, point), error);
}

// ---- the run ---------------------------------------------------------------------------------------

static kz_status open_file(microbench_session *s, kz_error *error) {
    const microbench_options *o = s->options;
    char key[REPORT_GPU_KEY];
    if (o->shared.json.given && o->shared.json.path) {
        base_text_add(&s->path, "%s", o->shared.json.path);
    } else if (!o->shared.json.given && !o->shared.no_save && s->info.device.has_clock) {
        report_gpu_key(&s->info.device, key);
        report_peaks_path(key, &s->path);
    }
    return s->path.data ? cli_make_folder_of(s->path.data, error) : KZ_OK;
}

static int finish(microbench_session *s, kz_status status, const kz_error *error, double seconds) {
    const kz_device_info *d = &s->info.device;
    bool quiet = cli_to_stdout(&s->options->shared.json);
    FILE *file = quiet ? stderr : stdout;
    report_style style = report_detect_style(file);
    char took[REPORT_NUMBER];
    if (!quiet) report_microbench_print(file, &style, &s->list, d->has_clock);
    fprintf(file, "\n%s, %s: %zu points in %s", d->name, d->id, s->list.count, report_seconds(took, seconds));
    if (s->wrong) fprintf(file, "; %zu wrong", s->wrong);
    if (s->failed) fprintf(file, "; %zu failed", s->failed);
    fprintf(file, "%s\n", s->wrong + s->failed ? "" : "; every result checked");
    if (s->complaints.data) fprintf(file, "%s", s->complaints.data);
    if (!d->has_clock)
        fprintf(file, "The simulator has no clock: these are counts of what is measured on a GPU.\n");
    if (s->path.data && s->list.count) fprintf(file, "records: %s\n", s->path.data);
    if (status) return cli_fail(error);
    if (s->wrong) return CLI_WRONG;
    if (s->failed) return CLI_NO_DEVICE;
    return cli_interrupted() ? CLI_INTERRUPTED : CLI_OK;
}

static int measure(microbench_session *s, kz_device *device) {
    kz_error error = {0};
    bench_micro_request request = {
        .device = device, .interrupted = cli_interrupted, .done = take, .context = s};
    memcpy(request.groups, s->groups, sizeof request.groups);
    const kz_device_info *info = kz_device_get_info(device);
    bench_monitor *monitor = info->kind == KZ_DEVICE_CUDA ? bench_monitor_open(info->id, info->name) : NULL;
    bench_run_take_device(&s->info, info, monitor);
    report_bench_warn_of_others(&s->info);
    double begin = base_seconds();
    kz_status status = open_file(s, &error);
    report_progress_begin(&s->progress, stderr);
    if (!status) status = bench_micro_run(&request, &error);
    report_progress_clear(&s->progress);
    if (status && !s->list.count) {
        bench_monitor_close(monitor);
        return cli_fail(&error);
    }
    int code = finish(s, status, &error, base_seconds() - begin);
    bench_monitor_close(monitor);
    if (code == CLI_OK && s->options->figures && s->info.device.has_clock) {
        snprintf(s->list.device, sizeof s->list.device, "%s", s->info.device.name);
        base_utc_time(s->list.time);
        snprintf(s->list.commit, sizeof s->list.commit, "%s", s->info.commit ? s->info.commit : "unknown");
        if (report_microbench_write_figures(&s->list, s->options->figures, &error)) return cli_fail(&error);
    }
    return code;
}

// What is known already, from the records.
static int show(const kz_device_info *device) {
    char key[REPORT_GPU_KEY], value[REPORT_PEAK_TEXT];
    bench_peaks peaks;
    report_gpu_key(device, key);
    report_peaks_load(key, &peaks);
    printf("The peaks of %s:\n", device->name);
    for (int i = 0; i < BENCH_PEAK_NAMES; i++)
        printf("  %-14s %s\n", bench_peak_text((bench_peak_name)i),
               report_peak_text(value, &peaks, (bench_peak_name)i));
    return CLI_OK;
}

static kz_status select_groups(microbench_session *s, const cli_list *words, kz_error *error) {
    const char *names[BENCH_MICRO_GROUPS + 1] = {0};
    for (int i = 0; i < BENCH_MICRO_GROUPS; i++) {
        names[i] = bench_micro_group_name((bench_micro_group)i);
        s->groups[i] = words->count == 0;
    }
    s->groups[BENCH_MICRO_clock] = true; // cycles become time by it, and it brings the clocks up
    for (size_t i = 0; i < words->count; i++) {
        bench_micro_group group;
        if (bench_micro_group_find(words->items[i], &group)) {
            s->groups[group] = true;
            continue;
        }
        const char *near = base_nearest(words->items[i], names);
        base_fail(error, KZ_INVALID, "there is no microbenchmark \"%s\"%s%s%s", words->items[i],
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        base_fail_note(error, "kz help microbench lists them");
        return KZ_INVALID;
    }
    return KZ_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    microbench_options options = {0};
    cli_list words;
    kz_error error = {0};
    kz_device *device = NULL;
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    base_text command = {0};
    base_text_add(&command, "kz");
    for (int i = 0; i < argc; i++) base_text_add(&command, " %s", argv[i]);
    microbench_session s = {.options = &options,
                            .info = bench_run_begin(command.data, options.shared.commit)};
    cli_catch_interrupts();
    int code = CLI_OK;
    const char *id = NULL;
    if (bench_commit_check(options.shared.commit, bench_commit(), &error) ||
        select_groups(&s, &words, &error) || cli_one_device(&options.shared, "microbench", &id, &error) ||
        kz_device_open(id, &device, &error))
        code = cli_fail(&error);
    else
        code = options.show ? show(kz_device_get_info(device)) : measure(&s, device);
    if (device) kz_device_close(device);
    bench_micro_list_free(&s.list);
    base_text_free(&s.path);
    base_text_free(&s.complaints);
    base_text_free(&command);
    return code;
}

static const cli_option options_table[] = {
    CLI_DEVICES("what to measure (the first GPU, else the simulator)"),
    {"peaks", CLI_FLAG, offsetof(microbench_options, show), NULL,
     "measure nothing: print the known peaks and their sources"},
    CLI_JSON("records to stdout, or added to this file instead"),
    {"figures", CLI_TEXT, offsetof(microbench_options, figures), "FOLDER",
     "the curves as SVG files in this folder too"},
    CLI_NO_SAVE,
    CLI_COMMIT,
    {0},
};

const cli_command cli_command_microbench = {
    .usage = "kz microbench [GROUP...] [OPTIONS]",
    .about =
        "Measures what a GPU can do at most, and how long it takes at least, each by a kernel that does "
        "nothing "
        "else:\n"
        "clock, bandwidth (DRAM, L2, L1, shared), arithmetic (fused multiply-adds by type, special "
        "functions),\n"
        "latency (by chases of pointers), tlb, banks (shared memory by stride), atomics (by contention), "
        "ilp\n"
        "(chains against warps), sync (barriers, shuffles), launch, host (copies). Every kernel's result is "
        "checked.\n\n"
        "The figures are this GPU's peaks from then on, in the place of the nominal ones: kz bench, kz prof "
        "and the\n"
        "roofline say which they took. They are kept beside the other records, in microbench-<gpu>.jsonl.\n"
        "On the simulator the same kernels are checked and counted, and nothing is timed.",
    .examples = "  kz microbench                        all of them, in less than a minute\n"
                "  kz microbench latency banks          two groups\n"
                "  kz microbench --peaks                what is known of this GPU already\n"
                "  kz microbench banks --device sim     wavefronts by stride, counted",
    .options = options_table,
    .run = run,
};
