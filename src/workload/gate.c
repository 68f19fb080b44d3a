// The counter gate. See gate.h.
#include "workload/gate.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload/gate_inside.h"

enum { CHECKSUM_DIGITS = 8, KERNEL_NAME = 1 << 14 };

// What is exact. Kernels run on one host thread: where blocks race, as in a loop around atomicCAS, counts depend on the
// order of blocks, which then is always the same. Programs have no such setting, but the model of caches asks for it.
static const char OF_KERNELS[] = "counters", OF_PROGRAMS[] = "counters,caches";

static bool stops(const counting *g) { return g->options->interrupted && g->options->interrupted(); }

// ---- the file -----------------------------------------------------------------------------------------------

static void find_path(const counting *g, char path[WORKLOAD_PATH]) {
    const char *file = g->w->file_count ? g->w->files[0] : "";
    if (g->options->against)
        snprintf(path, WORKLOAD_PATH, "%s", g->options->against);
    else if (g->w->kind == WORKLOAD_ZOO)
        snprintf(path, WORKLOAD_PATH, "kernels/%s/%s/counters.csv", g->family->group, g->family->name);
    else {
        const char *name = base_file_name(file), *dot = strrchr(name, '.');
        size_t length = strlen(file) - (dot ? strlen(dot) : 0);
        snprintf(path, WORKLOAD_PATH, "%.*s.counters.csv", (int)length, file);
    }
}

static kz_status fail_missing(const counting *g, kz_error *error) {
    const workload_gate *gate = g->gate;
    base_fail(error, KZ_NOT_FOUND, "there are no counts of %s to compare with: %s is not there",
              gate->subject, gate->path);
    bool outside = g->w->kind == WORKLOAD_ZOO && !g->options->against;
    if (outside)
        base_fail_note(
            error, "likely cause: this is not the folder of the sources; --against names a file elsewhere");
    base_fail_note(error, "the same command with %s--write counts now, and writes it",
                   outside ? "--against FILE " : "");
    return KZ_NOT_FOUND;
}

// What writes the counts of this subject: the file's first line has it.
static void add_command(const counting *g, base_text *command) {
    base_text_add(command, "kz gate --counters %s%s%s--write", g->w->guest ? "--family " : "",
                  g->family ? g->family->name : "", g->family ? " " : "");
    if (g->w->kind != WORKLOAD_ZOO) base_text_add(command, " %s", base_file_name(g->w->files[0]));
}

// A file that somebody names may be another's. Neither is compared with it, nor is it written over.
static kz_status check_subject(const counting *g, kz_error *error) {
    base_text command = {0};
    const char *kept = g->all.written_by;
    add_command(g, &command);
    bool same = !g->options->against || !kept[0] || !command.data ||
                strncmp(kept, command.data, sizeof g->all.written_by - 1) == 0;
    base_text_free(&command);
    if (same) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s has counts of something else than %s: it was written by %s",
              g->gate->path, g->gate->subject, kept);
    base_fail_note(error, "name a file of its own, or one that is not there yet, with --write");
    return KZ_INVALID;
}

// The file, if there is one; a variant is called there by the name it has now.
static kz_status read_file(counting *g, kz_error *error) {
    workload_gate *gate = g->gate;
    char *text = NULL;
    size_t size;
    gate->has_file = base_file_exists(gate->path);
    if (!gate->has_file) return g->options->write ? KZ_OK : fail_missing(g, error);
    kz_status status = base_file_read(gate->path, &text, &size, error);
    if (!status) status = bench_counts_parse(gate->path, text, size, &g->all, error);
    if (!status) status = check_subject(g, error);
    if (!status && !g->options->write) status = bench_counts_check_rows(gate->path, &g->all, error);
    free(text);
    for (size_t i = 0; i < g->all.count && !status && g->w->kind == WORKLOAD_ZOO; i++) {
        const kz_variant *variant = kz_variant_find(g->family, g->all.rows[i].kernel);
        char *name = variant ? strdup(variant->name) : NULL;
        if (!name) continue;
        free(g->all.rows[i].kernel);
        g->all.rows[i].kernel = name;
    }
    return status;
}

static bool copy_row(bench_counts *to, const bench_counts_row *row) {
    bench_counts_row *made = bench_counts_row_of(to, row->kernel, row->case_name);
    if (made) memcpy(made->values, row->values, sizeof made->values);
    return made != NULL;
}

