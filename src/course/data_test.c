// Inputs by their kinds, the right answer by expressions and by a file, and the judgement in words.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "course.h"
#include "family/inputs.h"
#include "unit.h"

enum { N = 1025 };

static course_case the_case = {.axes = {N}};

static course_task make_task(const char *folder) {
    course_task task = {.id = "sum-of-two",
                        .folder = folder,
                        .axes = {"n"},
                        .axis_count = 1,
                        .cases = &the_case,
                        .case_count = 1,
                        .parameter_count = 4};
    task.parameters[0] = (course_parameter){
        .name = "x", .role = COURSE_INPUT, .type = KZ_F32, .axis = -1, .count = "n", .data = "uniform"};
    task.parameters[1] = (course_parameter){.name = "z",
                                            .role = COURSE_OUTPUT,
                                            .type = KZ_F32,
                                            .axis = -1,
                                            .count = "n",
                                            .fill = -1,
                                            .reference = "factor * x[i]"};
    task.parameters[2] =
        (course_parameter){.name = "factor", .role = COURSE_SCALAR, .scalar = COURSE_FLOAT, .axis = -1};
    task.parameters[3] = (course_parameter){.name = "n", .role = COURSE_SCALAR, .scalar = COURSE_INT};
    return task;
}

static course_data open_data(const course_task *task, course_reference *reference, uint64_t seed) {
    course_data data;
    kz_error error = {0};
    if (course_data_open(task, reference, &the_case, seed, &data, &error)) fail_msg("%s", error.message);
    return data;
}

static course_reference *open_reference(const course_task *task) {
    course_reference *reference = NULL;
    kz_error error = {0};
    if (course_reference_open(task, &reference, &error)) fail_msg("%s", error.message);
    return reference;
}

// What a right submission gives back.
static void answer(course_data *data) {
    data->got[0] = malloc(data->bytes[0]);
    data->got[1] = malloc(data->bytes[1]);
    memcpy(data->got[0], data->host[0], data->bytes[0]);
    const float *x = data->host[0];
    for (int i = 0; i < N; i++) ((float *)data->got[1])[i] = (float)data->values[2] * x[i];
}

static kz_status judge(const course_data *data, course_reference *reference, bool *changed, kz_error *error) {
    family_comparison comparison;
    return course_data_judge(data, reference, changed, &comparison, error);
}

static void right_and_wrong_answers(void **state) {
    course_task task = make_task("/nowhere");
    course_reference *reference = open_reference(&task);
    course_data data = open_data(&task, reference, 7);
    kz_error error = {0};
    bool changed;
    const kz_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {256, 1, 1}};
    data.launch = &launch;
    assert_true(fabs(data.values[2]) >= 0.25 && fabs(data.values[2]) <= 1); // a fresh scalar, away from zero
    assert_true(data.values[3] == N && data.scalars[3] == N);
    assert_true(family_is_poison(KZ_F32, data.host[1]));
    answer(&data);
    assert_int_equal(judge(&data, reference, &changed, &error), KZ_OK);
    float *z = data.got[1], *x = data.got[0], kept = z[1024];
    z[1024] = 0;
    assert_int_equal(judge(&data, reference, &changed, &error), KZ_WRONG);
    assert_false(changed);
    assert_non_null(strstr(error.message,
                           "z: 1 of 1025 wrong, first [1024]: all wrong indices are in the last "
                           "partial block"));
    assert_non_null(strstr(error.message, "likely: "));
    assert_non_null(strstr(error.message, "next: "));
    z[1024] = nextafterf(kept, 10); // the bound is not set: exact, rounded once
    assert_int_equal(judge(&data, reference, &changed, &error), KZ_WRONG);
    z[1024] = NAN;
    assert_int_equal(judge(&data, reference, &changed, &error), KZ_WRONG);
    z[1024] = kept;
    x[3] += 1;
    assert_int_equal(judge(&data, reference, &changed, &error), KZ_WRONG);
    assert_true(changed);
    assert_non_null(strstr(error.message, "the input x was changed, first at [3]"));
    course_data_close(&data);
    course_reference_close(reference);
}

static void seeds_decide(void **state) {
    course_task task = make_task("/nowhere");
    course_data a = open_data(&task, NULL, 7), b = open_data(&task, NULL, 7), c = open_data(&task, NULL, 8);
    assert_memory_equal(a.host[0], b.host[0], a.bytes[0]);
    assert_memory_not_equal(a.host[0], c.host[0], a.bytes[0]);
    assert_true(a.values[2] != c.values[2]);
    course_data_close(&a), course_data_close(&b), course_data_close(&c);
}

static void a_bound_lets_as_much_through_as_it_says(void **state) {
    course_task task = make_task("/nowhere");
    task.parameters[1].bound = "2 * U_F32 * fabs(z[i])"; // the output's name is the right answer
    course_reference *reference = open_reference(&task);
    course_data data = open_data(&task, reference, 7);
    bool changed;
    answer(&data);
    float *z = data.got[1], kept = z[5];
    z[5] = nextafterf(kept, 10);
    assert_int_equal(judge(&data, reference, &changed, NULL), KZ_OK);
    z[5] = kept * (1 + 6 * 0x1p-24f);
    assert_int_equal(judge(&data, reference, &changed, NULL), KZ_WRONG);
    course_data_close(&data);
    course_reference_close(reference);
}

static void a_stale_output_is_named(void **state) {
    course_task task = make_task("/nowhere");
    course_reference *reference = open_reference(&task);
    course_data first = open_data(&task, reference, 7), second = open_data(&task, reference, 8);
    kz_error error = {0};
    bool changed;
    answer(&first), answer(&second);
    memcpy(second.got[1], first.got[1], first.bytes[1]);
    second.before = &first;
    assert_int_equal(judge(&second, reference, &changed, &error), KZ_WRONG);
    assert_non_null(strstr(error.message, "stale"));
    course_data_close(&first), course_data_close(&second);
    course_reference_close(reference);
}

