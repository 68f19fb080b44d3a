// Grading a kernel: compiled to PTX here, run by a child (judge.c), judged here.
//
// Every case runs on the public seed and on a fresh one, small ones under more schedules, all with the
// sanitizer's instruments listening; gates have runs of their own, with counters. All runs are of one module in
// one process, so that what a kernel remembers shows. On a GPU a second child runs the cases there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "family/lines.h"
#include "gate.h"
#include "gates.h"
#include "grade_kernel.h"
#include "judge.h"
#include "ptx/ptx.h"
#include "report/findings.h"
#include "toolchain/toolchain.h"

enum { SMALL_ELEMENTS = 3000, MORE_SCHEDULES = 2, GRACE_SECONDS = 15, GATE_CASES = 16 };

static void say(const course_kernel_grading *g, const char *what) {
    if (g->job->progress) g->job->progress(what, g->job->progress_context);
}

// ---- compiling ------------------------------------------------------------------------------------------

kz_status course_kernel_compile(const course_task *task, const char *file, toolchain *tools, char **ptx,
                                bool *refused, kz_error *error) {
    char arch[TOOLCHAIN_ARCH];
    size_t size = 0;
    *refused = false;
    kz_status status = toolchain_find(tools, error);
    if (status) return status;
    kz_error said = {0};
    status = toolchain_source_arch(file, arch, &said);
    if (!status) status = toolchain_compile_ptx(tools, file, arch, NULL, ptx, &size, &said);
    if (status && error) *error = said;
    *refused = status == KZ_TOOL || status == KZ_INVALID;
    return status;
}

static uint64_t parameter_bytes(const course_parameter *p) {
    if (p->role != COURSE_SCALAR) return 8;
    return p->scalar == COURSE_SIZE || p->scalar == COURSE_LONG || p->scalar == COURSE_DOUBLE ? 8 : 4;
}

static void add_expected(base_text *out, const course_task *task) {
    base_text_add(out, "the grader calls: extern \"C\" __global__ void %s", task->signature);
}

// There must be an entry of the task's name that takes the task's parameters.
static bool check_signature(course_kernel_grading *g, course_verdict *verdict) {
    const course_task *task = g->job->task;
    const ptx_function *f = ptx_find_function(g->module, task->function);
    base_text summary = {0}, detail = {0};
    if (!f || !f->is_entry || !f->has_body) {
        base_text_add(&summary, "there is no kernel called %s in the file", task->function);
        bool mangled = false, any = false;
        for (uint32_t i = 0; i < g->module->function_count; i++) {
            const ptx_function *other = g->module->functions[i];
            if (!other->is_entry) continue;
            base_text_add(&detail, "%s%s", any ? ", " : "kernels in it: ", other->name);
            any = true;
            mangled = mangled || (strncmp(other->name, "_Z", 2) == 0 && strstr(other->name, task->function));
        }
        base_text_add(&detail, "%s\n", any ? "" : "there is no kernel in it at all");
        if (mangled)
            base_text_add(&detail, "likely: extern \"C\" is missing, so that C++ gave it another name\n");
        add_expected(&detail, task);
    } else if (f->param_count != task->parameter_count) {
        base_text_add(&summary, "%s takes %u parameters instead of %zu", task->function, f->param_count,
                      task->parameter_count);
        add_expected(&detail, task);
    } else
        for (size_t i = 0; i < task->parameter_count && !summary.length; i++) {
            uint64_t bytes = f->params[i]->size, wanted = parameter_bytes(&task->parameters[i]);
            if (bytes == wanted) continue;
            base_text_add(&summary, "parameter %zu of %s, %s, has %llu bytes instead of %llu", i + 1,
                          task->function, task->parameters[i].name, (unsigned long long)bytes,
                          (unsigned long long)wanted);
            add_expected(&detail, task);
        }
    bool fits = summary.length == 0;
    if (!fits)
        course_verdict_add(verdict, "signature", COURSE_BAD, COURSE_SIGNATURE, "", summary.data, detail.data);
    base_text_free(&summary);
    base_text_free(&detail);
    return fits;
}

// ---- launches -------------------------------------------------------------------------------------------

static kz_status evaluate_dim(const course_task *task, const course_case *c, const char *expression,
                              double block, double least, uint32_t *value, kz_error *error) {
    double number = 0;
    kz_status status = course_evaluate(task, c, expression, block, &number, error);
    if (status) return status;
    number = fmax(floor(number), least);
    if (!(number <= INT32_MAX))
        return base_fail(error, KZ_INVALID, "task %s: [launch] \"%s\" is past 2^31 - 1", task->id,
                         expression);
    *value = (uint32_t)number;
    return KZ_OK;
}

