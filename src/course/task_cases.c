// Where a task is run and what is asked of it there: [[case]], [[gate]], [speed], [launch].
#include "course/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "family/expression.h"

enum { CASES = 512, MOST_THREADS = 1024, MOST_SHARED = 227 * 1024 };

double course_load_evaluate(course_toml *toml, const course_toml_value *at, const course_task *task,
                            const course_case *c, const char *expression, double block) {
    if (toml->status) return 0;
    family_name_value names[COURSE_AXES + 2] = {{NULL, 0}};
    size_t count = 0;
    for (size_t i = 0; i < task->axis_count; i++)
        names[count++] = (family_name_value){task->axes[i], (double)c->axes[i]};
    if (block > 0) names[count++] = (family_name_value){"block", block};
    const char *rest = expression;
    double value = 0;
    kz_error why = {0};
    kz_status status = family_evaluate(&rest, names, &value, &why);
    rest += strspn(rest, " \t");
    if (status)
        course_toml_fail(toml, at, "\"%s\": %s", expression, why.message);
    else if (*rest)
        course_toml_fail(toml, at, "\"%s\": expected the end at \"%s\"", expression, rest);
    else if (!isfinite(value))
        course_toml_fail(toml, at, "\"%s\" is not finite", expression);
    return value;
}

// ---- cases ------------------------------------------------------------------------------------

typedef struct case_list {
    course_case *cases;
    size_t count;
} case_list;

static void add_case(course_toml *toml, const course_toml_value *at, case_list *list, const course_case *c) {
    if (list->count == CASES)
        course_toml_fail(toml, at, "more than %d cases: each is run twice or more, so take fewer", CASES);
    else
        list->cases[list->count++] = *c;
}

static int64_t axis_value(course_toml *toml, const course_toml_value *value, const char *axis) {
    if (value->kind != COURSE_TOML_INTEGER)
        course_toml_fail(toml, value, "%s must be a whole number, or a list of them", axis);
    else if (value->integer < -(INT64_C(1) << 40) || value->integer > INT64_C(1) << 40)
        course_toml_fail(toml, value, "%s must be in -2^40 .. 2^40", axis);
    return value->integer;
}

static uint32_t misalignment(course_toml *toml, const course_toml_value *value) {
    if (value->kind != COURSE_TOML_INTEGER || value->integer < 0 || value->integer > 64)
        course_toml_fail(toml, value, "misalign is 0 to 64 elements, or a list of such numbers");
    return (uint32_t)value->integer;
}

// All combinations of the axes' lists and that of misalign, the last one changing fastest.
static void expand(course_toml *toml, course_toml_value *table, const course_task *task, size_t axis,
                   course_case *c, case_list *list) {
    if (toml->status) return;
    bool is_last = axis == task->axis_count;
    course_toml_value *value = course_toml_get(toml, table, is_last ? "misalign" : task->axes[axis]);
    if (!value && is_last) {
        add_case(toml, table, list, c);
        return;
    }
    if (!value) {
        course_toml_fail(toml, table, "this case does not say what \"%s\" is: every axis is given",
                         task->axes[axis]);
        return;
    }
    bool is_list = value->kind == COURSE_TOML_ARRAY;
    if (is_list && !value->count) course_toml_fail(toml, value, "an empty list makes no case");
    for (course_toml_value *v = is_list ? value->first : value; v && !toml->status;
         v = is_list ? v->next : NULL) {
        if (is_last) {
            c->misalign = misalignment(toml, v);
            add_case(toml, table, list, c);
        } else {
            c->axes[axis] = axis_value(toml, v, task->axes[axis]);
            expand(toml, table, task, axis + 1, c, list);
        }
    }
}

static void case_data(course_toml *toml, course_toml_value *table, course_case *c) {
    c->data = course_toml_string(toml, table, "data", NULL);
    if (c->data && !course_is_case_data(c->data))
        course_toml_fail(
            toml, course_toml_get(toml, table, "data"),
            "a case's data is one of uniform, positive, zeros, ones, equal, large, small, nan, inf, "
            "denormal");
}

void course_load_cases(course_toml *toml, course_task *task) {
    course_toml_value *tables = course_toml_tables(toml, toml->root, "case");
    if (toml->status) return;
    course_case *cases = course_toml_alloc(toml, CASES * sizeof *cases);
    if (!cases) return;
    case_list list = {cases, 0};
    if (!tables && task->axis_count == 0) list.count = 1; // nothing to vary
    if (!tables && task->axis_count)
        course_toml_fail(toml, NULL, "there is no [[case]]: the axes are %s%s", task->axes[0],
                         task->axis_count > 1 ? " and others" : "");
    for (course_toml_value *t = tables ? tables->first : NULL; t && !toml->status; t = t->next) {
        course_case c = {0};
        case_data(toml, t, &c);
        expand(toml, t, task, 0, &c, &list);
    }
    task->cases = list.cases;
    task->case_count = list.count;
}

