// kz gate: what kernels cost now, beside what is kept of them.
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/gpus.h"
#include "options.h"
#include "report/gate/gate.h"
#include "workload/gate.h"

typedef struct gate_options {
    cli_shared shared;
    bool counters, write, exact;
} gate_options;

static const cli_option options_table[] = {
    {"counters", CLI_FLAG, offsetof(gate_options, counters), NULL,
     "the simulator's counts: instructions, sectors, wavefronts, atomics, barriers"},
    CLI_AGAINST("the counts to compare with (counters.csv of the family, FILE.counters.csv beside your own)"),
    {"write", CLI_FLAG, offsetof(gate_options, write), NULL, "writes what is counted now into that file"},
    {"exact", CLI_FLAG, offsetof(gate_options, exact), NULL,
     "fails for any difference: for counts that are kept beside the code"},
    CLI_CASE("only these cases; with --write one that the file does not have yet"),
    CLI_FAMILY,
    CLI_GPU,
    CLI_JSON_OF("what differs, a line for each family, guest or program"),
    CLI_NVCC_FLAG,
    CLI_TIMEOUT,
    {0},
};

static void add_option(base_text *out, const char *option, const char *word) {
    base_text_add(out, " %s ", option);
    base_text_add_word(out, word);
}

static void add_program(base_text *out, const workload *w) {
    for (size_t i = 0; i < w->file_count; i++) base_text_add(out, " "), base_text_add_word(out, w->files[i]);
    for (size_t i = 0; i < w->argument_count; i++) {
        base_text_add(out, i ? " " : " -- ");
        base_text_add_word(out, w->arguments[i]);
    }
}

// What was named of this family: all of it, or some variants.
static void add_variants(base_text *out, const workload *w, const kz_family *family) {
    bool whole = true;
    for (size_t i = 0; i < w->zoo.wanted_count; i++) {
        const kz_variant *variant = w->zoo.wanted[i].variant;
        if (w->zoo.wanted[i].family != family || !variant) continue;
        base_text_add(out, " %s/%s", family->name, variant->name);
        whole = false;
    }
    if (whole) base_text_add(out, " %s", family->name);
}

// What writes the counts: the words of this command, and --write. `against` may be NULL.
static void add_again(base_text *out, const gate_options *o, const workload *w, const kz_family *family,
                      const char *against) {
    base_text_add(out, "kz gate --counters");
    if (o->shared.family) add_option(out, "--family", o->shared.family);
    if (o->shared.gpu) add_option(out, "--gpu", o->shared.gpu);
    if (o->shared.pattern) add_option(out, "--case", o->shared.pattern);
    if (against) add_option(out, "--against", against);
    for (size_t i = 0; i < o->shared.flags.count; i++)
        add_option(out, "--nvcc-flag", o->shared.flags.items[i]);
    base_text_add(out, " --write");
    if (family)
        add_variants(out, w, family);
    else
        add_program(out, w);
}

// What shows the lines of the first kernel that is worse.
static void add_look(base_text *out, const gate_options *o, const workload *w, const kz_family *family,
                     const workload_gate *gate) {
    const bench_counts_row *row = NULL;
    for (size_t i = 0; i < gate->change_count && !row; i++)
        if (gate->changes[i].verdict == BENCH_COUNTS_WORSE) row = gate->changes[i].now;
    if (!row) return;
    base_text_add(out, "kz prof");
    if (family) base_text_add(out, " %s/%s", family->name, row->kernel);
    if (o->shared.family) add_option(out, "--family", o->shared.family);
    if (*row->case_name) add_option(out, "--case", row->case_name);
    if (!*row->case_name) {
        size_t length;
        const char *bare = base_bare_name(row->kernel, &length);
        base_text_add(out, " --kernel %.*s", (int)length, bare);
    }
    const char *gpu =
        o->shared.gpu ? o->shared.gpu : gate->now.gpu; // else the file's, which kz prof does not read
    if (strcmp(gpu, device_gpu_default) != 0) add_option(out, "--gpu", gpu);
    for (size_t i = 0; i < o->shared.flags.count; i++)
        add_option(out, "--nvcc-flag", o->shared.flags.items[i]);
    base_text_add(out, " --annotate");
    if (!family) add_program(out, w);
}

