// One run's data: inputs by their generators, poisoned outputs, the right answer, and the comparison in words.
//
// Every element comes from the seed, the parameter's index and its own index, so a case and a seed always give
// the same bytes. Floating-point kinds are the zoo's own (family/inputs.h); those for indices are made here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "family/case.h"
#include "family/expression.h"
#include "family/inputs.h"
#include "reference.h"

// ---- expressions ----------------------------------------------------------------------------------------

static size_t axis_names(const course_task *task, const course_case *c, double block,
                         family_name_value names[COURSE_AXES + 2]) {
    size_t count = 0;
    for (size_t i = 0; i < task->axis_count; i++)
        names[count++] = (family_name_value){task->axes[i], (double)c->axes[i]};
    if (block > 0) names[count++] = (family_name_value){"block", block};
    names[count] = (family_name_value){0};
    return count;
}

kz_status course_evaluate(const course_task *task, const course_case *c, const char *expression, double block,
                          double *value, kz_error *error) {
    family_name_value names[COURSE_AXES + 2];
    axis_names(task, c, block, names);
    const char *at = expression;
    kz_error inner = {0};
    kz_status status = family_evaluate(&at, names, value, &inner);
    if (!status && at[strspn(at, " \t")])
        status = base_fail(&inner, KZ_SYNTAX, "more than an expression: \"%s\"", at);
    if (!status) return KZ_OK;
    base_fail(error, KZ_SYNTAX, "task %s: the expression \"%s\" does not read", task->id, expression);
    base_fail_note(error, "%s", inner.message);
    return KZ_SYNTAX;
}

void course_case_name(const course_task *task, const course_case *c, char *text, size_t size) {
    base_text name = {0};
    for (size_t i = 0; i < task->axis_count; i++)
        base_text_add(&name, "%s%s=%lld", i ? ", " : "", task->axes[i], (long long)c->axes[i]);
    if (c->data) base_text_add(&name, "%s%s", name.length ? ", " : "", c->data);
    if (c->misalign) base_text_add(&name, "%smisaligned by %u", name.length ? ", " : "", c->misalign);
    snprintf(text, size, "%s", name.data ? name.data : "the only case");
    base_text_free(&name);
}

void course_case_add_smallest(base_text *out, const char *where, const char *message) {
    const char *before = ": ";
    base_text_add(out, "\nsmallest wrong case: %s", where);
    for (const char *at = strchr(message, '\n'); at && *at;) {
        at++;
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "likely: ", 8) == 0 || strncmp(at, "next: ", 6) == 0) break;
        base_text_add(out, "%s%.*s", before, (int)length, at);
        before = ", ";
        at += length;
    }
}

// ---- inputs ---------------------------------------------------------------------------------------------

typedef struct maker {
    const course_task *task;
    const course_case *c;
    uint64_t seed;
    uint32_t buffer;
    kz_type type;
    uint64_t count;
    void *host;
} maker;

static double unit(const maker *m, uint32_t salt, uint64_t index) { // [0, 1)
    base_philox_block block = base_philox(m->seed, (uint64_t)(64 + salt) << 32 | m->buffer, index >> 1);
    unsigned half = (unsigned)(index & 1) * 2;
    uint64_t bits = (uint64_t)block.word[half + 1] << 32 | block.word[half];
    return (double)(bits >> 11) * 0x1p-53;
}

