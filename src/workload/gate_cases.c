// Which cases the counter gate counts. See gate_inside.h.
#include <stdlib.h>
#include <string.h>

#include "workload/gate_inside.h"

enum { MOST_ELEMENTS = 1 << 15 }; // of a case that is chosen by rule: milliseconds

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

// Of the quick edge cases as few as reach every line of source that any of them reaches, beside those that are chosen.
static kz_status cases_by_rule(counting *g, kz_error *error) {
    kz_status status = KZ_OK;
    size_t chosen = g->case_count;
    g->reached = json_object();
    for (size_t i = 0; i < g->family->case_count && !status; i++)
        if (is_candidate(g, &g->family->cases[i])) status = add_listed(g, &g->family->cases[i], error);
    if (!status) status = workload_gate_run_kernels(g, take_lines, error);
    g->case_count = chosen;
    if (!status && !chosen) status = cover_names(g, error);
    if (!status) status = cover_lines(g, error);
    json_decref(g->reached);
    return status;
}

// A case that is added has to be counted for all variants.
static bool is_whole(const counting *g) {
    for (size_t i = 0; i < g->w->zoo.wanted_count && !g->w->guest; i++)
        if (g->w->zoo.wanted[i].family == g->family && g->w->zoo.wanted[i].variant) return false;
    return !g->options->pattern;
}

kz_status workload_gate_choose_cases(counting *g, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status = cases_of_file(g, error);
    bool is_new = !g->case_count; // code that is new may have lines that no case of the file reaches
    if (status || (!is_new && !(g->options->write && is_whole(g)))) return status;
    if (!g->options->pattern) return cases_by_rule(g, error);
    status = workload_find_cases(g->family, g->options->pattern, KZ_USE_CHECK, &cases, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status; i++) status = add_listed(g, &cases[i], error);
    free(cases);
    return status;
}