// The exit status of one gate; the worst of several is the command's.
static int judge(const report_gate *r) {
    if (report_gate_passes(r)) return CLI_OK;
    bool differs = r->exact && !r->other_compiler && r->change_count;
    return report_gate_compares(r) || differs ? CLI_REGRESSION : CLI_UNCHECKED;
}

static kz_status show(const gate_options *o, const workload *w, const kz_family *family,
                      const workload_gate *gate, json_t *lines, int *code, kz_error *error) {
    base_text again = {0}, elsewhere = {0}, look = {0};
    add_again(&again, o, w, family, o->shared.against);
    add_again(&elsewhere, o, w, family, "FILE");
    add_look(&look, o, w, family, gate);
    const report_gate report = {.subject = gate->subject,
                                .path = gate->path,
                                .again = again.data ? again.data : "",
                                .elsewhere = elsewhere.data ? elsewhere.data : "",
                                .look = look.data,
                                .before = &gate->before,
                                .now = &gate->now,
                                .changes = gate->changes,
                                .change_count = gate->change_count,
                                .verdicts = gate->verdicts,
                                .uncounted = gate->uncounted,
                                .uncounted_count = gate->uncounted_count,
                                .has_file = gate->has_file,
                                .other_compiler = gate->other_compiler,
                                .written = gate->written,
                                .exact = o->exact};
    report_style style = report_detect_style(stdout);
    if (!cli_to_stdout(&o->shared.json)) report_gate_print(stdout, &style, &report);
    int own = judge(&report);
    if (*code == CLI_OK || own == CLI_REGRESSION) *code = own;
    base_text_free(&again);
    base_text_free(&elsewhere);
    base_text_free(&look);
    return json_array_append_new(lines, report_gate_to_json(&report))
               ? base_fail(error, KZ_NO_MEMORY, "no memory for what kz gate says")
               : KZ_OK;
}

static bool is_source(const char *name) {
    static const char *const ends[] = {".cu", ".cuh", ".h", ".c", ".def"};
    bool is = false;
    for (size_t i = 0; i < BASE_COUNT(ends); i++) is = is || base_ends_with(name, ends[i]);
    return is && !base_ends_with(name, "_test.c");
}

