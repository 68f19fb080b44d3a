// kz check: runs kernels on devices and compares them with the reference.
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check_report.h"
#include "check_time.h"
#include "select.h"

enum { MOST_EXPLAINED = 1 << 20 }; // elements: what the simulator does in passing

typedef struct check_options {
    cli_list devices;
    const char *pattern, *family, *junit;
    cli_output json;
    cli_integer seed;
    bool verbose, huge, no_save, no_time;
} check_options;

// What is to be checked. A guest stands in the place of the one family's variants.
typedef struct selection {
    cli_targets targets;
    family_guest *guest; // NULL: the zoo's own
} selection;

typedef struct run_state {
    const check_options *options;
    const selection *chosen;
    cli_devices devices;
    check_report report;
    report_progress progress;
    check_timer timer;
    kz_device *explainer; // the simulator, to tell what limits a GPU's kernels; NULL until it is needed
    size_t done, total, widest;
} run_state;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ---- what to check --------------------------------------------------------------------------------

static kz_status select_guest(const check_options *o, const cli_list *words, selection *s, kz_error *error) {
    if (words->count != 1) {
        base_fail(error, KZ_INVALID, "--family takes the place of one family with one file");
        base_fail_note(error, "try: kz check --family %s my.cu", o->family);
        return KZ_INVALID;
    }
    kz_status status = cli_find_family(o->family, &s->targets.families[0], error);
    s->targets.count = 1;
    return status ? status : cli_open_guest(s->targets.families[0], words->items[0], &s->guest, error);
}

static kz_status select_targets(const check_options *o, const cli_list *words, selection *s,
                                kz_error *error) {
    if (o->family) return select_guest(o, words, s, error);
    kz_status status = cli_find_targets(words, &s->targets, error);
    for (size_t i = 0; i < words->count && status; i++) {
        const char *word = words->items[i], *dot = strrchr(word, '.');
        if (dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".ptx") == 0))
            base_fail_note(error, "for a kernel of your own: kz check --family FAMILY %s", word);
    }
    return status;
}

static bool has_natives(const selection *s) {
    for (size_t f = 0; f < s->targets.count && !s->guest; f++) {
        const kz_family *family = s->targets.families[f];
        for (size_t v = 0; v < family->variant_count; v++)
            if (family->variants[v].natives && cli_wants(&s->targets, family, &family->variants[v]))
                return true;
    }
    return false;
}

// The rows of a family's table are its variants times the devices they are meant for.
static bool applies(const selection *s, const kz_family *family, const kz_variant *variant,
                    const kz_device *device) {
    const kz_device_info *info = kz_device_get_info(device);
    if (s->guest) return info->kind != KZ_DEVICE_CPU;
    return cli_wants(&s->targets, family, variant) && family_variant_suits(variant, info);
}

static size_t row_variants(const selection *s, const kz_family *family) {
    return s->guest ? 1 : family->variant_count;
}

static uint32_t wanted_use(const check_options *o) { return KZ_USE_CHECK | (o->huge ? KZ_USE_HUGE : 0u); }

// Finds the cases of each family once more for the total; a pattern must match in one family at least.
static kz_status count_jobs(run_state *state, kz_error *error) {
    const selection *s = state->chosen;
    bool found = false;
    for (size_t f = 0; f < s->targets.count; f++) {
        kz_case *cases;
        size_t count, rows = 0;
        const kz_family *family = s->targets.families[f];
        for (size_t v = 0; v < row_variants(s, family); v++) {
            const char *name = s->guest ? family_guest_name(s->guest) : family->variants[v].name;
            if (strlen(name) > state->widest) state->widest = strlen(name);
            for (size_t d = 0; d < state->devices.count; d++)
                rows += applies(s, family, s->guest ? NULL : &family->variants[v], state->devices.items[d]);
        }
        kz_status status = cli_find_cases(family, state->options->pattern, wanted_use(state->options), &cases,
                                          &count, error);
        if (status == KZ_NO_MEMORY) return status;
        if (status) continue;
        found = true;
        state->total += rows * count;
        free(cases);
    }
    if (!found && s->targets.count > 1) {
        base_fail(error, KZ_NOT_FOUND, "no case of any family matches %s", state->options->pattern);
        base_fail_note(error, "try: kz info FAMILY, which lists the names");
    }
    if (found && state->total == 0) {
        base_fail(error, KZ_INVALID, "none of the variants asked for is meant for the devices asked for");
        base_fail_note(error, "native C variants run on cpu, all others on cuda and sim; try: kz devices");
        return KZ_INVALID;
    }
    return found ? KZ_OK : error->status;
}

