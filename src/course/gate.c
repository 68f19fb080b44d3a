// Rows of gates. See gate.h.
#include "gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static kz_status limit_of(const course_verdict *verdict, const course_gate *gate, const char *expression,
                          double *limit, kz_error *error) {
    *limit = NAN;
    return expression ? course_evaluate(verdict->task, &gate->at, expression, 0, limit, error) : KZ_OK;
}

// Whole numbers as such, others with four digits.
static void number_text(double value, char *text, size_t size) {
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, "%.4g", value);
}

// "1 miss", "2 misses", "1.5 sectors"
static void unit_text(double value, const char *unit, char *text, size_t size) {
    size_t length = strlen(unit);
    char last = length ? unit[length - 1] : 0;
    bool hisses = last == 's' || (last == 'h' && length > 1 && strchr("cs", unit[length - 2]));
    const char *plural = value == 1 || !length ? "" : hisses ? "es" : last == 'y' ? "ies" : "s";
    snprintf(text, size, "%s%.*s%s", length ? " " : "", (int)(*plural == 'i' ? length - 1 : length), unit,
             plural);
}

// The first missed gate says how to see more of it.
static void add_next(const course_verdict *verdict, const course_gate *gate, const course_metric *metric,
                     const char *where, base_text *detail) {
    const course_task *task = verdict->task;
    if (task->kind != COURSE_CUDA || verdict->reason != COURSE_PASSED) return;
    bool is_default = course_gate_same_case(task, &gate->at, &task->gates[0].at);
    base_text_add(detail, "next: kz prof %s --annotate", verdict->file);
    if (!is_default) base_text_add(detail, " --case \"%s\"", where);
    base_text_add(detail, "\n");
    if (metric && *metric->page) base_text_add(detail, "read: kz learn read %s\n", metric->page);
}

kz_status course_gate_add(course_verdict *verdict, const course_gate *gate, double value, const char *counted,
                          kz_error *error) {
    double least, most;
    kz_status status = limit_of(verdict, gate, gate->min, &least, error);
    if (status == KZ_OK) status = limit_of(verdict, gate, gate->max, &most, error);
    if (status) return status;
    bool low = !isnan(least) && !(value >= least), high = !isnan(most) && !(value <= most);
    double limit = low || isnan(most) ? least : most;
    char got[40], wanted[40], where[256], summary[480];
    number_text(value, got, sizeof got);
    number_text(limit, wanted, sizeof wanted);
    course_case_name(verdict->task, &gate->at, where, sizeof where);
    const course_metric *metric = course_find_metric(gate->metric);
    char unit[COURSE_NAME];
    unit_text(value, metric ? metric->unit : "", unit, sizeof unit);
    snprintf(summary, sizeof summary, "%s%s, %s %s is asked for (%s)", got, unit,
             isnan(most) || low ? "at least" : "at most", wanted, where);
    base_text detail = {0};
    if (low || high) {
        if (metric) base_text_add(&detail, "%s: %s.\n", metric->name, metric->text);
        if (counted && *counted) base_text_add(&detail, "Counted %s.\n", counted);
        if (gate->why) base_text_add(&detail, "%s\n", gate->why);
        add_next(verdict, gate, metric, where, &detail);
    }
    course_check *row = course_verdict_add(verdict, gate->metric, low || high ? COURSE_BAD : COURSE_RIGHT,
                                           low || high ? COURSE_GATE_MISSED : COURSE_PASSED, gate->metric,
                                           summary, detail.data ? detail.data : "");
    if (row) row->value = value, row->limit = limit;
    base_text_free(&detail);
    return KZ_OK;
}

void course_gate_skip(course_verdict *verdict, const course_gate *gate, const char *summary,
                      const char *detail) {
    course_verdict_add(verdict, gate->metric, COURSE_NOT_DONE, COURSE_PASSED, NULL, summary, detail);
}

bool course_gate_same_case(const course_task *task, const course_case *a, const course_case *b) {
    bool same_data = a->data == b->data || (a->data && b->data && strcmp(a->data, b->data) == 0);
    return same_data && a->misalign == b->misalign &&
           memcmp(a->axes, b->axes, task->axis_count * sizeof a->axes[0]) == 0;
}