static void make_index(const maker *m, double bins, bool skewed) {
    for (uint64_t i = 0; i < m->count; i++) {
        double value = floor(unit(m, 0, i) * bins);
        if (skewed && unit(m, 1, i) < 0.875) value = floor(unit(m, 2, (uint64_t)(unit(m, 3, i) * 3)) * bins);
        kz_element_set(m->type, m->host, i, fmin(value, fmax(bins - 1, 0)));
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Ascending values; with `ends`, from 0 to `last`, and one in eight equal to its neighbour: empty rows.
static kz_status make_ascending(const maker *m, bool ends, double last, kz_error *error) {
    double *values = malloc((m->count + 1) * sizeof *values);
    if (!values) return base_fail(error, KZ_NO_MEMORY, "no memory for the input of task %s", m->task->id);
    if (!ends)
        family_fill_input(m->type, KZ_DATA_UNIFORM, m->seed, m->buffer, 0, m->count, m->count, m->host);
    for (uint64_t i = 0; i < m->count; i++)
        values[i] = ends ? floor(unit(m, 0, i) * (last + 1)) : kz_element_get(m->type, m->host, i);
    qsort(values, m->count, sizeof *values, by_value);
    for (uint64_t i = 1; ends && i + 1 < m->count; i++)
        if (unit(m, 1, i) < 0.125) values[i] = values[i - 1];
    if (ends && m->count) {
        values[m->count - 1] = last;
        values[0] = 0;
        for (uint64_t i = 1; i < m->count; i++) values[i] = fmin(fmax(values[i], values[i - 1]), last);
    }
    for (uint64_t i = 0; i < m->count; i++) kz_element_set(m->type, m->host, i, values[i]);
    free(values);
    return KZ_OK;
}

static void make_permutation(const maker *m) {
    for (uint64_t i = 0; i < m->count; i++) kz_element_set(m->type, m->host, i, (double)i);
    for (uint64_t i = m->count; i > 1; i--) {
        uint64_t j = (uint64_t)(unit(m, 0, i) * (double)i);
        double a = kz_element_get(m->type, m->host, i - 1), b = kz_element_get(m->type, m->host, j);
        kz_element_set(m->type, m->host, i - 1, b);
        kz_element_set(m->type, m->host, j, a);
    }
}

static void make_range(const maker *m, double low, double high) {
    for (uint64_t i = 0; i < m->count; i++) {
        double value = low + unit(m, 0, i) * (high - low);
        if (!base_type_is_float(m->type)) value = fmin(floor(value), ceil(high) - 1);
        kz_element_set(m->type, m->host, i, value);
    }
}

// The arguments between the parentheses of "index(bins)".
static kz_status read_arguments(const maker *m, const char *text, double *values, size_t count,
                                kz_error *error) {
    family_name_value names[COURSE_AXES + 2];
    axis_names(m->task, m->c, 0, names);
    const char *at = strchr(text, '(');
    for (size_t i = 0; at && i < count; i++) {
        at++;
        if (family_evaluate(&at, names, &values[i], NULL)) at = NULL;
        if (at) at += strspn(at, " \t");
        if (at && *at != (i + 1 < count ? ',' : ')')) at = NULL;
    }
    if (at) return KZ_OK;
    return base_fail(error, KZ_SYNTAX, "task %s: [data] \"%s\" of %s needs %zu expression%s in parentheses",
                     m->task->id, text, m->task->parameters[m->buffer].name, count, count == 1 ? "" : "s");
}

static bool is_kind(const char *text, const char *kind) {
    size_t length = strlen(kind);
    return strncmp(text, kind, length) == 0 && (text[length] == 0 || text[length] == '(');
}

static kz_status make_input(const maker *m, const char *kind, kz_error *error) {
    kz_data data;
    if (family_data_find(kind, &data)) {
        family_fill_input(m->type, data, m->seed, m->buffer, 0, m->count, m->count, m->host);
        return KZ_OK;
    }
    double values[2] = {0, 0};
    kz_status status = KZ_OK;
    if (is_kind(kind, "index") || is_kind(kind, "skewed")) {
        status = read_arguments(m, kind, values, 1, error);
        if (!status) make_index(m, floor(values[0]), is_kind(kind, "skewed"));
    } else if (is_kind(kind, "offsets")) {
        status = read_arguments(m, kind, values, 1, error);
        if (!status) status = make_ascending(m, true, floor(values[0]), error);
    } else if (is_kind(kind, "sorted")) {
        status = make_ascending(m, false, 0, error);
    } else if (is_kind(kind, "permutation")) {
        make_permutation(m);
    } else if (is_kind(kind, "range")) {
        status = read_arguments(m, kind, values, 2, error);
        if (!status) make_range(m, values[0], values[1]);
    } else {
        base_fail(error, KZ_SYNTAX, "task %s: [data] %s: there is no kind of data \"%s\"", m->task->id,
                  m->task->parameters[m->buffer].name, kind);
        base_fail_note(error,
                       "there are: uniform positive zeros ones nan inf denormal large small equal biased "
                       "runs index(N) skewed(N) offsets(N) permutation sorted range(LOW, HIGH)");
        status = KZ_SYNTAX;
    }
    return status;
}

// ---- scalars --------------------------------------------------------------------------------------------

static void set_scalar(course_data *data, size_t i, double value) {
    const course_scalar_type *type = course_scalar_type_of(data->task->parameters[i].scalar);
    bool wide = type->bytes == 8;
    float single = (float)value;
    int64_t whole = (int64_t)value;
    uint32_t low = (uint32_t)whole;
    data->scalars[i] = 0;
    const void *bits = type->is_float ? (wide ? (const void *)&value : &single)
                       : wide         ? (const void *)&whole
                                      : &low;
    memcpy(&data->scalars[i], bits, type->bytes);
    data->values[i] = !type->is_float ? (double)whole : wide ? value : (double)single;
}

static kz_status make_scalar(course_data *data, size_t i, kz_error *error) {
    const course_parameter *p = &data->task->parameters[i];
    double value = 0;
    if (p->axis >= 0) {
        value = (double)data->c->axes[p->axis];
    } else if (!p->value || strcmp(p->value, "uniform") == 0) { // away from zero: what is left out must show
        const maker m = {.seed = data->seed, .buffer = (uint32_t)i};
        double u = unit(&m, 0, 0);
        bool real = course_scalar_type_of(p->scalar)->is_float;
        value = real ? (unit(&m, 1, 0) < 0.5 ? -1 : 1) * (0.25 + 0.75 * u) : 1 + floor(u * 1000);
    } else {
        kz_status status = course_evaluate(data->task, data->c, p->value, 0, &value, error);
        if (status) return status;
        if (!course_scalar_type_of(p->scalar)->is_float) value = floor(value);
    }
    set_scalar(data, i, value);
    return KZ_OK;
}

// ---- open and close -------------------------------------------------------------------------------------

static kz_status make_buffer(course_data *data, size_t i, kz_error *error) {
    const course_parameter *p = &data->task->parameters[i];
    double count = 0;
    kz_status status = course_evaluate(data->task, data->c, p->count ? p->count : "1", 0, &count, error);
    if (status) return status;
    if (!(count >= 0 && count < 0x1p40))
        return base_fail(error, KZ_INVALID, "task %s: buffer %s would have %g elements", data->task->id,
                         p->name, count);
    data->counts[i] = (uint64_t)count;
    data->bytes[i] = data->counts[i] * kz_type_size(p->type);
    data->host[i] = malloc(data->bytes[i] + 1);
    if (!data->host[i])
        return base_fail(error, KZ_NO_MEMORY, "no memory for buffer %s of task %s (%.2f GB)", p->name,
                         data->task->id, (double)data->bytes[i] / 1e9);
    if (p->role == COURSE_OUTPUT) {
        if (p->fill >= 0)
            memset(data->host[i], p->fill, data->bytes[i]);
        else
            family_poison(p->type, data->counts[i], data->host[i]);
        return KZ_OK;
    }
    maker m = {data->task, data->c, data->seed, (uint32_t)i, p->type, data->counts[i], data->host[i]};
    const char *kind = data->c->data && base_type_is_float(p->type) ? data->c->data
                       : p->data                                    ? p->data
                                                                    : "uniform";
    return make_input(&m, kind, error);
}

static double *as_doubles(kz_type type, const void *data, uint64_t count) {
    double *values = malloc((count + 1) * sizeof *values);
    for (uint64_t i = 0; values && i < count; i++) values[i] = kz_element_get(type, data, i);
    return values;
}

static void close_call(course_reference_call *call) {
    for (size_t i = 0; i < COURSE_PARAMETERS; i++) {
        free(call->inputs[i]);
        free(call->expected[i]);
        free(call->bounds[i]);
    }
}

static kz_status open_call(const course_data *data, bool with_outputs, course_reference_call *call,
                           kz_error *error) {
    *call = (course_reference_call){.seed = data->seed};
    bool failed = false;
    for (size_t i = 0; i < data->task->parameter_count; i++) {
        const course_parameter *p = &data->task->parameters[i];
        uint64_t count = data->counts[i];
        call->counts[i] = (int64_t)count;
        call->real[i] = data->values[i];
        call->whole[i] = p->role == COURSE_SCALAR ? (int64_t)data->values[i] : 0;
        if (p->role == COURSE_INPUT || p->role == COURSE_INOUT)
            failed |= !(call->inputs[i] = as_doubles(p->type, data->host[i], count));
        if (!with_outputs || p->role == COURSE_INPUT || p->role == COURSE_SCALAR) continue;
        call->expected[i] = p->role == COURSE_INOUT ? as_doubles(p->type, data->host[i], count)
                                                    : calloc(count + 1, sizeof(double));
        call->bounds[i] = malloc((count + 1) * sizeof(double));
        failed |= !call->expected[i] || !call->bounds[i];
        for (uint64_t k = 0; call->bounds[i] && k < count; k++) call->bounds[i][k] = -1;
    }
    if (!failed) return KZ_OK;
    close_call(call);
    return base_fail(error, KZ_NO_MEMORY, "no memory for the right answer of task %s", data->task->id);
}

static kz_status let_task_change_inputs(course_data *data, const course_reference *reference,
                                        kz_error *error) {
    course_reference_call call;
    kz_status status = open_call(data, false, &call, error);
    if (status) return status;
    course_reference_inputs(reference, &call);
    for (size_t i = 0; i < data->task->parameter_count; i++)
        for (uint64_t k = 0; call.inputs[i] && k < data->counts[i]; k++)
            kz_element_set(data->task->parameters[i].type, data->host[i], k, call.inputs[i][k]);
    close_call(&call);
    return KZ_OK;
}

kz_status course_data_open(const course_task *task, course_reference *reference, const course_case *c,
                           uint64_t seed, course_data *data, kz_error *error) {
    *data = (course_data){.task = task, .c = c, .seed = seed};
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->parameter_count && !status; i++)
        if (task->parameters[i].role == COURSE_SCALAR) status = make_scalar(data, i, error);
    for (size_t i = 0; i < task->parameter_count && !status; i++)
        if (task->parameters[i].role != COURSE_SCALAR) status = make_buffer(data, i, error);
    if (!status && reference && course_reference_has_inputs(reference))
        status = let_task_change_inputs(data, reference, error);
    if (status) course_data_close(data);
    return status;
}

void course_data_close(course_data *data) {
    for (size_t i = 0; i < COURSE_PARAMETERS; i++) {
        free(data->host[i]);
        free(data->got[i]);
        data->host[i] = data->got[i] = NULL;
    }
}

// ---- the judgement --------------------------------------------------------------------------------------

// A bound that is not set asks for the exact result, rounded once; no bound asks for more than that.
static void finish_bounds(kz_type type, uint64_t count, double *expected, double *bounds) {
    for (uint64_t i = 0; i < count; i++) {
        expected[i] = kz_saturate(type, expected[i]);
        if (bounds[i] >= 0) {
            double rounding = kz_half_ulp(type, expected[i]);
            if (bounds[i] < rounding) bounds[i] = rounding;
            continue;
        }
        uint64_t rounded = 0;
        kz_element_set(type, &rounded, 0, expected[i]);
        expected[i] = kz_element_get(type, &rounded, 0);
        bounds[i] = 0;
    }
}

// The first two inputs of the output's type and size, for "merely copied" and "another operation".
static void find_inputs(const course_data *data, size_t at, family_output *output) {
    const void **const inputs[] = {&output->input, &output->second};
    size_t found = 0;
    for (size_t i = 0; i < data->task->parameter_count && found < BASE_COUNT(inputs); i++) {
        const course_parameter *p = &data->task->parameters[i];
        if (p->role != COURSE_INPUT || p->type != output->type || data->counts[i] != data->counts[at])
            continue;
        *inputs[found] = data->host[i];
        output->input_names[found++] = p->name;
    }
}

static void find_shape(const course_data *data, uint64_t count, family_output *output) {
    const int64_t *axes = data->c->axes;
    for (size_t i = 0; i < data->task->axis_count; i++)
        for (size_t k = i + 1; k < data->task->axis_count; k++)
            if (axes[i] > 1 && axes[k] > 1 && (uint64_t)axes[i] * (uint64_t)axes[k] == count) {
                output->rows = (uint64_t)axes[i];
                output->columns = (uint64_t)axes[k];
                return;
            }
    for (size_t i = 0; i < data->task->axis_count; i++)
        if (axes[i] > 1 && (uint64_t)axes[i] * (uint64_t)axes[i] == count)
            output->rows = output->columns = (uint64_t)axes[i];
}

// Blocks in one dimension take runs of elements.
static void find_launch(const course_data *data, size_t at, family_output *output) {
    const course_parameter *p = &data->task->parameters[at];
    const kz_launch *l = data->launch;
    output->is_grid_given = data->is_grid_given;
    bool is_program =
        data->task->kind == COURSE_CUDA && data->task->form == COURSE_PROGRAM; // fresh memory may be 0
    output->is_zeroed = is_program || (data->fills ? data->fills[at] : p->fill) == 0;
    if (p->role == COURSE_INOUT) output->initial = data->host[at];
    if (l && l->block[1] * l->block[2] * l->grid[1] * l->grid[2] == 1) output->block = l->block[0];
}

static void name_scalars(const course_data *data, const char *names[COURSE_PARAMETERS + 1],
                         double values[COURSE_PARAMETERS]) {
    size_t count = 0;
    for (size_t i = 0; i < data->task->parameter_count; i++)
        if (data->task->parameters[i].role == COURSE_SCALAR) {
            names[count] = data->task->parameters[i].name;
            values[count++] = data->values[i];
        }
    names[count] = NULL;
}

// Some patterns begin with the count that stands before them here: "5 of 9 are wrong, and they are zero".
static const char *without_count(const family_comparison *c, const char **subject) {
    static const char also[] = "are wrong, and ", none[] = "elements are wrong, ";
    char counted[64];
    snprintf(counted, sizeof counted, "%llu of %llu ", (unsigned long long)c->wrong,
             (unsigned long long)c->count);
    if (strncmp(c->pattern, counted, strlen(counted)) != 0) return c->pattern;
    const char *pattern = c->pattern + strlen(counted);
    if (strncmp(pattern, none, sizeof none - 1) == 0) return "in no simple pattern";
    if (strncmp(pattern, also, sizeof also - 1) == 0) return pattern + sizeof also - 1;
    *subject = "they ";
    return pattern;
}

// "z: 1 of 1025 wrong, first [1024]: ..."; a single value has no index to speak of.
static void fail_with_pattern(const char *name, const family_comparison *c, kz_error *error) {
    const char *subject = "", *pattern = without_count(c, &subject);
    if (c->count == 1 && !c->cause[0]) // "the value is wrong"
        base_fail(error, KZ_WRONG, "%s is wrong", name);
    else if (c->count == 1)
        base_fail(error, KZ_WRONG, "%s is wrong: %s", name, c->pattern);
    else
        base_fail(error, KZ_WRONG, "%s: %llu of %llu wrong, first [%llu]: %s%s", name,
                  (unsigned long long)c->wrong, (unsigned long long)c->count,
                  (unsigned long long)c->first_wrong, subject, pattern);
}

enum { NUMBER = 40 };

// Whole numbers are written whole, and NaN without a sign.
static void write_number(kz_type type, double value, char text[NUMBER]) {
    bool is_whole = !base_type_is_float(type);
    snprintf(text, NUMBER, is_whole ? "%.0f" : "%.9g", isnan(value) ? (double)NAN : value);
}

// "from x[3] = 0.25, y[3] = -1, alpha = 2": what element `at` of output `output` is made of, as far as it is known. Of
// an input with another number of elements that is all of it, where it is short.
static void note_inputs(const course_data *data, size_t output, uint64_t at, kz_error *error) {
    enum { SHORT = 8, MOST = 300 };
    base_text words = {0};
    char number[NUMBER];
    for (size_t i = 0; i < data->task->parameter_count && words.length < MOST; i++) {
        const course_parameter *p = &data->task->parameters[i];
        const char *between = words.length ? ", " : "";
        if (p->role == COURSE_SCALAR) {
            if (p->axis < 0) base_text_add(&words, "%s%s = %.9g", between, p->name, data->values[i]);
        } else if (p->role == COURSE_OUTPUT) {
            continue;
        } else if (data->counts[i] == data->counts[output] && data->counts[i] > 1) {
            write_number(p->type, kz_element_get(p->type, data->host[i], at), number);
            base_text_add(&words, "%s%s[%llu] = %s", between, p->name, (unsigned long long)at, number);
        } else if (data->counts[i] && data->counts[i] <= SHORT) {
            base_text_add(&words, "%s%s =", between, p->name);
            for (uint64_t k = 0; k < data->counts[i]; k++) {
                write_number(p->type, kz_element_get(p->type, data->host[i], k), number);
                base_text_add(&words, " %s", number);
            }
        }
    }
    if (words.length) base_fail_note(error, "from %s", words.data);
    base_text_free(&words);
}

static kz_status compare_output(const course_data *data, size_t i, const course_reference_call *call,
                                family_comparison *comparison, kz_error *error) {
    const course_parameter *p = &data->task->parameters[i];
    finish_bounds(p->type, data->counts[i], call->expected[i], call->bounds[i]);
    family_output output = {.type = p->type,
                            .count = data->counts[i],
                            .got = data->got[i],
                            .expected = call->expected[i],
                            .bound = call->bounds[i],
                            .launch = data->launch,
                            .is_chance = data->is_chance};
    find_launch(data, i, &output);
    find_inputs(data, i, &output);
    if (data->before && data->before->got[i] && data->before->counts[i] == data->counts[i] &&
        data->before->seed != data->seed)
        output.previous = data->before->got[i];
    find_shape(data, data->counts[i], &output);
    const char *names[COURSE_PARAMETERS + 1];
    double values[COURSE_PARAMETERS];
    name_scalars(data, names, values);
    output.names = names;
    output.values = values;
    output.is_plain_c = data->task->kind == COURSE_C;
    output.is_defined = data->is_defined;
    family_comparison now;
    family_compare(&output, &now);
    if (now.wrong == 0) {
        if (comparison->count == 0 || now.worst_ratio > comparison->worst_ratio) *comparison = now;
        return KZ_OK;
    }
    *comparison = now;
    fail_with_pattern(p->name, &now, error);
    // On the host, what is added to the NaN of an output that was never set is that very NaN.
    char is[NUMBER], should[NUMBER];
    write_number(p->type, now.got, is);
    write_number(p->type, now.expected, should);
    unsigned long long at = now.first_wrong;
    if (family_is_poison(p->type, (const char *)data->got[i] + now.first_wrong * kz_type_size(p->type)))
        base_fail_note(error, "%s[%llu] was never written%s; it should be %s", p->name, at,
                       data->task->kind == COURSE_C ? ", or only added to (+=)" : "", should);
    else if (now.bound > 0)
        base_fail_note(error, "%s[%llu] is %s and should be %s, give or take %.2g", p->name, at, is, should,
                       now.bound);
    else
        base_fail_note(error, "%s[%llu] is %s and should be %s", p->name, at, is, should);
    note_inputs(data, i, now.first_wrong, error);
    if (now.cause[0]) base_fail_note(error, "likely: %s", now.cause);
    if (now.next[0]) base_fail_note(error, "next: %s", now.next);
    return KZ_WRONG;
}

static kz_status check_inputs(const course_data *data, kz_error *error) {
    for (size_t i = 0; i < data->task->parameter_count; i++) {
        const course_parameter *p = &data->task->parameters[i];
        if (p->role != COURSE_INPUT || !data->got[i]) continue;
        const uint8_t *before = data->host[i], *after = data->got[i];
        if (memcmp(before, after, data->bytes[i]) == 0) continue;
        uint64_t at = 0;
        while (before[at] == after[at]) at++;
        at /= kz_type_size(p->type);
        base_fail(error, KZ_WRONG, "the input %s was changed, first at [%llu]: it was %.9g and is %.9g",
                  p->name, (unsigned long long)at, kz_element_get(p->type, before, at),
                  kz_element_get(p->type, after, at));
        base_fail_note(error, "likely: a store through the wrong pointer, or a cast that takes const away");
        base_fail_note(error,
                       "next: look for what writes to %s; work in registers, shared memory or the output",
                       p->name);
        return KZ_WRONG;
    }
    return KZ_OK;
}

kz_status course_data_judge(const course_data *data, course_reference *reference, bool *input_changed,
                            family_comparison *comparison, kz_error *error) {
    *comparison = (family_comparison){0};
    *input_changed = check_inputs(data, error) != KZ_OK;
    if (*input_changed) return KZ_WRONG;
    course_reference_call call;
    kz_status status = open_call(data, true, &call, error);
    if (status) return status;
    course_reference_run(reference, &call);
    for (size_t i = 0; i < data->task->parameter_count && !status; i++)
        if (call.expected[i] && data->got[i]) status = compare_output(data, i, &call, comparison, error);
    close_call(&call);
    return status;
}