static bool is_newer(const struct stat *a, const struct stat *b) {
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

// The kernels of the zoo are in kz itself: a source that was edited since is not what is counted.
static void warn_of_newer_sources(const kz_family *family) {
    char folder[300], path[600], self[BASE_PATH], text[800];
    struct stat built, source;
    snprintf(folder, sizeof folder, "kernels/%s/%s", family->group, family->name);
    DIR *list = base_self_path(self, NULL) || stat(self, &built) ? NULL : opendir(folder);
    bool found = false;
    for (struct dirent *entry; list && !found && (entry = readdir(list));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        found = is_source(entry->d_name) && stat(path, &source) == 0 && is_newer(&source, &built);
    }
    if (list) closedir(list);
    snprintf(text, sizeof text, "%s is newer than this kz, which counts the kernels it was built with: make",
             path);
    if (found) cli_note(text);
}

static kz_status gate_one(const gate_options *o, const workload *w, const kz_family *family, json_t *lines,
                          int *code, kz_error *error) {
    workload_gate_options options = {.settings = cli_program_settings(&o->shared),
                                     .pattern = o->shared.pattern,
                                     .against = o->shared.against,
                                     .write = o->write,
                                     .interrupted = cli_interrupted};
    options.settings.interrupted = cli_interrupted;
    if (cli_to_stdout(&o->shared.json)) options.settings.output = STDERR_FILENO;
    workload_gate gate;
    if (family) warn_of_newer_sources(family);
    kz_status status = workload_gate_run(w, family, &options, &gate, error);
    if (!status) status = show(o, w, family, &gate, lines, code, error);
    workload_gate_close(&gate);
    return status;
}

static kz_status check(const gate_options *o, const workload *w, kz_error *error) {
    if (!o->counters) {
        base_fail(error, KZ_INVALID, "kz gate has to be told what to compare");
        base_fail_note(
            error, "kz gate --counters compares the simulator's counts; kz bench --against compares times");
        return KZ_INVALID;
    }
    if (w->kind == WORKLOAD_ZOO && w->zoo.count > 1 && o->shared.against)
        return base_fail(error, KZ_INVALID, "--against names the counts of one family: name that family too");
    if (w->kind == WORKLOAD_PROGRAM && o->shared.pattern)
        return base_fail(error, KZ_INVALID, "a program has no cases: what it does is up to its arguments");
    return KZ_OK;
}

static int run_workload(const cli_shared *shared, const workload *w) {
    const gate_options *o = (const gate_options *)shared;
    json_t *lines = json_array();
    kz_error error = {0};
    int code = CLI_OK;
    bool zoo = w->kind == WORKLOAD_ZOO;
    kz_status status = lines ? check(o, w, &error) : base_fail(&error, KZ_NO_MEMORY, "no memory");
    cli_catch_interrupts();
    for (size_t i = 0; i < (zoo ? w->zoo.count : 1) && !status; i++)
        status = gate_one(o, w, zoo ? w->zoo.families[i] : NULL, lines, &code, &error);
    if (!status && shared->json.given) status = report_write_lines(lines, shared->json.path, &error);
    json_decref(lines);
    if (!status) return code;
    int failed = cli_fail(&error);
    return cli_interrupted() ? CLI_INTERRUPTED : failed;
}

static int run(const cli_command *self, int argc, char **argv) {
    gate_options options = {0};
    const workload_request request = {.command = "gate --counters",
                                      .kinds =
                                          1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST | 1u << WORKLOAD_PROGRAM};
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, run_workload);
}

const cli_command cli_command_gate = {
    .usage = "kz gate --counters [FAMILY[/VARIANT]...] [OPTIONS]\n"
             "kz gate --counters --family FAMILY FILE.cu [OPTIONS]\n"
             "kz gate --counters [OPTIONS] PROGRAM.cu [-- ARGUMENTS]",
    .about =
        "Runs kernels in the simulator and compares what it counts with counts that were kept: "
        "instructions by class,\n"
        "sectors, wavefronts, atomics, barriers, branches. Counts are exact, so one more of anything is "
        "found, with no\n"
        "GPU and no noise. --write keeps what is counted now.\n\n"
        "The counts of a family are in kernels/<group>/<family>/counters.csv, which also lists its "
        "cases; run kz gate in\n"
        "the folder of the sources, after make: it counts the kernels that kz was built with. Those of a "
        "file of your own are beside it: my.counters.csv for "
        "my.cu. A program has a\n"
        "row for each of its kernels; words after it are its arguments, and the file keeps them. Counts "
        "are of one simulated\n"
        "GPU and of the PTX of one compiler: with another compiler nothing is compared, and kz gate says "
        "how to keep counts\n"
        "of your own.\n\n"
        "Results are checked where --write keeps counts of a kernel, never where counts are compared: "
        "that is kz check's.\n"
        "Counts that differ are taken twice; those of a program with random input do not repeat, and are "
        "refused.\n\n"
        "Exit status: 0 where nothing is worse (with --exact: nothing differs, and every variant has "
        "rows), 7 where a\n"
        "count grew, 12 where nothing could be compared: the counts are another compiler's, or the file has "
        "none of these rows.",
    .examples =
        "  kz gate --counters                        has any kernel of the zoo become costlier?\n"
        "  kz gate --counters reduce/06_vector       this one?\n"
        "  kz gate --counters reduce --write         these counts are meant\n"
        "  kz gate --counters --family reduce --write my.cu    keeps the counts of a kernel of your own\n"
        "  kz gate --counters --write app.cu -- 1024           of every kernel of a program\n"
        "  kz gate --counters --json=gate.json app.cu -- 1024  for CI",
    .options = options_table,
    .run = run,
};