static bool is_asked_for(const counting *g, const bench_counts_row *row) {
    bool asked = g->case_count == 0;
    for (size_t i = 0; i < g->case_count && !asked; i++) asked = strcmp(g->cases[i], row->case_name) == 0;
    if (!asked || g->w->kind != WORKLOAD_ZOO) return asked;
    const kz_variant *variant = kz_variant_find(g->family, row->kernel);
    return variant ? workload_wants(&g->w->zoo, g->family, variant)
                   : !g->w->variant; // it is gone: of the family as a whole
}

static kz_status split_file(counting *g, kz_error *error) {
    memcpy(g->gate->before.gpu, g->all.gpu, sizeof g->all.gpu);
    memcpy(g->gate->before.compiler, g->all.compiler, sizeof g->all.compiler);
    for (size_t i = 0; i < g->all.count; i++) {
        const bench_counts_row *row = &g->all.rows[i];
        if (!copy_row(is_asked_for(g, row) ? &g->gate->before : &g->gate->kept, row))
            return base_fail(error, KZ_NO_MEMORY, "no memory for the counts");
    }
    return KZ_OK;
}

// ---- counting -----------------------------------------------------------------------------------------------

// A kernel's name as the file has it. nvcc puts a checksum of the source into names of an unnamed namespace; without it
// the kernel would have another name after each edit. A name is one cell of a row.
static void name_row(const char *kernel, char *name, size_t size) {
    static const char *const marks[] = {"_GLOBAL__N__", "_INTERNAL_"};
    snprintf(name, size, "%s", kernel);
    for (size_t m = 0; m < BASE_COUNT(marks); m++)
        for (char *at = name; (at = strstr(at, marks[m]));) {
            at += strlen(marks[m]);
            for (int i = 0; i < CHECKSUM_DIGITS && isxdigit((unsigned char)at[i]); i++) at[i] = '0';
        }
    for (char *at = name; (at = strpbrk(at, ",\r\n"));) *at = '_';
}

// The kernels of a record: each a row, or all of them those of one.
static kz_status add_record(bench_counts *counts, const report_record *record, const char *kernel,
                            const char *case_name, kz_error *error) {
    size_t at = 0;
    const json_t *line = report_record_next(record, "record", &at);
    char name[KERNEL_NAME];
    snprintf(counts->gpu, sizeof counts->gpu, "%s", report_get_text(line, "gpu"));
    at = 0;
    while ((line = report_record_next(record, "kernel", &at))) {
        const json_t *metrics = report_get(line, "metrics");
        name_row(kernel ? kernel : report_get_text(line, "name"), name, sizeof name);
        bench_counts_row *row = bench_counts_row_of(counts, name, case_name);
        if (!row) return base_fail(error, KZ_NO_MEMORY, "no memory for the counts");
        row->values[BENCH_COUNT_LAUNCHES] += report_get_count(line, "launches");
        for (bench_count c = 0; c < BENCH_COUNTS; c++) // the record has no metric of a host's count
            row->values[c] += (uint64_t)json_integer_value(json_object_get(metrics, bench_count_name(c)));
    }
    return KZ_OK;
}

// As the user says, else as the file says.
static const char *gpu_of(const counting *g) {
    const char *gpu = g->options->settings.gpu;
    return gpu ? gpu : g->gate->has_file ? g->all.gpu : NULL;
}

static kz_status take_counts(counting *g, const report_record *record, const char *kernel,
                             const char *case_name, kz_error *error) {
    char name[KERNEL_NAME];
    name_row(kernel, name, sizeof name);
    kz_status status = add_record(&g->gate->now, record, kernel, case_name, error);
    bench_counts_row *row = status ? NULL : bench_counts_row_of(&g->gate->now, name, case_name);
    if (!row) return status ? status : base_fail(error, KZ_NO_MEMORY, "no memory for the counts");
    row->values[BENCH_COUNT_WORKSPACE_BYTES] = g->plan->workspace_bytes;
    for (uint32_t i = 0; i < g->plan->step_count; i++) {
        const kz_step *step = &g->plan->steps[i];
        if (step->kind == KZ_STEP_FILL) row->values[BENCH_COUNT_FILL_BYTES] += step->bytes;
        if (step->kind == KZ_STEP_COPY) row->values[BENCH_COUNT_COPY_BYTES] += step->bytes;
    }
    return KZ_OK;
}