// ---- the work -------------------------------------------------------------------------------------

static kz_status load_module(const selection *s, const kz_family *family, const kz_variant *variant,
                             kz_device *device, kz_module **module, kz_error *error) {
    kz_image image;
    if (s->guest) return kz_module_load(device, family_guest_image(s->guest), module, error);
    kz_status status = kz_variant_image(family, variant, &image, error);
    return status ? status : kz_module_load(device, &image, module, error);
}

// A fault ends a CUDA context: everything that lived in it is opened again.
static kz_status reopen(run_state *state, size_t device, kz_error *error) {
    char id[32];
    snprintf(id, sizeof id, "%s", kz_device_get_info(state->devices.items[device])->id);
    kz_device_close(state->devices.items[device]);
    state->devices.items[device] = NULL;
    return kz_device_open(id, &state->devices.items[device], error);
}

static kz_status reopen_job(run_state *state, size_t device, family_check_job *job, kz_error *error) {
    kz_module_close(job->module);
    job->module = NULL;
    kz_status status = reopen(state, device, error);
    job->device = state->devices.items[device];
    return status ? status
                  : load_module(state->chosen, job->family, job->variant, job->device, &job->module, error);
}

static void say_lost(run_state *state, const kz_error *error) {
    report_progress_clear(&state->progress);
    cli_fail(error);
    fprintf(stderr, "kz: the device is gone; the rest of its cases are left out\n");
}

static void show_progress(run_state *state, const family_check_job *job, const char *variant) {
    char name[FAMILY_CASE_NAME], what[400];
    family_case_name(job->family, job->c, name);
    snprintf(what, sizeof what, "%s/%s %s on %s", job->family->name, variant, name,
             kz_device_get_info(job->device)->id);
    report_progress_show(&state->progress, state->done, state->total, what);
}

// A module that does not load fails its cases, but for those that the variant would not have done here
// anyway.
static void note_unloadable(const family_check_job *job, const kz_error *why, family_check_result *result) {
    kz_plan plan;
    bool refused = family_make_plan(job, &plan, &result->error) == KZ_UNSUPPORTED;
    result->outcome = refused ? FAMILY_SKIPPED : FAMILY_FAILED;
    if (!refused) result->error = *why;
}

// All cases of one variant on one device. False where the device could not be brought back.
static bool check_row_cases(run_state *state, family_check_job *job, size_t device, const char *variant,
                            const kz_case *cases, size_t count, kz_status unloadable, const kz_error *why,
                            check_row *row) {
    bool alive = true;
    for (size_t i = 0; i < count && alive && !cli_interrupted(); i++) {
        family_check_result result = {.seed = job->seed};
        job->c = &cases[i];
        show_progress(state, job, variant);
        double start = now();
        if (unloadable)
            note_unloadable(job, why, &result);
        else
            family_check(job, &result);
        if (state->options->verbose) report_progress_clear(&state->progress);
        check_report_case(&state->report, job, variant, &result, now() - start, row);
        state->done++;
        kz_error error;
        if (result.device_lost && reopen_job(state, device, job, &error)) {
            alive = false;
            say_lost(state, &error);
        }
    }
    return alive;
}

static bool check_row_all(run_state *state, const kz_family *family, const kz_variant *variant, size_t device,
                          const kz_case *cases, size_t count, check_row *row) {
    const selection *s = state->chosen;
    const char *name = s->guest ? family_guest_name(s->guest) : variant->name;
    family_check_job job = {.family = family,
                            .variant = variant,
                            .guest = s->guest,
                            .device = state->devices.items[device],
                            .seed = state->options->seed.given ? (uint64_t)state->options->seed.value
                                                               : FAMILY_SEED,
                            .count = true};
    *row = (check_row){.variant = name, .device = *kz_device_get_info(job.device)};
    kz_error error = {0};
    kz_status status = load_module(s, family, variant, job.device, &job.module, &error);
    bool alive = check_row_cases(state, &job, device, name, cases, count, status, &error, row);
    if (job.module) kz_module_close(job.module);
    return alive;
}