// The one case that a gate or [speed] is about: its axes stand among the table's own keys.
static void single_case(course_toml *toml, course_toml_value *table, const course_task *task,
                        course_case *c) {
    case_data(toml, table, c);
    course_toml_value *misalign = course_toml_get(toml, table, "misalign");
    if (misalign) c->misalign = misalignment(toml, misalign);
    for (size_t i = 0; i < task->axis_count && !toml->status; i++) {
        course_toml_value *value = course_toml_get(toml, table, task->axes[i]);
        if (!value)
            course_toml_fail(toml, table, "this does not say at which \"%s\": every axis is given",
                             task->axes[i]);
        else
            c->axes[i] = axis_value(toml, value, task->axes[i]);
    }
}

// ---- gates ------------------------------------------------------------------------------------

static void check_metric(course_toml *toml, course_toml_value *table, const course_task *task,
                         const char *metric) {
    static const char *const by_cachegrind[] = {"instructions",    "d1_misses",         "ll_misses",
                                                "started_threads", "ratio_to_solution", NULL};
    course_toml_value *at = course_toml_get(toml, table, "metric");
    size_t count;
    const course_metric *all = course_metrics(&count);
    const char *names[128] = {NULL};
    for (size_t i = 0; i < count && i < BASE_COUNT(names) - 1; i++) names[i] = all[i].name;
    if (!course_find_metric(metric)) {
        const char *near = base_nearest(metric, names);
        course_toml_fail(toml, at, "there is no metric \"%s\"%s%s%s", metric, near ? "; did you mean \"" : "",
                         near ? near : "", near ? "\"?" : "");
        course_toml_note(toml,
                         strncmp(metric, "sectors_per_", 12) == 0
                             ? "a mean is diluted by accesses that do nothing: ask for a total, load_sectors"
                             : "kz learn metrics lists them");
        return;
    }
    bool for_c = course_is_one_of(metric, by_cachegrind);
    if (task->kind == COURSE_C ? !for_c : for_c && strcmp(metric, "instructions") != 0)
        course_toml_fail(toml, at, "\"%s\" is not counted for tasks of kind %s", metric,
                         task->kind == COURSE_C
                             ? "c: instructions, d1_misses, ll_misses, started_threads, ratio_to_solution are"
                             : "cuda: it is for kind c");
}

static const char *limit(course_toml *toml, course_toml_value *table, const course_task *task,
                         const course_case *c, const char *key) {
    course_toml_value *value = course_toml_get(toml, table, key);
    const char *text = course_toml_as_expression(toml, value);
    if (text) course_load_evaluate(toml, value, task, c, text, 0);
    return text;
}

void course_load_gates(course_toml *toml, course_task *task) {
    course_toml_value *tables = course_toml_tables(toml, toml->root, "gate");
    if (!tables) return;
    course_gate *gates = course_toml_alloc(toml, tables->count * sizeof *gates);
    if (!gates) return;
    for (course_toml_value *t = tables->first; t && !toml->status; t = t->next) {
        course_gate *g = &gates[task->gate_count];
        g->metric = course_toml_need_string(toml, t, "metric");
        if (g->metric) check_metric(toml, t, task, g->metric);
        single_case(toml, t, task, &g->at);
        g->min = limit(toml, t, task, &g->at, "min");
        g->max = limit(toml, t, task, &g->at, "max");
        if (!toml->status && !g->min && !g->max)
            course_toml_fail(toml, t, "a gate needs min or max: a number, or an expression over the axes");
        g->why = course_toml_need_string(toml, t, "why");
        task->gate_count++;
    }
    task->gates = gates;
}

// ---- speed ------------------------------------------------------------------------------------

static double part(course_toml *toml, course_toml_value *table, const char *key) {
    double value = course_toml_number(toml, table, key, 0);
    course_toml_value *at = course_toml_get(toml, table, key);
    if (at && !(value > 0 && value <= 2)) course_toml_fail(toml, at, "%s is a part: above 0, at most 2", key);
    return value;
}

