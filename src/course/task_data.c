// What a task's parameters hold: [buffers], [scalars], [data], [device], inout, and the right answer by expressions.
#include "course/load.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "family/case.h"

course_parameter *course_load_parameter(course_toml *toml, const course_toml_value *at, course_task *task) {
    const char *names[COURSE_PARAMETERS + 1] = {NULL};
    for (size_t i = 0; i < task->parameter_count; i++) {
        if (strcmp(task->parameters[i].name, at->key) == 0) return &task->parameters[i];
        names[i] = task->parameters[i].name;
    }
    const char *near = base_nearest(at->key, names);
    course_toml_fail_key(toml, at, "the signature has no parameter \"%s\"%s%s%s", at->key,
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return NULL;
}

// ---- data -------------------------------------------------------------------------------------

bool course_is_case_data(const char *word) {
    kz_data data;
    return family_data_find(word, &data);
}

// "index(bins)": its arguments, tried on each case.
static void check_arguments(course_toml *toml, const course_toml_value *at, const course_task *task,
                            const char *word, size_t wanted) {
    const char *open = strchr(word, '('), *close = strrchr(word, ')');
    if (!open || !close || close[1] || close < open) {
        course_toml_fail(toml, at, "expected \")\" at the end of \"%s\"", word);
        return;
    }
    size_t count = 1;
    int depth = 0;
    char argument[COURSE_NAME * 4];
    const char *from = open + 1;
    for (const char *c = open + 1; c <= close && !toml->status; c++) {
        if (c < close && (*c == '(' || *c == ')')) depth += *c == '(' ? 1 : -1;
        bool comma = c < close && *c == ',' && depth == 0;
        if (c != close && !comma) continue;
        snprintf(argument, sizeof argument, "%.*s", (int)(c - from), from);
        for (size_t i = 0; i < task->case_count && !toml->status; i++)
            course_load_evaluate(toml, at, task, &task->cases[i], argument, 0);
        count += comma;
        from = c + 1;
    }
    if (!toml->status && count != wanted)
        course_toml_fail(toml, at, "\"%s\": expected %zu %s", word, wanted,
                         wanted == 1 ? "number" : "numbers, separated by a comma");
}

// Data of the course's own, beside those of kz/data.def, with the numbers they take.
static const struct {
    const char *name, *numbers;
    size_t count;
} kinds[] = {{"index", "(n)", 1},      {"skewed", "(n)", 1},   {"offsets", "(n)", 1},
             {"range", "(lo, hi)", 2}, {"permutation", "", 0}, {"sorted", "", 0}};

static void fail_data(course_toml *toml, const course_toml_value *at, const char *word) {
    base_text known = {0};
    family_data_list(&known);
    for (size_t k = 0; k < BASE_COUNT(kinds); k++)
        base_text_add(&known, ", %s%s", kinds[k].name, kinds[k].numbers);
    course_toml_fail(toml, at, "there is no data \"%s\"; there are %s", word, known.data ? known.data : "?");
    base_text_free(&known);
}

static void check_data(course_toml *toml, const course_toml_value *at, const course_task *task,
                       const char *word) {
    if (course_is_case_data(word)) return;
    size_t length = strcspn(word, "(");
    for (size_t k = 0; k < BASE_COUNT(kinds); k++) {
        if (strlen(kinds[k].name) != length || strncmp(kinds[k].name, word, length) != 0) continue;
        if (kinds[k].count == 0 && word[length])
            course_toml_fail(toml, at, "\"%s\" takes no numbers", kinds[k].name);
        else if (kinds[k].count && !word[length])
            course_toml_fail(toml, at, "\"%s\" needs numbers: \"%s%s\"", word, word, kinds[k].numbers);
        else if (kinds[k].count)
            check_arguments(toml, at, task, word, kinds[k].count);
        return;
    }
    fail_data(toml, at, word);
}

static void load_data(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "data");
    course_toml_take_all(table);
    for (course_toml_value *m = table ? table->first : NULL; m && !toml->status; m = m->next) {
        course_parameter *p = course_load_parameter(toml, m, task);
        if (!p) return;
        if (p->role != COURSE_INPUT && p->role != COURSE_INOUT)
            course_toml_fail_key(toml, m, "\"%s\" is no input: its data is not for [data] to say", m->key);
        p->data = course_toml_string(toml, table, m->key, NULL);
        if (p->data) check_data(toml, m, task, p->data);
    }
    for (size_t i = 0; i < task->parameter_count; i++) {
        course_parameter *p = &task->parameters[i];
        if (!p->data && (p->role == COURSE_INPUT || p->role == COURSE_INOUT)) p->data = "uniform";
    }
}

// ---- buffers and scalars -------------------------------------------------------------------------

static void load_inout(course_toml *toml, course_task *task) {
    course_toml_value *list = course_toml_get(toml, toml->root, "inout");
    course_toml_strings(toml, toml->root, "inout");
    for (course_toml_value *e = list ? list->first : NULL; e && !toml->status; e = e->next) {
        course_toml_value named = *e;
        named.key = e->string;
        named.key_offset = e->offset;
        course_parameter *p = course_load_parameter(toml, &named, task);
        if (!p) return;
        if (p->role == COURSE_INPUT || p->role == COURSE_SCALAR)
            course_toml_fail(toml, e, "\"%s\" cannot be inout: it is %s", p->name,
                             p->role == COURSE_INPUT ? "const" : "a scalar");
        p->role = COURSE_INOUT;
    }
}