// Counts of a wrong kernel are of no use to anybody: they are not kept.
static kz_status check_results(const counting *g, const family_check_job *job, const char *kernel,
                               const char *name, kz_error *error) {
    family_check_result result;
    family_check(job, &result);
    if (result.outcome == FAMILY_PASSED || result.outcome == FAMILY_SKIPPED) return KZ_OK;
    base_fail(error, result.error.status, "%s is wrong at %s, so its counts are not kept: %s", kernel, name,
              result.error.message);
    base_fail_note(error, "kz check %s%s%s%s says more", g->w->guest ? "--family " : "", g->family->name,
                   g->w->guest ? " " : "/", g->w->guest ? g->w->files[0] : kernel);
    return result.error.status;
}

// A variant or guest that does not do a case has no record.
static kz_status run_case(counting *g, family_check_job *job, const char *kernel, const char *name,
                          workload_gate_taking *take, kz_error *error) {
    const workload_profile_options options = {.instruments = OF_KERNELS};
    workload_profile run = {.failure = 0};
    kz_case c;
    kz_plan plan;
    kz_status status = family_case_parse(g->family, name, &c, error);
    job->c = &c;
    g->plan = &plan;
    if (!status) status = family_make_plan(job, &plan, error);
    if (!status) g->is_planned = true;
    if (!status && take == take_counts && g->options->write && !g->is_repeated) {
        status = check_results(g, job, kernel, name, error);
        if (status) return status;
    }
    if (!status) status = workload_profile_case(job, &options, &run, error);
    if (!status) status = take(g, &run.record, kernel, name, error);
    workload_profile_close(&run);
    if (status == KZ_UNSUPPORTED) return KZ_OK;
    if (status) base_fail_note(error, "while counting %s at %s", kernel, name);
    return status;
}

static void take_compiler(const kz_image *image, bench_counts *counts) {
    char *ptx = NULL;
    if (!counts->compiler[0] && kz_image_ptx(image, &ptx, NULL) == KZ_OK)
        bench_counts_compiler(ptx, counts->compiler);
    free(ptx);
}

// No case of the file is one that this variant does: a change of it would not be found.
static void note_uncounted(counting *g, const kz_variant *variant) {
    workload_gate *gate = g->gate;
    for (size_t i = 0; i < gate->uncounted_count; i++)
        if (gate->uncounted[i] == variant) return;
    if (gate->uncounted_count < BASE_COUNT(gate->uncounted))
        gate->uncounted[gate->uncounted_count++] = variant;
}

// All cases on one device, of a module that is loaded once.
static kz_status run_kernel(counting *g, const kz_variant *variant, const char *kernel,
                            workload_gate_taking *take, kz_error *error) {
    family_check_job job = {
        .family = g->family, .variant = variant, .guest = g->w->guest, .seed = FAMILY_SEED};
    kz_image image;
    kz_status status = workload_open_simulator(gpu_of(g), &job.device, error);
    if (status) return status;
    g->is_planned = false;
    status = kz_device_set_threads(job.device, 1, error);
    if (!status && (!variant || kz_variant_fits(variant, kz_device_get_info(job.device)))) {
        status = workload_load(g->family, variant, g->w->guest, job.device, &image, &job.module, error);
        if (!status) take_compiler(&image, &g->gate->now);
        for (size_t i = 0; i < g->case_count && !status && !stops(g); i++)
            status = run_case(g, &job, kernel, g->cases[i], take, error);
        if (!g->is_planned && variant && take == take_counts && !g->options->pattern)
            note_uncounted(g, variant);
    }
    if (job.module) kz_module_close(job.module);
    kz_device_close(job.device);
    return status;
}

kz_status workload_gate_run_kernels(counting *g, workload_gate_taking *take, kz_error *error) {
    kz_status status = KZ_OK;
    if (g->w->guest) return run_kernel(g, NULL, family_guest_name(g->w->guest), take, error);
    for (size_t i = 0; i < g->family->variant_count && !status; i++) {
        const kz_variant *variant = &g->family->variants[i];
        if (workload_wants(&g->w->zoo, g->family, variant))
            status = run_kernel(g, variant, variant->name, take, error);
    }
    return status;
}

