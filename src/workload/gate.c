// The counter gate. See gate.h.
#include "workload/gate.h"

#include <stdlib.h>
#include <string.h>

#include "workload/profile.h"

// What is exact. Kernels run on one host thread: where blocks race, as in a loop around atomicCAS, counts depend on the
// order of blocks, which then is always the same. Programs have no such setting, but the model of caches asks for it.
static const char OF_KERNELS[] = "counters", OF_PROGRAMS[] = "counters,caches";
enum { MOST_ELEMENTS = 1 << 15 }; // of a case that is chosen by rule: milliseconds

typedef struct counting {
    const workload *w;
    const kz_family *family; // NULL: of a program
    const workload_gate_options *options;
    workload_gate *gate;
    bench_counts all; // the file as it was
    char (*cases)[FAMILY_CASE_NAME];
    size_t case_count;
    const kz_plan *plan; // of the case at hand
    json_t *reached;     // while cases are chosen: the lines of source that are executed in each
} counting;

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
    if (g->w->kind == WORKLOAD_ZOO && !g->options->against)
        base_fail_note(
            error, "likely cause: this is not the folder of the sources; --against names a file elsewhere");
    base_fail_note(error, "--write counts now, and writes it");
    return KZ_NOT_FOUND;
}

// The file, if there is one; a variant is called there by the name it has now.
static kz_status read_file(counting *g, kz_error *error) {
    workload_gate *gate = g->gate;
    char *text = NULL;
    size_t size;
    gate->has_file = base_file_exists(gate->path);
    if (!gate->has_file) return g->options->write ? KZ_OK : fail_missing(g, error);
    kz_status status = base_file_read(gate->path, &text, &size, error);
    if (!status) status = bench_counts_parse(gate->path, text, &g->all, error);
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

// ---- cases --------------------------------------------------------------------------------------------------

static kz_status add_case(counting *g, const char *name, kz_error *error) {
    for (size_t i = 0; i < g->case_count; i++)
        if (strcmp(g->cases[i], name) == 0) return KZ_OK;
    void *grown = realloc(g->cases, (g->case_count + 1) * sizeof *g->cases);
    if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory for the cases");
    g->cases = grown;
    snprintf(g->cases[g->case_count++], FAMILY_CASE_NAME, "%s", name);
    return KZ_OK;
}

static kz_status add_listed(counting *g, const kz_case *c, kz_error *error) {
    char name[FAMILY_CASE_NAME];
    family_case_name(g->family, c, name);
    return add_case(g, name, error);
}

// Those of the file that are meant.
static kz_status cases_of_file(counting *g, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < g->all.count && !status; i++) {
        const char *name = g->all.rows[i].case_name;
        kz_case c;
        status = family_case_parse(g->family, name, &c, error);
        if (status)
            base_fail_note(error, "%s has counts of it", g->gate->path);
        else if (!g->options->pattern || family_case_matches(g->family, &c, g->options->pattern))
            status = add_case(g, name, error);
    }
    return status;
}

// ---- counting -----------------------------------------------------------------------------------------------