kz_status course_kernel_launch(const course_task *task, const course_case *c, const family_lines *lines,
                               kz_launch *launch, bool *own_is_wrong, kz_error *error) {
    *launch = (kz_launch){.grid = {1, 1, 1}, .block = {256, 1, 1}};
    *own_is_wrong = false;
    const course_launch *l = &task->launch;
    kz_status status = KZ_OK;
    bool has_grid = l->given && l->grid[0];
    for (int i = 0; i < 3 && l->given && l->block[0] && !status; i++)
        status = evaluate_dim(task, c, l->block[i] ? l->block[i] : "1", 0, 1, &launch->block[i], error);
    if (!status && (l->own || !l->given)) { // the learner's block may decide the task's grid
        family_name_value names[COURSE_AXES + 2] = {0};
        size_t n = 0;
        for (; n < task->axis_count; n++) names[n] = (family_name_value){task->axes[n], (double)c->axes[n]};
        names[n] = (family_name_value){"sms", 132};
        status = family_lines_shape(lines, task->function, names, launch, &has_grid, error);
        *own_is_wrong = status != KZ_OK;
        if (!status && has_grid) return KZ_OK;
    }
    double block = (double)launch->block[0] * launch->block[1] * launch->block[2];
    for (int i = 0; i < 3 && l->given && l->grid[0] && !status; i++)
        status = evaluate_dim(task, c, l->grid[i] ? l->grid[i] : "1", block, 1, &launch->grid[i], error);
    bool own_shared = l->own && family_lines_find(lines, FAMILY_LINE_SHARED, task->function);
    if (l->given && l->shared && !own_shared && !status)
        status = evaluate_dim(task, c, l->shared, block, 0, &launch->dynamic_shared_bytes, error);
    if (l->cooperative) launch->cooperative = true;
    if (!status && !has_grid && !(l->given && l->grid[0])) {
        base_fail(error, KZ_INVALID, "nothing says how many blocks to launch");
        base_fail_note(error,
                       "add lines to your file, for example:\n// kz: block 256\n// kz: grid ceil(%s/256)",
                       task->axis_count ? task->axes[0] : "1");
        *own_is_wrong = true;
        status = KZ_INVALID;
    }
    return status;
}

// The byte that a buffer is filled with: the learner's line before the task's.
static kz_status find_fills(course_kernel_grading *g, int fills[COURSE_PARAMETERS], kz_error *error) {
    const course_task *task = g->job->task;
    for (size_t i = 0; i < task->parameter_count; i++) fills[i] = task->parameters[i].fill;
    bool found = task->launch.own || !task->launch.given;
    for (size_t at = 0; found;) {
        family_fill fill;
        kz_status status = family_lines_fill(&g->lines, task->function, &at, &fill, &found, error);
        if (status) return status;
        if (!found) break;
        size_t i = 0;
        while (i < task->parameter_count && strcmp(task->parameters[i].name, fill.buffer)) i++;
        if (i == task->parameter_count || task->parameters[i].role != COURSE_OUTPUT)
            return family_lines_fail(&g->lines, fill.line, "this is no output:", fill.buffer, error);
        fills[i] = fill.byte;
    }
    return KZ_OK;
}

// ---- the runs -------------------------------------------------------------------------------------------

// The sanitizer's instruments but for those that the task leaves out.
static void choose_instruments(const course_task *task, char words[64]) {
    static const char *const all[] = {"races", "sync", "undefined"};
    words[0] = 0;
    for (size_t i = 0; i < BASE_COUNT(all); i++) {
        bool skipped = false;
        for (size_t k = 0; task->sanitize_skip && task->sanitize_skip[k]; k++) {
            const char *word = task->sanitize_skip[k];
            skipped = skipped || strcmp(word, all[i]) == 0 || (strcmp(word, "race") == 0 && i == 0);
        }
        if (!skipped)
            snprintf(words + strlen(words), 64 - strlen(words), "%s%s", words[0] ? "," : "", all[i]);
    }
}