// The PTX in a program names no compiler: it is the one that builds the sources. Of an executable it is not known.
static void take_builder(const workload *w, bench_counts *counts) {
    toolchain tools;
    if (workload_program_is_source(w->files[0]) && toolchain_find_for_programs(&tools, NULL) == KZ_OK)
        snprintf(counts->compiler, sizeof counts->compiler, "%s", tools.version);
}

// What it was built and run with, which decides what it counts.
static kz_status take_words(const counting *g, bench_counts *counts, kz_error *error) {
    const workload_program *settings = &g->options->settings;
    base_text flags = {0}, arguments = {0};
    for (size_t i = 0; i < settings->nvcc_flag_count; i++) {
        if (i) base_text_add(&flags, " ");
        base_text_add_word(&flags, settings->nvcc_flags[i]);
    }
    for (size_t i = 0; i < g->w->argument_count; i++) {
        if (i) base_text_add(&arguments, " ");
        base_text_add_word(&arguments, g->w->arguments[i]);
    }
    bool fits = flags.length < sizeof counts->flags && arguments.length < sizeof counts->arguments;
    snprintf(counts->flags, sizeof counts->flags, "%s", flags.data ? flags.data : "");
    snprintf(counts->arguments, sizeof counts->arguments, "%s", arguments.data ? arguments.data : "");
    base_text_free(&flags);
    base_text_free(&arguments);
    if (fits) return KZ_OK;
    base_fail(error, KZ_LIMIT,
              "the arguments of %s, or nvcc's flags, are longer than %zu characters: too long "
              "for the file of counts",
              g->gate->subject, sizeof counts->arguments - 1);
    base_fail_note(error, "let the program read them from a file");
    return KZ_LIMIT;
}

// Counts are of a run that went well, whether or not it left a record.
static kz_status fail_ended(const counting *g, const workload_result *result, kz_error *error) {
    char words[WORKLOAD_SENTENCE];
    const char *end = workload_program_end(result, words);
    base_text run = {0};
    base_text_add(&run, "kz run %s", g->gate->subject);
    if (g->gate->now.arguments[0]) base_text_add(&run, " -- %s", g->gate->now.arguments);
    base_fail(error, KZ_FAULT, "%s ended with %d%s%s, so its counts are of no use", g->gate->subject,
              result->exit_code, end ? ": " : "", end ? end : "");
    if (!g->w->argument_count)
        base_fail_note(error, "if it needs arguments: kz gate --counters %s -- ARGUMENTS", g->gate->subject);
    base_fail_note(error, "%s shows what it says", run.data ? run.data : "kz run");
    base_text_free(&run);
    return KZ_FAULT;
}

static kz_status count_program(counting *g, kz_error *error) {
    workload_profile_options options = {.settings = g->options->settings, .instruments = OF_PROGRAMS};
    workload_profile run;
    options.settings.gpu = gpu_of(g);
    options.settings.is_repeated = g->is_repeated;
    int nowhere = g->is_repeated ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1; // its output was shown
    if (nowhere > 0) options.settings.output = nowhere;
    kz_status status = workload_profile_run(g->w, &options, &run, error);
    if (run.failure) status = fail_ended(g, &run.program, error);
    if (!status) status = add_record(&g->gate->now, &run.record, NULL, "", error);
    if (!status) take_builder(g->w, &g->gate->now);
    workload_profile_close(&run);
    if (nowhere > 0) close(nowhere);
    return status;
}

static kz_status count_once(counting *g, kz_error *error) {
    bool is_program = g->w->kind == WORKLOAD_PROGRAM;
    kz_status status =
        is_program ? count_program(g, error) : workload_gate_run_kernels(g, take_counts, error);
    if (!status && stops(g))
        return base_fail(error, KZ_BUSY, "stopped: nothing was compared, nothing was written");
    if (status || g->gate->now.count) return status;
    base_fail(error, KZ_NOT_FOUND, "%s launched no kernel that could be counted", g->gate->subject);
    if (g->gate->has_file && !is_program)
        base_fail_note(error, "%s has no case that it does; --case NAME --write adds one", g->gate->path);
    return KZ_NOT_FOUND;
}