// A GPU has no counters for us, but the simulator runs the same PTX: what it counts says what limits a
// kernel. What it does not do stays unexplained.
static void explain_row(run_state *state, const kz_family *family, check_row *row) {
    char id[40];
    kz_module *module;
    snprintf(id, sizeof id, row->device.gpu[0] ? "sim:%s" : "sim", row->device.gpu);
    if (!state->explainer && kz_device_open(id, &state->explainer, NULL)) return;
    const kz_variant *variant = state->chosen->guest ? NULL : kz_variant_find(family, row->variant);
    if (load_module(state->chosen, family, variant, state->explainer, &module, NULL)) return;
    const family_check_job job = {.family = family,
                                  .variant = variant,
                                  .guest = state->chosen->guest,
                                  .c = &row->figure_case,
                                  .device = state->explainer,
                                  .module = module,
                                  .seed = FAMILY_SEED,
                                  .count = true};
    family_check_result result;
    family_check(&job, &result);
    if (result.outcome == FAMILY_PASSED) row->explained = result.counters;
    kz_module_close(module);
}

static void explain(run_state *state, const kz_family *family, check_row *rows, size_t count) {
    for (size_t i = 0; i < count && !cli_interrupted(); i++)
        if (rows[i].device.kind == KZ_DEVICE_CUDA && rows[i].has_figures &&
            rows[i].elements <= MOST_EXPLAINED)
            explain_row(state, family, &rows[i]);
}

// A device that timing broke is opened again for the next family.
static void time_family(run_state *state, const kz_family *family, check_row *rows, size_t count) {
    const check_options *o = state->options;
    if (o->no_time || o->pattern) return;
    state->timer.done = state->done;
    for (size_t d = 0; d < state->devices.count && !cli_interrupted(); d++) {
        kz_error error = {0};
        if (!state->devices.items[d]) continue;
        kz_status status = check_time_family(&state->timer, &state->report, family, state->chosen->guest,
                                             state->devices.items[d], rows, count, &error);
        if (!status) continue;
        if (status != KZ_FAULT && status != KZ_DEADLOCK) { // those stand below the table
            report_progress_clear(&state->progress);
            base_fail_note(&error, "while %s; the checks stand", state->timer.label);
            cli_fail(&error);
        }
        if (reopen(state, d, &error)) say_lost(state, &error);
    }
}

static kz_status check_family(run_state *state, const kz_family *family, kz_error *error) {
    const selection *s = state->chosen;
    kz_case *cases;
    size_t count, used = 0;
    if (cli_find_cases(family, state->options->pattern, wanted_use(state->options), &cases, &count, error))
        return KZ_OK;
    check_row *rows = calloc(row_variants(s, family) * state->devices.count + 1, sizeof *rows);
    if (!rows) {
        free(cases);
        return base_fail(error, KZ_NO_MEMORY, "no memory for the table");
    }
    for (size_t v = 0; v < row_variants(s, family); v++) {
        const kz_variant *variant = s->guest ? NULL : &family->variants[v];
        for (size_t d = 0; d < state->devices.count && !cli_interrupted(); d++) {
            kz_device *device = state->devices.items[d];
            if (!device || !applies(s, family, variant, device)) continue;
            check_row_all(state, family, variant, d, cases, count, &rows[used++]);
        }
    }
    explain(state, family, rows, used);
    time_family(state, family, rows, used);
    report_progress_clear(&state->progress);
    check_report_family(&state->report, family, rows, used, state->widest);
    free(rows);
    free(cases);
    return KZ_OK;
}

// ---- the verb -------------------------------------------------------------------------------------

static void begin_report(run_state *state, base_text *journal_path, const cli_list *words, char *command,
                         size_t size) {
    const check_options *o = state->options;
    check_report *r = &state->report;
    r->style = report_detect_style(stdout);
    r->quiet = o->json.given && !o->json.path;
    r->verbose = o->verbose;
    if (o->family) snprintf(command, size, "kz check --family %s %s", o->family, words->items[0]);
    r->command = command;
    if (o->json.given) r->records = json_array();
    if (o->junit) r->junit = report_junit_open("kz check");
    if (!o->no_save) {
        kz_status status = report_results_path("check", journal_path, &r->write_error);
        if (!status) report_journal_open(journal_path->data, &r->journal, &r->write_error);
    }
    report_progress_begin(&state->progress, stderr);
}

