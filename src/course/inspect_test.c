// Which case the tools look at: what --case says, and what is taken without it.

#include "inspect.h"
#include "unit.h"

static const course_case cases[] = {
    {.axes = {1, 1}}, {.axes = {500, 3}, .data = "nan"}, {.axes = {40, 2}}, {.axes = {90, 2}}};
static const course_gate gate = {.metric = "loads", .at = {.axes = {256, 4}}};

static course_task make_task(void) {
    return (course_task){.id = "some-task",
                         .axes = {"rows", "width"},
                         .axis_count = 2,
                         .parameters = {{.name = "x", .role = COURSE_INPUT, .count = "rows*width"}},
                         .parameter_count = 1,
                         .cases = cases,
                         .case_count = BASE_COUNT(cases)};
}

static void a_case_is_read(void **state) {
    course_task task = make_task();
    course_case c = {.axes = {7, 8}, .data = "large", .misalign = 2};
    assert_int_equal(course_case_read(&task, "rows=4096", &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 4096);
    assert_int_equal(c.axes[1], 8); // as it was
    assert_null(c.data);
    assert_int_equal(c.misalign, 0);
    assert_int_equal(course_case_read(&task, "width=3, rows=5, nan, misaligned by 1", &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 5);
    assert_int_equal(c.axes[1], 3);
    assert_string_equal(c.data, "nan");
    assert_int_equal(c.misalign, 1);
    assert_int_equal(course_case_read(&task, "width=-1", &c, NULL), KZ_OK); // strides go backwards
    assert_int_equal(c.axes[1], -1);
}

// What a verdict or a finding calls a case is read back as that case.
static void a_name_is_read_back(void **state) {
    course_task task = make_task();
    const course_case given = {.axes = {12, 34}, .data = "large", .misalign = 3};
    course_case c = {0};
    char name[200], again[200];
    course_case_name(&task, &given, name, sizeof name);
    assert_int_equal(course_case_read(&task, name, &c, NULL), KZ_OK);
    course_case_name(&task, &c, again, sizeof again);
    assert_string_equal(again, name);
}

static void what_is_no_case_is_refused(void **state) {
    static const char *const texts[] = {"n=4", "rows", "rows=", "rows=4x", "rows=4,misaligned by x", "nam"};
    course_task task = make_task();
    for (size_t i = 0; i < BASE_COUNT(texts); i++) {
        course_case c = cases[0];
        kz_error error = {0};
        assert_int_equal(course_case_read(&task, texts[i], &c, &error), KZ_INVALID);
        assert_non_null(strstr(error.message, "--case rows=1,width=1"));
    }
}

static void a_profile_takes_the_gates_case(void **state) {
    course_task task = make_task();
    course_case c;
    assert_int_equal(course_case_to_profile(&task, &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 90); // the largest that is plain
    task.speed = (course_speed){.given = true, .at = {.axes = {1 << 20, 1 << 10}}, .bytes = "4*rows*width"};
    assert_int_equal(course_case_to_profile(&task, &c, NULL), KZ_OK);
    assert_true(c.axes[0] * c.axes[1] <= 1 << 20 && c.axes[0] * c.axes[1] > 1 << 18);
    task.speed.flops = "rows*width*1024";
    assert_int_equal(course_case_to_profile(&task, &c, NULL), KZ_OK);
    assert_true(c.axes[0] * c.axes[1] <= 1 << 14);
    task.gates = &gate;
    task.gate_count = 1;
    assert_int_equal(course_case_to_profile(&task, &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 256);
}

static void a_debugger_takes_more_than_a_warp(void **state) {
    course_task task = make_task();
    course_case c;
    assert_int_equal(course_case_to_debug(&task, &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 40);
    task.case_count = 1;
    assert_int_equal(course_case_to_debug(&task, &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_is_read),
        cmocka_unit_test(a_name_is_read_back),
        cmocka_unit_test(what_is_no_case_is_refused),
        cmocka_unit_test(a_profile_takes_the_gates_case),
        cmocka_unit_test(a_debugger_takes_more_than_a_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