// The buffers, arguments and shape of a run on this data.
void course_kernel_fill_run(const course_kernel_grading *g, const course_data *d, const kz_launch *launch,
                            course_judge_run *run) {
    run->launch = *launch;
    run->misalign = d->c->misalign;
    run->buffer_count = run->argument_count = 0;
    for (size_t i = 0; i < g->job->task->parameter_count; i++) {
        const course_parameter *p = &g->job->task->parameters[i];
        course_judge_argument *a = &run->arguments[run->argument_count++];
        *a = (course_judge_argument){.is_buffer = p->role != COURSE_SCALAR, .bits = d->scalars[i]};
        if (p->role == COURSE_SCALAR) continue;
        a->buffer = run->buffer_count;
        run->buffers[run->buffer_count++] = (course_judge_buffer){.name = p->name,
                                                                  .type = p->type,
                                                                  .role = p->role,
                                                                  .fill = g->fills[i],
                                                                  .count = d->counts[i],
                                                                  .bytes = d->bytes[i],
                                                                  .data = d->host[i]};
    }
}

static kz_status add_run(course_kernel_grading *g, size_t data, const char *observe, uint64_t schedule,
                         bool is_gate, kz_error *error) {
    if (g->job_count == COURSE_KERNEL_RUNS)
        return base_fail(error, KZ_LIMIT, "task %s has too many cases: at most %d runs fit", g->job->task->id,
                         COURSE_KERNEL_RUNS);
    const course_data *d = &g->data[data];
    course_kernel_run *own = &g->own[g->job_count];
    course_judge_run *run = &g->runs[g->job_count++];
    char name[200];
    course_case_name(g->job->task, d->c, name, sizeof name);
    *own = (course_kernel_run){.data = data, .schedule = schedule, .is_gate = is_gate};
    snprintf(own->name, sizeof own->name, "%s, seed %llu", name, (unsigned long long)d->seed);
    *run = (course_judge_run){.name = own->name,
                              .observe = observe,
                              .schedule = schedule,
                              .misalign = d->c->misalign,
                              .want_outputs = !is_gate,
                              .launch = g->launches[data]};
    course_kernel_fill_run(g, d, &g->launches[data], run);
    return KZ_OK;
}

static kz_status add_data(course_kernel_grading *g, const course_case *c, uint64_t seed, size_t *index,
                          kz_error *error) {
    if (g->data_count == COURSE_KERNEL_RUNS)
        return base_fail(error, KZ_LIMIT, "task %s has too many cases", g->job->task->id);
    *index = g->data_count;
    kz_status status = course_kernel_launch(g->job->task, c, &g->lines, &g->launches[*index],
                                            &g->own_launch_is_wrong, error);
    if (!status) status = course_data_open(g->job->task, g->reference, c, seed, &g->data[*index], error);
    if (status) return status;
    const uint32_t *block = g->launches[*index].block;
    g->data[*index].block = block[0] * block[1] * block[2];
    g->data_count++;
    return KZ_OK;
}

static uint64_t elements_of(const course_data *data) {
    uint64_t sum = 0;
    for (size_t i = 0; i < data->task->parameter_count; i++) sum += data->counts[i];
    return sum;
}

static kz_status plan_cases(course_kernel_grading *g, kz_error *error) {
    const course_task *task = g->job->task;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && !status; i++) {
        size_t open = 0, fresh = 0;
        status = add_data(g, &task->cases[i], g->public_seed, &open, error);
        if (!status) status = add_data(g, &task->cases[i], g->job->fresh_seed, &fresh, error);
        if (!status) status = add_run(g, open, g->instruments, 0, false, error);
        if (!status) status = add_run(g, fresh, g->instruments, 1, false, error);
        for (uint64_t k = 0; k < MORE_SCHEDULES && !status; k++)
            if (elements_of(&g->data[open]) <= SMALL_ELEMENTS)
                status = add_run(g, open, g->instruments, 2 + k, false, error);
    }
    return status;
}

static kz_status plan_gates(course_kernel_grading *g, kz_error *error) {
    const course_task *task = g->job->task;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->gate_count && !status; i++) {
        size_t k = 0, data = 0;
        while (k < i && !course_gate_same_case(task, &task->gates[k].at, &task->gates[i].at)) k++;
        if (k < i) {
            g->gate_runs[i] = g->gate_runs[k];
            continue;
        }
        status = add_data(g, &task->gates[i].at, g->public_seed, &data, error);
        g->gate_runs[i] = g->job_count;
        if (!status) status = add_run(g, data, "counters,caches", 0, true, error);
    }
    return status;
}

// ---- the child ------------------------------------------------------------------------------------------