static void check_count(course_toml *toml, const course_toml_value *at, const course_task *task,
                        const char *expression) {
    enum { MOST = 1 << 28 };
    for (size_t i = 0; i < task->case_count && !toml->status; i++) {
        double count = course_load_evaluate(toml, at, task, &task->cases[i], expression, 0);
        if (!toml->status && !(count >= 0 && count <= MOST))
            course_toml_fail(toml, at, "\"%s\" gives %g elements in one of the cases; 0 to 2^28 can be had",
                             expression, count);
    }
}

static void load_counts(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "buffers");
    course_toml_take_all(table);
    for (course_toml_value *m = table ? table->first : NULL; m && !toml->status; m = m->next) {
        course_parameter *p = course_load_parameter(toml, m, task);
        if (!p) return;
        if (p->role == COURSE_SCALAR) course_toml_fail_key(toml, m, "\"%s\" is a scalar, no buffer", m->key);
        p->count = course_toml_as_expression(toml, m);
        if (p->count) check_count(toml, m, task, p->count);
    }
    for (size_t i = 0; i < task->parameter_count && !toml->status; i++)
        if (task->parameters[i].role != COURSE_SCALAR && !task->parameters[i].count)
            course_toml_fail(toml, table, "[buffers] does not say how many elements \"%s\" has",
                             task->parameters[i].name);
}

// How many elements of a buffer kernels read or write, where it is not all of them.
static void load_device(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "device");
    course_toml_take_all(table);
    for (course_toml_value *m = table ? table->first : NULL; m && !toml->status; m = m->next) {
        course_parameter *p = course_load_parameter(toml, m, task);
        if (!p) return;
        if (p->role == COURSE_SCALAR) course_toml_fail_key(toml, m, "\"%s\" is a scalar, no buffer", m->key);
        p->on_device = course_toml_as_expression(toml, m);
        if (p->on_device) check_count(toml, m, task, p->on_device);
    }
}

static void load_scalars(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "scalars");
    course_toml_take_all(table);
    for (course_toml_value *m = table ? table->first : NULL; m && !toml->status; m = m->next) {
        course_parameter *p = course_load_parameter(toml, m, task);
        if (!p) return;
        if (p->role != COURSE_SCALAR) course_toml_fail_key(toml, m, "\"%s\" is a buffer, no scalar", m->key);
        p->value = course_toml_as_expression(toml, m);
        if (!p->value || strcmp(p->value, "uniform") == 0) continue;
        for (size_t i = 0; i < task->case_count && !toml->status; i++)
            course_load_evaluate(toml, m, task, &task->cases[i], p->value, 0);
    }
}

// ---- the right answer -----------------------------------------------------------------------------

static void load_expressions(course_toml *toml, course_task *task, const char *name, bool bound) {
    course_toml_value *table = course_toml_table(toml, toml->root, name);
    course_toml_take_all(table);
    for (course_toml_value *m = table ? table->first : NULL; m && !toml->status; m = m->next) {
        course_parameter *p = course_load_parameter(toml, m, task);
        if (!p) return;
        if (p->role != COURSE_OUTPUT && p->role != COURSE_INOUT)
            course_toml_fail_key(toml, m, "\"%s\" is no output", m->key);
        const char *text = course_toml_string(toml, table, m->key, NULL);
        *(bound ? &p->bound : &p->reference) = text;
    }
}

static void load_reference(course_toml *toml, course_task *task) {
    load_expressions(toml, task, "reference", false);
    load_expressions(toml, task, "bound", true);
    if (toml->status) return;
    char path[COURSE_PATH];
    snprintf(path, sizeof path, "%s/reference.c", task->folder);
    bool file = base_file_exists(path);
    course_toml_value *table = course_toml_get(toml, toml->root, "reference"),
                      *bounds = course_toml_get(toml, toml->root, "bound");
    if (file && (table || bounds)) {
        course_toml_fail_key(toml, table ? table : bounds,
                             "reference.c says the right answer and its bounds already; keep one of the two");
        return;
    }
    size_t outputs = 0;
    for (size_t i = 0; i < task->parameter_count; i++) {
        const course_parameter *p = &task->parameters[i];
        if (p->role != COURSE_OUTPUT && p->role != COURSE_INOUT) continue;
        outputs++;
        if (!file && !p->reference) {
            course_toml_fail(toml, table, "nothing says the right answer for \"%s\"", p->name);
            course_toml_note(toml, "give an expression in [reference], or write reference.c in the folder");
            return;
        }
    }
    if (!outputs)
        course_toml_fail(toml, course_toml_get(toml, toml->root, "signature"),
                         "the signature has no output: nothing could be checked");
}

void course_load_buffers(course_toml *toml, course_task *task) {
    load_inout(toml, task);
    load_counts(toml, task);
    if (task->form == COURSE_PROGRAM) load_device(toml, task);
    load_scalars(toml, task);
    load_data(toml, task);
    load_reference(toml, task);
}