// The kernels of a record: each a row, or all of them those of one.
static kz_status add_record(bench_counts *counts, const report_record *record, const char *kernel,
                            const char *case_name, kz_error *error) {
    size_t at = 0;
    const json_t *line = report_record_next(record, "record", &at);
    snprintf(counts->gpu, sizeof counts->gpu, "%s", report_get_text(line, "gpu"));
    at = 0;
    while ((line = report_record_next(record, "kernel", &at))) {
        const json_t *metrics = report_get(line, "metrics");
        bench_counts_row *row =
            bench_counts_row_of(counts, kernel ? kernel : report_get_text(line, "name"), case_name);
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

// What becomes of the record of a kernel in a case.
typedef kz_status taking(counting *g, const report_record *record, const char *kernel, const char *case_name,
                         kz_error *error);

static kz_status take_counts(counting *g, const report_record *record, const char *kernel,
                             const char *case_name, kz_error *error) {
    kz_status status = add_record(&g->gate->now, record, kernel, case_name, error);
    bench_counts_row *row = status ? NULL : bench_counts_row_of(&g->gate->now, kernel, case_name);
    if (!row) return status ? status : base_fail(error, KZ_NO_MEMORY, "no memory for the counts");
    row->values[BENCH_COUNT_WORKSPACE_BYTES] = g->plan->workspace_bytes;
    for (uint32_t i = 0; i < g->plan->step_count; i++) {
        const kz_step *step = &g->plan->steps[i];
        if (step->kind == KZ_STEP_FILL) row->values[BENCH_COUNT_FILL_BYTES] += step->bytes;
        if (step->kind == KZ_STEP_COPY) row->values[BENCH_COUNT_COPY_BYTES] += step->bytes;
    }
    return KZ_OK;
}

// A variant or guest that does not do a case has no record.
static kz_status run_case(counting *g, family_check_job *job, const char *kernel, const char *name,
                          taking *take, kz_error *error) {
    const workload_profile_options options = {.instruments = OF_KERNELS};
    workload_profile run = {.failure = 0};
    kz_case c;
    kz_plan plan;
    kz_status status = family_case_parse(g->family, name, &c, error);
    job->c = &c;
    g->plan = &plan;
    if (!status) status = family_make_plan(job, &plan, error);
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

// All cases on one device, of a module that is loaded once.
static kz_status run_kernel(counting *g, const kz_variant *variant, const char *kernel, taking *take,
                            kz_error *error) {
    family_check_job job = {
        .family = g->family, .variant = variant, .guest = g->w->guest, .seed = FAMILY_SEED};
    kz_image image;
    kz_status status = workload_open_simulator(gpu_of(g), &job.device, error);
    if (status) return status;
    status = kz_device_set_threads(job.device, 1, error);
    if (!status && (!variant || kz_variant_fits(variant, kz_device_get_info(job.device)))) {
        status = workload_load(g->family, variant, g->w->guest, job.device, &image, &job.module, error);
        if (!status) take_compiler(&image, &g->gate->now);
        for (size_t i = 0; i < g->case_count && !status && !stops(g); i++)
            status = run_case(g, &job, kernel, g->cases[i], take, error);
    }
    if (job.module) kz_module_close(job.module);
    kz_device_close(job.device);
    return status;
}

// The guest, or all variants that are asked for.
static kz_status run_kernels(counting *g, taking *take, kz_error *error) {
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

static kz_status count_program(counting *g, kz_error *error) {
    workload_profile_options options = {.settings = g->options->settings, .instruments = OF_PROGRAMS};
    workload_profile run;
    options.settings.gpu = gpu_of(g);
    kz_status status = workload_profile_run(g->w, &options, &run, error);
    if (!status && run.failure) {
        status = base_fail(error, KZ_FAULT, "%s ended with %d, so its counts are of no use", g->gate->subject,
                           run.failure);
        base_fail_note(error, "kz run %s shows what it says", g->gate->subject);
    }
    if (!status) status = add_record(&g->gate->now, &run.record, NULL, "", error);
    if (!status) take_builder(g->w, &g->gate->now);
    workload_profile_close(&run);
    return status;
}

// ---- cases by rule ------------------------------------------------------------------------------------------

// The source lines that a kernel executes in a case.
static kz_status take_lines(counting *g, const report_record *record, const char *kernel,
                            const char *case_name, kz_error *error) {
    size_t at = 0, i;
    json_t *lines = json_object_get(g->reached, case_name), *one;
    if (!lines) json_object_set_new(g->reached, case_name, lines = json_object());
    for (const json_t *line; (line = report_record_next(record, "kernel", &at));)
        json_array_foreach(report_get(line, "lines"), i, one) {
            char key[600];
            if (!json_integer_value(json_object_get(report_get(one, "metrics"), "ptx__inst_executed.sum")))
                continue;
            snprintf(key, sizeof key, "%s %s:%d", kernel, report_get_text(one, "file"),
                     (int)report_get_count(one, "line"));
            json_object_set_new(lines, key, json_true());
        }
    return KZ_OK;
}

// A case that brings an operation, a type or a misalignment that none before it had.
static bool brings_more(const kz_case *c, const kz_case *const *taken, size_t count) {
    bool operation = true, type = true, misalign = c->misalign != 0;
    for (size_t i = 0; i < count; i++) {
        operation = operation && taken[i]->operation != c->operation;
        type = type && taken[i]->type != c->type;
        misalign = misalign && !taken[i]->misalign;
    }
    return operation || type || misalign;
}

static bool is_candidate(const counting *g, const kz_case *c) {
    return c->use & KZ_USE_CHECK && family_case_elements(g->family, c) <= MOST_ELEMENTS &&
           (!g->w->guest || family_guest_entry(g->w->guest, c));
}

// The largest of the candidates first: each operation, each type, and one that is misaligned.
static kz_status cover_names(counting *g, kz_error *error) {
    const kz_family *f = g->family;
    const kz_case **taken = calloc(f->case_count + 1, sizeof *taken);
    size_t count = 0;
    kz_status status = taken ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for the cases");
    while (!status) {
        const kz_case *best = NULL;
        for (size_t i = 0; i < f->case_count; i++) {
            const kz_case *c = &f->cases[i];
            if (!is_candidate(g, c) || !brings_more(c, taken, count)) continue;
            if (!best || family_case_elements(f, c) > family_case_elements(f, best)) best = c;
        }
        if (!best) break;
        taken[count++] = best;
        status = add_listed(g, best, error);
    }
    free(taken);
    return status;
}

// Then, one after the other, the case that reaches most of the lines that none reached before it.
static kz_status cover_lines(counting *g, kz_error *error) {
    json_t *covered = json_object(), *lines, *value;
    const char *name, *key, *best = "";
    kz_status status = KZ_OK;
    for (size_t i = 0; i < g->case_count; i++)
        json_object_update(covered, json_object_get(g->reached, g->cases[i]));
    while (best && !status) {
        size_t most = 0;
        best = NULL;
        json_object_foreach(g->reached, name, lines) {
            size_t more = 0;
            json_object_foreach(lines, key, value) more += !json_object_get(covered, key);
            if (more <= most) continue;
            most = more;
            best = name;
        }
        if (!best) break;
        status = json_object_update(covered, json_object_get(g->reached, best))
                     ? base_fail(error, KZ_NO_MEMORY, "no memory for the lines of kernels")
                     : add_case(g, best, error);
    }
    json_decref(covered);
    return status;
}

// Of the quick edge cases as few as reach every line of source that any of them reaches.
static kz_status cases_by_rule(counting *g, kz_error *error) {
    kz_status status = KZ_OK;
    g->reached = json_object();
    for (size_t i = 0; i < g->family->case_count && !status; i++)
        if (is_candidate(g, &g->family->cases[i])) status = add_listed(g, &g->family->cases[i], error);
    if (!status) status = run_kernels(g, take_lines, error);
    g->case_count = 0;
    if (!status) status = cover_names(g, error);
    if (!status) status = cover_lines(g, error);
    json_decref(g->reached);
    return status;
}

static kz_status choose_cases(counting *g, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status = cases_of_file(g, error);
    if (status || g->case_count) return status;
    if (!g->options->pattern) return cases_by_rule(g, error);
    status = workload_find_cases(g->family, g->options->pattern, KZ_USE_CHECK, &cases, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status; i++) status = add_listed(g, &cases[i], error);
    free(cases);
    return status;
}

static kz_status count_all(counting *g, kz_error *error) {
    kz_status status =
        g->w->kind == WORKLOAD_PROGRAM ? count_program(g, error) : run_kernels(g, take_counts, error);
    if (!status && stops(g))
        return base_fail(error, KZ_BUSY, "stopped: nothing was compared, nothing was written");
    if (status || g->gate->now.count) return status;
    base_fail(error, KZ_NOT_FOUND, "%s launched no kernel that could be counted", g->gate->subject);
    return KZ_NOT_FOUND;
}

// ---- comparing and writing ----------------------------------------------------------------------------------

static kz_status compare(counting *g, kz_error *error) {
    workload_gate *gate = g->gate;
    const bench_counts *now = &gate->now;
    if (gate->has_file && !g->options->write && strcmp(g->all.gpu, now->gpu) != 0) {
        base_fail(error, KZ_INVALID, "%s has counts of %s, and %s was simulated", gate->path, g->all.gpu,
                  now->gpu);
        base_fail_note(error,
                       "leave --gpu out, or keep counts of %s in a file of their own: --against FILE --write",
                       now->gpu);
        return KZ_INVALID;
    }
    gate->other_compiler = gate->has_file && strcmp(g->all.compiler, now->compiler) != 0;
    if (gate->other_compiler) return KZ_OK;
    gate->changes = bench_counts_compare(&gate->before, now, &gate->change_count);
    if (!gate->changes) return base_fail(error, KZ_NO_MEMORY, "no memory for the comparison");
    for (size_t i = 0; i < gate->change_count; i++) gate->verdicts[gate->changes[i].verdict]++;
    return KZ_OK;
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
    base_text_add(&command, "kz gate --counters%s%s --write", g->w->kind == WORKLOAD_ZOO ? " " : "",
                  g->w->kind == WORKLOAD_ZOO ? g->family->name : "");
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
    if (!status && w->kind != WORKLOAD_PROGRAM) status = choose_cases(&g, error);
    if (!status) status = split_file(&g, error);
    if (!status) status = count_all(&g, error);
    if (!status) status = compare(&g, error);
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