kz_status course_kernel_run_child(const course_kernel_grading *g, const course_judge_job *job, double seconds,
                                  course_judge_answer *answer, course_process_result *ended,
                                  kz_error *error) {
    base_text input = {0};
    course_judge_job_write(job, &input);
    const char *argv[] = {g->job->kz, "judge", NULL};
    const course_process process = {.argv = argv,
                                    .input = input.data,
                                    .input_bytes = input.length,
                                    .seconds = seconds + GRACE_SECONDS,
                                    .output_bytes = 20000,
                                    .answer_pipe = true};
    kz_status status = input.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for the job")
                                    : course_run_process(&process, ended, error);
    base_text_free(&input);
    if (!status) status = course_judge_answer_read(ended->answer.data, ended->answer.length, answer, error);
    return status;
}

// What is not the submission's fault ends the grading.
static bool is_graders(kz_status status) {
    return status == KZ_NO_DEVICE || status == KZ_DRIVER || status == KZ_BUSY || status == KZ_LOST ||
           status == KZ_INTERNAL || status == KZ_IO || status == KZ_NO_MEMORY;
}

// ---- rows -----------------------------------------------------------------------------------------------

static course_check *add_row(const course_kernel_grading *g, course_verdict *verdict, const char *name,
                             course_outcome outcome, course_reason reason, const char *reason_detail,
                             const base_text *summary, const char *detail) {
    char row[64];
    snprintf(row, sizeof row, "%s%s", name, g->place);
    return course_verdict_add(verdict, row, outcome, reason, reason_detail,
                              summary->data ? summary->data : "", detail);
}