static kz_status fail_unsteady(const counting *g, const bench_counts_change *c, kz_error *error) {
    const bench_counts_row *row = c->now ? c->now : c->before;
    base_text title = {0};
    report_kernel_title(&title, row->kernel);
    base_fail(error, KZ_INVALID, "the counts of %s are not the same in two runs, so they cannot be compared",
              g->gate->subject);
    for (bench_count k = 0; k < BENCH_COUNTS && c->before && c->now; k++)
        if (title.data && c->before->values[k] != c->now->values[k]) {
            base_fail_note(error, "%s%s%s: %s %llu, then %llu", title.data, *row->case_name ? " at " : "",
                           row->case_name, bench_count_name(k), (unsigned long long)c->before->values[k],
                           (unsigned long long)c->now->values[k]);
            break;
        }
    if (title.data && (!c->before || !c->now))
        base_fail_note(error, "%s was launched in one of them only", title.data);
    base_text_free(&title);
    base_fail_note(error,
                   "likely cause: random input whose seed is not fixed, the time, a file that it writes "
                   "and reads, or input from a pipe");
    return KZ_INVALID;
}

// Counts that are written, or blamed on a change, are those of every run.
static kz_status count_again(counting *g, off_t input, kz_error *error) {
    workload_gate *gate = g->gate;
    bench_counts first = gate->now;
    size_t count = 0;
    gate->now = (bench_counts){0};
    g->is_repeated = true;
    if (input >= 0) lseek(STDIN_FILENO, input, SEEK_SET);
    kz_status status = count_once(g, error);
    bench_counts_change *changes = status ? NULL : bench_counts_compare(&first, &gate->now, &count);
    if (!status && !changes) status = base_fail(error, KZ_NO_MEMORY, "no memory for the comparison");
    for (size_t i = 0; i < count && !status; i++)
        if (changes[i].verdict != BENCH_COUNTS_SAME) status = fail_unsteady(g, &changes[i], error);
    free(changes);
    bench_counts_free(&gate->now);
    gate->now = first;
    return status;
}

// ---- comparing and writing ----------------------------------------------------------------------------------

static kz_status check_gpu(const counting *g, kz_error *error) {
    const char *gpu = g->gate->now.gpu;
    if (strcmp(g->all.gpu, gpu) == 0) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s has counts of %s, and %s was simulated", g->gate->path, g->all.gpu, gpu);
    base_fail_note(
        error, "leave --gpu out, or keep counts of %s in a file of their own: --against FILE --write", gpu);
    return KZ_INVALID;
}

static void add_words(base_text *out, const counting *g, const bench_counts *counts) {
    if (counts->flags[0]) base_text_add(out, "with nvcc's %s, ", counts->flags);
    base_text_add(out, "%s%s%s", g->gate->subject, counts->arguments[0] ? " -- " : "", counts->arguments);
}

static kz_status check_words(const counting *g, kz_error *error) {
    const bench_counts *now = &g->gate->now;
    if (!strcmp(g->all.arguments, now->arguments) && !strcmp(g->all.flags, now->flags)) return KZ_OK;
    base_text kept = {0}, run = {0};
    add_words(&kept, g, &g->all);
    add_words(&run, g, now);
    base_fail(error, KZ_INVALID, "%s has counts of %s; this is %s", g->gate->path, kept.data ? kept.data : "",
              run.data ? run.data : "");
    base_fail_note(error, "run it as the file says, or keep counts of this in a file of their own: --against "
                          "FILE --write");
    base_text_free(&kept);
    base_text_free(&run);
    return KZ_INVALID;
}

static kz_status compare(counting *g, kz_error *error) {
    workload_gate *gate = g->gate;
    const bench_counts *now = &gate->now;
    kz_status status = gate->has_file && !g->options->write ? check_gpu(g, error) : KZ_OK;
    gate->other_compiler = gate->has_file && strcmp(g->all.compiler, now->compiler) != 0;
    if (status || gate->other_compiler) return status;
    gate->changes = bench_counts_compare(&gate->before, now, &gate->change_count);
    if (!gate->changes) return base_fail(error, KZ_NO_MEMORY, "no memory for the comparison");
    for (size_t i = 0; i < gate->change_count; i++) gate->verdicts[gate->changes[i].verdict]++;
    return KZ_OK;
}

