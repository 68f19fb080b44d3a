// A kernel's runs judged: rows of the verdict from what the child sent. See grade_kernel.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding_rows.h"
#include "gate.h"
#include "gates.h"
#include "grade_kernel.h"

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
    snprintf(row, sizeof row, "%s%s", name, g->row_suffix);
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

static bool open_findings(const course_task *task, report_findings *findings) {
    if (!report_findings_open(findings)) return false;
    base_text kinds = {0}; // words that name an instrument are no kinds
    for (size_t k = 0; task->sanitize_skip && task->sanitize_skip[k]; k++)
        if (strcmp(task->sanitize_skip[k], "races") && strcmp(task->sanitize_skip[k], "sync"))
            base_text_add(&kinds, "%s%s", kinds.length ? "," : "", task->sanitize_skip[k]);
    if (kinds.length) report_findings_choose(findings, NULL, kinds.data, NULL);
    base_text_free(&kinds);
    return true;
}

static void drop_lesser(report_findings *findings) {
    for (size_t i = json_array_size(findings->items); i-- > 0;)
        if (strcmp(report_get_text(json_array_get(findings->items, i), "severity"), "error") != 0)
            json_array_remove(findings->items, i);
}

// What has no line is told of its buffer, by other figures in every case: "who[1], byte 4 of buffer who (8 bytes)".
static bool is_same_buffer(const json_t *a, const json_t *b) {
    const char *x = report_get_text(a, "buffer"), *y = report_get_text(b, "buffer");
    size_t length = strcspn(x, "[,");
    if (report_get(a, "first") || report_get(b, "first")) return false;
    if (strcmp(report_get_text(a, "kind"), report_get_text(b, "kind")) != 0) return false;
    return length && length == strcspn(y, "[,") && strncmp(x, y, length) == 0;
}

static void add_count(json_t *to, const json_t *from, const char *name, uint64_t more) {
    uint64_t sum = report_get_count(to, name) + report_get_count(from, name) + more;
    json_object_set_new(to, name, json_integer((json_int_t)sum));
}