static void add_indented(base_text *out, const char *text) {
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        base_text_add(out, "%s%.*s", out->length ? "\n" : "", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

// The findings as `kz sanitize` prints them, cut where they are many.
static void print_findings(const report_findings *findings, const char *file, base_text *out) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return;
    report_style style = {.width = 100};
    report_prof_sources *sources = report_prof_sources_open(NULL, 0);
    report_findings_print(stream, &style, findings, sources);
    report_prof_sources_close(sources);
    fclose(stream);
    enum { MOST = 6000 };
    while (size && text[size - 1] == '\n') text[--size] = 0;
    if (size > MOST) {
        size = MOST;
        while (size && text[size] != '\n') size--;
        text[size] = 0;
    }
    add_indented(out, text);
    if (size >= MOST - 200) base_text_add(out, "\n... and more; kz sanitize shows all");
    free(text);
}

static bool open_findings(const course_task *task, report_findings *findings) {
    if (!report_findings_open(findings)) return false;
    // Those that sanitizers of the skipped kind would find; words that name an instrument are no kinds.
    for (size_t k = 0; task->sanitize_skip && task->sanitize_skip[k]; k++)
        if (strcmp(task->sanitize_skip[k], "races") && strcmp(task->sanitize_skip[k], "sync"))
            report_findings_choose(findings, NULL, task->sanitize_skip[k], NULL);
    return true;
}

static void drop_lesser(report_findings *findings) {
    for (size_t i = json_array_size(findings->items); i-- > 0;)
        if (strcmp(report_get_text(json_array_get(findings->items, i), "severity"), "error") != 0)
            json_array_remove(findings->items, i);
}

static bool is_same_place(const json_t *a, const json_t *b, const char *which) {
    const json_t *one = report_get(a, which), *other = report_get(b, which);
    if (!one || !other) return !one && !other;
    return strcmp(report_get_text(one, "file"), report_get_text(other, "file")) == 0 &&
           report_get_count(one, "line") == report_get_count(other, "line");
}

// The same mistake on the same lines shows in nearly every run: once is enough for whoever has to mend it.
static void drop_repeats(report_findings *findings) {
    for (size_t i = json_array_size(findings->items); i-- > 1;) {
        const json_t *later = json_array_get(findings->items, i);
        for (size_t k = 0; k < i; k++) {
            const json_t *first = json_array_get(findings->items, k);
            if (strcmp(report_get_text(first, "kind"), report_get_text(later, "kind")) == 0 &&
                is_same_place(first, later, "first") && is_same_place(first, later, "second")) {
                json_array_remove(findings->items, i);
                break;
            }
        }
    }
}

static bool add_record(report_findings *findings, const course_judge_result *result, const char *name) {
    report_record record = {0};
    if (!result->record_length) return false;
    if (report_record_parse(name, result->record, result->record_length, &record, NULL)) return false;
    report_findings_add(findings, &record, name, 0);
    report_record_free(&record);
    return true;
}

// A run that did not end well: a fault, a launch that was refused, a time limit, a guard band.
static void add_failed_run(course_kernel_grading *g, size_t i, const course_judge_result *result,
                           course_verdict *verdict) {
    base_text summary = {0}, detail = {0};
    report_findings findings;
    bool opened = report_findings_open(&findings);
    const char *kind = "";
    const course_kernel_run *own = &g->own[i];
    if (opened && add_record(&findings, result, own->name)) {
        drop_lesser(&findings);
        kind = report_get_text(json_array_get(findings.items, 0), "kind");
    }
    bool is_fault = result->status == KZ_FAULT || result->status == KZ_DEADLOCK;
    if (result->status == KZ_TIMEOUT) {
        base_text_add(&summary, "%s: it did not end within %g s and was stopped", own->name,
                      g->job->task->limit_seconds);
        add_indented(&detail, result->message);
        base_text_add(&detail,
                      "\nlikely: a loop whose condition never changes, a step of 0, or waiting for what "
                      "no thread does\nnext: look at the line above, and at what should end its loop");
    } else if (is_fault) {
        base_text_add(&summary, "%s: the kernel was stopped", own->name);
        if (opened && json_array_size(findings.items))
            print_findings(&findings, g->job->file, &detail);
        else
            add_indented(&detail, result->message);
    } else if (result->status == KZ_WRONG) {
        base_text_add(&summary, "%s: %s", own->name, result->message);
        base_text_add(&detail,
                      "likely: more threads than elements\nnext: compare the index with the size first, "
                      "if (i < n)");
        kind = "out-of-bounds";
    } else {
        base_text_add(&summary, "%s: the kernel cannot be launched", own->name);
        add_indented(&detail, result->message);
        kind = "launch";
    }
    add_row(g, verdict, "results", COURSE_BAD, result->status == KZ_TIMEOUT ? COURSE_TIMEOUT : COURSE_FAULT,
            kind, &summary, detail.data ? detail.data : "");
    if (opened) report_findings_close(&findings);
    base_text_free(&summary);
    base_text_free(&detail);
}

// The child ended without a word about its run.
static void add_lost_child(course_kernel_grading *g, size_t done, const course_process_result *ended,
                           course_verdict *verdict) {
    base_text summary = {0};
    const char *name = done < g->job_count ? g->own[done].name : "the end";
    if (ended->timed_out)
        base_text_add(&summary, "%s: it did not end within %g s and was stopped", name,
                      g->job->task->limit_seconds);
    else
        base_text_add(&summary, "%s: the process that ran it ended with %s %d", name,
                      ended->signal ? "signal" : "exit status",
                      ended->signal ? ended->signal : ended->exit_code);
    add_row(g, verdict, "results", COURSE_BAD, ended->timed_out ? COURSE_TIMEOUT : COURSE_FAULT, "", &summary,
            ended->output.data ? ended->output.data : "");
    base_text_free(&summary);
}

// Copies what came back into the data, which owns its `got`.
kz_status course_kernel_take(course_data *d, const course_judge_result *result, kz_error *error) {
    size_t buffer = 0;
    for (size_t p = 0; p < d->task->parameter_count; p++) {
        if (d->task->parameters[p].role == COURSE_SCALAR) continue;
        free(d->got[p]);
        d->got[p] = NULL;
        if (!result->got[buffer] || result->bytes[buffer] != d->bytes[p])
            return base_fail(error, KZ_INTERNAL, "the judge sent no buffer %s", d->task->parameters[p].name);
        d->got[p] = malloc(d->bytes[p] + 1);
        if (!d->got[p]) return base_fail(error, KZ_NO_MEMORY, "no memory for a result");
        memcpy(d->got[p], result->got[buffer], d->bytes[p]);
        buffer++;
    }
    return KZ_OK;
}

typedef struct tally {
    size_t runs, wrong, changed;
    size_t first, first_changed; // runs
    kz_error words, input_words;
    base_text also; // other cases that are wrong
    bool varies;    // one case's data is right under one schedule and wrong under another
    size_t others;
    double worst; // greatest error over bound of all that is right
} tally;

static kz_status judge_run_i(course_kernel_grading *g, size_t i, const course_judge_result *result, tally *t,
                             kz_error *error) {
    course_data *d = &g->data[g->own[i].data];
    kz_status status = course_kernel_take(d, result, error);
    if (status) return status;
    family_comparison comparison;
    kz_error words = {0};
    bool changed = false;
    d->before =
        g->own[i].data > 0 && g->data[g->own[i].data - 1].c == d->c ? &g->data[g->own[i].data - 1] : NULL;
    status = course_data_judge(d, g->reference, &changed, &comparison, &words);
    t->runs++;
    g->own[i].is_wrong = status == KZ_WRONG;
    for (size_t k = 0; k < i; k++)
        if (!g->own[k].is_gate && g->own[k].data == g->own[i].data &&
            g->own[k].is_wrong != g->own[i].is_wrong)
            t->varies = true;
    if (status == KZ_WRONG && changed) {
        if (t->changed++ == 0) t->first_changed = i, t->input_words = words;
    } else if (status == KZ_WRONG) {
        if (t->wrong++ == 0)
            t->first = i, t->words = words;
        else if (d->c != g->data[g->own[t->first].data].c && g->own[i].schedule == 0 && t->others++ < 8) {
            char name[200];
            course_case_name(g->job->task, d->c, name, sizeof name);
            base_text_add(&t->also, "%s%s", t->also.length ? "; " : "", name);
        }
    } else if (status) {
        if (error) *error = words;
        return status;
    } else if (isfinite(comparison.worst_ratio) && comparison.worst_ratio > t->worst)
        t->worst = comparison.worst_ratio;
    return KZ_OK;
}

static void add_result_rows(course_kernel_grading *g, tally *t, course_verdict *verdict) {
    base_text summary = {0}, detail = {0};
    if (t->wrong) {
        size_t line = strcspn(t->words.message, "\n");
        base_text_add(&summary, "%s: %.*s", g->own[t->first].name, (int)line, t->words.message);
        add_indented(&detail, t->words.message + line + (t->words.message[line] == '\n'));
        if (t->varies)
            base_text_add(&detail, "%sthe same data comes out right under another order of the warps: a race",
                          detail.length ? "\n" : "");
        if (t->also.length)
            base_text_add(&detail, "\nalso wrong: %s%s", t->also.data, t->others > 8 ? "; and more" : "");
        base_text_add(&detail, "\n%zu of %zu runs are wrong", t->wrong, t->runs);
        add_row(g, verdict, "results", COURSE_BAD, COURSE_WRONG, "", &summary, detail.data);
    } else {
        base_text_add(&summary, "%zu case%s, 2 seeds, %zu runs", g->job->task->case_count,
                      g->job->task->case_count == 1 ? "" : "s", t->runs);
        if (t->worst > 0) base_text_add(&summary, "; the error is at most %.2g of what is allowed", t->worst);
        add_row(g, verdict, "results", COURSE_RIGHT, COURSE_PASSED, NULL, &summary, "");
    }
    base_text_free(&summary);
    base_text_free(&detail);
    if (t->changed) {
        size_t line = strcspn(t->input_words.message, "\n");
        base_text_add(&summary, "%s: %.*s", g->own[t->first_changed].name, (int)line, t->input_words.message);
        add_row(g, verdict, "inputs", COURSE_BAD, COURSE_INPUT_CHANGED, "", &summary,
                t->input_words.message + line + (t->input_words.message[line] == '\n'));
        base_text_free(&summary);
    } else {
        base_text_add(&summary, "unchanged, and nothing was written beside the buffers");
        add_row(g, verdict, "inputs", COURSE_RIGHT, COURSE_PASSED, NULL, &summary, "");
        base_text_free(&summary);
    }
}

static void add_sanitizer_row(course_kernel_grading *g, const course_judge_answer *answer,
                              course_verdict *verdict) {
    report_findings findings;
    if (!g->instruments[0] || !open_findings(g->job->task, &findings)) return;
    for (size_t i = 0; i < answer->count; i++)
        if (!g->own[i].is_gate) add_record(&findings, &answer->results[i], g->own[i].name);
    drop_lesser(&findings);
    drop_repeats(&findings);
    base_text summary = {0}, detail = {0};
    size_t count = json_array_size(findings.items);
    if (count) {
        const json_t *first = json_array_get(findings.items, 0);
        report_finding_title(first, &summary);
        if (count > 1) base_text_add(&summary, ", and %zu more", count - 1);
        print_findings(&findings, g->job->file, &detail);
        course_verdict_add(verdict, "sanitizer", COURSE_BAD, COURSE_FINDING, report_get_text(first, "kind"),
                           summary.data, detail.data ? detail.data : "");
    } else {
        base_text_add(&summary, "nothing found by: %s", g->instruments);
        course_verdict_add(verdict, "sanitizer", COURSE_RIGHT, COURSE_PASSED, NULL, summary.data, "");
    }
    base_text_free(&summary);
    base_text_free(&detail);
    report_findings_close(&findings);
}

static uint32_t find_registers(const course_kernel_grading *g, const char *gpu_record) {
    toolchain_resources *resources = NULL;
    size_t count = 0, size = 0;
    void *cubin = NULL;
    uint32_t registers = 0;
    char arch[TOOLCHAIN_ARCH];
    unsigned sm = 90;
    const char *at = gpu_record ? strstr(gpu_record, "\"sm\":") : NULL;
    if (at) sm = (unsigned)strtoul(at + 5, NULL, 10);
    snprintf(arch, sizeof arch, "%u", sm % 1000);
    if (toolchain_assemble(&g->tools, g->job->file, g->ptx, strlen(g->ptx), arch, &cubin, &size, &resources,
                           &count, NULL) == KZ_OK)
        for (size_t i = 0; i < count; i++)
            if (strcmp(resources[i].entry, g->job->task->function) == 0)
                registers = (uint32_t)resources[i].registers;
    free(cubin);
    free(resources);
    return registers;
}

static kz_status add_gate_row(const course_gate *gate, const course_metric_value *value,
                              course_verdict *verdict, kz_error *error) {
    if (!value->known) {
        course_gate_skip(verdict, gate, "it could not be counted here", "");
        return KZ_OK;
    }
    base_text counted = {0};
    base_text_add(&counted, "by the simulator");
    if (value->line) {
        const char *slash = strrchr(value->file, '/');
        base_text_add(&counted, "; most of it at %s:%u (%.0f%%)", slash ? slash + 1 : value->file,
                      value->line, 100 * value->share);
    }
    kz_status status = course_gate_add(verdict, gate, value->value, counted.data, error);
    base_text_free(&counted);
    const course_metric *metric = course_find_metric(gate->metric);
    if (!verdict->figure_name && metric) {
        verdict->figure_name = metric->name;
        verdict->figure = value->value;
        verdict->figure_larger_is_better = metric->larger_is_better;
    }
    return status;
}

static kz_status add_gate_rows(course_kernel_grading *g, const course_judge_answer *answer,
                               course_verdict *verdict, kz_error *error) {
    const course_task *task = g->job->task;
    uint32_t registers = 0;
    for (size_t i = 0; i < task->gate_count; i++) {
        const course_gate *gate = &task->gates[i];
        report_record record = {0};
        course_metric_value value = {0};
        if (g->gate_runs[i] >= answer->count) continue;
        const course_judge_result *result = &answer->results[g->gate_runs[i]];
        bool needs = strcmp(gate->metric, "registers") == 0 || strcmp(gate->metric, "occupancy") == 0;
        if (needs && !registers) registers = find_registers(g, result->record);
        kz_status status = report_record_parse("gate", result->record, result->record_length, &record, error);
        if (!status && !course_metric_of_record(&record, gate->metric, registers, &value))
            status = base_fail(error, KZ_INVALID, "task %s: the metric %s is not one of kernels", task->id,
                               gate->metric);
        report_record_free(&record);
        if (!status) status = add_gate_row(gate, &value, verdict, error);
        if (status) return status;
    }
    return KZ_OK;
}

// ---- all of it ------------------------------------------------------------------------------------------

static kz_status judge_all(course_kernel_grading *g, const course_judge_answer *answer,
                           const course_process_result *ended, course_verdict *verdict, kz_error *error) {
    if (answer->complete && is_graders(answer->status))
        return base_fail(error, answer->status, "%s", answer->message);
    tally t = {0};
    kz_status status = KZ_OK;
    size_t failed = SIZE_MAX;
    for (size_t i = 0; i < answer->count && !status; i++) {
        const course_judge_result *result = &answer->results[i];
        if (is_graders(result->status)) return base_fail(error, result->status, "%s", result->message);
        if (result->status)
            failed = i;
        else if (!g->own[i].is_gate)
            status = judge_run_i(g, i, result, &t, error);
    }
    if (status) goto done;
    if (failed != SIZE_MAX)
        add_failed_run(g, failed, &answer->results[failed], verdict);
    else if (answer->complete && answer->status)
        course_verdict_add(verdict, "results", COURSE_BAD, COURSE_FAULT, "launch",
                           "the kernel cannot be loaded", answer->message);
    else if (answer->count < g->job_count)
        add_lost_child(g, answer->count, ended, verdict);
    if (t.wrong || t.changed || (verdict->passed && t.runs)) add_result_rows(g, &t, verdict);
    if (failed == SIZE_MAX && !g->place[0]) add_sanitizer_row(g, answer, verdict);
    if (verdict->passed && !g->place[0]) status = add_gate_rows(g, answer, verdict, error);
done:
    base_text_free(&t.also);
    return status;
}

static kz_status open_grading(course_kernel_grading *g, const char *source, course_verdict *verdict,
                              kz_error *error) {
    const course_task *task = g->job->task;
    kz_error said = {0};
    bool refused = false;
    say(g, "compiling");
    kz_status status = course_kernel_compile(task, g->job->file, &g->tools, &g->ptx, &refused, &said);
    if (refused) {
        size_t line = strcspn(said.message, "\n");
        course_verdict_add(verdict, "compiles", COURSE_BAD, COURSE_COMPILE, "", "the compiler refuses it",
                           said.message[line] ? said.message + line + 1 : said.message);
        return KZ_OK;
    }
    if (status) {
        if (error) *error = said;
        return status;
    }
    status = ptx_module_open(g->job->file, g->ptx, strlen(g->ptx), &g->module, error);
    if (status) return status;
    if (!check_signature(g, verdict)) return KZ_OK;
    course_verdict_add(verdict, "compiles", COURSE_RIGHT, COURSE_PASSED, NULL, "as CUDA C++, to PTX", "");
    status = family_lines_read(verdict->arena, g->job->file, source, &g->lines, &said);
    if (!status) status = find_fills(g, g->fills, &said);
    if (status) {
        course_verdict_add(verdict, "launch", COURSE_BAD, COURSE_SIGNATURE, "launch",
                           "a launch line does not read", said.message);
        return KZ_OK;
    }
    choose_instruments(task, g->instruments);
    status = course_reference_open(task, &g->reference, error);
    if (!status) status = plan_cases(g, &said);
    g->case_runs = g->job_count;
    if (!status) status = plan_gates(g, &said);
    if (status && g->own_launch_is_wrong) {
        course_verdict_add(verdict, "launch", COURSE_BAD, COURSE_SIGNATURE, "launch",
                           "a launch line does not read", said.message);
        return KZ_OK;
    }
    if (status && said.message[0] && error) *error = said;
    return status;
}

static void close_grading(course_kernel_grading *g) {
    for (size_t i = 0; i < g->data_count; i++) course_data_close(&g->data[i]);
    course_reference_close(g->reference);
    if (g->module) ptx_module_close(g->module);
    free(g->ptx);
    free(g);
}

static kz_status run_on(course_kernel_grading *g, const char *device, uint32_t runs, course_verdict *verdict,
                        kz_error *error) {
    const course_task *task = g->job->task;
    course_judge_answer answer = {0};
    course_process_result ended = {0};
    const course_judge_job job = {.device = device,
                                  .name = g->job->file,
                                  .entry = task->function,
                                  .ptx = g->ptx,
                                  .seconds = task->limit_seconds,
                                  .runs = g->runs,
                                  .run_count = runs};
    size_t all = g->job_count;
    g->job_count = runs;
    kz_status status = course_kernel_run_child(g, &job, task->limit_seconds, &answer, &ended, error);
    if (!status) status = judge_all(g, &answer, &ended, verdict, error);
    if (!status && answer.device[0]) memcpy(verdict->device, answer.device, sizeof answer.device);
    g->job_count = all;
    course_judge_answer_close(&answer);
    base_text_free(&ended.output);
    base_text_free(&ended.answer);
    return status;
}

kz_status course_grade_kernel(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error) {
    course_kernel_grading *g = calloc(1, sizeof *g);
    if (!g) return base_fail(error, KZ_NO_MEMORY, "no memory for grading");
    g->job = job;
    g->public_seed = verdict->public_seed;
    g->place = "";
    bool on_gpu = strncmp(job->device, "cuda", 4) == 0;
    kz_status status = open_grading(g, source, verdict, error);
    if (!status && verdict->passed) {
        say(g, "running on the simulator");
        status = run_on(g, on_gpu ? "sim" : job->device, (uint32_t)g->job_count, verdict, error);
    }
    if (!status && verdict->passed && on_gpu) {
        g->place = " on the GPU";
        say(g, "running on the GPU");
        status = run_on(g, job->device, (uint32_t)g->case_runs, verdict, error);
    }
    if (!status && verdict->passed) status = course_kernel_speed(g, on_gpu, verdict, error);
    close_grading(g);
    return status;
}