static void kinds_of_inputs(void **state) {
    course_task task = make_task("/nowhere");
    course_parameter *x = &task.parameters[0];
    x->type = KZ_I32;
    x->data = "index(10)";
    course_data d = open_data(&task, NULL, 3);
    int seen[10] = {0};
    for (int i = 0; i < N; i++) {
        int value = ((int *)d.host[0])[i];
        assert_true(value >= 0 && value < 10);
        seen[value]++;
    }
    for (int i = 0; i < 10; i++) assert_true(seen[i] > 20);
    course_data_close(&d);

    x->data = "skewed(1000)";
    d = open_data(&task, NULL, 3);
    int most = 0, *values = d.host[0], counts[1000] = {0};
    for (int i = 0; i < N; i++) counts[values[i]]++;
    for (int i = 0; i < 1000; i++) most = counts[i] > most ? counts[i] : most;
    assert_true(most > N / 6);
    course_data_close(&d);

    x->data = "offsets(2*n)";
    d = open_data(&task, NULL, 3);
    values = d.host[0];
    int equal = 0;
    assert_int_equal(values[0], 0);
    assert_int_equal(values[N - 1], 2 * N);
    for (int i = 1; i < N; i++) {
        assert_true(values[i] >= values[i - 1]);
        equal += values[i] == values[i - 1];
    }
    assert_true(equal > 20);
    course_data_close(&d);

    x->data = "permutation";
    d = open_data(&task, NULL, 3);
    values = d.host[0];
    char there[N] = {0};
    bool moved = false;
    for (int i = 0; i < N; i++) {
        assert_true(values[i] >= 0 && values[i] < N && !there[values[i]]);
        there[values[i]] = 1;
        moved = moved || values[i] != i;
    }
    assert_true(moved);
    course_data_close(&d);

    x->data = "range(-3, 5)";
    d = open_data(&task, NULL, 3);
    values = d.host[0];
    for (int i = 0; i < N; i++) assert_true(values[i] >= -3 && values[i] < 5);
    course_data_close(&d);

    x->type = KZ_F32;
    x->data = "sorted";
    d = open_data(&task, NULL, 3);
    for (int i = 1; i < N; i++) assert_true(((float *)d.host[0])[i] >= ((float *)d.host[0])[i - 1]);
    course_data_close(&d);

    kz_error error = {0};
    x->data = "sortd";
    assert_int_equal(course_data_open(&task, NULL, &the_case, 3, &d, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "sortd"));
    assert_non_null(strstr(error.message, "permutation"));
}

// ---- reference.c ----------------------------------------------------------------------------------------

static void write_file(const char *folder, const char *name, const char *text) {
    char path[COURSE_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), KZ_OK);
}

static void a_file_says_the_answer_and_the_inputs(void **state) {
    char folder[] = "/tmp/kz-data-test-XXXXXX", command[200];
    assert_non_null(mkdtemp(folder));
    write_file(
        folder, "reference.c",
        "void inputs(uint64_t seed, double *x, double factor, int64_t n) { x[n - 1] = (double)seed; }\n"
        "void reference(const double *x, double *z, double *z_bound, double factor, int64_t n) {\n"
        "    for (int64_t i = 0; i < n; i++) z[i] = factor * x[i], z_bound[i] = 1;\n}\n");
    course_task task = make_task(folder);
    course_reference *reference = open_reference(&task);
    course_data data = open_data(&task, reference, 9);
    bool changed;
    assert_true(((float *)data.host[0])[N - 1] == 9);
    answer(&data);
    ((float *)data.got[1])[4] += 0.9f;
    assert_int_equal(judge(&data, reference, &changed, NULL), KZ_OK);
    ((float *)data.got[1])[4] += 0.9f;
    assert_int_equal(judge(&data, reference, &changed, NULL), KZ_WRONG);
    course_data_close(&data);
    course_reference_close(reference);

    // A mistake is at its line of the task's own file.
    kz_error error = {0};
    write_file(folder, "reference.c", "\nvoid reference(const double *x) { return y; }\n");
    assert_int_equal(course_reference_open(&task, &reference, &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "reference.c:2:"));
    assert_non_null(strstr(error.message,
                           "void reference(const double *x, double *z, double *z_bound, double "
                           "factor, int64_t n)"));
    snprintf(command, sizeof command, "%s/reference.c", folder);
    unlink(command);
    rmdir(folder);
}

static void expressions_know_the_axes(void **state) {
    course_task task = make_task("/nowhere");
    double value = 0;
    kz_error error = {0};
    assert_int_equal(course_evaluate(&task, &the_case, "ceil(n/block)", 256, &value, &error), KZ_OK);
    assert_true(value == 5);
    assert_int_equal(course_evaluate(&task, &the_case, "ceil(m/256)", 0, &value, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "ceil(m/256)"));
    assert_int_equal(course_evaluate(&task, &the_case, "n n", 0, &value, &error), KZ_SYNTAX);
    char name[100];
    course_case c = {.axes = {7}, .data = "nan", .misalign = 1};
    course_case_name(&task, &c, name, sizeof name);
    assert_string_equal(name, "n=7, nan, misaligned by 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_and_wrong_answers),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(a_bound_lets_as_much_through_as_it_says),
        cmocka_unit_test(a_stale_output_is_named),
        cmocka_unit_test(kinds_of_inputs),
        cmocka_unit_test(a_file_says_the_answer_and_the_inputs),
        cmocka_unit_test(expressions_know_the_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