// The same mistake on the same lines shows in nearly every run: once is enough for whoever has to mend it, with the
// number of the others, and of races between lanes, warps and blocks the widest, whose cure is one for the others too.
static void drop_repeats(report_findings *findings) {
    for (size_t k = 0; k < json_array_size(findings->items); k++)
        for (size_t i = k + 1; i < json_array_size(findings->items);) {
            json_t *first = json_array_get(findings->items, k), *later = json_array_get(findings->items, i);
            if (!report_finding_is_same(first, later) && !is_same_buffer(first, later)) {
                i++;
                continue;
            }
            bool wider = report_finding_is_wider(later, first);
            json_t *kept = wider ? later : first, *other = wider ? first : later;
            bool is_other_run =
                strcmp(report_get_text(kept, "target"), report_get_text(other, "target")) != 0;
            add_count(kept, other, "count", 0);
            add_count(kept, other, "more_runs", is_other_run);
            if (wider) json_array_set(findings->items, k, later);
            json_array_remove(findings->items, i);
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
        course_findings_faults_first(&findings);
        kind = report_get_text(json_array_get(findings.items, 0), "kind");
    }
    bool is_fault = result->status == KZ_FAULT || result->status == KZ_DEADLOCK;
    if (result->status == KZ_TIMEOUT) {
        base_text_add(&summary, "%s: it did not end within %g s and was stopped", own->name,
                      g->job->task->limit_seconds);
        add_indented(&detail, result->message);
        base_text_add(&detail,
                      "\nlikely: a loop whose condition never changes, a step of 0, or waiting for what "
                      "no thread does\nnext: look at %s\nread: kz learn read troubleshooting#it-hangs",
                      strchr(result->message, '\n') ? "the line above, and at what should end its loop"
                                                    : "what should end its loops, and at how much each "
                                                      "thread does");
    } else if (is_fault) {
        base_text_add(&summary, "%s: the kernel was stopped", own->name);
        if (opened && json_array_size(findings.items)) {
            base_text_add(&summary, ": ");
            report_finding_title(json_array_get(findings.items, 0), &summary);
            course_findings_print(&findings, &detail);
        } else
            add_indented(&detail, result->message);
    } else if (result->status == KZ_WRONG) {
        base_text_add(&summary, "%s: %s", own->name, result->message);
        base_text_add(&detail,
                      "likely: more threads than elements\nnext: compare the index with the size first, "
                      "if (i < n)");
        kind = "out-of-bounds";
    } else if (result->status == KZ_NO_MEMORY) {
        base_text_add(&summary, "%s: it needs more than the %llu MiB that are allowed", own->name,
                      (unsigned long long)(g->job->task->limit_bytes >> 20));
        add_indented(&detail, result->message);
        base_text_add(&detail,
                      "\nlikely: an array per thread that is far too large\nnext: keep per-thread arrays "
                      "to what registers hold; larger ones belong in shared or global memory");
        kind = "memory";
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
static void add_lost_child(course_kernel_grading *g, size_t done, const sandbox_result *ended,
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

typedef struct tally {
    size_t runs, wrong, changed;
    bool no_factor, not_near; // some wrong run in the plain order of warps is off by no factor, is not near
    size_t first, first_changed; // runs
    kz_error words, input_words;
    base_text also;        // other cases that are wrong
    bool nondeterministic; // one case's data is right under one schedule and wrong under another
    size_t others;
    size_t smallest; // run
    kz_error smallest_words;
    double worst; // greatest error over bound of all that is right
} tally;

// `is_orderly`: instruments listened, and not even threads that write the same value met. Values that were never set
// count where they were stored: an element that nobody stores to says it by itself.
static void look_for_races(course_kernel_grading *g, size_t run, const course_judge_result *result) {
    report_findings findings;
    course_kernel_run *own = &g->own[run];
    own->is_orderly = !g->row_suffix[0] && strstr(g->instruments, "races");
    if (!result->record_length || !strstr(result->record, "\"finding\"")) return;
    if (!open_findings(g->job->task, &findings)) return;
    add_record(&findings, result, "");
    for (size_t i = 0; i < json_array_size(findings.items); i++) {
        const json_t *finding = json_array_get(findings.items, i);
        const char *kind = report_get_text(finding, "kind");
        if (strncmp(kind, "race", 4) == 0) own->is_orderly = false;
        if (strcmp(report_get_text(finding, "severity"), "error") != 0) continue; // not shown
        own->has_race = own->has_race || course_finding_is_race(kind);
        own->has_undefined =
            own->has_undefined || (strncmp(kind, "undefined", 9) == 0 &&
                                   (report_get(finding, "first") || report_get(finding, "second")));
        if (own->has_undefined) own->is_orderly = false;
    }
    report_findings_close(&findings);
}

static void add_also(const course_kernel_grading *g, size_t run, tally *t) {
    char name[200];
    if (t->others++ >= 8) return;
    course_case_name(g->job->task, g->data[g->own[run].data].c, name, sizeof name);
    base_text_add(&t->also, "%s%s", t->also.length ? "; " : "", name);
}

// What comes out is luck, and a finding says why.
static bool is_explained(const course_kernel_run *run) { return run->has_race || run->has_undefined; }

static uint64_t count_elements(const course_kernel_grading *g, size_t run) {
    const course_data *d = &g->data[g->own[run].data];
    uint64_t sum = 0;
    for (size_t i = 0; i < d->task->parameter_count; i++) sum += d->counts[i];
    return sum;
}

// The smallest wrong case is the one to work out by hand.
static void note_smallest(const course_kernel_grading *g, size_t i, const kz_error *words, tally *t) {
    if (t->wrong && count_elements(g, i) >= count_elements(g, t->smallest)) return;
    t->smallest = i;
    t->smallest_words = *words;
}

// A run that no finding explains, or of many elements where there were few: patterns mean something there.
static bool is_better(const course_kernel_grading *g, size_t i, const tally *t) {
    enum { FEW = 4, MANY = 64 };
    const course_kernel_run *run = &g->own[i], *first = &g->own[t->first];
    if (is_explained(first)) return run->is_orderly;
    return first->count < FEW && run->count >= MANY && run->schedule == 0 && !is_explained(run);
}

// A wrong run is told of: the first one, or a better one.
static void note_wrong(course_kernel_grading *g, size_t i, const kz_error *words, tally *t) {
    bool is_first = t->wrong++ == 0;
    if (is_first || is_better(g, i, t)) {
        size_t before = t->first;
        t->first = i;
        t->words = *words;
        if (!is_first && g->data[g->own[i].data].c != g->data[g->own[before].data].c) add_also(g, before, t);
    } else if (g->data[g->own[i].data].c != g->data[g->own[t->first].data].c && g->own[i].schedule == 0)
        add_also(g, i, t);
}

// The run before on other data of the same case, where it was right: an output that equals its is kept, not computed.
static const course_data *find_before(const course_kernel_grading *g, size_t run) {
    size_t data = g->own[run].data;
    if (data == 0 || g->data[data - 1].c != g->data[data].c) return NULL;
    for (size_t k = 0; k < run; k++)
        if (g->own[k].data == data - 1 && g->own[k].is_wrong) return NULL;
    return &g->data[data - 1];
}

// What comes of it, with words, is in `words`; KZ_OK but where it could not be compared.
static kz_status compare_run(course_kernel_grading *g, size_t i, const course_judge_result *result,
                             bool *changed, family_comparison *comparison, kz_error *words, kz_error *error) {
    course_data *d = &g->data[g->own[i].data];
    kz_status status = course_kernel_take(d, result, error);
    if (status) return status;
    d->before = find_before(g, i);
    d->is_defined = !g->row_suffix[0] && strstr(g->instruments, "undefined") && result->record_length &&
                    !strstr(result->record, "\"undefined-");
    *words = (kz_error){0};
    status = course_data_judge(d, g->reference, changed, comparison, words);
    if (status && status != KZ_WRONG && error) *error = *words;
    return status == KZ_WRONG ? KZ_OK : status;
}

static kz_status judge_run_i(course_kernel_grading *g, size_t i, const course_judge_result *result, tally *t,
                             kz_error *error) {
    family_comparison comparison;
    kz_error words;
    bool changed = false;
    kz_status status = compare_run(g, i, result, &changed, &comparison, &words, error);
    if (status) return status;
    t->runs++;
    g->own[i].is_wrong = words.status == KZ_WRONG;
    for (size_t k = 0; k < i; k++)
        if (!g->own[k].is_gate && g->own[k].data == g->own[i].data &&
            g->own[k].is_wrong != g->own[i].is_wrong)
            t->nondeterministic = true;
    if (g->own[i].is_wrong && changed) {
        if (t->changed++ == 0) t->first_changed = i, t->input_words = words;
    } else if (g->own[i].is_wrong) {
        look_for_races(g, i, result);
        g->own[i].count = comparison.count;
        g->own[i].is_factor = comparison.is_factor;
        g->own[i].is_near = comparison.is_near;
        t->no_factor = t->no_factor || (!comparison.is_factor && g->own[i].schedule == 0);
        t->not_near = t->not_near || (!comparison.is_near && g->own[i].schedule == 0);
        note_smallest(g, i, &words, t);
        note_wrong(g, i, &words, t);
    } else if (isfinite(comparison.worst_ratio) && comparison.worst_ratio > t->worst)
        t->worst = comparison.worst_ratio;
    return KZ_OK;
}

// What not all wrong runs have, a factor or values that are near, is chance. The run that is told of is told without
// it. In other orders of warps a race may change it.
static kz_status doubt_values(course_kernel_grading *g, const course_judge_answer *answer, tally *t,
                              kz_error *error) {
    course_kernel_run *first = &g->own[t->first];
    if (!t->wrong || !((first->is_factor && t->no_factor) || (first->is_near && t->not_near))) return KZ_OK;
    family_comparison comparison;
    bool changed;
    first->is_factor = false;
    g->data[first->data].is_chance = true;
    return compare_run(g, t->first, &answer->results[t->first], &changed, &comparison, &t->words, error);
}

// What the values are, but for what their pattern usually means.
static void add_with_finding(base_text *out, const char *text, bool is_race) {
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "likely: ", 8) && strncmp(at, "next: ", 6))
            base_text_add(out, "%s%.*s", out->length ? "\n" : "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    base_text_add(out, "\nlikely: %s\nnext: mend that, then grade again; results are luck until then",
                  is_race ? "the race below: what a thread reads depends on which thread came first"
                          : "the value below that was never set, and went into what is stored");
}

static void add_smallest(const course_kernel_grading *g, const tally *t, base_text *out) {
    if (g->data[g->own[t->smallest].data].c == g->data[g->own[t->first].data].c) return;
    course_case_add_smallest(out, g->own[t->smallest].name, t->smallest_words.message);
}

static void add_result_rows(course_kernel_grading *g, tally *t, course_verdict *verdict) {
    base_text summary = {0}, detail = {0};
    if (t->wrong) {
        size_t line = strcspn(t->words.message, "\n");
        base_text_add(&summary, "%s: %.*s", g->own[t->first].name, (int)line, t->words.message);
        const char *more = t->words.message + line + (t->words.message[line] == '\n');
        const course_kernel_run *first = &g->own[t->first];
        if (is_explained(first) && !first->is_factor)
            add_with_finding(&detail, more, first->has_race);
        else
            add_indented(&detail, more);
        if (is_explained(first) && first->is_factor) // alike in all runs: more than luck
            base_text_add(&detail, "\nmend that first: what is found below may go with it");
        if (t->nondeterministic)
            base_text_add(&detail, "%sthe same data comes out right under another order of the warps%s",
                          detail.length ? "\n" : "",
                          first->has_undefined && !first->has_race ? "" : ": a race");
        add_smallest(g, t, &detail);
        if (t->also.length)
            base_text_add(&detail, "\nalso wrong: %s%s", t->also.data, t->others > 8 ? "; and more" : "");
        base_text_add(&detail, "\n%zu of %zu runs %s wrong", t->wrong, t->runs, t->wrong == 1 ? "is" : "are");
        add_row(g, verdict, "results", COURSE_BAD, COURSE_WRONG, "", &summary, detail.data);
    } else if (t->changed) {
        base_text_add(&summary, "not compared: the inputs are no more what they were");
        add_row(g, verdict, "results", COURSE_NOT_DONE, COURSE_PASSED, NULL, &summary, "");
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
    for (size_t i = 0; i < answer->count; i++) // a fault has its own row
        if (!answer->results[i].status || answer->results[i].status == KZ_TIMEOUT)
            add_record(&findings, &answer->results[i], g->own[i].name);
    course_findings_blame_repeated_work(&findings);
    drop_lesser(&findings);
    drop_repeats(&findings);
    course_findings_races_first(&findings);
    base_text summary = {0}, detail = {0};
    size_t count = json_array_size(findings.items);
    if (count) {
        const json_t *first = json_array_get(findings.items, 0);
        report_finding_title(first, &summary);
        if (count > 1) base_text_add(&summary, ", and %zu more", count - 1);
        course_findings_print(&findings, &detail);
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

// Who does everything many times over may well run out of time: that is the reason then, and not the clock.
static bool has_repeated_work(const course_kernel_grading *g, const course_judge_answer *answer) {
    report_findings findings;
    if (!g->instruments[0] || !open_findings(g->job->task, &findings)) return false;
    for (size_t i = 0; i < answer->count; i++) add_record(&findings, &answer->results[i], g->own[i].name);
    bool has = course_findings_blame_repeated_work(&findings);
    report_findings_close(&findings);
    return has;
}

// The reason is the cause, which comes first for that; a reader sees the wrong results first, then the cause.
static void put_results_first(course_verdict *verdict, size_t cause) {
    if (cause + 1 >= verdict->check_count) return;
    course_check results = verdict->checks[cause + 1];
    verdict->checks[cause + 1] = verdict->checks[cause];
    verdict->checks[cause] = results;
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
    course_metric_counted(value, &counted);
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

static kz_status add_lanes_row(course_kernel_grading *g, const course_judge_answer *answer,
                               course_verdict *verdict, kz_error *error) {
    report_record record = {0};
    if (!g->lanes_run || g->lanes_run >= answer->count) return KZ_OK;
    const course_judge_result *result = &answer->results[g->lanes_run];
    kz_status status = report_record_parse("lanes", result->record, result->record_length, &record, error);
    if (!status)
        status = course_gate_check_lanes(verdict, g->data[g->own[g->lanes_run].data].c, &record, error);
    report_record_free(&record);
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
        if (!status) status = add_gate_row(gate, &value, verdict, error);
        bool is_last = true; // of its run
        for (size_t k = i + 1; k < task->gate_count; k++)
            is_last = is_last && g->gate_runs[k] != g->gate_runs[i];
        if (!status && is_last) status = course_gate_check_lanes(verdict, &gate->at, &record, error);
        report_record_free(&record);
        if (status) return status;
    }
    return add_lanes_row(g, answer, verdict, error);
}

// ---- all rows ------------------------------------------------------------------------------------------

// The kernel's own printf, of whatever run: it is how people look for errors.
static void add_printed(const sandbox_result *ended, course_verdict *verdict) {
    enum { LINES = 7, BYTES = 800 }; // as many as a verdict shows of what is no reason
    const char *text = ended->output.data ? ended->output.data : "";
    size_t lines = 0, length = 0, shown = 0;
    if (!*text) return;
    for (const char *at = text; *at; at++) lines += *at == '\n' || !at[1];
    for (; text[length] && length < BYTES && shown < LINES; length++) shown += text[length] == '\n';
    base_text summary = {0}, detail = {0};
    base_text_add(&summary, "%zu line%s by the kernel, in all runs together", lines, lines == 1 ? "" : "s");
    if (text[length] && shown > 1)
        base_text_add(&summary, "; the first %zu:", shown);
    else if (text[length])
        base_text_add(&summary, "; the beginning:");
    base_text_add_bytes(&detail, text, length);
    course_verdict_add(verdict, "printed", COURSE_NOT_DONE, COURSE_PASSED, NULL, summary.data, detail.data);
    base_text_free(&summary);
    base_text_free(&detail);
}

// Another type is no mistake as such (bits may be looked at as one likes), but where the kernel fails it is the first
// thing to look at.
static void add_other_types(const course_kernel_grading *g, course_verdict *verdict) {
    if (!g->other_types.length || verdict->reason != COURSE_PASSED) return;
    base_text detail = {0};
    base_text_add(
        &detail,
        "%slikely: elements have another size or another meaning than the kernel takes them for, and what "
        "follows below comes of it\n"
        "next: declare the parameters as the task does: %s",
        g->other_types.data, g->job->task->signature);
    course_verdict_add(verdict, "signature", COURSE_BAD, COURSE_SIGNATURE, "types",
                       "a parameter has another type than the task's", detail.data);
    base_text_free(&detail);
}

kz_status course_kernel_judge(course_kernel_grading *g, const course_judge_answer *answer,
                              const sandbox_result *ended, course_verdict *verdict, kz_error *error) {
    if (answer->complete && is_graders(answer->status))
        return base_fail(error, answer->status, "%s", answer->message);
    tally t = {0};
    kz_status status = KZ_OK;
    size_t failed = SIZE_MAX;
    for (size_t i = 0; i < answer->count && !status; i++) {
        const course_judge_result *result = &answer->results[i];
        if (is_graders(result->status) && result->status != KZ_NO_MEMORY)
            return base_fail(error, result->status, "%s", result->message);
        if (result->status)
            failed = i;
        else
            status = judge_run_i(g, i, result, &t, error);
    }
    if (!status) status = doubt_values(g, answer, &t, error);
    if (status) goto done;
    if (failed != SIZE_MAX || t.wrong || t.changed) add_other_types(g, verdict);
    bool is_late = failed != SIZE_MAX && answer->results[failed].status == KZ_TIMEOUT && !g->row_suffix[0];
    bool is_reported = is_late && has_repeated_work(g, answer);
    if (is_reported) add_sanitizer_row(g, answer, verdict);
    if (failed != SIZE_MAX)
        add_failed_run(g, failed, &answer->results[failed], verdict);
    else if (answer->complete && answer->status)
        course_verdict_add(verdict, "results", COURSE_BAD, COURSE_FAULT, "launch",
                           "the kernel cannot be loaded", answer->message);
    else if (answer->count < g->job_count)
        add_lost_child(g, answer->count, ended, verdict);
    bool cause_first = t.wrong && is_explained(&g->own[t.first]); // before what comes of it
    bool sanitize = answer->count && !g->row_suffix[0] && !is_reported && (failed == SIZE_MAX || cause_first);
    size_t cause = verdict->check_count;
    if (sanitize && cause_first) add_sanitizer_row(g, answer, verdict);
    if (t.wrong || t.changed || (verdict->passed && t.runs)) add_result_rows(g, &t, verdict);
    if (sanitize && cause_first) put_results_first(verdict, cause);
    if (answer->complete) add_printed(ended, verdict);
    if (sanitize && !cause_first) add_sanitizer_row(g, answer, verdict);
    if (verdict->passed && !g->row_suffix[0]) status = add_gate_rows(g, answer, verdict, error);
done:
    base_text_free(&t.also);
    return status;
}
