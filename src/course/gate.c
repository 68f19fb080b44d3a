// Rows of gates. See gate.h.
#include "gate.h"

#include "gates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static kz_status limit_of(const course_verdict *verdict, const course_gate *gate, const char *expression,
                          double *limit, kz_error *error) {
    *limit = NAN;
    return expression ? course_evaluate(verdict->task, &gate->at, expression, 0, limit, error) : KZ_OK;
}

// ---- the floor ------------------------------------------------------------------------------------------

// What no answer can do with less of: every output has to be written (those that are filled beforehand may be left), and
// inputs are there to be read. Far less than that was not counted, or not done.
typedef struct work {
    double read_bytes, written_bytes, bytes; // the last of all buffers
} work;

static kz_status work_of(const course_task *task, const course_gate *gate, work *w, kz_error *error) {
    *w = (work){0};
    for (size_t i = 0; i < task->parameter_count; i++) {
        const course_parameter *p = &task->parameters[i];
        double count = 0;
        if (p->role == COURSE_SCALAR) continue;
        kz_status status = course_evaluate(task, &gate->at, p->count ? p->count : "1", 0, &count, error);
        if (status) return status;
        double bytes = count * (double)kz_type_size(p->type);
        w->bytes += bytes;
        if (p->role != COURSE_OUTPUT) w->read_bytes += bytes;
        if (p->role == COURSE_OUTPUT && p->fill < 0) w->written_bytes += bytes;
    }
    return KZ_OK;
}

// Of a gate that asks for at most `most`; 0 where nothing can be said. A part of the inputs may suffice, and where the
// gate asks for less than all of it, it says so itself: an eighth of that is far too little for anybody.
static double floor_of(const course_gate *gate, const work *w, double most) {
    enum { SECTOR = 32, LINE = 64, WIDEST_REQUEST = 512 };
    const struct {
        const char *metric;
        double least, part;
    } rows[] = {{"load_sectors", w->read_bytes / SECTOR, 8},
                {"loads", w->read_bytes / WIDEST_REQUEST, 8},
                {"store_sectors", w->written_bytes / SECTOR, 1},
                {"stores", w->written_bytes / WIDEST_REQUEST, 1},
                {"instructions", w->written_bytes / WIDEST_REQUEST, 1},
                {"launches", 1, 1},
                {"launch_calls", 1, 1},
                {"d1_misses", w->written_bytes / LINE, 2},
                {"ll_misses", w->written_bytes / LINE, 2}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (strcmp(rows[i].metric, gate->metric) == 0) return floor(fmin(rows[i].least, most) / rows[i].part);
    return 0;
}

static kz_status least_of(const course_verdict *verdict, const course_gate *gate, double most, double *least,
                          kz_error *error) {
    work w;
    if (isnan(most) || !isnan(*least)) return KZ_OK; // the task says it itself
    kz_status status = work_of(verdict->task, gate, &w, error);
    double floor = status ? 0 : floor_of(gate, &w, most);
    if (floor > 0) *least = floor;
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------------

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
    bool is_default = task->gate_count && course_gate_same_case(task, &gate->at, &task->gates[0].at);
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
    bool has_own = !isnan(least);
    if (status == KZ_OK) status = least_of(verdict, gate, most, &least, error);
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
        if (low && !has_own)
            base_text_add(&detail,
                          "The task cannot be done with so little: what it reads and writes is more.\n"
                          "likely: the work is done where it is not counted, or not done at all\n"
                          "next: let the code that is graded do all of it, in plain sight\n");
        else if (gate->why)
            base_text_add(&detail, "%s\n", gate->why);
        add_next(verdict, gate, metric, where, &detail);
    }
    course_check *row = course_verdict_add(verdict, gate->metric, low || high ? COURSE_BAD : COURSE_RIGHT,
                                           low || high ? COURSE_GATE_MISSED : COURSE_PASSED, gate->metric,
                                           summary, detail.data ? detail.data : "");
    if (row) row->value = value, row->limit = limit;
    base_text_free(&detail);
    return KZ_OK;
}

// ---- lanes ----------------------------------------------------------------------------------------------

// What kernels are held to in every task. A mean of lanes is diluted by instructions that do nothing; what passes
// through one thread after the other is not.
#define LANES  "lanes_per_instruction"
#define NARROW "narrow_bytes"

bool course_gate_is_of_all(const char *metric) {
    return strcmp(metric, LANES) == 0 || strcmp(metric, NARROW) == 0;
}

static bool has_gate_on(const course_task *task, const char *metric) {
    for (size_t i = 0; i < task->gate_count; i++)
        if (strcmp(task->gates[i].metric, metric) == 0) return true;
    return false;
}

// The row of a gate that the task does not name: only where it is missed.
static kz_status add_missed(course_verdict *verdict, const course_gate *gate, const report_record *record,
                            kz_error *error) {
    course_metric_value value;
    double least, most;
    if (has_gate_on(verdict->task, gate->metric)) return KZ_OK;
    if (!course_metric_of_record(record, gate->metric, 0, &value) || !value.known) return KZ_OK;
    kz_status status = limit_of(verdict, gate, gate->min, &least, error);
    if (!status) status = limit_of(verdict, gate, gate->max, &most, error);
    if (status || !(value.value < least || value.value > most)) return status;
    base_text counted = {0};
    course_metric_counted(&value, &counted);
    status = course_gate_add(verdict, gate, value.value, counted.data, error);
    base_text_free(&counted);
    return status;
}

kz_status course_gate_check_lanes(course_verdict *verdict, const course_case *at, const report_record *record,
                                  kz_error *error) {
    const course_gate lanes = {
        .metric = LANES,
        .min = "8", // a quarter of a warp; the course's own solutions have 13 and more
        .at = *at,
        .why = "A warp takes as long for one lane as for 32, so most of the GPU stands idle.\n"
               "likely: a block of one or a few threads, or one thread that does the work of all\n"
               "next: blocks of 32 threads or more, and a part of the work for each lane"};
    char most[40];
    course_gate narrow = {
        .metric = NARROW,
        .max = most,
        .at = *at,
        .why =
            "So much of the data passes through one thread after the other, while the lanes beside it wait.\n"
            "likely: one thread that reads or writes what belongs to a whole warp or block\n"
            "next: give each lane a part of it"};
    work w;
    kz_status status = work_of(verdict->task, &narrow, &w, error);
    snprintf(most, sizeof most, "%.0f", 0.75 * w.bytes); // the course's own solutions have 0.37 and less
    if (!status) status = add_missed(verdict, &lanes, record, error);
    if (!status) status = add_missed(verdict, &narrow, record, error);
    return status;
}

void course_gate_skip(course_verdict *verdict, const course_gate *gate, const char *summary,
                      const char *detail) {
    course_verdict_add(verdict, gate->metric, COURSE_NOT_DONE, COURSE_PASSED, NULL, summary, detail);
}

uint64_t course_gate_seed(uint64_t fresh_seed) {
    return fresh_seed ^ UINT64_C(0x6761746573); // more bits than the others have
}

bool course_gate_same_case(const course_task *task, const course_case *a, const course_case *b) {
    bool same_data = a->data == b->data || (a->data && b->data && strcmp(a->data, b->data) == 0);
    return same_data && a->misalign == b->misalign &&
           memcmp(a->axes, b->axes, task->axis_count * sizeof a->axes[0]) == 0;
}