// Rivals run on a GPU alone; opening them costs a little, and they are not asked for where nothing is timed.
static void begin_timing(run_state *state) {
    bool has_cuda = false, timing = !state->options->no_time && !state->options->pattern;
    for (size_t i = 0; i < state->devices.count; i++) {
        const kz_device_info *info = kz_device_get_info(state->devices.items[i]);
        has_cuda = has_cuda || info->kind == KZ_DEVICE_CUDA;
        state->report.counts = state->report.counts || info->kind != KZ_DEVICE_CPU;
        if ((int)strlen(info->id) > state->report.widest_device)
            state->report.widest_device = (int)strlen(info->id);
    }
    check_timer_open(&state->timer, has_cuda && timing);
    state->timer.seed = state->options->seed.given ? (uint64_t)state->options->seed.value : FAMILY_SEED;
    state->timer.progress = &state->progress;
    state->timer.total = state->total;
    state->report.rivals = state->timer.peers.count > 0;
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

static int run_selected(const check_options *options, const selection *chosen, const cli_list *words) {
    run_state state = {.options = options, .chosen = chosen};
    kz_error error = {0};
    base_text journal_path = {0};
    char command[600] = "kz check";
    kz_status status = cli_open_devices(&options->devices, has_natives(chosen), &state.devices, &error);
    if (!status) status = check_output(options->json.path, &error);
    if (!status) status = check_output(options->junit, &error);
    if (!status) status = count_jobs(&state, &error);
    if (status) {
        cli_close_devices(&state.devices);
        return cli_fail(&error);
    }
    double start = now();
    begin_report(&state, &journal_path, words, command, sizeof command);
    begin_timing(&state);
    for (size_t f = 0; f < chosen->targets.count && !status && !cli_interrupted(); f++)
        status = check_family(&state, chosen->targets.families[f], &error);
    int code = check_report_end(&state.report, now() - start, cli_interrupted(), &options->json,
                                options->junit, journal_path.data);
    if (status) code = cli_fail(&error);
    check_timer_close(&state.timer);
    if (state.explainer) kz_device_close(state.explainer);
    for (size_t i = 0; i < state.devices.count; i++)
        if (state.devices.items[i]) kz_device_close(state.devices.items[i]);
    base_text_free(&journal_path);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    check_options options = {0};
    selection chosen = {0};
    cli_list words;
    kz_error error;
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    cli_catch_interrupts();
    kz_status status = select_targets(&options, &words, &chosen, &error);
    int code = status ? cli_fail(&error) : run_selected(&options, &chosen, &words);
    family_guest_close(chosen.guest);
    return code;
}

static const cli_option options_table[] = {
    {"device", CLI_LIST, offsetof(check_options, devices), "ID",
     "where to run; may be repeated (kz devices lists them)"},
    {"case", CLI_TEXT, offsetof(check_options, pattern), "NAME",
     "only this case: a name, a glob, or one of your own size"},
    {"family", CLI_TEXT, offsetof(check_options, family), "FAMILY",
     "check a kernel of your own in this family's place"},
    {"seed", CLI_INTEGER, offsetof(check_options, seed), "N", "the seed of the inputs (2026)"},
    {"json", CLI_OUTPUT, offsetof(check_options, json), "PATH",
     "one JSON object per case, to stdout or a file"},
    {"junit", CLI_TEXT, offsetof(check_options, junit), "PATH", "a JUnit report, for CI"},
    {"huge", CLI_FLAG, offsetof(check_options, huge), NULL,
     "also the cases past 2^31 elements, on GPUs with the memory"},
    {"verbose", CLI_FLAG, offsetof(check_options, verbose), NULL, "every case on a line of its own"},
    {"no-time", CLI_FLAG, offsetof(check_options, no_time), NULL, "check only: no figures from the clock"},
    {"no-save", CLI_FLAG, offsetof(check_options, no_save), NULL, "keep no JSON file of this run"},
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
        "or in the simulator where there is none, and native C variants on the CPU.\n\n"
        "What limits a kernel is told from what the simulator counts, for a GPU's kernels too: it runs the "
        "same\n"
        "PTX. The figures are counts on the simulator. Where there is a clock they are short timings of one "
        "case\n"
        "per family, beside a plain copy and the rival, ~ where they have not settled; with --case there "
        "are\n"
        "none. kz bench measures properly.\n\n"
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