void course_load_speed(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "speed");
    if (!table) return;
    course_speed *s = &task->speed;
    s->given = true;
    single_case(toml, table, task, &s->at);
    s->bytes = limit(toml, table, task, &s->at, "bytes");
    s->flops = limit(toml, table, task, &s->at, "flops");
    s->peak = part(toml, table, "peak");
    s->solution = part(toml, table, "solution");
    if (toml->status) return;
    if (s->bytes && s->flops) course_toml_fail(toml, table, "[speed] has bytes or flops, not both");
    if (s->peak > 0 && !s->bytes && !s->flops)
        course_toml_fail(toml, table, "peak needs bytes (the least that must be moved) or flops");
    if (s->peak == 0 && s->solution == 0)
        course_toml_fail(toml, table, "[speed] needs peak = or solution = : the part that is asked for");
}

// ---- launch -----------------------------------------------------------------------------------

static void dimensions(course_toml *toml, course_toml_value *table, const char *key, const char *to[3]) {
    course_toml_value *value = course_toml_get(toml, table, key);
    if (!value) return;
    bool is_list = value->kind == COURSE_TOML_ARRAY;
    if (is_list && (value->count < 1 || value->count > 3)) {
        course_toml_fail(toml, value, "%s has one to three expressions", key);
        return;
    }
    size_t count = 0;
    for (course_toml_value *v = is_list ? value->first : value; v && !toml->status;
         v = is_list ? v->next : NULL)
        to[count++] = course_toml_as_expression(toml, v);
}

static double extent(course_toml *toml, const course_toml_value *at, const course_task *task,
                     const course_case *c, const char *expression, double block, double most) {
    if (!expression) return 1;
    double value = floor(course_load_evaluate(toml, at, task, c, expression, block));
    if (!toml->status && !(value >= 1 && value <= most))
        course_toml_fail(toml, at, "\"%s\" is %g in one of the cases; it must be in 1 .. %.0f", expression,
                         value, most);
    return value;
}

static void check_launch(course_toml *toml, course_toml_value *table, const course_task *task,
                         const course_case *c) {
    const course_launch *l = &task->launch;
    const course_toml_value *grid = course_toml_get(toml, table, "grid"),
                            *block = course_toml_get(toml, table, "block");
    double threads = 1;
    for (int d = 0; d < 3; d++) threads *= extent(toml, block, task, c, l->block[d], 0, MOST_THREADS);
    if (!toml->status && threads > MOST_THREADS)
        course_toml_fail(toml, block, "%g threads in a block; at most %d fit", threads, MOST_THREADS);
    for (int d = 0; d < 3; d++) extent(toml, grid, task, c, l->grid[d], threads, d ? 65535 : 2147483647.0);
    if (!l->shared || toml->status) return;
    const course_toml_value *at = course_toml_get(toml, table, "shared");
    double bytes = course_load_evaluate(toml, at, task, c, l->shared, threads);
    if (!toml->status && !(bytes >= 0 && bytes <= MOST_SHARED))
        course_toml_fail(toml, at, "%g bytes of shared memory; at most %d fit", bytes, MOST_SHARED);
}

static void load_fill(course_toml *toml, course_toml_value *table, course_task *task) {
    course_toml_value *fill = course_toml_table(toml, table, "fill");
    course_toml_take_all(fill);
    for (course_toml_value *m = fill ? fill->first : NULL; m && !toml->status; m = m->next) {
        course_parameter *p = course_load_parameter(toml, m, task);
        if (!p) return;
        if (p->role != COURSE_OUTPUT)
            course_toml_fail_key(toml, m, "\"%s\" is no output: only outputs are filled", m->key);
        int64_t byte = course_toml_integer(toml, fill, m->key, 0);
        if (byte < 0 || byte > 255) course_toml_fail(toml, m, "a byte is 0 to 255");
        p->fill = (int)byte;
    }
}

void course_load_launch(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "launch");
    course_launch *l = &task->launch;
    if (!table || toml->status) return;
    l->given = true;
    l->own = course_toml_boolean(toml, table, "own", false);
    l->cooperative = course_toml_boolean(toml, table, "cooperative", false);
    dimensions(toml, table, "grid", l->grid);
    dimensions(toml, table, "block", l->block);
    l->shared = course_toml_expression(toml, table, "shared");
    load_fill(toml, table, task);
    if (!toml->status && (!l->grid[0] || !l->block[0]) && !l->own)
        course_toml_fail(toml, table,
                         "[launch] needs grid and block, or own = true where the learner says them");
    for (size_t i = 0; i < task->case_count && !toml->status; i++)
        check_launch(toml, table, task, &task->cases[i]);
    for (size_t i = 0; i < task->gate_count && !toml->status; i++)
        check_launch(toml, table, task, &task->gates[i].at);
    if (task->speed.given && !toml->status) check_launch(toml, table, task, &task->speed.at);
}