static kz_status count_and_compare(counting *g, kz_error *error) {
    off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR); // a program may read it: it does so again where it can
    bool is_program = g->w->kind == WORKLOAD_PROGRAM;
    kz_status status = is_program ? take_words(g, &g->gate->now, error) : KZ_OK;
    if (!status && is_program && g->gate->has_file && !g->options->write) status = check_words(g, error);
    if (!status) status = count_once(g, error);
    if (!status) status = compare(g, error);
    bool differs = g->gate->verdicts[BENCH_COUNTS_SAME] < g->gate->change_count;
    return status || !(differs || g->options->write) ? status : count_again(g, input, error);
}

static bool add_rows(bench_counts *to, const bench_counts *from, const char *kernel, const char *case_name) {
    for (size_t i = 0; i < from->count; i++) {
        const bench_counts_row *row = &from->rows[i];
        bool is_meant =
            (!kernel || !strcmp(row->kernel, kernel)) && (!case_name || !strcmp(row->case_name, case_name));
        if (is_meant && !copy_row(to, row)) return false;
    }
    return true;
}

// Case by case in the order of the file, new ones last; in a case the variants in their order, then whatever else there is.
static bool merge(const counting *g, bench_counts *merged) {
    const bench_counts *sources[] = {&g->all, &g->gate->now}, *rows[] = {&g->gate->kept, &g->gate->now};
    size_t variants = g->w->kind == WORKLOAD_ZOO ? g->family->variant_count : 0;
    bool fits = true;
    for (size_t s = 0; s < BASE_COUNT(sources); s++)
        for (size_t i = 0; i < sources[s]->count; i++) {
            const char *name = sources[s]->rows[i].case_name;
            for (size_t v = 0; v <= variants; v++)
                for (size_t r = 0; r < BASE_COUNT(rows); r++)
                    fits = fits &&
                           add_rows(merged, rows[r], v < variants ? g->family->variants[v].name : NULL, name);
        }
    return fits;
}

static kz_status write_file(counting *g, kz_error *error) {
    workload_gate *gate = g->gate;
    bench_counts merged = gate->now;
    bool other = gate->other_compiler || (gate->has_file && strcmp(g->all.gpu, gate->now.gpu) != 0);
    if (other && gate->kept.count) {
        base_fail(error, KZ_INVALID,
                  "%s has counts of %s and compiler %s: a part of it cannot be of %s and %s", gate->path,
                  g->all.gpu, g->all.compiler, gate->now.gpu, gate->now.compiler);
        base_fail_note(error, "write all of it: name neither a variant nor a case");
        return KZ_INVALID;
    }
    merged.rows = NULL;
    merged.count = merged.capacity = 0;
    base_text text = {0}, command = {0};
    add_command(g, &command);
    bool made = merge(g, &merged) && command.data;
    if (made) bench_counts_write(&merged, command.data, &text);
    kz_status status = made && !text.failed ? base_file_write(gate->path, text.data, text.length, error)
                                            : base_fail(error, KZ_NO_MEMORY, "no memory for %s", gate->path);
    gate->written = !status;
    bench_counts_free(&merged);
    base_text_free(&text);
    base_text_free(&command);
    return status;
}

kz_status workload_gate_run(const workload *w, const kz_family *family, const workload_gate_options *options,
                            workload_gate *gate, kz_error *error) {
    *gate = (workload_gate){0};
    counting g = {.w = w, .family = family ? family : w->family, .options = options, .gate = gate};
    snprintf(gate->subject, sizeof gate->subject, "%s",
             w->kind == WORKLOAD_ZOO ? g.family->name : w->files[0]);
    find_path(&g, gate->path);
    kz_status status = read_file(&g, error);
    if (!status && w->kind != WORKLOAD_PROGRAM) status = workload_gate_choose_cases(&g, error);
    if (!status) status = split_file(&g, error);
    if (!status) status = count_and_compare(&g, error);
    if (!status && options->write) status = write_file(&g, error);
    bench_counts_free(&g.all);
    free(g.cases);
    return status;
}

void workload_gate_close(workload_gate *gate) {
    free(gate->changes);
    bench_counts_free(&gate->before);
    bench_counts_free(&gate->now);
    bench_counts_free(&gate->kept);
    *gate = (workload_gate){0};
}
